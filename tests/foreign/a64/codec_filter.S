// Eight taps across: (dst, src, n, which): dst[i] = clip((sum_k filter[which][k] * src[i + k] + 32) >> 6), n of 8.
#include "frame.inc"

const filters, align=3
        .byte   0,  0,   0, 64,  0,   0,  0,  0
        .byte   0,  1,  -5, 56, 15,  -4,  1,  0
        .byte  -1,  3, -10, 40, 40, -10,  3, -1
        .byte   0,  1,  -4, 15, 56,  -5,  1,  0
endconst

.macro tap number
    .if \number == 0
        mul     v16.8h, v1.8h, v0.h[0]
    .else
        ext     v3.16b, v1.16b, v2.16b, #(2 * \number)
        mla     v16.8h, v3.8h, v0.h[\number]
    .endif
.endm

function filter8, export=1
        movrel  x4, filters, 8
        sub     x4, x4, #8
        add     x4, x4, w3, uxtw #3
        ld1     {v0.8b}, [x4]
        sxtl    v0.8h, v0.8b
1:      subs    x2, x2, #8
        ld1     {v1.8b}, [x1], #8
        ldr     d2, [x1]
        uxtl    v1.8h, v1.8b
        uxtl    v2.8h, v2.8b
    .set    number, 0
    .rept   2
      .irp  more, 0, 1, 2, 3
        .altmacro
        tap     %(number + \more)
        .noaltmacro
      .endr
      .set  number, number + 4
    .endr
        sqrshrun v16.8b, v16.8h, #6
        st1     {v16.8b}, [x0], #8
        b.hi    1b
        ret
endfunc

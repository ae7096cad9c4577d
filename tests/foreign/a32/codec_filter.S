@ Eight taps across: (dst, src, n, which): dst[i] = clip((sum_k filter[which][k] * src[i + k] + 32) >> 6), n of 8.
#include "frame.inc"

const filters, align=3
        .byte   0,  0,   0, 64,  0,   0,  0,  0
        .byte   0,  1,  -5, 56, 15,  -4,  1,  0
        .byte  -1,  3, -10, 40, 40, -10,  3, -1
        .byte   0,  1,  -4, 15, 56,  -5,  1,  0
endconst

.macro tap number
    .if \number == 0
        vmul.i16 q8, q1, d0[0]
    .else
        vext.8  q3, q1, q2, #(2 * \number)
      .if \number < 4
        vmla.i16 q8, q3, d0[\number]
      .else
        tap_of_second %(\number - 4)
      .endif
    .endif
.endm
.macro tap_of_second number
        vmla.i16 q8, q3, d1[\number]
.endm

function filter8, export=1
        movrel  r12, filters, 8
        sub     r12, r12, #8
        add     r12, r12, r3, lsl #3
        vld1.8  {d0}, [r12]
        vmovl.s8 q0, d0
1:      subs    r2, r2, #8
        vld1.8  {d2}, [r1]!
        vld1.8  {d4}, [r1]
        vmovl.u8 q1, d2
        vmovl.u8 q2, d4
    .set    number, 0
    .rept   2
      .irp  more, 0, 1, 2, 3
        .altmacro
        tap     %(number + \more)
        .noaltmacro
      .endr
      .set  number, number + 4
    .endr
        vqrshrun.s16 d16, q8, #6
        vst1.8  {d16}, [r0]!
        bhi     1b
        bx      lr
endfunc

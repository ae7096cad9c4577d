@ Two pictures mixed by a mask of 0 to 64: (dst, stride, other, w, h, mask); the width chooses from a table of places.
#include "frame.inc"

.macro mix dst, other, mask
        vsub.i8 d6, d31, \mask
        vmull.u8 q12, \dst, d6
        vmlal.u8 q12, \other, \mask
        vrshrn.i16 \dst, q12, #6
.endm

.macro width_loop width, size, lane
        .p2align 2
LOCAL_PREFIX\()blend_\width:
1:      subs    r4, r4, #1
    .if \width <= 8
        vld1.\size {d0\lane}, [r0]
        vld1.\size {d1\lane}, [r2]!
        vld1.\size {d2\lane}, [r5]!
        mix     d0, d1, d2
        vst1.\size {d0\lane}, [r0], r1
    .else
        mov     r7, r0
        .rept   \width / 16
        vld1.8  {q8}, [r7]
        vld1.8  {q9}, [r2]!
        vld1.8  {q10}, [r5]!
        .irp    half, "16,18,20", "17,19,21"
        mix_of  \half
        .endr
        vst1.8  {q8}, [r7]!
        .endr
        add     r0, r0, r1
    .endif
        bgt     1b
        pop     {r4-r7, pc}
.endm
.macro mix_of a, b, c
        mix     d\a, d\b, d\c
.endm

function blend, export=1, align=5
        push    {r4-r7, lr}
        ldrd    r4, r5, [sp, #20]
        adr     r6, LOCAL(blend_table)
        clz     r3, r3
        sub     r3, r3, #26
        ldr     r3, [r6, r3, lsl #2]
        vmov.i8 d31, #64
        add     r6, r6, r3
        bx      r6
        .align  2
LOCAL(blend_table):
    .irp    width, 32, 16, 8, 4
        .word   LOCAL_PREFIX\()blend_\width - LOCAL(blend_table)
    .endr
        width_loop 4, 32, [0]
        width_loop 8, 8
        width_loop 16, 8
        width_loop 32, 8
endfunc

@ The 4 x 4 integer transform of a difference of two blocks: (int16 out[16], a, stride_a, b, stride_b).
#include "frame.inc"

.macro sum_and_difference sum, difference, a, b
        vadd.i16 \sum, \a, \b
        vsub.i16 \difference, \a, \b
.endm

.macro sums_and_differences s1, d1, s2, d2, a, b, c, d
        sum_and_difference \s1, \d1, \a, \b
        sum_and_difference \s2, \d2, \c, \d
.endm

.macro transpose4 size, regs:vararg
    .ifc    \size, 16
        transpose4_16 \regs
    .else
        .error  "only 16"
    .endif
.endm
.macro transpose4_16 r0, r1, r2, r3
        vtrn.16 \r0, \r1
        vtrn.16 \r2, \r3
        vtrn.32 \r0, \r2
        vtrn.32 \r1, \r3
.endm

@ Butterflies of one direction: s03 and d12 doubled where the matrix has a 2.
.macro one_direction o0, o1, o2, o3, i0, i1, i2, i3, s=16
        sums_and_differences d16, d17, d18, d19, \i0, \i3, \i1, \i2
        sum_and_difference \o0, \o2, d\s, d18
        vshl.i16 \o1, d17, #1
        vadd.i16 \o1, \o1, d19
        vshl.i16 d20, d19, #1
        vsub.i16 \o3, d17, d20
.endm

.macro load_difference into
        vld1.32 {d28[0]}, [r1], r2
        vld1.32 {d29[0]}, [r3], r12
        vsubl.u8 q15, d28, d29
        vmov    \into, d30
.endm

function transform4x4, export=1
        ldr     r12, [sp]
        .irpc   number, 0123
        load_difference d\number
        .endr
        transpose4 16, d0, d1, d2, d3
        one_direction d4, d5, d6, d7, d0, d1, d2, d3
        transpose4 16, d4, d5, d6, d7
        one_direction d0, d1, d2, d3, d4, d5, d6, d7
        vst1.16 {d0-d3}, [r0]
        bx      lr
endfunc

// The 4 x 4 integer transform of a difference of two blocks: (int16 out[16], a, stride_a, b, stride_b).
#include "frame.inc"

.macro sum_and_difference sum, difference, a, b
        add     \sum, \a, \b
        sub     \difference, \a, \b
.endm

.macro sums_and_differences s1, d1, s2, d2, a, b, c, d
        sum_and_difference \s1, \d1, \a, \b
        sum_and_difference \s2, \d2, \c, \d
.endm

.macro transpose4 type, wide, regs:vararg
        transpose4_\type \wide, \regs
.endm
.macro transpose4_4h wide, r0, r1, r2, r3, t0=v24, t1=v25, t2=v26, t3=v27
        trn1    \t0\().4h, \r0\().4h, \r1\().4h
        trn2    \t1\().4h, \r0\().4h, \r1\().4h
        trn1    \t2\().4h, \r2\().4h, \r3\().4h
        trn2    \t3\().4h, \r2\().4h, \r3\().4h
    .irp    half, 1, 2
      .ifc  \half, 1
        trn\half \r0\().\wide, \t0\().\wide, \t2\().\wide
        trn\half \r1\().\wide, \t1\().\wide, \t3\().\wide
      .else
        trn\half \r2\().\wide, \t0\().\wide, \t2\().\wide
        trn\half \r3\().\wide, \t1\().\wide, \t3\().\wide
      .endif
    .endr
.endm

// Butterflies of one direction: s03 and d12 doubled where the matrix has a 2.
.macro one_direction o0, o1, o2, o3, i0, i1, i2, i3
        sums_and_differences v16.4h, v17.4h, v18.4h, v19.4h, \i0\().4h, \i3\().4h, \i1\().4h, \i2\().4h
        sum_and_difference \o0\().4h, \o2\().4h, v16.4h, v18.4h
        add     \o1\().4h, v17.4h, v17.4h
        add     \o1\().4h, \o1\().4h, v19.4h
        add     v20.4h, v19.4h, v19.4h
        sub     \o3\().4h, v17.4h, v20.4h
.endm

.macro load_difference number
        ld1     {v28.s}[0], [x1], x2
        ld1     {v29.s}[0], [x3], x4
        usubl   v30.8h, v28.8b, v29.8b
        mov     v\number\().8b, v30.8b
.endm

function transform4x4, export=1
        .irpc   number, 0123
        load_difference \number
        .endr
        transpose4 4h, 2s, v0, v1, v2, v3
        one_direction v4, v5, v6, v7, v0, v1, v2, v3
        transpose4 4h, 2s, v4, v5, v6, v7
        one_direction v0, v1, v2, v3, v4, v5, v6, v7
        st1     {v0.4h, v1.4h, v2.4h, v3.4h}, [x0]
        ret
endfunc

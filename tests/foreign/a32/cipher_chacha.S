@ One block of ChaCha20: (uint32 out[16], const uint32 in[16]).
#include "frame.inc"

va      .req    q0
vb      .req    q1
vc      .req    q2
vd      .qn     q3.i32
typed   .qn     q2.i32

.macro turn x, y, bits
        veor    q12, \x, \y
    .if \bits == 16
        vrev32.16 \x, q12
    .else
        vshl.i32 \x, q12, #\bits
        vsri.32 \x, q12, #(32 - \bits)
    .endif
.endm

.macro quarter bits, more:vararg
    .ifnb \bits
        step_of_\bits
        quarter \more
    .endif
.endm
.macro step_of_16
        vadd.i32 va, va, vb
        turn    q3, va, 16
.endm
.macro step_of_12
        vadd.i32 vc, vc, q3
        turn    vb, vc, 12
.endm
.macro step_of_8
        vadd.i32 va, va, vb
        turn    q3, va, 8
.endm
.macro step_of_7
        vadd    typed, typed, vd
        turn    vb, vc, 7
.endm

.macro diagonal n1, n2, n3
    .irp    pair, "vb,\n1", "vc,\n2", "q3,\n3"
        shift_lanes \pair
    .endr
.endm
.macro shift_lanes name, lanes
        vext.32 \name, \name, \name, #\lanes
.endm
.macro add_lanes into, what
        vadd.i32 q\into, q\into, q\what
.endm

function chacha20_block, export=1
        vldmia  r1, {q0-q3}
        vldmia  r1, {d16-d23}
        mov     r2, #10
1:      quarter 16, 12, 8, 7
        diagonal 1, 2, 3
        quarter 16, 12, 8, 7
        diagonal 3, 2, 1
        subs    r2, r2, #1
        bne     1b
    .set    n, 0
    .rept   4
        .altmacro
        add_lanes %n, %(n + 8)
        .noaltmacro
    .set    n, n + 1
    .endr
        vstmia  r0, {q0-q3}
        bx      lr
endfunc

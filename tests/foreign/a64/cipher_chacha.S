// One block of ChaCha20: (uint32 out[16], const uint32 in[16]).
#include "frame.inc"

a       .req    v0
b       .req    v1
c       .req    v2
d       .req    v3

.macro turn x, y, bits
        eor     v4.16b, \x\().16b, \y\().16b
    .if \bits == 16
        rev32   \x\().8h, v4.8h
    .else
        shl     \x\().4s, v4.4s, #\bits
        sri     \x\().4s, v4.4s, #(32 - \bits)
    .endif
.endm

.macro quarter bits, more:vararg
    .ifnb \bits
        step_of_\bits
        quarter \more
    .endif
.endm
.macro step_of_16
        add     a.4s, a.4s, b.4s
        turn    d, a, 16
.endm
.macro step_of_12
        add     c.4s, c.4s, d.4s
        turn    b, c, 12
.endm
.macro step_of_8
        add     a.4s, a.4s, b.4s
        turn    d, a, 8
.endm
.macro step_of_7
        add     c.4s, c.4s, d.4s
        turn    b, c, 7
.endm

.macro add_lanes into, what
        add     v\into\().4s, v\into\().4s, v\what\().4s
.endm

.macro diagonal n1, n2, n3
    .irp    pair, "b,\n1", "c,\n2", "d,\n3"
        shift_lanes \pair
    .endr
.endm
.macro shift_lanes name, lanes
        ext     \name\().16b, \name\().16b, \name\().16b, #(4 * \lanes)
.endm

function chacha20_block, export=1
        ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x1]
        ld1     {v16.4s, v17.4s, v18.4s, v19.4s}, [x1]
        mov     w2, #10
1:      quarter 16, 12, 8, 7
        diagonal 1, 2, 3
        quarter 16, 12, 8, 7
        diagonal 3, 2, 1
        subs    w2, w2, #1
        b.ne    1b
    .set    n, 0
    .rept   4
        .altmacro
        add_lanes %n, %(n + 16)
        .noaltmacro
    .set    n, n + 1
    .endr
        st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [x0]
        ret
endfunc

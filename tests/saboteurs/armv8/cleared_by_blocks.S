/*toml
summary   = "dst[i] = 0, whole blocks of 64 bytes"
prototype = "void (uint8_t *dst, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
dst = { reg = "x0", write = "n", align = 64 }
n   = { reg = "x1", range = [64, 4096], step = 64 }
*/

// DC ZVA clears the whole block of 64 bytes that its address lies in (DCZID_EL0 says that it may, and how large).

    .text
    .p2align 4
    .global cleared_by_blocks
    .type   cleared_by_blocks, %function
cleared_by_blocks:
    mrs     x2, dczid_el0
    cmp     x2, #4
    b.ne    2f
1:
    dc      zva, x0
    add     x0, x0, #64
    subs    x1, x1, #64
    b.ne    1b
    ret
2:
    movi    v0.16b, #0
3:
    str     q0, [x0], #16
    subs    x1, x1, #16
    b.ne    3b
    ret
    .size   cleared_by_blocks, . - cleared_by_blocks

    .section .note.GNU-stack,"",%progbits

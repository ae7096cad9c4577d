/*toml
summary   = "dst[i] = 0, whole blocks of 64 bytes"
prototype = "void (uint8_t *dst, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
dst = { reg = "x0", write = "n", align = 64 }
n   = { reg = "x1", range = [64, 4096], step = 64 }
*/

// DC ZVA clears the whole block of 64 bytes that its address lies in (DCZID_EL0 says that it may, and how large): each
// block four times.

    .text
    .p2align 4
    .global cleared_16_at_a_time
    .type   cleared_16_at_a_time, %function
cleared_16_at_a_time:
1:
    dc      zva, x0
    add     x0, x0, #16
    subs    x1, x1, #16
    b.ne    1b
    ret
    .size   cleared_16_at_a_time, . - cleared_16_at_a_time

    .section .note.GNU-stack,"",%progbits

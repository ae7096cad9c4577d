/*toml
summary   = "sums[r] = sum of the first 16 int8 of row r"
prototype = "void (const int8_t *src, int32_t *sums, int32_t rows, int32_t stride)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
src    = { reg = "x0", read = "(rows - 1)*stride + 16" }
sums   = { reg = "x1", write = "4*rows" }
rows   = { reg = "w2", range = [1, 64] }
stride = { reg = "w3", range = [16, 256] }
*/

// x18 is the platform register: on Linux a kernel may use it between a save and a restore.

    .text
    .p2align 4
    .global x18_restored
    .type   x18_restored, %function
x18_restored:
    str     x18, [sp, #-16]!
1:
    ldr     q0, [x0]
    add     x0, x0, w3, sxtw
    saddlv  h0, v0.16b
    smov    w18, v0.h[0]
    str     w18, [x1], #4
    subs    w2, w2, #1
    b.ne    1b
    ldr     x18, [sp], #16
    ret
    .size   x18_restored, . - x18_restored

    .section .note.GNU-stack,"",%progbits

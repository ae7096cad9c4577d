// saboteur: bad-return at line 24: x30 serves as scratch
/*toml
summary   = "sums[r] = sum of the first 16 int8 of row r"
prototype = "void (const int8_t *src, int32_t *sums, int32_t rows, int32_t stride)"
isa       = ["armv8.0-a", "neon"]
[args]
src    = { reg = "x0", read = "(rows - 1)*stride + 16" }
sums   = { reg = "x1", write = "4*rows" }
rows   = { reg = "w2", range = [1, 64] }
stride = { reg = "w3", range = [16, 256] }
*/

// rows and stride are 32-bit: what the upper halves of x2 and x3 hold, nobody promises.

    .text
    .p2align 4
    .global bad_return_lr_as_scratch
    .type   bad_return_lr_as_scratch, %function
bad_return_lr_as_scratch:
1:
    ldr     q0, [x0]
    add     x0, x0, w3, sxtw
    saddlv  h0, v0.16b
    smov    w30, v0.h[0]
    str     w30, [x1], #4
    subs    w2, w2, #1
    b.ne    1b
    ret
    .size   bad_return_lr_as_scratch, . - bad_return_lr_as_scratch

    .section .note.GNU-stack,"",%progbits

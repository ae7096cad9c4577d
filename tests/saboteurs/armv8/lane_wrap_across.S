// saboteur: lane-wrap at line 23: 16 int8 do not add up in one
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
    .global lane_wrap_across
    .type   lane_wrap_across, %function
lane_wrap_across:
1:
    ldr     q0, [x0]
    add     x0, x0, w3, sxtw
    addv    b0, v0.16b
    smov    w4, v0.b[0]
    str     w4, [x1], #4
    subs    w2, w2, #1
    b.ne    1b
    ret
    .size   lane_wrap_across, . - lane_wrap_across

    .section .note.GNU-stack,"",%progbits

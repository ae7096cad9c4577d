/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// 8 elements a pass. It gives up on part of a pass, which the contract does not allow.

    .text
    .p2align 4
    .global saturating_add_whole_passes
    .type   saturating_add_whole_passes, %function
saturating_add_whole_passes:
    tst     x3, #7
    b.ne    2f
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    sqadd   v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    b.ne    1b
    ret
2:
    bl      abort
    .size   saturating_add_whole_passes, . - saturating_add_whole_passes

    .section .note.GNU-stack,"",%progbits

/*toml
summary   = "out[i] = in[i] * scale, rounded to the nearest, ties to even"
prototype = "void (const int32_t *in, const float *scale, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
in    = { reg = "x0", read = "4*n", range = [-100000, 100000] }
scale = { reg = "x1", read = "4", range = [0.0, 4.0] }
out   = { reg = "x2", write = "4*n" }
n     = { reg = "x3", range = [4, 4096], step = 4 }
*/

// Only a scale of few bits has products midway between two whole numbers.

    .text
    .p2align 4
    .global round_scaled
    .type   round_scaled, %function
round_scaled:
    ld1r    {v1.4s}, [x1]
1:
    ldr     q0, [x0], #16
    subs    x3, x3, #4
    scvtf   v0.4s, v0.4s
    fmul    v0.4s, v0.4s, v1.4s
    fcvtns  v0.4s, v0.4s
    str     q0, [x2], #16
    b.ne    1b
    ret
    .size   round_scaled, . - round_scaled

    .section .note.GNU-stack,"",%progbits

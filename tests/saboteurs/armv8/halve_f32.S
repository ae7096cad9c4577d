/*toml
summary   = "out[i] = in[i] / 2, float32"
prototype = "void (const float *in, float *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
modular   = ["sub"]
[args]
in  = { reg = "x0", read = "4*n", range = [0.0, 3.0e38] }
out = { reg = "x1", write = "4*n" }
n   = { reg = "x2", range = [4, 4096], step = 4 }
*/

// Halves are exact but for denormals, which are rounded.

    .text
    .p2align 4
    .global halve_f32
    .type   halve_f32, %function
halve_f32:
    fmov    v1.4s, #0.5
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #4
    fmul    v0.4s, v0.4s, v1.4s
    str     q0, [x1], #16
    b.ne    1b
    ret
    .size   halve_f32, . - halve_f32

    .section .note.GNU-stack,"",%progbits

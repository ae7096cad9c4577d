/*toml
summary   = "out[r] = sum_i rows[r][i] * x[i] for 4 rows, int8 x int8 -> int32"
prototype = "void (const int8_t *rows, const int8_t *x, int32_t *out, size_t k)"
isa       = ["armv8.0-a", "neon"]
below_stack = 64
[args]
rows = { reg = "x0", read = "4*k", range = [-127, 127] }
x    = { reg = "x1", read = "k", range = [-128, 127] }
out  = { reg = "x2", write = "16" }
k    = { reg = "x3", range = [16, 4096], step = 16 }
[counts]
macs = "4*k"
*/

// Sums of the 4 rows in v8-v11, two products added in int16 in v12-v15: d8-d15 are the caller's, saved below sp
// as the contract declares, and restored.

    .text
    .p2align 4
    .global below_stack_declared
    .type   below_stack_declared, %function
below_stack_declared:
    stp     d8, d9, [sp, #-64]
    stp     d10, d11, [sp, #-48]
    stp     d12, d13, [sp, #-32]
    stp     d14, d15, [sp, #-16]
    add     x4, x0, x3
    add     x5, x4, x3
    add     x6, x5, x3
    movi    v8.4s, #0
    movi    v9.4s, #0
    movi    v10.4s, #0
    movi    v11.4s, #0
1:
    ldr     q0, [x1], #16
    ldr     q1, [x0], #16
    ldr     q2, [x4], #16
    ldr     q3, [x5], #16
    ldr     q4, [x6], #16
    subs    x3, x3, #16
    smull   v12.8h, v0.8b, v1.8b
    smull   v13.8h, v0.8b, v2.8b
    smull   v14.8h, v0.8b, v3.8b
    smull   v15.8h, v0.8b, v4.8b
    smlal2  v12.8h, v0.16b, v1.16b
    smlal2  v13.8h, v0.16b, v2.16b
    smlal2  v14.8h, v0.16b, v3.16b
    smlal2  v15.8h, v0.16b, v4.16b
    sadalp  v8.4s, v12.8h
    sadalp  v9.4s, v13.8h
    sadalp  v10.4s, v14.8h
    sadalp  v11.4s, v15.8h
    b.ne    1b
    addp    v8.4s, v8.4s, v9.4s
    addp    v10.4s, v10.4s, v11.4s
    addp    v8.4s, v8.4s, v10.4s
    str     q8, [x2]
    ldp     d10, d11, [sp, #-48]
    ldp     d12, d13, [sp, #-32]
    ldp     d14, d15, [sp, #-16]
    ldp     d8, d9, [sp, #-64]
    ret
    .size   below_stack_declared, . - below_stack_declared

    .section .note.GNU-stack,"",%progbits

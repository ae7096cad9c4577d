/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32, blocks of zeros in a left out"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
modular   = ["add", "addv"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [256, 65536], step = 256 }
*/

// 256 elements at a time; where all of a's are 0, none of them is multiplied.

    .text
    .p2align 4
    .global dot_sparse_s8
    .type   dot_sparse_s8, %function
dot_sparse_s8:
    movi    v16.4s, #0
1:
    mov     x4, x0
    mov     w5, #16
    movi    v2.16b, #0
2:
    ldr     q0, [x4], #16
    orr     v2.16b, v2.16b, v0.16b
    subs    w5, w5, #1
    b.ne    2b
    umaxv   b2, v2.16b
    fmov    w6, s2
    cbz     w6, 4f
    mov     w5, #16
3:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    smull   v2.8h, v0.8b, v1.8b
    smull2  v3.8h, v0.16b, v1.16b
    sadalp  v16.4s, v2.8h
    sadalp  v16.4s, v3.8h
    subs    w5, w5, #1
    b.ne    3b
    b       5f
4:
    add     x0, x0, #256
    add     x1, x1, #256
5:
    subs    x3, x3, #256
    b.ne    1b
    addv    s16, v16.4s
    str     s16, [x2]
    ret
    .size   dot_sparse_s8, . - dot_sparse_s8

    .section .note.GNU-stack,"",%progbits

/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 112
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Registers that nobody set are spilled whole and come back: copying an unset value is no fault, however it is copied.

    .text
    .p2align 4
    .global spill_garbage
    .type   spill_garbage, %function
spill_garbage:
    stp     x19, x20, [sp, #-112]!
    stp     x21, x22, [sp, #16]
    stp     x9, x10, [sp, #32]              // caller-saved, never set: somebody's prologue macro
    stp     q8, q9, [sp, #48]               // the high halves are no one's
    stp     d10, d11, [sp, #80]
    mov     x11, x19
    mov     x12, x20
    mov     v16.16b, v9.16b
    movi    v8.16b, #1
    movi    v9.16b, #1
    stp     x11, x12, [sp]                  // by way of copies
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    sqadd   v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    b.ne    1b
    mov     v9.16b, v16.16b
    ldr     q8, [sp, #48]
    ldp     x9, x10, [sp, #32]
    ldp     x21, x22, [sp, #16]
    ldp     d10, d11, [sp, #80]
    ldp     x19, x20, [sp], #112
    ret
    .size   spill_garbage, . - spill_garbage

    .section .note.GNU-stack,"",%progbits

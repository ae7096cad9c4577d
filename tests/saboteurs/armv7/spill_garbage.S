/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 88
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Registers that nobody set are spilled whole and come back: copying an unset value is no fault, however it is copied.
// r12 is saved for nothing, to keep sp on 8 bytes.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global spill_garbage
    .type   spill_garbage, %function
spill_garbage:
    push    {r4-r6, r12}
    vpush   {d8-d12}
    vstmdb  sp!, {d16-d19}                  // caller-saved, never set: somebody's prologue macro
    mov     r12, r6
    vmov    q13, q4
    vmov.i8 q4, #1
    mov     r6, #0
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vqadd.s8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bne     1b
    vmov    q4, q13
    mov     r6, r12
    vldmia  sp!, {d16-d19}
    vpop    {d8-d12}
    pop     {r4-r6, r12}
    bx      lr
    .size   spill_garbage, . - spill_garbage

    .section .note.GNU-stack,"",%progbits

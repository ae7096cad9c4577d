/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 144
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "4" }
n   = { reg = "r2", range = [512, 8192], step = 512 }
*/

// Addresses all about, and no result that depends on one: a frame on 64 bytes, a pointer spilled there, a loop that ends
// at an address, a jump to one, a call.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global addresses_all_about
    .type   addresses_all_about, %function
addresses_all_about:
    push    {r4, r11, r12, lr}
    mov     r11, sp
    sub     r12, sp, #64
    bic     r12, r12, #63
    mov     sp, r12
    str     r1, [sp, #16]
    add     r3, r0, r2
    vmov.i32 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    vpaddl.s8 q1, q0
    vpadal.s16 q2, q1
    cmp     r0, r3
    bne     1b
    vst1.32 {d4, d5}, [sp:128]
    vld1.32 {d6, d7}, [sp:128]
    ldr     r12, =2f
    mov     pc, r12
2:
    ldr     r1, [sp, #16]
    ldr     r4, [r11, #12]
    vadd.i32 d6, d6, d7
    vpadd.i32 d6, d6, d6
    bl      store
    mov     sp, r11
    pop     {r4, r11, r12, pc}
store:
    ldr     r12, =zero
    ldr     r12, [r12]
    vmov.32 r4, d6[0]
    add     r4, r4, r12
    str     r4, [r1]
    bx      lr
    .ltorg
    .section .rodata
    .p2align 2
zero:
    .word   0
    .text
    .size   addresses_all_about, . - addresses_all_about

    .section .note.GNU-stack,"",%progbits

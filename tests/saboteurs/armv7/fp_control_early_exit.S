// saboteur: fp-control at line 28: the way out for whole blocks leaves the default-NaN mode on
/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 4
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [1, 4096] }
*/

// 16 elements a pass, then the last 0-15 one at a time.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global fp_control_early_exit
    .type   fp_control_early_exit, %function
fp_control_early_exit:
    vmrs    r12, fpscr
    push    {r12}
    orr     r12, r12, #(1 << 25)
    vmsr    fpscr, r12
    subs    r3, r3, #16
    blo     2f
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    bhs     1b
2:
    adds    r3, r3, #16
    beq     4f
3:
    vld1.8  {d0[]}, [r0]!
    vld1.8  {d1[]}, [r1]!
    subs    r3, r3, #1
    vqadd.s8 d0, d0, d1
    vst1.8  {d0[0]}, [r2]!
    bne     3b
    ldr     r12, [sp]
    vmsr    fpscr, r12
4:
    add     sp, sp, #4
    bx      lr
    .size   fp_control_early_exit, . - fp_control_early_exit

    .section .note.GNU-stack,"",%progbits

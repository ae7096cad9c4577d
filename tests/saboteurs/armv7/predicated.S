/*toml
summary   = "out[i] = max(a[i], 0), int32"
prototype = "void (const int32_t *a, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "4*n" }
out = { reg = "r1", write = "4*n" }
n   = { reg = "r2", range = [1, 1024] }
*/

// Predicated instructions on flags that are set, a conditional return, and a shifter that takes the carry.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global predicated
    .type   predicated, %function
predicated:
1:
    ldr     r3, [r0], #4
    cmp     r3, #0
    movlt   r3, #0
    movslt  r12, #0
    str     r3, [r1], #4
    subs    r2, r2, #1
    bxeq    lr
    b       1b
    .size   predicated, . - predicated

    .section .note.GNU-stack,"",%progbits

/*toml
summary   = "out[i] = max(a[i], 0), int32"
prototype = "void (const int32_t *a, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "4*n" }
out = { reg = "x1", write = "4*n" }
n   = { reg = "x2", range = [1, 1024] }
*/

// Selects on flags that are set, between a value and a register that nobody set and that is never chosen.

    .text
    .p2align 4
    .global conditional_select
    .type   conditional_select, %function
conditional_select:
1:
    ldr     w3, [x0], #4
    cmp     w3, w3
    csel    w3, w3, w9, eq
    cmp     w3, #0
    csel    w3, w3, wzr, ge
    str     w3, [x1], #4
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   conditional_select, . - conditional_select

    .section .note.GNU-stack,"",%progbits

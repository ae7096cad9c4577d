/*toml
summary   = "out[i] = saturate(a[i] - zero) for count elements from first on, every number narrower than its register"
prototype = "void (const int8_t *a, int8_t *out, uint32_t first, int32_t count, int8_t zero, uint16_t unused)"
isa       = ["armv8.0-a", "neon"]
[args]
a      = { reg = "x0", read = "first + count" }
out    = { reg = "x1", write = "count" }
first  = { reg = "w2", range = [0, 64] }
count  = { reg = "w3", range = [1, 256] }
zero   = { reg = "w4", range = [-128, 127] }
unused = { reg = "w5", range = [0, 1] }
*/

// Each number is extended, masked or used in the width it has; the noise above it is moved about and never matters.

    .text
    .p2align 4
    .global narrow_arguments
    .type   narrow_arguments, %function
narrow_arguments:
    mov     x9, x2                          // noise and all
    neg     x10, x3                         // the low half comes out right
    dup     v1.16b, w4
    and     x5, x5, #1
    add     x0, x0, w9, uxtw
    sxtw    x3, w3
    add     w10, w10, w3                    // 0
    add     x1, x1, w10, uxtw
1:
    ldr     b0, [x0], #1
    subs    x3, x3, #1
    sqsub   v0.8b, v0.8b, v1.8b
    str     b0, [x1], #1
    b.ne    1b
    ret
    .size   narrow_arguments, . - narrow_arguments

    .section .note.GNU-stack,"",%progbits

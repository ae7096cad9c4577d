// saboteur: nondeterministic at line 20: the virtual count of the timer decides how it is rounded
/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass.

    .text
    .p2align 4
    .global nondeterministic_clock_in_the_result
    .type   nondeterministic_clock_in_the_result, %function
nondeterministic_clock_in_the_result:
    mrs     x9, cntvct_el0
    and     w9, w9, #1
    dup     v2.16b, w9
1:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    subs    x3, x3, #16
    sqadd   v0.16b, v0.16b, v1.16b
    sqadd   v0.16b, v0.16b, v2.16b
    st1     {v0.16b}, [x2], #16
    b.ne    1b
    ret
    .size   nondeterministic_clock_in_the_result, . - nondeterministic_clock_in_the_result

    .section .note.GNU-stack,"",%progbits

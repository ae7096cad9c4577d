// saboteur: lane-wrap at line 23: pairs are added up in int16 for all of the array
/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "4" }
n   = { reg = "x2", range = [512, 8192], step = 512 }
*/

// 16 elements a pass, added in pairs to int16, whose pairs are added to int32.

    .text
    .p2align 4
    .global lane_wrap_pairs_in_int16
    .type   lane_wrap_pairs_in_int16, %function
lane_wrap_pairs_in_int16:
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    sadalp  v2.8h, v0.16b
    b.ne    1b
    saddlv  s2, v2.8h
    str     s2, [x1]
    ret
    .size   lane_wrap_pairs_in_int16, . - lane_wrap_pairs_in_int16

    .section .note.GNU-stack,"",%progbits

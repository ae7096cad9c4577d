// saboteur: narrow-result at line 33: moves a signed lane as an unsigned one
/*toml
summary   = "returned: the largest of a, int8"
prototype = "int8_t (const int8_t *a, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "n" }
n = { reg = "r1", range = [8, 4096], step = 8 }
*/

// 8 elements a pass, then the largest of 8.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global narrow_result_unsigned_move
    .type   narrow_result_unsigned_move, %function
narrow_result_unsigned_move:
    vld1.8  {d0}, [r0]!
1:
    subs    r1, r1, #8
    beq     2f
    vld1.8  {d1}, [r0]!
    vmax.s8 d0, d0, d1
    b       1b
2:
    vpmax.s8 d0, d0, d0
    vpmax.s8 d0, d0, d0
    vpmax.s8 d0, d0, d0
    vmov.u8 r0, d0[0]
    bx      lr
    .size   narrow_result_unsigned_move, . - narrow_result_unsigned_move

    .section .note.GNU-stack,"",%progbits

// saboteur: narrow-result at line 33: the neighbours of the byte come along
/*toml
summary   = "returned: the largest of a, uint8"
prototype = "uint8_t (const uint8_t *a, size_t n)"
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
    .global narrow_result_four_lanes
    .type   narrow_result_four_lanes, %function
narrow_result_four_lanes:
    vld1.8  {d0}, [r0]!
1:
    subs    r1, r1, #8
    beq     2f
    vld1.8  {d1}, [r0]!
    vmax.u8 d0, d0, d1
    b       1b
2:
    vpmax.u8 d0, d0, d0
    vpmax.u8 d0, d0, d0
    vpmax.u8 d0, d0, d0
    vmov.32 r0, d0[0]
    bx      lr
    .size   narrow_result_four_lanes, . - narrow_result_four_lanes

    .section .note.GNU-stack,"",%progbits

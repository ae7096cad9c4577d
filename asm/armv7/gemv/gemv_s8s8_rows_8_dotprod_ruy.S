/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
isa     = ["armv8.2-a", "a32", "neon", "dotprod"]
*/

// The loops, outermost first:
//
//     for each 8 rows                       the last 1-7 as 8, the last one again in place of those not there
//         for each 64 elements              then 16, then the last 0-15 in one go, filled up with zeros
//             sums[8] += weights[8][64] * input[64]
//         output[8] = sums
//
// Each weight is used once: the weights stream through, and it is the input that is shared, by 8 rows. More rows would
// save no more than a load or two for each 32 of them.
//
//                     64 elements       input: q0-q3
//                   +-------------+
//          each row | q4-q7       |  q8-q15, one for each row: 4 x int32, to be added up across at the end
//                   +-------------+
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 vsdot, 18 vld1, 2 for the loop = 52 instructions, 0.102 per MAC.
// The floor is a vsdot for 16 MACs, 32 or 0.0625 per MAC, and 16 loads of 32 bytes, the most that vld1 takes, as each
// weight is loaded for one MAC: 48 or 0.0938, 8 % below. Around the hot loop a tile costs 87 instructions where nothing
// is left over.

#define KERNEL gemv_s8s8_rows_8_dotprod_ruy
#define DOTPROD 1

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

#include "gemv_s8s8_rows_8.inc"

/*toml
extends = "gemv_s8s32_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k], int8 x int8 -> int32"
*/

// The loops, outermost first:
//
//     for each 8 rows                       the last 1-7 as 8, the last one again in place of those not there
//         for each 32 elements              then 16, then the last 0-15 in one go, filled up with zeros
//             sums[8] += weights[8][32] * input[32]
//         output[8] = sums
//
// Each weight is used once: the weights stream through, and it is the input that is shared, by 8 rows. More rows would
// save no more than a load for each 16 of them.
//
//                     32 elements       input: q0, q1
//                   +-------------+
//    rows 0 2 4 6   | q4, q5      |  q8, q10, q12, q14      q2, q3: two products added, int16, on their way into the sums
//    rows 1 3 5 7   | q6, q7      |  q9, q11, q13, q15
//                   +-------------+  sums: 4 x int32 each, to be added up across at the end
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 65536 * 128 * 127 = 1 065 353 216.
//
// What bounds it, where weights are in the first level: the products take 0.25 cycles per MAC on Cortex-A53 and A55, which
// issue nothing beside a load of 128 bits, so that 18 of these bring it to 0.37 and 0.39. Cortex-A72 dispatches three
// instructions a cycle, of which one on 128 bits is two: 0.186, of which it takes 0.200. There products are added to sums
// while others are computed, and rows load before their use.
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 9 vld1, 2 for the loop = 59 instructions, 0.230 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC, and 8 vld1, as each weight is loaded for one MAC: 56
// or 0.219, 5 % below. Around the hot loop a tile costs 51 instructions where nothing is left over.

#define KERNEL gemv_s8s32_rows_8
#include "gemv_s8s32_rows_8.inc"

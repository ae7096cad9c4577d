/*toml
extends = "gemv_s8s32_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k], int8 x int8 -> int32, for in-order cores"
stack   = 116
*/

// For cores that issue in order, such as Cortex-A7, A53 and A55: as gemv_s8s32_rows_8, but weights are loaded by 64
// bits, two rows' halves before their use, and asked for before that. Why no weight is -128 is said there.
//
// What bounds it, where weights are in the first level: Cortex-A53 and A55 take a NEON instruction of 128 bits at a
// time, and vpadal for two cycles, so the products take 0.25 cycles per MAC, 64 for a block of 8 rows x 32 elements. To
// each block come 32 loads of 64 bits of weights, which are used once. Beside a multiplication Cortex-A53 writes
// nothing into a vector register. In the second cycle of each vpadal it writes two halves: one by vld1, and by vmov one
// that was loaded into two general registers, beside vmull and beside vpadal. vldr or ldrd would do with fewer
// instructions, but rows need not begin at a multiple of 4. Two instructions a cycle are 66.5 cycles for what there is,
// of which 70 are taken, 0.273 per MAC, on both. gemv_s8s32_rows_8 takes 94 and 100. Cortex-A7, whose products take 128
// cycles, takes 133, and 156 for the other.
//
// Where weights come from memory, the lines bound it: with 1000 rows of 1024 elements Cortex-A53 takes 0.45 cycles per
// MAC, gemv_s8s32_rows_8 0.95. Each row is asked for 64 bytes ahead, two times round the loop before its use, and its
// first line when the tile above ends. Further ahead the second line of each row would not be asked for.
//
//                     32 elements       input: d0-d3
//                   +-------------+
//    rows 0 2 4 6   | d4, d5      |  q8, q10, q12, q14    q4, q5: two products added, int16, on their way into the sums
//    rows 1 3 5 7   | d6, d7      |  q9, q11, q13, q15
//                   +-------------+  sums: 4 x int32 each, to be added up across at the end
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 18 vld1, 33 ldr, 16 vmov, 8 pld, 4 for the loop = 127 instructions, 0.496 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: of what is above it, the input's two loads of 128
// bits cost cycles. Around the hot loop a tile costs 71 instructions where nothing is left over, 20 of them to begin
// and to end it.

#define KERNEL gemv_s8s32_rows_8_inorder
#define AHEAD 64
#include "gemv_s8s32_rows_8.inc"

/*toml
extends = "gemv_s8s32_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k], int8 x int8 -> int32, for in-order cores"
*/

// For cores that issue two instructions in order, Cortex-A53 and A55: as gemv_s8s32_rows_8, but everything is loaded by
// 64 bits, two rows' halves before its use, and weights are asked for before they are loaded. Why no weight is -128 is
// said there.
//
// What bounds it, where weights are in the first level: both cores take a NEON instruction of 128 bits at a time, and
// sadalp for two cycles, so the products take 0.25 cycles per MAC, 64 for a block of 8 rows x 32 elements. To each
// block come 32 loads of 64 bits of weights, which are used once, and 4 of the input. Beside a multiplication
// Cortex-A53 writes nothing into a vector register. In the second cycle of each sadalp it writes two halves: one that
// is loaded there, and by fmov one that was loaded into a general register beside smull. The input's loads take a cycle
// each: 68 cycles, 0.266 per MAC; Cortex-A55 takes 66. gemv_s8s32_rows_8 takes 94 and 102.
//
// Where weights come from memory, the lines bound it: with 1000 rows of 1024 elements Cortex-A53 takes 0.43 cycles per
// MAC, gemv_s8s32_rows_8 0.94. Each row is asked for 64 bytes ahead, two times round the loop before its use, and its
// first line while the tile above ends. Further ahead the second line of each row would not be asked for.
//
//                     32 elements       input: d0-d3
//                   +----------------+
//          each row | d4-d7          |  v16-v23, one for each row: 4 x int32, to be added up across at the end
//                   +----------------+  v24, v25: two products added, int16, on their way into the sums
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs:
//     16 smull, 16 smlal, 16 sadalp, 36 ldr, 16 fmov, 8 prfm, 2 for the loop = 110 instructions, 0.430 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: of what is above it, the 4 loads of the input cost
// cycles. Around the hot loop a tile costs 71 instructions where nothing is left over.

#define KERNEL gemv_s8s32_rows_8_inorder
#define AHEAD 64
#include "gemv_s8s32_rows_8.inc"

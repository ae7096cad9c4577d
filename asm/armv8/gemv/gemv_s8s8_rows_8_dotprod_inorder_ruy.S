/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8, for in-order cores"
isa     = ["armv8.2-a", "neon", "dotprod"]
*/

// For Cortex-A55 and A510, which issue in order: as gemv_s8s8_rows_8_dotprod_ruy, but weights are loaded by 64 bits, a
// row before their use, and asked for before that.
//
// What bounds it on Cortex-A55, where weights are in the first level: loads. An sdot takes a cycle for 16 MACs, and
// each of them needs 16 bytes of weights, whatever the tile, which take the load port for two cycles: 64 of them for 8
// rows x 64 elements, 8 for the input, and 8 more to ask for weights, so 80, or 0.156 cycles per MAC. 128 bits at once
// take the port as long, and nothing issues beside them; of two loads of 64 bits the first has an sdot beside it. It
// takes 82, where gemv_s8s8_rows_8_dotprod_ruy takes 120.
//
// Where weights come from memory, the lines bound it: with 1000 rows of 1024 elements it takes 0.50 cycles per MAC,
// gemv_s8s8_rows_8_dotprod_ruy 0.92; on Cortex-A510 0.42 and 0.75. Each row is asked for 64 bytes, once round the loop,
// ahead of its use, and its first line while the tile above ends.
//
//                     64 elements       input: v0-v3
//                   +----------------+
//          each row | v4-v7          |  v16-v23, one for each row: 4 x int32, to be added up across at the end
//                   +----------------+
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 sdot, 65 ld1, 8 prfm, 2 for the loop = 107 instructions, 0.209 per MAC.
// The floor is an sdot for 16 MACs, 32 or 0.0625 per MAC, and two loads: 96 or 0.1875, 10 % below. Around the hot loop
// a tile costs 97 instructions where nothing is left over.

#define KERNEL gemv_s8s8_rows_8_dotprod_inorder_ruy
#define DOTPROD 1
#define AHEAD 64

    .arch armv8.2-a+dotprod
    .text

#include "gemv_s8s8_rows_8.inc"

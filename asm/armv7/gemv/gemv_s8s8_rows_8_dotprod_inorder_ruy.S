/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8, for in-order cores"
isa     = ["armv8.2-a", "a32", "neon", "dotprod"]
*/

// For Cortex-A55, which issues two instructions in order: as gemv_s8s8_rows_8_dotprod_ruy, but weights are loaded by 64
// bits, a row before their use, and asked for before that.
//
// What bounds it, where weights are in the first level: loads. A vsdot takes a cycle for 16 MACs, and each of them
// needs 16 bytes of weights, whatever the tile, which take the load port for two cycles: 64 of them for 8 rows x 64
// elements, 8 for the input, and 8 more to ask for weights, so 80, or 0.156 cycles per MAC. 128 bits at once take the
// port as long, and nothing issues beside them; of two loads of 64 bits the first has a vsdot beside it. It takes 82,
// where gemv_s8s8_rows_8_dotprod_ruy takes 104.
//
// Where weights come from memory, the lines bound it: with 1000 rows of 1024 elements it takes 0.52 cycles per MAC,
// gemv_s8s8_rows_8_dotprod_ruy 0.92. Each row is asked for 64 bytes, once round the loop, ahead of its use, and its
// first line when the tile above ends.
//
// The tile is that of gemv_s8s8_rows_8_dotprod_ruy. Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 <
// 2^31.
//
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 vsdot, 66 vld1, 8 pld, 4 for the loop = 110 instructions, 0.215 per MAC.
// The floor is a vsdot for 16 MACs, 32 or 0.0625 per MAC, and two loads: 96 or 0.1875, 13 % below. Around the hot loop
// a tile costs 102 instructions where nothing is left over.

#define KERNEL gemv_s8s8_rows_8_dotprod_inorder_ruy
#define DOTPROD 1
#define AHEAD 64

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

#include "gemv_s8s8_rows_8.inc"

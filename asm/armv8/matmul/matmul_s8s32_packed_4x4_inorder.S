/*toml
extends = "matmul_s8s32_packed_4x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16, for in-order cores"
*/

// For cores that issue in order, Cortex-A53, A55 and A510: as matmul_s8s32_packed_4x4, from the same operands, but with
// something beside the multiplications, and every load two columns or more before its use.
//
// What bounds it: the products take 4 cycles for 16 MACs on Cortex-A53 and A55, 0.25 per MAC, and loads only what room they
// leave, as in conv1x1_s8s32_hwc_4x4_inorder. The loop takes these 128 cycles on Cortex-A53, 136 on A55 and 104 on A510. b
// is asked for 256 bytes ahead; a comes back from the first level for every 4 columns.
//
// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs:
//     96 for the products, 32 ldr, 16 ins, 4 add, 2 prfm, 2 for the loop = 152 instructions, 0.297 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: what is above it costs no cycle. Around the hot loop a
// tile costs -2 instructions, whatever the depth: the last 16 depths have nothing to load, which saves more than it takes to
// load the first, add the sums up across, store them and start over.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

#define KERNEL matmul_s8s32_packed_4x4_inorder
#define AHEAD 512
#include "matmul_s8s32_packed_4x4.inc"

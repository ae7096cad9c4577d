/*toml
extends = "conv1x1_s8s32_hwc_4x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights of 7 bits, for in-order cores"
stack   = 112
[args]
weights = { range = [-63, 64] }
*/

// For cores that issue two instructions in order, Cortex-A53 and A55, and weights of 7 bits: as
// conv1x1_s8s32_hwc_4x4_inorder, but four products are added in int16 before they are widened.
//
// Why weights lie in [-63, 64]: smull, smlal2, smlal and smlal2 add four products in int16. 4 * -128 * -63 is 32256 and
// 4 * -128 * 64 is -32768, both int16; 4 * -128 * -64, 32768, is not. So the input may be any int8, and quantization to 7
// bits, [-63, 63], gives such weights. Kernels that add up all input channels in int16 need no sadalp but for the end, and
// are exact for a few channels alone.
//
// What bounds it: Cortex-A53 and A55 take a NEON instruction of 128 bits at a time, sadalp takes its unit for two cycles. So
// 32 MACs take 6 cycles, 0.1875 per MAC, and loads only what room they leave: a load of 64 bits into a vector register or
// `ins` in the second cycle of sadalp, one into a general register beside a multiplication. 16 registers of operands take
// 32 such parts for 512 MACs; 16 find room, and the others take 8 cycles, two in each: a bound of 104, 0.203 per MAC. The
// loop takes 107 on Cortex-A53, 102 on A55, where loads have more room. Where 8 multiplications of 128 bits bound a loop,
// as on Cortex-A72 and A76, the other kernels are as fast.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     80 for the products, 32 ldr, 16 ins, 8 add, 4 prfm, 2 for the loop = 142 instructions, 0.277 per MAC.
// The floor is five instructions for 32 MACs, 80 or 0.156 per MAC. Around the hot loop a tile costs 12 instructions, whatever
// the number of input channels, as the last time round has no pixels to load: 12 to add the sums up across, 4 to store them,
// 5 to ask for the next rows, the rest to move 8 pointers and to find that nothing is left over.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_4x4_w7
#define AHEAD 64
#define FOUR_PRODUCTS
#include "conv1x1_s8s32_hwc_4x4.inc"

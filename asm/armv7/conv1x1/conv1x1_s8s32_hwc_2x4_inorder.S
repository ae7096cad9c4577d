/*toml
extends = "conv1x1_s8s32_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers, for in-order cores"
*/

// For cores that issue in order, where a load that misses, or whose result is wanted at once, holds up what comes after:
// as conv1x1_s8s32_hwc_2x4, but software-pipelined. The first half of a row's weights is in q4 and the second in q5; as
// soon as q4 has been multiplied it takes the first half of the next row while q5 is multiplied, and so on, so that no
// load is waited for but that of the first row and the pixels. Each row is asked for 64 bytes ahead, two times round the
// loop before its use: enough for what the second level takes to answer.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 3 loads of 32 bytes, 6 of 16, 4 pld, 2 for the loop = 63 instructions, 0.246 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC. Half rows cost 3 loads more, prefetching 4
// instructions: more instructions than conv1x1_s8s32_hwc_2x4, fewer cycles where they are waited for. Around the hot loop
// a tile costs 26 instructions, whatever the number of input channels: 12 to add the sums up across, 2 to store them, the
// rest to move 6 pointers and to find that nothing is left over. With 32 input channels the tile cannot cost less than
// 48 + 9 + 4 + 12 + 2 = 75, 0.293 per MAC.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_2x4_inorder
#define AHEAD 64
#include "conv1x1_s8s32_hwc_2x4.inc"

/*toml
extends = "conv1x1_s8s32_hwc_4x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers, for in-order cores"
stack   = 96
*/

// For cores that issue in order, where a load that misses holds up what comes after: as conv1x1_s8s32_hwc_4x4, but each
// row of weights is asked for 64 bytes ahead, two times round the loop before its use. The weights of the next row load
// while this one multiplies, v8 and v9 while v10 and v11 are used and the other way round. 64 bytes are enough for what
// the second level takes to answer; further ahead, with rows of 512 bytes, the lines of 8 streams begin to drive out one
// another before their use. The pixels stay in the first level by themselves.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 4 prfm, 2 for the loop = 110 instructions, 0.215 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 16 loads of 16 bytes take 8 ldp, and every second
// prfm asks for a line that is there already, which costs less than telling the two apart. Around the hot loop a tile
// costs 29 instructions, whatever the number of input channels: 12 to add the sums up across, 4 to store them, the rest to
// move 8 pointers and to find that nothing is left over. With 32 input channels the tile cannot cost less than 96 + 8 + 4
// + 12 + 4 = 124, 0.242 per MAC.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_4x4_inorder
#define AHEAD 64
#include "conv1x1_s8s32_hwc_4x4.inc"

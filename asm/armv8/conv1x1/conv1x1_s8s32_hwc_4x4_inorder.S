/*toml
extends = "conv1x1_s8s32_hwc_4x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers, for in-order cores"
stack   = 96
*/

// For cores that issue two instructions in order, Cortex-A53 and A55: as conv1x1_s8s32_hwc_4x4, but with something beside
// the multiplications, and every load two output channels or more before its use.
//
// What bounds it: both cores take a NEON instruction of 128 bits at a time, sadalp takes its unit for two cycles. So 16
// MACs take 4 cycles, 0.25 per MAC, whatever the order, and a load is free only where it finds room: a load of 128 bits
// never does. A load of 64 bits into a vector register has room in the second cycle of sadalp, one into a general register
// beside a multiplication, and `ins` in the second cycle of another sadalp. So a register of operands comes in three
// parts, and the loop takes 128 cycles for 512 MACs, with nothing to spare. llvm-mca 19, which lets no load be done
// before the multiplication in front of it, has 0.36 on Cortex-A53 and 0.29 on A55.
//
// Registers: v8-v11 are the weights of one output channel each, 16 input channels. v0, v2, v4, v6 and v1, v3, v5, v7 are the
// pixels' in turn: one four is multiplied while the other loads. Each row is asked for 96 bytes ahead, three times round
// the loop before its use, and where the next four rows start before the tile ends.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     96 for the products, 32 ldr, 16 ins, 8 add, 4 prfm, 2 for the loop = 158 instructions, 0.309 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: what is above it costs no cycle. Around the hot loop a
// tile costs 19 instructions, whatever the number of input channels, as the last time round has nothing to load: 12 to add
// the sums up across, 4 to store them, 5 to ask for the next rows, the rest to move 8 pointers and to find that nothing is
// left over.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_4x4_inorder
#define AHEAD 96
#include "conv1x1_s8s32_hwc_4x4.inc"

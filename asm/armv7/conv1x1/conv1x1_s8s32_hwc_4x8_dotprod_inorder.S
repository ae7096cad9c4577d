/*toml
extends = "conv1x1_hwc_4x8_dotprod.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, vsdot by element, for in-order cores"
stack   = 172
*/

// For Cortex-A55, which issues two instructions in order: conv1x1_s8s32_hwc_4x8_dotprod, from the same packed weights.
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// What bounds it: this core takes one vsdot of 128 bits a cycle, 16 MACs, so 0.0625 cycles per MAC, and beside it one
// load of 64 bits. A load of 128 bits issues beside nothing and takes two cycles. So everything is loaded by halves of
// registers, which in AArch32 have names of their own: 24 loads beside 32 vsdot, and the loop takes 32 cycles.
//
// Registers: as in the picture above; q4, q5 and q6, q7 are loaded in turn, 4 input channels before their use. d0, d2, d4, d6,
// the first 8 of 16 input channels, load while the others multiply, and the other way round. The weights are asked for
// 1024 bytes ahead, 8 times round the loop: they come from the second level for every 4 pixels.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs:
//     32 vsdot, 24 vld1, 2 pld, 2 for the loop = 60 instructions, 0.117 per MAC.
// The floor is one vsdot for 16 MACs, 32 or 0.0625 per MAC: what is above it costs no cycle. Around the hot loop a tile
// costs 13 instructions, whatever the number of input channels, as the last time round has less to load: 2 to clear the
// sums (by loads of zeros), 4 to store them, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 192 loaded for 512 MACs, 4 stored for each output, once.

#define INORDER
#define AHEAD 1024

#include "registers_4x8_dotprod.inc"

in_channels  .req r9

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define ZEROS        0      /* 64 bytes: what the sums start from */
#define WEIGHTS      64
#define PIXELS       68     /* pixels left */
#define LOCALS       72
#define FRAME        172    /* LOCALS, d8-d15, r4-r11 and lr */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)

#include "../include/function.inc"
#include "conv1x1_hwc_4x8_dotprod.inc"
#include "../include/sums_of_tile_4x8.inc"

.macro set_pitch
    lsl     pitch, left, #2
.endm

function conv1x1_s8s32_hwc_4x8_dotprod_inorder
    save_all
    sub     sp, sp, #LOCALS
    mov     pixels, r3
    str     r1, [sp, #WEIGHTS]
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    add     r4, sp, #ZEROS
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    ldr     in_channels, [sp, #IN_CHANNELS]

    conv1x1_hwc_4x8
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function conv1x1_s8s32_hwc_4x8_dotprod_inorder

/*toml
extends = "conv1x1_hwc_4x8_dotprod.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, vsdot by element, for in-order cores"
stack   = 172
*/

// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs:
//     32 vsdot, 4 vld1, 2 vldm, 2 for the loop = 40 instructions, 0.0781 per MAC.
// The floor is one vsdot for 16 MACs, 32 or 0.0625 per MAC: 4 pixels that do not lie together take 4 loads. Around the
// hot loop a tile costs 17 instructions, whatever the number of input channels: 2 to clear the sums (by loads of zeros,
// as the loads have the time), 4 to store them, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 192 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: 5 ascending streams, of which the weights come back from the cache for every 4 pixels.

#define INORDER

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

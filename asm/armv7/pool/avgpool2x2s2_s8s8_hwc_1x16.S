/*toml
summary   = "output = the mean of 2 x 2 pixels, rounded to the nearest, ties away from zero, stride 2, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t width, size_t channels, ptrdiff_t input_pitch, ptrdiff_t output_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 40
[args]
input        = { reg = "r0", read = { rows = "2*height", bytes = "2*width*channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
output       = { reg = "r1", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r2", range = [1, 65536] }
width        = { reg = "r3", range = [1, 65536] }
channels     = { reg = "stack+0", range = [1, 65536] }
input_pitch  = { reg = "stack+4", range = [-1073741824, 1073741824] }
output_pitch = { reg = "stack+8", range = [-1073741824, 1073741824] }
*/

// height and width are those of the output; the window is inside the input. Scale and zero point stay; the mean is that
// of the raw numbers, rounded as TFLite does.
//
// A sum s of four fits int16. vrshrn by 2 rounds ties upward, so a negative sum is lowered by 1 first, which moves ties
// alone.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 6 to add, 4 to round and narrow, 1 store, 2
// for the loop = 17 instructions, 1.062 per element. The floor is 15: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // rows of the window
output       .req r1
left         .req r2        // channels left, counts down
width        .req r3
channels     .req r4        // also the bytes from one pixel to the next
input_pitch  .req r5        // bytes from one row to the next
output_pitch .req r6
row          .req r7        // where the channels begin
start        .req r8
in0          .req r9        // walk along the pixels
in1          .req r10
out          .req r12
count        .req lr        // pixels left, counts down

#define HEIGHT 0            /* in the frame, rows of the output left; then r4-r11 and lr */
#define FRAME  40

#include "../include/function.inc"
#include "pool.inc"

.macro walk n
8:
    load    \n, d0, d1, in0
    load    \n, d2, d3, in0
    load    \n, d4, d5, in1
    load    \n, d6, d7, in1
    subs    count, count, #1
    vaddl.s8 q8, d0, d2
    vaddl.s8 q9, d1, d3
    vaddl.s8 q10, d4, d6
    vaddl.s8 q11, d5, d7
    vadd.i16 q8, q8, q10
    vadd.i16 q9, q9, q11
    vsra.s16 q8, q8, #15
    vsra.s16 q9, q9, #15
    vrshrn.i16 d0, q8, #2
    vrshrn.i16 d1, q9, #2
    store   \n, d0, d1
    bne     8b
.endm

function avgpool2x2s2_s8s8_hwc_1x16
    push    {r4-r11, lr}
    sub     sp, sp, #4
    str     r2, [sp, #HEIGHT]
    ldr     channels, [sp, #FRAME]
    ldr     input_pitch, [sp, #(FRAME + 4)]
    ldr     output_pitch, [sp, #(FRAME + 8)]
    pool
    add     sp, sp, #4
    pop     {r4-r11, pc}
end_function avgpool2x2s2_s8s8_hwc_1x16

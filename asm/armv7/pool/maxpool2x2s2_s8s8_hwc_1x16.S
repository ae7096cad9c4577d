/*toml
summary   = "output = the greatest of 2 x 2 pixels, stride 2, HWC"
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

// height and width are those of the output; the window is inside the input. For padding, pad_s8s8_rows_64 comes first,
// with the lowest value, which never wins.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 3 to compare, 1 store, 2 for the loop = 10
// instructions, 0.625 per element. The floor is 8: all but the loop's.

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
    vmax.s8 q0, q0, q1
    vmax.s8 q2, q2, q3
    vmax.s8 q0, q0, q2
    store   \n, d0, d1
    bne     8b
.endm

function maxpool2x2s2_s8s8_hwc_1x16
    push    {r4-r11, lr}
    sub     sp, sp, #4
    str     r2, [sp, #HEIGHT]
    ldr     channels, [sp, #FRAME]
    ldr     input_pitch, [sp, #(FRAME + 4)]
    ldr     output_pitch, [sp, #(FRAME + 8)]
    pool
    add     sp, sp, #4
    pop     {r4-r11, pc}
end_function maxpool2x2s2_s8s8_hwc_1x16

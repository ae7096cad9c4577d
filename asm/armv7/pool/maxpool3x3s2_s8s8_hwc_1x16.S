/*toml
summary   = "output = the greatest of 3 x 3 pixels, stride 2, a pixel of padding where asked for, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t width, size_t channels, ptrdiff_t input_pitch, ptrdiff_t output_pitch, size_t top, size_t left, size_t bottom, size_t right)"
isa       = ["armv7-a", "neon"]
stack     = 68
[args]
input        = { reg = "r0", read = { rows = "2*height+1-top-bottom", bytes = "(2*width+1-left-right)*channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
output       = { reg = "r1", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r2", range = [1, 65536] }
width        = { reg = "r3", range = [1, 65536] }
channels     = { reg = "stack+0", range = [1, 65536] }
input_pitch  = { reg = "stack+4", range = [-1073741824, 1073741824] }
output_pitch = { reg = "stack+8", range = [-1073741824, 1073741824] }
top          = { reg = "stack+12", range = [0, 1] }
left         = { reg = "stack+16", range = [0, 1] }
bottom       = { reg = "stack+20", range = [0, 1] }
right        = { reg = "stack+24", range = [0, 1] }
*/

// height and width are those of the output; top, left, bottom and right say whether the windows reach a pixel beyond
// the image there. What is beyond never wins: it is the lowest value, 16 bytes of the frame in place of a row.
//
// Two windows side by side share a column of three pixels, whose greatest is kept: so a pixel of the output takes two
// new columns, 6 loads and 6 comparisons where 9 and 8 would be needed afresh. Rows could share too, but their greatest
// would have to be stored in between.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 6 loads, 6 to compare, 1 store, 2 for the loop = 15
// instructions, 0.938 per element. The floor is 13: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

in0          .req r0        // walk along the pixels
in1          .req r1
in2          .req r2
out          .req r3
channels     .req r4        // also the bytes from one pixel to the next
step0        .req r5        // from one pixel of row 0 to the next, 0 where the row is not there
step2        .req r6        // the same of row 2
count        .req r7        // pixels left, counts down
row          .req r8        // where the channels begin
start        .req r9
rest         .req r10       // channels left, counts down
above        .req r11       // pixels beyond the image: of the row at hand
at           .req r12

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define BEYOND       0      /* 16 bytes that make no difference */
#define INPUT        16     /* middle row of the window */
#define OUTPUT       20
#define HEIGHT       24     /* counts down */
#define WIDTH        28
#define LOCALS       32
#define FRAME        68     /* LOCALS, r4-r11 and lr */
#define CHANNELS     FRAME
#define INPUT_PITCH  (FRAME + 4)
#define OUTPUT_PITCH (FRAME + 8)
#define TOP          (FRAME + 12)
#define LEFT         (FRAME + 16)
#define BOTTOM       (FRAME + 20)
#define RIGHT        (FRAME + 24)

#define STRIDE 2

#include "../include/function.inc"
#include "pool3x3.inc"

.macro start_row
.endm

// a (halves a0, a1) = the greatest of the next column
.macro load_column n, a, a0, a1
    load    \n, \a0, \a1, in0, step0
    load    \n, d2, d3, in1, channels
    load    \n, d4, d5, in2, step2
    vmax.s8 \a, \a, q1
    vmax.s8 \a, \a, q2
.endm

.macro walk n
    vmov.i8 q8, #128                                // the first column
    ldr     at, [sp, #LEFT]
    cmp     at, #0
    bne     8f
    load_column \n, q8, d16, d17
8:
    cmp     count, #0
    beq     10f
9:
    load    \n, d0, d1, in0, step0
    load    \n, d2, d3, in1, channels
    load    \n, d4, d5, in2, step2
    load    \n, d6, d7, in0, step0
    load    \n, d18, d19, in1, channels
    load    \n, d20, d21, in2, step2
    subs    count, count, #1
    vmax.s8 q0, q0, q1
    vmax.s8 q3, q3, q9
    vmax.s8 q0, q0, q2
    vmax.s8 q0, q8, q0
    vmax.s8 q8, q3, q10
    vmax.s8 q0, q0, q8
    store   \n, d0, d1
    bne     9b
10:
    ldr     at, [sp, #RIGHT]
    cmp     at, #0
    beq     11f
    load_column \n, q0, d0, d1                      // the last window has two columns
    vmax.s8 q0, q0, q8
    store   \n, d0, d1
11:
.endm

function maxpool3x3s2_s8s8_hwc_1x16
    push    {r4-r11, lr}
    sub     sp, sp, #LOCALS
    add     at, sp, #INPUT
    stm     at, {r0-r3}
    vmov.i8 q0, #128
    vst1.8  {d0, d1}, [sp]
    ldr     channels, [sp, #CHANNELS]
    pool
    add     sp, sp, #LOCALS
    pop     {r4-r11, pc}
end_function maxpool3x3s2_s8s8_hwc_1x16

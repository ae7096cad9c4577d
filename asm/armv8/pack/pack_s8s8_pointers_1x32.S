/*toml
extends = "pack_s8s8_pointers.inc"
summary = "packed[row][tap] = the channels that input[row][tap] points to, one row after another"
[args]
packed = { write = "rows*taps*channels", layout = "rows1_depth1" }
*/

// For conv1x1, gemv, and all else that reads rows as they lie.
//
// The loops; the number of channels chooses one:
//
//     for each pointer
//         for each 32 channels           then the last 32, some of them again
//     for each pointer                   to 16-31 channels: the first 16 and the last 16, some of them twice
//     for each pointer                   to 8-15, to 4-7, to 2-3 likewise; to 1
//
// Few channels are loaded before any is stored, so that no store waits for its own load.
//
// Cost of the hot loop, per 32 channels = 32 bytes: 1 load, 1 store, 2 for the loop = 4 instructions, 0.125 per byte.
// The floor is 2: all but the loop's.

#include "pack_s8s8_pointers.inc"

input    .req x0            // walks along the pointers
packed   .req x1            // walks along the channels
rows     .req x2
taps     .req x3
channels .req x4
in       .req x5            // walks along the channels of one pointer
count    .req x6            // channels left, counts down
pointers .req x7            // left, counts down
last     .req x8            // from the first channel to the last ones that are loaded at once
rest     .req x9            // channels after the blocks of 32
back     .req x10           // from the first channel after the blocks of 32 to the last 32: rest - 32

// packed[tap] = input[tap][0..channels-1], of `size` to 2 * size - 1 channels, for all pointers
.macro copy_few size, first, second
    sub     last, channels, #\size
.Lpointer_\@:
    ldr     in, [input], #8
    subs    pointers, pointers, #1
    ldr     \first, [in]
    ldr     \second, [in, last]
    str     \first, [packed]
    str     \second, [packed, last]
    add     packed, packed, channels
    b.ne    .Lpointer_\@
    ret
.endm

function pack_s8s8_pointers_1x32
    mul     pointers, rows, taps
    cmp     channels, #32
    b.hs    .Lmany
    tbnz    channels, #4, .Lfrom_sixteen
    tbnz    channels, #3, .Lfrom_eight
    tbnz    channels, #2, .Lfrom_four
    tbnz    channels, #1, .Lfrom_two
    copy_few 1, b0, b1
.Lfrom_two:
    copy_few 2, h0, h1
.Lfrom_four:
    copy_few 4, s0, s1
.Lfrom_eight:
    copy_few 8, d0, d1
.Lfrom_sixteen:
    copy_few 16, q0, q1

.Lmany:
    and     rest, channels, #31
    sub     back, rest, #32
.Lpointer:
    ldr     in, [input], #8
    sub     count, channels, #32
.Lthirty_two:                                       // the hot loop
    ldp     q0, q1, [in], #32
    subs    count, count, #32
    stp     q0, q1, [packed], #32
    b.hs    .Lthirty_two
    cbz     rest, .Lnext_pointer
    add     in, in, back
    add     packed, packed, back
    ldp     q0, q1, [in]
    stp     q0, q1, [packed], #32
.Lnext_pointer:
    subs    pointers, pointers, #1
    b.ne    .Lpointer
    ret
end_function pack_s8s8_pointers_1x32

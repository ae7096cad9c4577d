/*toml
extends = "pack_s8s8_pointers.inc"
summary = "packed[row][tap] = the channels that input[row][tap] points to, one row after another"
stack   = 12
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

input    .req r0            // walks along the pointers
packed   .req r1            // walks along the channels
pointers .req r2            // left, counts down; at first the rows
taps     .req r3
in       .req r4            // walks along the channels of one pointer
count    .req r5            // channels left, counts down
last     .req r5            // of few channels: from the first one to the last ones that are loaded at once
back     .req r6            // from the first channel after the blocks of 32 to the last 32, 0 if there are none after
end      .req r6            // of few channels: where those last ones go
channels .req r12

// packed[tap] = input[tap][0..channels-1], of `size` to 2 * size - 1 channels, for all pointers
.macro copy_few size, bits, first, second
    sub     last, channels, #\size
.Lpointer_\@:
    ldr     in, [input], #4
    subs    pointers, pointers, #1
    add     end, packed, last
    vld1.\bits \first, [in], last
    vld1.\bits \second, [in]
    vst1.\bits \first, [packed]
    vst1.\bits \second, [end]
    add     packed, packed, channels
    bne     .Lpointer_\@
    pop     {r4-r6}
    bx      lr
.endm

function pack_s8s8_pointers_1x32
    push    {r4-r6}
    ldr     channels, [sp, #12]
    mul     pointers, pointers, taps
    cmp     channels, #32
    bhs     .Lmany
    tst     channels, #16
    bne     .Lfrom_sixteen
    tst     channels, #8
    bne     .Lfrom_eight
    tst     channels, #4
    bne     .Lfrom_four
    tst     channels, #2
    bne     .Lfrom_two
    copy_few 1, 8, {d0[0]}, {d1[0]}
.Lfrom_two:
    copy_few 2, 16, {d0[0]}, {d1[0]}
.Lfrom_four:
    copy_few 4, 32, {d0[0]}, {d1[0]}
.Lfrom_eight:
    copy_few 8, 8, {d0}, {d1}
.Lfrom_sixteen:
    copy_few 16, 8, "{d0, d1}", "{d2, d3}"

.Lmany:
    ands    back, channels, #31
    subne   back, back, #32
.Lpointer:
    ldr     in, [input], #4
    sub     count, channels, #32
.Lthirty_two:                                       // the hot loop
    vld1.8  {d0, d1, d2, d3}, [in]!
    subs    count, count, #32
    vst1.8  {d0, d1, d2, d3}, [packed]!
    bhs     .Lthirty_two
    cmp     back, #0
    beq     .Lnext_pointer
    add     in, in, back
    add     packed, packed, back
    vld1.8  {d0, d1, d2, d3}, [in]
    vst1.8  {d0, d1, d2, d3}, [packed]!
.Lnext_pointer:
    subs    pointers, pointers, #1
    bne     .Lpointer
    pop     {r4-r6}
    bx      lr
end_function pack_s8s8_pointers_1x32

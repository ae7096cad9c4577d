// Sums of absolute differences of blocks of every size, from two macros: int (a, stride_a, b, stride_b).
#include "frame.inc"

        .altmacro
// A row of a block, an even one or an odd one: sums go to v<16 + parity> and v<18 + parity> in turn.
.macro row_16 parity
        ld1     {v0.16b}, [x0], x1
        ld1     {v1.16b}, [x2], x3
        accumulate %(16 + parity), %(18 + parity), 16
.endm
.macro row_8 parity
        ld1     {v0.8b}, [x0], x1
        ld1     {v1.8b}, [x2], x3
        accumulate %(16 + parity), , 8
.endm
.macro row_4 parity
        ld1     {v0.s}[0], [x0], x1
        ld1     {v1.s}[0], [x2], x3
        accumulate %(16 + parity), , 8
.endm
.macro accumulate low, high, bytes
        uabal   v&low&.8h, v0.8b, v1.8b
    .ifnb high
        uabal2  v&high&.8h, v0.16b, v1.16b
    .endif
.endm
        .noaltmacro

.macro sad width, height
function sad_\width\()x\height, export=1
    .irp    sum, v16.8h, v17.8h, v18.8h, v19.8h, v0.8h, v1.8h
        movi    \sum, #0
    .endr
    .set    row, 0
    .rept   \height / 2
      .irp  half, 0, 1
        .altmacro
        row_\width %((row + \half) & 1)
        .noaltmacro
      .endr
      .set  row, row + 2
    .endr
        add     v16.8h, v16.8h, v17.8h
    .ifc    \width, 16
        add     v18.8h, v18.8h, v19.8h
        add     v16.8h, v16.8h, v18.8h
    .endif
        uaddlv  s0, v16.8h
        fmov    w0, s0
        ret
endfunc
.endm

.irp    height, 4, 8, 16
  .irp  width, 4, 8, 16
        sad     \width, \height
  .endr
.endr

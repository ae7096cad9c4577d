@ Sums of absolute differences of blocks of every size, from two macros: int (a, stride_a, b, stride_b).
#include "frame.inc"

        .altmacro
@ A row of a block, an even one or an odd one: sums go to q<8 + parity> and q<10 + parity> in turn.
.macro row_16 parity
        vld1.8  {d0, d1}, [r0], r1
        vld1.8  {d2, d3}, [r2], r3
        accumulate %(8 + parity), %(10 + parity)
.endm
.macro row_8 parity
        vld1.8  {d0}, [r0], r1
        vld1.8  {d2}, [r2], r3
        accumulate %(8 + parity),
.endm
.macro row_4 parity
        vld1.32 {d0[0]}, [r0], r1
        vld1.32 {d2[0]}, [r2], r3
        accumulate %(8 + parity),
.endm
.macro accumulate low, high
        vabal.u8 q&low, d0, d2
    .ifnb high
        vabal.u8 q&high, d1, d3
    .endif
.endm
        .noaltmacro

.macro sad width, height
function sad_\width\()x\height, export=1
    .irp    sum, q0, q1, q8, q9, q10, q11
        vmov.i16 \sum, #0
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
        vadd.u16 q8, q8, q9
    .ifc    \width, 16
        vadd.u16 q10, q10, q11
        vadd.u16 q8, q8, q10
    .endif
        vpaddl.u16 q8, q8
        vpaddl.u32 q8, q8
        vadd.u64 d16, d16, d17
        vmov.32 r0, d16[0]
        bx      lr
endfunc
.endm

.irp    height, 4, 8, 16
  .irp  width, 4, 8, 16
        sad     \width, \height
  .endr
.endr

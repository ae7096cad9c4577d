// A product of 4 by 4 words of 64 bits, column by column: (uint64 z[8], const uint64 x[4], const uint64 y[4]).
#include "frame.inc"

#define z  x0
#define t  x16
#define c0 x12
#define c1 x13
#define c2 x14

// [c2 c1 c0] += x[i] * y[j]
#define muladd(a, b)                    \
        mul     t, a, b                 __ \
        adds    c0, c0, t               __ \
        umulh   t, a, b                 __ \
        adcs    c1, c1, t               __ \
        adc     c2, c2, xzr
#define __ ;

.macro term i, j
        .set    first, 4 + \i
        .set    second, 8 + \j
        .altmacro
        term_of %first, %second
        .noaltmacro
.endm
.macro term_of first, second
        muladd(x\first, x\second)
.endm

function bignum_mul_4_4, export=1
        ldp     x4, x5, [x1]
        ldp     x6, x7, [x1, #16]
        ldp     x8, x9, [x2]
        ldp     x10, x11, [x2, #16]
        mov     c0, xzr
        mov     c1, xzr
    .set    column, 0
    .rept   7
        mov     c2, xzr
      .irp  i, 0, 1, 2, 3
        .irp j, 0, 1, 2, 3
          .if \i + \j == column
        term    \i, \j
          .endif
        .endr
      .endr
        str     c0, [z, #8 * column]
        mov     c0, c1
        mov     c1, c2
      .set  column, column + 1
    .endr
        str     c0, [z, #8 * column]
        ret
endfunc

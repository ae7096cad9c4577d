@ A product of 4 by 4 words of 32 bits, column by column: (uint32 z[8], const uint32 x[4], const uint32 y[4]).
#include "frame.inc"

#define z  r0
#define c0 r10
#define c1 r11
#define c2 r12

@ [c2 c1 c0] += x[i] * y[j]
#define muladd(i, j)                    \
        ldr     r3, [r1, #4 * i]        __ \
        ldr     lr, [r2, #4 * j]        __ \
        umull   r3, lr, r3, lr          __ \
        adds    c0, c0, r3              __ \
        adcs    c1, c1, lr              __ \
        adc     c2, c2, #0
#define __ ;

.macro term i, j
        muladd(\i, \j)
.endm

function bignum_mul_4_4, export=1
        push    {r10, r11, r12, lr}
        mov     c0, #0
        mov     c1, #0
    .set    column, 0
    .rept   7
        mov     c2, #0
      .irp  i, 0, 1, 2, 3
        .irp j, 0, 1, 2, 3
          .if \i + \j == column
        term    \i, \j
          .endif
        .endr
      .endr
        str     c0, [z, #4 * column]
        mov     c0, c1
        mov     c1, c2
      .set  column, column + 1
    .endr
        str     c0, [z, #4 * column]
        pop     {r10, r11, r12, pc}
endfunc

// The part of libm that quantized code uses.  The functions of float compute in double and round once: within 0.51 of
// the last place, and the rounding ones exact.

.macro function name
    .global \name
    .type \name, %function
    .p2align 2
\name:
.endm

    .text

// float namef(float), double name(double) of one instruction
.macro unary name, instruction
function \name\()f
    \instruction s0, s0
    ret
function \name
    \instruction d0, d0
    ret
.endm

    unary   floor, frintm
    unary   ceil, frintp
    unary   trunc, frintz
    unary   round, frinta
    unary   roundeven, frintn
    unary   rint, frintx
    unary   nearbyint, frinti
    unary   fabs, fabs
    unary   sqrt, fsqrt

.macro binary name, instruction
function \name\()f
    \instruction s0, s0, s1
    ret
function \name
    \instruction d0, d0, d1
    ret
.endm

    binary  fmin, fminnm
    binary  fmax, fmaxnm

function fmaf
    fmadd   s0, s0, s1, s2
    ret
function fma
    fmadd   d0, d0, d1, d2
    ret

// long lrintf(float), and its kin
.macro to_long name
function \name\()lrintf
    frintx  s0, s0
    fcvtzs  x0, s0
    ret
function \name\()lrint
    frintx  d0, d0
    fcvtzs  x0, d0
    ret
function \name\()lroundf
    fcvtas  x0, s0
    ret
function \name\()lround
    fcvtas  x0, d0
    ret
.endm
    to_long
    to_long l

function copysignf
    fmov    w0, s0
    fmov    w1, s1
    bfxil   w1, w0, #0, #31
    fmov    s0, w1
    ret
function copysign
    fmov    x0, d0
    fmov    x1, d1
    bfxil   x1, x0, #0, #63
    fmov    d0, x1
    ret

// float ldexpf(float x, int k)
function ldexpf
function scalbnf
    fcvt    d0, s0
    mov     w1, #600
    cmp     w0, w1
    csel    w0, w0, w1, lt
    neg     w1, w1
    cmp     w0, w1
    csel    w0, w0, w1, gt
    add     w0, w0, #1023
    lsl     x0, x0, #52
    fmov    d1, x0
    fmul    d0, d0, d1
    fcvt    s0, d0
    ret

// d0 = e^d0, for |d0| up to 700; spoils d1-d3, x1, x2
.macro exponential
    adr     x2, .Lexponential
    ldp     d1, d2, [x2], #16
    fmul    d1, d0, d1
    frintn  d1, d1              // k, of e^x = 2^k e^r
    fcvtzs  x1, d1
    fmsub   d0, d1, d2, d0
    ldp     d2, d3, [x2], #16
    fmsub   d0, d1, d2, d0      // r, at most ln(2)/2 from 0
    .rept   14
    ldr     d2, [x2], #8
    fmadd   d3, d3, d0, d2
    .endr
    add     x1, x1, #1023
    lsl     x1, x1, #52
    fmov    d0, x1
    fmul    d0, d0, d3
.endm

// float expf(float)
function expf
    fcvt    d0, s0
    mov     w0, #110            // beyond, the result is infinite or 0 as a float
    scvtf   d1, w0
    fneg    d2, d1
    fmin    d0, d0, d1
    fmax    d0, d0, d2
    exponential
    fcvt    s0, d0
    ret

// float tanhf(float x) = (e^2x - 1)/(e^2x + 1)
function tanhf
    fcvt    d0, s0
    fabs    d1, d0
    adr     x2, .Lsmall
    ldp     d2, d3, [x2]
    fcmp    d1, d2
    b.lt    1f                  // there 1 is lost against e^2x
    fmov    d1, #10.0
    fneg    d2, d1
    fmin    d0, d0, d1
    fmax    d0, d0, d2
    fadd    d0, d0, d0
    exponential
    fmov    d1, #1.0
    fsub    d2, d0, d1
    fadd    d0, d0, d1
    fdiv    d0, d2, d0
    fcvt    s0, d0
    ret
1:  fmul    d1, d0, d0          // x - x^3/3
    fmul    d1, d1, d3
    fmsub   d0, d0, d1, d0
    fcvt    s0, d0
    ret

// d0 = ln(d0), for a positive number that is neither subnormal nor infinite; spoils d1-d4, x1, x2
.macro logarithm
    fmov    x1, d0
    adr     x2, .Llogarithm
    ldr     x3, [x2], #8        // the bits of sqrt(1/2)
    sub     x1, x1, x3
    asr     x4, x1, #52         // k, of x = 2^k m, m from sqrt(1/2) to sqrt(2)
    and     x1, x1, #0xfffffffffffff
    add     x1, x1, x3
    fmov    d0, x1
    fmov    d1, #1.0
    fsub    d2, d0, d1
    fadd    d0, d0, d1
    fdiv    d0, d2, d0          // s = (m - 1)/(m + 1), ln(m) = 2s(1 + s^2/3 + s^4/5 + ...)
    fmul    d1, d0, d0
    ldr     d2, [x2], #8
    .rept   11
    ldr     d3, [x2], #8
    fmadd   d2, d2, d1, d3
    .endr
    fadd    d0, d0, d0
    fmul    d0, d0, d2
    scvtf   d1, x4
    ldr     d2, [x2]
    fmadd   d0, d1, d2, d0
.endm

// float logf(float), and to base 2 and 10 by the factor
.macro logarithm_of name, factor
function \name
    fcvt    d0, s0
    fcmp    d0, #0.0
    b.le    1f
    fcvt    s1, d0
    fmov    w1, s1
    mov     w2, #0x7f800000
    cmp     w1, w2
    b.hs    2f                  // infinite, or no number: as it is
    logarithm
    adr     x2, \factor
    ldr     d1, [x2]
    fmul    d0, d0, d1
2:  fcvt    s0, d0
    ret
1:  fmov    d1, #-1.0
    fcmp    d0, #0.0
    movi    d2, #0
    fdiv    d1, d1, d2          // -infinity of 0
    fdiv    d2, d2, d2
    fcsel   d0, d1, d2, eq
    b       2b
.endm
    logarithm_of logf, .Lone
    logarithm_of log2f, .Lper_ln2
    logarithm_of log10f, .Lper_ln10

    .p2align 3
.Lexponential:                  // log2(e); ln(2) in two parts; 1/14!, 1/13!, ..., 1/0!
    .double 1.4426950408889634, 6.93147180369123816490e-01
    .double 1.90821492927058770002e-10, 1.1470745597729725e-11
    .double 1.6059043836821613e-10, 2.08767569878681e-09, 2.505210838544172e-08, 2.755731922398589e-07
    .double 2.7557319223985893e-06, 2.48015873015873e-05, 1.984126984126984e-04, 1.388888888888889e-03
    .double 8.333333333333333e-03, 4.1666666666666664e-02, 1.6666666666666666e-01, 0.5, 1.0
    .double 1.0
.Lsmall:
    .double 0.000244140625, 0.3333333333333333
.Llogarithm:                    // sqrt(1/2); 1/23, 1/21, ..., 1; ln(2)
    .quad   0x3fe6a09e667f3bcd
    .double 4.3478260869565216e-02, 4.7619047619047616e-02, 5.2631578947368418e-02, 5.8823529411764705e-02
    .double 6.6666666666666666e-02, 7.6923076923076927e-02, 9.0909090909090912e-02, 1.1111111111111111e-01
    .double 1.4285714285714285e-01, 0.2, 3.3333333333333331e-01, 1.0
    .double 6.93147180559945286227e-01
.Lone:
    .double 1.0
.Lper_ln2:
    .double 1.4426950408889634
.Lper_ln10:
    .double 4.3429448190325182e-01

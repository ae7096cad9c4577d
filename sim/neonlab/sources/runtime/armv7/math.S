// The part of libm that quantized code uses, called with values in VFP registers.  The functions of float compute in
// double and round once: within 0.51 of the last place, and the rounding ones exact.  The rounding instructions are
// those of ARMv8: what the lab serves need not run on the core that the kernel is for.

    .syntax unified
    .arm

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
    \instruction\().f32 s0, s0
    bx      lr
function \name
    \instruction\().f64 d0, d0
    bx      lr
.endm

    unary   floor, vrintm
    unary   ceil, vrintp
    unary   trunc, vrintz
    unary   round, vrinta
    unary   roundeven, vrintn
    unary   rint, vrintx
    unary   nearbyint, vrintr
    unary   fabs, vabs
    unary   sqrt, vsqrt

.macro binary name, instruction
function \name\()f
    \instruction\().f32 s0, s0, s1
    bx      lr
function \name
    \instruction\().f64 d0, d0, d1
    bx      lr
.endm

    binary  fmin, vminnm
    binary  fmax, vmaxnm

function fmaf
    vfma.f32 s2, s0, s1
    vmov.f32 s0, s2
    bx      lr
function fma
    vfma.f64 d2, d0, d1
    vmov.f64 d0, d2
    bx      lr

// long lrintf(float), and its kin
function lrintf
    vrintx.f32 s0, s0
    vcvt.s32.f32 s0, s0
    vmov    r0, s0
    bx      lr
function lrint
    vrintx.f64 d0, d0
    vcvt.s32.f64 s0, d0
    vmov    r0, s0
    bx      lr
function lroundf
    vcvta.s32.f32 s0, s0
    vmov    r0, s0
    bx      lr
function lround
    vcvta.s32.f64 s0, d0
    vmov    r0, s0
    bx      lr

function copysignf
    vmov    r0, s0
    vmov    r1, s1
    bfi     r1, r0, #0, #31
    vmov    s0, r1
    bx      lr
function copysign
    vmov    r0, r1, d0
    vmov    r2, r3, d1
    bfi     r3, r1, #0, #31
    vmov    d0, r0, r3
    bx      lr

// float ldexpf(float x, int k)
function ldexpf
function scalbnf
    vcvt.f64.f32 d0, s0
    movw    r1, #600
    cmp     r0, r1
    movgt   r0, r1
    rsb     r1, r1, #0
    cmp     r0, r1
    movlt   r0, r1
    add     r0, r0, #1024
    sub     r0, r0, #1
    lsl     r0, r0, #20
    mov     r1, #0
    vmov    d1, r1, r0
    vmul.f64 d0, d0, d1
    vcvt.f32.f64 s0, d0
    bx      lr

// d0 = e^d0, for |d0| up to 700; spoils d1-d3, d16, r1, r2
.macro exponential table
    adr     r2, \table
    vldmia  r2!, {d1-d2}
    vmul.f64 d1, d0, d1
    vrintn.f64 d1, d1           // k, of e^x = 2^k e^r
    vcvt.s32.f64 s6, d1
    vmov    r1, s6
    vmls.f64 d0, d1, d2
    vldmia  r2!, {d2-d3}
    vmls.f64 d0, d1, d2         // r, at most ln(2)/2 from 0
    .rept   14
    vldmia  r2!, {d16}
    vmla.f64 d16, d3, d0
    vmov.f64 d3, d16
    .endr
    add     r1, r1, #1024
    sub     r1, r1, #1
    lsl     r1, r1, #20
    mov     r2, #0
    vmov    d0, r2, r1
    vmul.f64 d0, d0, d3
.endm

// float expf(float)
function expf
    vcmp.f32 s0, s0
    vmrs    APSR_nzcv, fpscr
    bxvs    lr
    vcvt.f64.f32 d0, s0
    adr     r1, .Llimits
    vldmia  r1, {d1-d2}         // beyond, the result is infinite or 0 as a float
    vminnm.f64 d0, d0, d1
    vmaxnm.f64 d0, d0, d2
    exponential .Lexponential
    vcvt.f32.f64 s0, d0
    bx      lr

    .p2align 3
.Lexponential:                  // log2(e); ln(2) in two parts; 1/14!, 1/13!, ..., 1/0!
    .double 1.4426950408889634, 6.93147180369123816490e-01
    .double 1.90821492927058770002e-10, 1.1470745597729725e-11
    .double 1.6059043836821613e-10, 2.08767569878681e-09, 2.505210838544172e-08, 2.755731922398589e-07
    .double 2.7557319223985893e-06, 2.48015873015873e-05, 1.984126984126984e-04, 1.388888888888889e-03
    .double 8.333333333333333e-03, 4.1666666666666664e-02, 1.6666666666666666e-01, 0.5, 1.0
    .double 1.0
.Llimits:
    .double 110.0, -110.0
.Lsmall:
    .double 0.000244140625, 0.3333333333333333, 10.0, -10.0

// float tanhf(float x) = (e^2x - 1)/(e^2x + 1)
function tanhf
    vcmp.f32 s0, s0
    vmrs    APSR_nzcv, fpscr
    bxvs    lr
    vcvt.f64.f32 d0, s0
    vabs.f64 d1, d0
    adr     r1, .Lsmall
    vldmia  r1!, {d2-d3}
    vcmp.f64 d1, d2
    vmrs    APSR_nzcv, fpscr
    blt     1f                  // there 1 is lost against e^2x
    vldmia  r1, {d1-d2}
    vminnm.f64 d0, d0, d1
    vmaxnm.f64 d0, d0, d2
    vadd.f64 d0, d0, d0
    exponential .Lexponential
    vmov.f64 d1, #1.0
    vsub.f64 d2, d0, d1
    vadd.f64 d0, d0, d1
    vdiv.f64 d0, d2, d0
    vcvt.f32.f64 s0, d0
    bx      lr
1:  vmul.f64 d1, d0, d0         // x - x^3/3
    vmul.f64 d1, d1, d3
    vmls.f64 d0, d0, d1
    vcvt.f32.f64 s0, d0
    bx      lr

// s0 = ln(s0) times the factor at r3
.Llogarithm_of:
    vcvt.f64.f32 d0, s0
    vcmp.f64 d0, #0.0
    vmrs    APSR_nzcv, fpscr
    bvs     3f
    ble     1f
    vmov    r0, r1, d0
    movw    r2, #0
    movt    r2, #0x7ff0
    cmp     r1, r2
    bhs     3f                  // infinite: as it is
    adr     r2, .Llogarithm
    movw    r12, #0xa09e
    movt    r12, #0x3fe6        // the upper bits of sqrt(1/2)
    sub     r1, r1, r12
    asr     r0, r1, #20         // k, of x = 2^k m, m from sqrt(1/2) to sqrt(2)
    bfc     r1, #20, #12
    add     r1, r1, r12
    vmov.32 d0[1], r1
    vmov    s8, r0
    vmov.f64 d1, #1.0
    vsub.f64 d2, d0, d1
    vadd.f64 d0, d0, d1
    vdiv.f64 d0, d2, d0         // s = (m - 1)/(m + 1), ln(m) = 2s(1 + s^2/3 + s^4/5 + ...)
    vmul.f64 d1, d0, d0
    vldmia  r2!, {d2}
    .rept   11
    vldmia  r2!, {d3}
    vmla.f64 d3, d2, d1
    vmov.f64 d2, d3
    .endr
    vadd.f64 d0, d0, d0
    vmul.f64 d0, d0, d2
    vcvt.f64.s32 d1, s8
    vldr    d2, [r2]
    vmla.f64 d0, d1, d2
    vldr    d1, [r3]
    vmul.f64 d0, d0, d1
3:  vcvt.f32.f64 s0, d0
    bx      lr
1:  vmov.f64 d1, #-1.0
    vmov.f64 d2, #1.0
    vsub.f64 d2, d2, d2
    vdivlt.f64 d1, d2, d2       // no number of what is negative, -infinity of 0
    vdiveq.f64 d1, d1, d2
    vmov.f64 d0, d1
    b       3b

.macro logarithm_of name, factor
function \name
    adr     r3, \factor
    b       .Llogarithm_of
.endm
    logarithm_of logf, .Lone
    logarithm_of log2f, .Lper_ln2
    logarithm_of log10f, .Lper_ln10

    .p2align 3
.Llogarithm:                    // 1/23, 1/21, ..., 1; ln(2)
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

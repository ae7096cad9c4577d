// Floating point by the names of the run-time ABI for the Arm architecture (IHI 0043, 4.1.2), which passes values in
// core registers whatever the rest of a program does: what compilers call where the VFP has no instruction, and what
// code built without it calls.

    .syntax unified
    .arm

.macro function name
    .global \name
    .type \name, %function
    .p2align 2
\name:
.endm

    .text

.macro two_floats name, instruction
function \name
    vmov    s0, r0
    vmov    s1, r1
    \instruction s0, s0, s1
    vmov    r0, s0
    bx      lr
.endm
    two_floats __aeabi_fadd, vadd.f32
    two_floats __aeabi_fsub, vsub.f32
    two_floats __aeabi_fmul, vmul.f32
    two_floats __aeabi_fdiv, vdiv.f32

.macro two_doubles name, instruction
function \name
    vmov    d0, r0, r1
    vmov    d1, r2, r3
    \instruction d0, d0, d1
    vmov    r0, r1, d0
    bx      lr
.endm
    two_doubles __aeabi_dadd, vadd.f64
    two_doubles __aeabi_dsub, vsub.f64
    two_doubles __aeabi_dmul, vmul.f64
    two_doubles __aeabi_ddiv, vdiv.f64

function __aeabi_f2d
    vmov    s0, r0
    vcvt.f64.f32 d0, s0
    vmov    r0, r1, d0
    bx      lr
function __aeabi_d2f
    vmov    d0, r0, r1
    vcvt.f32.f64 s0, d0
    vmov    r0, s0
    bx      lr

.macro from_float name, type
function \name
    vmov    s0, r0
    vcvt.\type\().f32 s0, s0
    vmov    r0, s0
    bx      lr
.endm
    from_float __aeabi_f2iz, s32
    from_float __aeabi_f2uiz, u32
.macro from_double name, type
function \name
    vmov    d0, r0, r1
    vcvt.\type\().f64 s0, d0
    vmov    r0, s0
    bx      lr
.endm
    from_double __aeabi_d2iz, s32
    from_double __aeabi_d2uiz, u32
.macro to_float name, type
function \name
    vmov    s0, r0
    vcvt.f32.\type s0, s0
    vmov    r0, s0
    bx      lr
.endm
    to_float __aeabi_i2f, s32
    to_float __aeabi_ui2f, u32
.macro to_double name, type
function \name
    vmov    s0, r0
    vcvt.f64.\type d0, s0
    vmov    r0, r1, d0
    bx      lr
.endm
    to_double __aeabi_i2d, s32
    to_double __aeabi_ui2d, u32

.macro float_compare name, condition
function \name
    vmov    s0, r0
    vmov    s1, r1
    mov     r0, #0
    vcmp.f32 s0, s1
    vmrs    APSR_nzcv, fpscr
    mov\condition r0, #1
    bx      lr
.endm
    float_compare __aeabi_fcmpeq, eq
    float_compare __aeabi_fcmplt, mi
    float_compare __aeabi_fcmple, ls
    float_compare __aeabi_fcmpge, ge
    float_compare __aeabi_fcmpgt, gt
    float_compare __aeabi_fcmpun, vs
.macro double_compare name, condition
function \name
    vmov    d0, r0, r1
    vmov    d1, r2, r3
    mov     r0, #0
    vcmp.f64 d0, d1
    vmrs    APSR_nzcv, fpscr
    mov\condition r0, #1
    bx      lr
.endm
    double_compare __aeabi_dcmpeq, eq
    double_compare __aeabi_dcmplt, mi
    double_compare __aeabi_dcmple, ls
    double_compare __aeabi_dcmpge, ge
    double_compare __aeabi_dcmpgt, gt
    double_compare __aeabi_dcmpun, vs

// r0:r1 = d0 as a whole number, for d0 from 0 on; spoils d1, d2, s6, r2, r3
.macro whole
    adr     r2, .Lpowers
    vldr    d1, [r2]            // 2^-32
    vmul.f64 d1, d0, d1
    vcvt.u32.f64 s6, d1         // the upper half, cut
    vmov    r1, s6
    vcvt.f64.u32 d1, s6
    vldr    d2, [r2, #8]        // 2^32
    vmls.f64 d0, d1, d2         // exact
    vcvt.u32.f64 s6, d0
    vmov    r0, s6
.endm

function __aeabi_f2ulz
function __fixunssfdi
    vmov    s0, r0
    vcvt.f64.f32 d0, s0
    b       1f
function __aeabi_d2ulz
function __fixunsdfdi
    vmov    d0, r0, r1
1:  whole
    bx      lr
function __aeabi_f2lz
function __fixsfdi
    vmov    s0, r0
    vcvt.f64.f32 d0, s0
    b       1f
function __aeabi_d2lz
function __fixdfdi
    vmov    d0, r0, r1
1:  vcmp.f64 d0, #0.0
    vmrs    APSR_nzcv, fpscr
    blt     2f
    whole
    cmp     r1, #0              // 2^63 and more is all there is
    mvnlt   r0, #0
    mvnlt   r1, #0x80000000
    bx      lr
2:  vneg.f64 d0, d0
    whole
    rsbs    r0, r0, #0
    rsc     r1, r1, #0
    cmp     r1, #0
    movgt   r0, #0
    movgt   r1, #0x80000000
    bx      lr

.Lpowers:
    .double 2.3283064365386963e-10, 4294967296.0

// d0 = r0:r1, with one rounding
.macro to_double_from upper
    vmov    s2, r1
    vcvt.f64.\upper d1, s2
    adr     r2, .Lpowers
    vldr    d2, [r2, #8]
    vmov    s0, r0
    vcvt.f64.u32 d0, s0
    vmla.f64 d0, d1, d2
.endm

function __aeabi_l2d
    to_double_from s32
    vmov    r0, r1, d0
    bx      lr
function __aeabi_ul2d
    to_double_from u32
    vmov    r0, r1, d0
    bx      lr

// Of numbers that a double cannot hold, the bits that decide no rounding to float are gathered in one.
.macro gather
    bic     r3, r0, #0xf80
    bic     r3, r3, #0x07f
    sub     r2, r0, r3          // the lowest 12
    cmp     r2, #0
    orrne   r3, r3, #0x800
.endm
function __aeabi_l2f
    asr     r12, r1, #20        // 53 bits and a sign hold it
    cmp     r12, r1, asr #31
    beq     1f
    gather
    mov     r0, r3
1:  to_double_from s32
    vcvt.f32.f64 s0, d0
    vmov    r0, s0
    bx      lr
function __aeabi_ul2f
    lsrs    r12, r1, #20
    beq     1f
    gather
    mov     r0, r3
1:  to_double_from u32
    vcvt.f32.f64 s0, d0
    vmov    r0, s0
    bx      lr

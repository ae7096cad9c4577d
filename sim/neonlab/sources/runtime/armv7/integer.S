// Division and 64-bit arithmetic by the names of the run-time ABI for the Arm architecture (IHI 0043): leaf functions.
// A division by zero gives 0 and leaves the remainder, as the instruction does.

    .syntax unified
    .arm

.macro function name
    .global \name
    .type \name, %function
    .p2align 2
\name:
.endm

    .text

function __aeabi_idiv
function __divsi3
    sdiv    r0, r0, r1
    bx      lr
function __aeabi_uidiv
function __udivsi3
    udiv    r0, r0, r1
    bx      lr
function __aeabi_idivmod        // quotient in r0, remainder in r1
    mov     r2, r0
    sdiv    r0, r2, r1
    mls     r1, r0, r1, r2
    bx      lr
function __aeabi_uidivmod
    mov     r2, r0
    udiv    r0, r2, r1
    mls     r1, r0, r1, r2
    bx      lr
function __modsi3
    sdiv    r2, r0, r1
    mls     r0, r2, r1, r0
    bx      lr
function __umodsi3
    udiv    r2, r0, r1
    mls     r0, r2, r1, r0
    bx      lr

function __aeabi_lmul
function __muldi3
    mul     r12, r0, r3
    mla     r12, r1, r2, r12
    umull   r0, r1, r2, r0
    add     r1, r1, r12
    bx      lr

function __aeabi_llsl
function __ashldi3
    subs    r3, r2, #32
    rsb     r12, r2, #32
    lslpl   r1, r0, r3
    lslmi   r1, r1, r2
    orrmi   r1, r1, r0, lsr r12
    lsl     r0, r0, r2
    bx      lr
function __aeabi_llsr
function __lshrdi3
    subs    r3, r2, #32
    rsb     r12, r2, #32
    lsrpl   r0, r1, r3
    lsrmi   r0, r0, r2
    orrmi   r0, r0, r1, lsl r12
    lsr     r1, r1, r2
    bx      lr
function __aeabi_lasr
function __ashrdi3
    subs    r3, r2, #32
    rsb     r12, r2, #32
    asrpl   r0, r1, r3
    lsrmi   r0, r0, r2
    orrmi   r0, r0, r1, lsl r12
    asr     r1, r1, r2
    bx      lr

function __aeabi_lcmp           // -1, 0 or 1
    cmp     r1, r3
    movlt   r0, #-1
    movgt   r0, #1
    bxne    lr
    b       1f
function __aeabi_ulcmp
    cmp     r1, r3
    movlo   r0, #-1
    movhi   r0, #1
    bxne    lr
1:  subs    r0, r0, r2
    movlo   r0, #-1
    movhi   r0, #1
    bx      lr

// r0:r1 / r2:r3 unsigned, a bit at a time: quotient in r0:r1, remainder in r2:r3; spoils r4-r8
.macro divide
    mov     r4, r0
    mov     r5, r1              // the dividend leaves upwards, the quotient comes in below
    mov     r6, #0
    mov     r7, #0
    mov     r8, #64
71: adds    r4, r4, r4
    adcs    r5, r5, r5
    adcs    r6, r6, r6
    adcs    r7, r7, r7
    bcs     72f                 // the remainder has 65 bits, more than any divisor
    cmp     r7, r3
    cmpeq   r6, r2
    blo     73f
72: subs    r6, r6, r2
    sbc     r7, r7, r3
    orr     r4, r4, #1
73: subs    r8, r8, #1
    bne     71b
    mov     r0, r4
    mov     r1, r5
    mov     r2, r6
    mov     r3, r7
.endm

.macro negate low, high
    rsbs    \low, \low, #0
    rsc     \high, \high, #0
.endm

function __aeabi_uldivmod
    orrs    r12, r2, r3
    moveq   r2, r0
    moveq   r3, r1
    moveq   r0, #0
    moveq   r1, #0
    bxeq    lr
    push    {r4-r8}
    divide
    pop     {r4-r8}
    bx      lr
function __udivdi3
    orrs    r12, r2, r3
    moveq   r0, #0
    moveq   r1, #0
    bxeq    lr
    push    {r4-r8}
    divide
    pop     {r4-r8}
    bx      lr

function __aeabi_ldivmod
function __divdi3
    orrs    r12, r2, r3
    moveq   r2, r0
    moveq   r3, r1
    moveq   r0, #0
    moveq   r1, #0
    bxeq    lr
    push    {r4-r10}
    mov     r9, r1              // the sign of the remainder
    eor     r10, r1, r3         // and of the quotient
    cmp     r1, #0
    bge     1f
    negate  r0, r1
1:  cmp     r3, #0
    bge     2f
    negate  r2, r3
2:  divide
    cmp     r9, #0
    bge     3f
    negate  r2, r3
3:  cmp     r10, #0
    bge     4f
    negate  r0, r1
4:  pop     {r4-r10}
    bx      lr

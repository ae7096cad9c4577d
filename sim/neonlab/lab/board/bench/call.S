/* Calls by the procedure call standard, for any prototype: `struct call` of bench.h has the registers and the stack. */

#if defined(__aarch64__)

/* Save what a function must keep; .Lrestore takes it back. */
.macro keep_registers
    stp     x29, x30, [sp, #-160]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]
.endm

/* d0-d7 = vector[0..7] of the `struct call` at \call */
.macro vector_arguments call
    ldp     d0, d1, [\call, #64]
    ldp     d2, d3, [\call, #80]
    ldp     d4, d5, [\call, #96]
    ldp     d6, d7, [\call, #112]
.endm

/* x0-x7 = core[0..7] */
.macro core_arguments call
    ldp     x0, x1, [\call]
    ldp     x2, x3, [\call, #16]
    ldp     x4, x5, [\call, #32]
    ldp     x6, x7, [\call, #48]
.endm

    .text
    .balign 16
    .globl  neonlab_call
    .type   neonlab_call, %function
neonlab_call:
    keep_registers
    adrp    x9, neonlab_current
    str     x0, [x9, :lo12:neonlab_current]
    mov     x16, x0
    mov     x10, sp
    str     x10, [x16, #352]
    mrs     x11, tpidr_el0
    mrs     x12, fpcr
    stp     x11, x12, [x16, #360]
    ldr     x11, [x16, #128]
    ldr     x12, [x16, #136]
    sub     sp, x10, x11
    mov     x13, sp
1:  cbz     x11, 2f
    ldp     x14, x15, [x12], #16
    stp     x14, x15, [x13], #16
    sub     x11, x11, #16
    b       1b
2:  ldr     x17, [x16, #144]
    ldp     d8, d9, [x17]
    ldp     d10, d11, [x17, #16]
    ldp     d12, d13, [x17, #32]
    ldp     d14, d15, [x17, #48]
    ldp     q16, q17, [x17, #64]
    ldp     q18, q19, [x17, #96]
    ldp     q20, q21, [x17, #128]
    ldp     q22, q23, [x17, #160]
    ldp     q24, q25, [x17, #192]
    ldp     q26, q27, [x17, #224]
    ldp     q28, q29, [x17, #256]
    ldp     q30, q31, [x17, #288]
    vector_arguments x16
    ldp     x19, x20, [x17, #320]
    ldp     x21, x22, [x17, #336]
    ldp     x23, x24, [x17, #352]
    ldp     x25, x26, [x17, #368]
    ldp     x27, x28, [x17, #384]
    ldr     x29, [x17, #400]
    ldp     x8, x9, [x17, #408]
    ldp     x10, x11, [x17, #424]
    ldp     x12, x13, [x17, #440]
    ldp     x14, x15, [x17, #456]
    core_arguments x16
    ldr     x16, [x16, #152]
    blr     x16
    adrp    x9, neonlab_current
    ldr     x9, [x9, :lo12:neonlab_current]
    str     x0, [x9, #160]
    str     d0, [x9, #168]
    stp     x19, x20, [x9, #176]
    stp     x21, x22, [x9, #192]
    stp     x23, x24, [x9, #208]
    stp     x25, x26, [x9, #224]
    stp     x27, x28, [x9, #240]
    str     x29, [x9, #256]
    stp     d8, d9, [x9, #272]
    stp     d10, d11, [x9, #288]
    stp     d12, d13, [x9, #304]
    stp     d14, d15, [x9, #320]
    mrs     x10, tpidr_el0
    mrs     x11, fpcr
    ldp     x12, x13, [x9, #360]
    msr     tpidr_el0, x12
    msr     fpcr, x13
    eor     x10, x10, x12
    eor     x11, x11, x13
    stp     x10, x11, [x9, #376]
    ldr     x10, [x9, #352]
    ldr     x11, [x9, #128]
    mov     x12, sp
    add     x12, x12, x11
    sub     x12, x12, x10
    str     x12, [x9, #336]
    mov     sp, x10
    b       .Lrestore
    .size   neonlab_call, . - neonlab_call

    .balign 16
    .globl  neonlab_repeat
    .type   neonlab_repeat, %function
neonlab_repeat:
    keep_registers
    mov     x19, x0
    ldr     x20, [x19, #152]
    ldr     x21, [x19, #128]
    ldr     x22, [x19, #344]
    mov     x23, sp
3:  cbz     x21, 5f
    ldr     x12, [x19, #136]
    sub     x13, x23, x21
    mov     sp, x13
    mov     x11, x21
4:  ldp     x14, x15, [x12], #16
    stp     x14, x15, [x13], #16
    subs    x11, x11, #16
    b.ne    4b
5:
    vector_arguments x19
    core_arguments x19
    blr     x20
    mov     sp, x23
    subs    x22, x22, #1
    b.ne    3b
.Lrestore:
    ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     d8, d9, [sp, #96]
    ldp     d10, d11, [sp, #112]
    ldp     d12, d13, [sp, #128]
    ldp     d14, d15, [sp, #144]
    ldp     x29, x30, [sp], #160
    ret
    .size   neonlab_repeat, . - neonlab_repeat

    .balign 16
    .globl  neonlab_nothing
    .type   neonlab_nothing, %function
neonlab_nothing:
    ret
    .size   neonlab_nothing, . - neonlab_nothing

#elif defined(__arm__)

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

/* Save what a function must keep; .Lrestore takes it back. */
.macro keep_registers
    push    {r4-r11, r12, lr}
    vpush   {d8-d15}
.endm

/* r0-r3 = the low words of core[0..3] of the `struct call` at \call */
.macro core_arguments call
    ldr     r0, [\call, #0]
    ldr     r1, [\call, #8]
    ldr     r2, [\call, #16]
    ldr     r3, [\call, #24]
.endm

    .balign 16
    .globl  neonlab_call
    .type   neonlab_call, %function
neonlab_call:
    keep_registers
    ldr     r12, .Lcurrent
    str     r0, [r12]
    str     sp, [r0, #352]
    vmrs    r1, fpscr
    str     r1, [r0, #368]
    mrc     p15, 0, r1, c13, c0, 2  /* TPIDRURW */
    str     r1, [r0, #360]
    mov     lr, r0
    ldr     r1, [lr, #128]
    ldr     r2, [lr, #136]
    sub     sp, sp, r1
    mov     r3, sp
1:  cmp     r1, #0
    beq     2f
    ldrd    r4, r5, [r2], #8
    strd    r4, r5, [r3], #8
    sub     r1, r1, #8
    b       1b
2:  ldr     r12, [lr, #144]
    vldm    r12!, {d8-d15}
    vldm    r12!, {d16-d31}
    add     r1, lr, #64
    vldm    r1, {d0-d7}
    ldm     r12!, {r4-r11}
    core_arguments lr
    ldr     r12, [lr, #152]
    blx     r12
    ldr     r12, .Lcurrent
    ldr     r12, [r12]
    str     r0, [r12, #160]
    str     r1, [r12, #164]
    vstr    d0, [r12, #168]
    add     r0, r12, #272
    vstm    r0, {d8-d15}
    add     r0, r12, #176
    stm     r0, {r4-r11}
    mrc     p15, 0, r1, c13, c0, 2
    ldr     r2, [r12, #360]
    mcr     p15, 0, r2, c13, c0, 2
    eor     r1, r1, r2
    str     r1, [r12, #376]
    vmrs    r1, fpscr
    ldr     r2, [r12, #368]
    vmsr    fpscr, r2
    eor     r1, r1, r2
    ldr     r2, .Lmodes
    and     r1, r1, r2
    str     r1, [r12, #384]
    ldr     r1, [r12, #352]
    ldr     r2, [r12, #128]
    mov     r3, sp
    add     r3, r3, r2
    sub     r3, r3, r1
    str     r3, [r12, #336]
    mov     sp, r1
    b       .Lrestore
    .size   neonlab_call, . - neonlab_call
    .balign 4
.Lcurrent:
    .word   neonlab_current
.Lmodes:                        /* of FPSCR: all but the flags that results set */
    .word   0x07f79f00

    .balign 16
    .globl  neonlab_repeat
    .type   neonlab_repeat, %function
neonlab_repeat:
    keep_registers
    mov     r4, r0
    ldr     r5, [r4, #152]
    ldr     r6, [r4, #128]
    ldr     r7, [r4, #344]
    mov     r8, sp
3:  cmp     r6, #0
    beq     5f
    ldr     r2, [r4, #136]
    sub     r3, r8, r6
    mov     sp, r3
    mov     r9, r6
4:  ldrd    r0, r1, [r2], #8
    strd    r0, r1, [r3], #8
    subs    r9, r9, #8
    bne     4b
5:  add     r1, r4, #64
    vldm    r1, {d0-d7}
    core_arguments r4
    blx     r5
    mov     sp, r8
    subs    r7, r7, #1
    bne     3b
.Lrestore:
    vpop    {d8-d15}
    pop     {r4-r11, r12, pc}
    .size   neonlab_repeat, . - neonlab_repeat

    .balign 16
    .globl  neonlab_nothing
    .type   neonlab_nothing, %function
neonlab_nothing:
    bx      lr
    .size   neonlab_nothing, . - neonlab_nothing

#else
#error "this bench is for aarch64 and for armv7 with NEON: give its compiler, make CC=aarch64-linux-gnu-gcc"
#endif

    .bss
    .balign 8
neonlab_current:
    .space  8

    .section .note.GNU-stack,"",%progbits

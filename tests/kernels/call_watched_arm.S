@ void call_watched(kernel, arguments[16], stack_top, saved[17]): saved is r4-r11 (in 8 bytes each), d8-d15
    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .global call_watched
    .type   call_watched, %function
call_watched:
    push    {r3-r11, lr}
    vpush   {d8-d15}
    ldr     r12, =own_stack
    str     sp, [r12]
    sub     lr, r2, #48             @ arguments from the fifth on go on the stack
    str     lr, [r12, #4]
    mov     sp, lr
    mov     r12, r0
    add     r2, r3, #64
    vldmia  r2, {d8-d15}
    add     r2, r1, #16
    ldm     r2, {r4-r9}
    stm     sp, {r4-r9}
    add     r2, r1, #40
    ldm     r2, {r4-r9}
    add     r2, sp, #24
    stm     r2, {r4-r9}
    ldr     r4, [r3]
    ldr     r5, [r3, #8]
    ldr     r6, [r3, #16]
    ldr     r7, [r3, #24]
    ldr     r8, [r3, #32]
    ldr     r9, [r3, #40]
    ldr     r10, [r3, #48]
    ldr     r11, [r3, #56]
    ldm     r1, {r0-r3}
    blx     r12
    ldr     r12, =own_stack
    ldr     r0, [r12, #4]
    sub     r0, sp, r0              @ how far off the stack pointer is
    ldr     sp, [r12]
    ldr     r3, [sp, #64]           @ the r3 pushed above
    str     r4, [r3]
    str     r5, [r3, #8]
    str     r6, [r3, #16]
    str     r7, [r3, #24]
    str     r8, [r3, #32]
    str     r9, [r3, #40]
    str     r10, [r3, #48]
    str     r11, [r3, #56]
    add     r3, r3, #64
    vstmia  r3!, {d8-d15}
    mov     r1, #0
    strd    r0, r1, [r3]
    vpop    {d8-d15}
    pop     {r3-r11, pc}
    .ltorg
    .size   call_watched, . - call_watched

    .bss
    .p2align 3
own_stack:
    .skip   8
    .section .note.GNU-stack,"",%progbits

// void call_watched(kernel, arguments[16], stack_top, saved[20]): saved is x18-x28 (x18 must not be touched), x29, d8-d15
    .text
    .global call_watched
    .type   call_watched, %function
call_watched:
    stp     x29, x30, [sp, #-176]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    stp     x23, x24, [sp, #48]
    stp     x25, x26, [sp, #64]
    stp     x27, x28, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]
    str     x3, [sp, #160]
    adrp    x9, own_stack
    mov     x10, sp
    str     x10, [x9, :lo12:own_stack]
    add     x11, x9, :lo12:own_stack
    sub     x2, x2, #64             // arguments from the ninth on go on the stack
    str     x2, [x11, #8]
    mov     sp, x2
    mov     x16, x0
    ldp     d8, d9, [x3, #96]
    ldp     d10, d11, [x3, #112]
    ldp     d12, d13, [x3, #128]
    ldp     d14, d15, [x3, #144]
    ldp     x18, x19, [x3]
    ldp     x20, x21, [x3, #16]
    ldp     x22, x23, [x3, #32]
    ldp     x24, x25, [x3, #48]
    ldp     x26, x27, [x3, #64]
    ldp     x28, x29, [x3, #80]
    mov     x9, x1
    ldp     x0, x1, [x9]
    ldp     x2, x3, [x9, #16]
    ldp     x4, x5, [x9, #64]
    stp     x4, x5, [sp]
    ldp     x4, x5, [x9, #80]
    stp     x4, x5, [sp, #16]
    ldp     x4, x5, [x9, #96]
    stp     x4, x5, [sp, #32]
    ldp     x4, x5, [x9, #112]
    stp     x4, x5, [sp, #48]
    ldp     x4, x5, [x9, #32]
    ldp     x6, x7, [x9, #48]
    blr     x16
    adrp    x9, own_stack
    add     x9, x9, :lo12:own_stack
    ldr     x10, [x9, #8]
    mov     x11, sp
    sub     x11, x11, x10
    ldr     x10, [x9]
    mov     sp, x10
    ldr     x3, [sp, #160]
    stp     x18, x19, [x3]
    stp     x20, x21, [x3, #16]
    stp     x22, x23, [x3, #32]
    stp     x24, x25, [x3, #48]
    stp     x26, x27, [x3, #64]
    stp     x28, x29, [x3, #80]
    stp     d8, d9, [x3, #96]
    stp     d10, d11, [x3, #112]
    stp     d12, d13, [x3, #128]
    stp     d14, d15, [x3, #144]
    str     x11, [x3, #160]
    ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     d8, d9, [sp, #96]
    ldp     d10, d11, [sp, #112]
    ldp     d12, d13, [sp, #128]
    ldp     d14, d15, [sp, #144]
    ldp     x29, x30, [sp], #176
    ret
    .size   call_watched, . - call_watched

    .bss
    .p2align 4
own_stack:
    .skip   16
    .section .note.GNU-stack,"",%progbits

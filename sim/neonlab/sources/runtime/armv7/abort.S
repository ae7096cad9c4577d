// What a program calls when it gives up.  The lab reports the call, by the name of the function.

    .syntax unified
    .arm

.macro gives_up name:req
    .global \name
    .type \name, %function
\name:
    udf     #0
.endm

    .text
    .p2align 2
    .irp    name, abort, exit, _exit, __assert_fail, __assert, __assert_func, __stack_chk_fail, __cxa_pure_virtual
    gives_up \name
    .endr
    .irp    name, __aeabi_idiv0, __aeabi_ldiv0
    gives_up \name
    .endr

    .data
    .p2align 2
    .global __stack_chk_guard
__stack_chk_guard:
    .word   0x5ac3e187

// What a program calls when it gives up.  The lab reports the call, by the name of the function.

.macro function name
    .global \name
    .type \name, %function
\name:
.endm

.macro gives_up name:req
function \name
    udf     #0
.endm

    .text
    .p2align 2
    .irp    name, abort, exit, _exit, __assert_fail, __assert, __assert_func, __stack_chk_fail, __cxa_pure_virtual
    gives_up \name
    .endr

    .data
    .p2align 3
    .global __stack_chk_guard
__stack_chk_guard:
    .quad   0x0a0d00ff5ac3e187

/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 144
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "4" }
n   = { reg = "x2", range = [512, 8192], step = 512 }
*/

// Addresses all about, and no result that depends on one: a frame on 64 bytes, pointers spilled there, a loop that ends
// at an address, a jump to one, a call.

    .text
    .p2align 4
    .global addresses_all_about
    .type   addresses_all_about, %function
addresses_all_about:
    stp     x29, x30, [sp, #-32]!
    mov     x29, sp
    sub     x9, sp, #64
    and     sp, x9, #-64
    stp     x0, x1, [sp]
    add     x3, x0, x2
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    saddlp  v1.8h, v0.16b
    sadalp  v2.4s, v1.8h
    cmp     x0, x3
    b.ne    1b
    adr     x9, 2f
    br      x9
2:
    ldr     x1, [sp, #8]
    addv    s2, v2.4s
    bl      store
    mov     sp, x29
    ldp     x29, x30, [sp], #32
    ret
store:
    adrp    x9, zero
    ldr     w10, [x9, :lo12:zero]
    fmov    w4, s2
    add     w4, w4, w10
    str     w4, [x1]
    ret
    .section .rodata
    .p2align 2
zero:
    .word   0
    .text
    .size   addresses_all_about, . - addresses_all_about

    .section .note.GNU-stack,"",%progbits

// memcpy, memmove, memset, memcmp, bcmp, strlen and the run-time ABI's names for them: simple, exact about the bytes they
// touch, leaf functions that keep lr.

    .syntax unified
    .arm

.macro function name
    .global \name
    .type \name, %function
\name:
.endm

    .text
    .p2align 4

// void *memcpy(void *to, const void *from, size_t n): the two places do not overlap, or are one, as where a compiler
// copies a struct to itself
    .irp name, memcpy, __aeabi_memcpy, __aeabi_memcpy4, __aeabi_memcpy8
    function \name
    .endr
    subs    r3, r0, r1
    beq     memmove
    cmp     r3, r2
    sub     r12, r1, r0
    cmphs   r12, r2
    bhs     memmove
    udf     #0

// void *memmove(void *to, const void *from, size_t n): whichever way the two lie
    .irp name, memmove, __aeabi_memmove, __aeabi_memmove4, __aeabi_memmove8
    function \name
    .endr
    mov     r12, r0
    sub     r3, r0, r1
    cmp     r3, r2              // to lies within [from, from + n): backwards
    blo     5f
1:  subs    r2, r2, #8
    blo     2f
    vld1.8  {d0}, [r1]!
    vst1.8  {d0}, [r12]!
    b       1b
2:  adds    r2, r2, #8
    bxeq    lr
3:  ldrb    r3, [r1], #1
    strb    r3, [r12], #1
    subs    r2, r2, #1
    bne     3b
    bx      lr
5:  add     r12, r12, r2
    add     r1, r1, r2
6:  cmp     r2, #0
    bxeq    lr
    ldrb    r3, [r1, #-1]!
    strb    r3, [r12, #-1]!
    sub     r2, r2, #1
    b       6b

// void __aeabi_memclr(void *to, size_t n)
    .irp name, __aeabi_memclr, __aeabi_memclr4, __aeabi_memclr8
    function \name
    .endr
    mov     r2, #0
// void __aeabi_memset(void *to, size_t n, int c)
    .irp name, __aeabi_memset, __aeabi_memset4, __aeabi_memset8
    function \name
    .endr
    mov     r3, r1
    mov     r1, r2
    mov     r2, r3
// void *memset(void *to, int c, size_t n)
    function memset
    mov     r12, r0
    vdup.8  d0, r1
1:  subs    r2, r2, #8
    blo     2f
    vst1.8  {d0}, [r12]!
    b       1b
2:  adds    r2, r2, #8
    bxeq    lr
3:  strb    r1, [r12], #1
    subs    r2, r2, #1
    bne     3b
    bx      lr

// int memcmp(const void *a, const void *b, size_t n)
    function memcmp
    mov     r12, r0
    mov     r0, #0
1:  cmp     r2, #0
    bxeq    lr
    ldrb    r0, [r12], #1
    ldrb    r3, [r1], #1
    sub     r2, r2, #1
    subs    r0, r0, r3
    beq     1b
    bx      lr

// int bcmp(const void *a, const void *b, size_t n): what clang calls where only the equality is asked
    function bcmp
    b       memcmp

// size_t strlen(const char *s)
    function strlen
    mov     r1, r0
1:  ldrb    r2, [r1], #1
    cmp     r2, #0
    bne     1b
    sub     r0, r1, r0
    sub     r0, r0, #1
    bx      lr

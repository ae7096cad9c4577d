// memcpy, memmove, memset, memcmp, bcmp, strlen: simple, exact about the bytes they touch, leaf functions that keep x30.

.macro function name
    .global \name
    .type \name, %function
\name:
.endm

    .text
    .p2align 4

// void *memcpy(void *to, const void *from, size_t n): the two places do not overlap, or are one, as where a compiler
// copies a struct to itself
function memcpy
    sub     x3, x0, x1
    cmp     x3, x2
    sub     x4, x1, x0
    ccmp    x4, x2, #0, hs
    b.hs    memmove
    cbz     x3, memmove
    udf     #0

// void *memmove(void *to, const void *from, size_t n): whichever way the two lie
function memmove
    mov     x3, x0
    sub     x4, x0, x1
    cmp     x4, x2              // to lies within [from, from + n): backwards
    b.lo    5f
1:  subs    x2, x2, #16
    b.lo    2f
    ldp     x4, x5, [x1], #16
    stp     x4, x5, [x3], #16
    b       1b
2:  adds    x2, x2, #16
    b.eq    4f
3:  ldrb    w4, [x1], #1
    strb    w4, [x3], #1
    subs    x2, x2, #1
    b.ne    3b
4:  ret
5:  add     x3, x3, x2
    add     x1, x1, x2
6:  cbz     x2, 4b
    ldrb    w4, [x1, #-1]!
    strb    w4, [x3, #-1]!
    sub     x2, x2, #1
    b       6b

// void *memset(void *to, int c, size_t n)
function memset
    mov     x3, x0
    and     x1, x1, #255
    mov     x4, #0x0101010101010101
    mul     x4, x1, x4
1:  subs    x2, x2, #16
    b.lo    2f
    stp     x4, x4, [x3], #16
    b       1b
2:  adds    x2, x2, #16
    b.eq    4f
3:  strb    w4, [x3], #1
    subs    x2, x2, #1
    b.ne    3b
4:  ret

// int memcmp(const void *a, const void *b, size_t n)
function memcmp
    mov     x3, x0
    mov     w0, #0
1:  cbz     x2, 2f
    ldrb    w4, [x3], #1
    ldrb    w5, [x1], #1
    sub     x2, x2, #1
    subs    w0, w4, w5
    b.eq    1b
2:  ret

// int bcmp(const void *a, const void *b, size_t n): what clang calls where only the equality is asked
function bcmp
    b       memcmp

// size_t strlen(const char *s)
function strlen
    mov     x1, x0
1:  ldrb    w2, [x1], #1
    cbnz    w2, 1b
    sub     x0, x1, x0
    sub     x0, x0, #1
    ret

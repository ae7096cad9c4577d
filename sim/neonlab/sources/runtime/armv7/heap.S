// malloc, calloc, realloc, free: blocks one after another from a heap that is new with each call; free keeps them.
// Each block lies on 16 bytes behind a header of 16 that holds its size.

#define HEAP_BYTES 0x40000

    .syntax unified
    .arm

.macro function name
    .global \name
    .type \name, %function
\name:
.endm

.macro address register, symbol
    movw    \register, #:lower16:\symbol
    movt    \register, #:upper16:\symbol
.endm

// What a block holds at first is nobody's: no zeros, which would hide that a kernel reads it.
.macro garbage at, end, held
    mov     \held, #0xa5
.Lmore_\@:
    cmp     \at, \end
    strblo  \held, [\at], #1
    blo     .Lmore_\@
.endm

    .text
    .p2align 4

// void *malloc(size_t n): 0 where the heap is used up
function malloc
    address r1, .Lused
    ldr     r2, [r1]
    cmp     r0, #HEAP_BYTES
    bhi     1f
    add     r3, r0, #31
    bic     r3, r3, #15         // the header, and n rounded up
    add     r3, r3, r2
    cmp     r3, #HEAP_BYTES
    bhi     1f
    str     r3, [r1]
    address r1, .Lheap
    add     r1, r1, r2
    str     r0, [r1], #16
    add     r2, r1, r0
    mov     r0, r1
    garbage r1, r2, r3
    bx      lr
1:  mov     r0, #0
    bx      lr

// void *aligned_alloc(size_t alignment, size_t n)
function aligned_alloc
function memalign
    cmp     r0, #HEAP_BYTES
    bhi     1b
    cmp     r1, #HEAP_BYTES
    bhi     1b
    address r2, .Lused
    address r3, .Lheap
    ldr     r12, [r2]
    add     r12, r12, r3
    add     r12, r12, r0
    add     r12, r12, #31
    rsb     r0, r0, #0
    and     r12, r12, r0        // the next multiple of the alignment with room for a header before it
    bic     r12, r12, #15
    add     r0, r12, r1
    add     r0, r0, #15
    bic     r0, r0, #15
    sub     r0, r0, r3
    cmp     r0, #HEAP_BYTES
    bhi     1b
    str     r0, [r2]
    str     r1, [r12, #-16]
    mov     r0, r12
    add     r1, r12, r1
    garbage r12, r1, r2
    bx      lr

// void *calloc(size_t count, size_t size)
function calloc
    umull   r0, r2, r1, r0
    cmp     r2, #0
    bne     1b
    mov     r12, lr
    bl      malloc
    mov     lr, r12
    cmp     r0, #0
    bxeq    lr
    ldr     r1, [r0, #-16]
    mov     r2, r0
    mov     r3, #0
2:  subs    r1, r1, #1
    strbhs  r3, [r2], #1
    bhs     2b
    bx      lr

// void *realloc(void *old, size_t n)
function realloc
    cmp     r0, #0
    moveq   r0, r1
    beq     malloc
    ldr     r2, [r0, #-16]      // what there is to copy
    cmp     r2, r1
    bxhs    lr
    cmp     r1, #HEAP_BYTES
    bhi     1b
    push    {r4, r5}
    address r3, .Lused
    address r4, .Lheap
    ldr     r5, [r3]
    add     r12, r1, #31
    bic     r12, r12, #15
    add     r12, r12, r5
    cmp     r12, #HEAP_BYTES
    movhi   r0, #0
    bhi     4f
    str     r12, [r3]
    add     r4, r4, r5
    str     r1, [r4], #16
    mov     r12, r0
    mov     r0, r4
    add     r5, r4, r1
2:  cmp     r2, #0
    beq     3f
    ldrb    r3, [r12], #1
    strb    r3, [r4], #1
    sub     r2, r2, #1
    b       2b
3:  garbage r4, r5, r3
4:  pop     {r4, r5}
    bx      lr

// void free(void *block)
function free
    bx      lr

    .bss
    .p2align 4
.Lused:
    .skip   16
.Lheap:
    .skip   HEAP_BYTES

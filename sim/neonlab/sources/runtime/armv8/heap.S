// malloc, calloc, realloc, free: blocks one after another from a heap that is new with each call; free keeps them.
// Each block lies on 16 bytes behind a header of 16 that holds its size.

#define HEAP_BYTES 0x40000

.macro function name
    .global \name
    .type \name, %function
\name:
.endm

// What a block holds at first is nobody's: no zeros, which would hide that a kernel reads it.
.macro garbage at, end, held
    mov     w\held, #0xa5
.Lmore_\@:
    cmp     \at, \end
    b.hs    .Lfull_\@
    strb    w\held, [\at], #1
    b       .Lmore_\@
.Lfull_\@:
.endm

    .text
    .p2align 4

// void *malloc(size_t n): 0 where the heap is used up
function malloc
    adrp    x1, .Lused
    add     x1, x1, :lo12:.Lused
    ldr     x2, [x1]
    mov     x3, #HEAP_BYTES
    cmp     x0, x3
    b.hi    1f
    add     x4, x0, #31
    and     x4, x4, #-16        // the header, and n rounded up
    add     x4, x4, x2
    cmp     x4, x3
    b.hi    1f
    str     x4, [x1]
    adrp    x1, .Lheap
    add     x1, x1, :lo12:.Lheap
    add     x1, x1, x2
    str     x0, [x1], #16
    add     x2, x1, x0
    mov     x0, x1
    garbage x1, x2, 3
    ret
1:  mov     x0, #0
    ret

// void *aligned_alloc(size_t alignment, size_t n)
function aligned_alloc
function memalign
    adrp    x2, .Lused
    add     x2, x2, :lo12:.Lused
    adrp    x3, .Lheap
    add     x3, x3, :lo12:.Lheap
    mov     x4, #HEAP_BYTES
    cmp     x0, x4
    b.hi    1b
    cmp     x1, x4
    b.hi    1b
    ldr     x5, [x2]
    add     x5, x5, x3
    add     x5, x5, x0
    add     x5, x5, #31
    neg     x6, x0
    and     x5, x5, x6          // the next multiple of the alignment with room for a header before it
    and     x5, x5, #-16
    add     x6, x5, x1
    add     x6, x6, #15
    and     x6, x6, #-16
    sub     x6, x6, x3
    cmp     x6, x4
    b.hi    1b
    str     x6, [x2]
    str     x1, [x5, #-16]
    mov     x0, x5
    add     x6, x5, x1
    garbage x5, x6, 7
    ret

// void *calloc(size_t count, size_t size)
function calloc
    umulh   x2, x0, x1
    mul     x0, x0, x1
    cbnz    x2, 1b
    mov     x9, x30
    mov     x10, x0
    bl      malloc
    mov     x30, x9
    cbz     x0, 3f
    mov     x1, x0
2:  cbz     x10, 3f
    strb    wzr, [x1], #1
    sub     x10, x10, #1
    b       2b
3:  ret

// void *realloc(void *old, size_t n)
function realloc
    cbnz    x0, 1f
    mov     x0, x1
    b       malloc
1:  ldr     x5, [x0, #-16]      // what there is to copy
    cmp     x5, x1
    b.hs    4f
    mov     x6, x0
    adrp    x2, .Lused
    add     x2, x2, :lo12:.Lused
    adrp    x3, .Lheap
    add     x3, x3, :lo12:.Lheap
    mov     x7, #HEAP_BYTES
    mov     x0, #0
    cmp     x1, x7
    b.hi    4f
    ldr     x4, [x2]
    add     x8, x1, #31
    and     x8, x8, #-16
    add     x8, x8, x4
    cmp     x8, x7
    b.hi    4f
    str     x8, [x2]
    add     x3, x3, x4
    str     x1, [x3], #16
    mov     x0, x3
    add     x8, x3, x1
2:  cbz     x5, 3f
    ldrb    w4, [x6], #1
    strb    w4, [x3], #1
    sub     x5, x5, #1
    b       2b
3:  garbage x3, x8, 4
4:  ret

// void free(void *block)
function free
    ret

    .bss
    .p2align 4
.Lused:
    .skip   16
.Lheap:
    .skip   HEAP_BYTES

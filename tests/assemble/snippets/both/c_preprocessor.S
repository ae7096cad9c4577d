#define ONE 1
#define TWO (ONE + 1)
#define ADD(a, b) ((a) + (b))
#define PASTE(a, b) a ## b
#define TEXT(x) #x
#define LIST(...) .byte __VA_ARGS__
#define SEVERAL(x) \
    .byte x; \
    .byte x + 1; \
    .byte TWO
#if defined(__ELF__) && (ONE < 2 || UNKNOWN)
.byte ONE, TWO, ADD(ONE, ADD(2, 3))
#else
.error "not reached"
#endif
#ifdef __APPLE__
.private_extern nothing
don't look
#elif TWO == 2
SEVERAL(10)
#endif
#ifndef __aarch64__
# if __ARM_ARCH >= 7
.byte 32
# endif
#else
.byte 64
#endif
LIST(1, 2, ADD(1,
  2))
.byte PASTE(O, NE), PASTE(0x, 1f)
.ascii TEXT(a b), "ONE"
#undef ONE
.set ONE, 5
.byte ONE
.byte __LINE__
#if 0
.byte 'unbalanced
#endif
# define INDENTED 7
.byte INDENTED
.byte 'a', ONE, 'b' + TWO
.ascii TEXT('c'), "x"
#if defined(__has_include) && !__has_include("nowhere.h")
.byte 33
#endif
#if __SIZEOF_POINTER__ == 8
.byte 8
#elif __SIZEOF_POINTER__ == 4
.byte 4
#endif
#define GLUED(n, rest...) .byte n, ## rest
GLUED(1)
GLUED(1, 2, 3)

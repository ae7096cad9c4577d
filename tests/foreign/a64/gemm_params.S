/* Two rows by one column, as int8 libraries call their kernels:
 *   (k, const int8_t *const *rows, const int8_t *w, int8_t *out, const struct params *p)
 * struct params { int32_t bias, multiplier; int16_t zero_point; int8_t least, most; } */
#include "frame.inc"

#define BEGIN_FUNCTION(name) function name, export=1
#define END_FUNCTION endfunc
#define DOT(acc, row, at) \
        ldr     d0, [row], #8 ; \
        smull   v4.8h, v0.8b, v1.8b ; \
        sadalp  acc.4s, v4.8h
#define PARAM_BIAS 0
#define PARAM_ZERO (PARAM_BIAS + 4 + 4)

.macro finish acc:req, index:req
        addv    s\acc, v\acc\().4s
        add     v\acc\().4s, v\acc\().4s, v5.4s
        sqrdmulh v\acc\().4s, v\acc\().4s, v6.4s
        sqxtn   v\acc\().4h, v\acc\().4s
        sqadd   v\acc\().4h, v\acc\().4h, v7.4h
        sqxtn   v\acc\().8b, v\acc\().8h
        smax    v\acc\().8b, v\acc\().8b, v16.8b
        smin    v\acc\().8b, v\acc\().8b, v17.8b
        st1     {v\acc\().b}[0], [x3]
    .ifeq   \index
        add     x3, x3, #1
    .endif
.endm

BEGIN_FUNCTION(gemm_2x1)
        ldp     x5, x6, [x1]
        movi    v2.4s, #0
        movi    v3.4s, #0
1:      ld1     {v1.8b}, [x2], #8
        DOT(v2, x5, 0)
        DOT(v3, x6, 1)
        subs    x0, x0, #8
        b.hi    1b
        ldr     s5, [x4, #PARAM_BIAS]
        ldr     s6, [x4, #PARAM_BIAS + 4]
        dup     v6.4s, v6.s[0]
        add     x7, x4, #PARAM_ZERO
        ld1r    {v7.4h}, [x7], #2
        ld1r    {v16.8b}, [x7], #1
        ld1r    {v17.8b}, [x7]
        finish  acc=2, index=0
        finish  index=1, acc=3
        ret
END_FUNCTION

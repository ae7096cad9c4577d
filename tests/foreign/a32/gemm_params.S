/* Two rows by one column, as int8 libraries call their kernels:
 *   (k, const int8_t *const *rows, const int8_t *w, int8_t *out, const struct params *p)
 * struct params { int32_t bias, multiplier; int16_t zero_point; int8_t least, most; } */
#include "frame.inc"

#define BEGIN_FUNCTION(name) function name, export=1
#define END_FUNCTION endfunc
#define DOT(acc, row) \
        vld1.8  {d0}, [row]! ; \
        vmull.s8 q2, d0, d1 ; \
        vpadal.s16 acc, q2
#define PARAM_BIAS 0
#define PARAM_ZERO (PARAM_BIAS + 4 + 4)

.macro finish acc:req, low:req, high:req, index:req
        vadd.i32 d\low, d\low, d\high
        vpadd.i32 d\low, d\low, d\low
        vadd.i32 d\low, d\low, d8
        vqrdmulh.s32 d\low, d\low, d9
        vqmovn.s32 d\low, q\acc
        vqadd.s16 d\low, d\low, d10
        vqmovn.s16 d\low, q\acc
        vmax.s8 d\low, d\low, d11
        vmin.s8 d\low, d\low, d12
        vst1.8  {d\low[0]}, [r3]
    .ifeq   \index
        add     r3, r3, #1
    .endif
.endm

BEGIN_FUNCTION(gemm_2x1)
        push    {r4, r5, r6, lr}
        vpush   {d8-d12}
        ldr     r4, [sp, #16 + 40]
        ldmia   r1, {r5, r6}
        vmov.i32 q8, #0
        vmov.i32 q9, #0
1:      vld1.8  {d1}, [r2]!
        DOT(q8, r5)
        DOT(q9, r6)
        subs    r0, r0, #8
        bhi     1b
        vldr    s16, [r4, #PARAM_BIAS]
        vldr    s18, [r4, #PARAM_BIAS + 4]
        vdup.32 d9, d9[0]
        add     r4, r4, #PARAM_ZERO
        vld1.16 {d10[]}, [r4]!
        vld1.8  {d11[]}, [r4]!
        vld1.8  {d12[]}, [r4]
        finish  8, 16, 17, 0
        finish  index=1, acc=9, low=18, high=19
        vpop    {d8-d12}
        pop     {r4, r5, r6, pc}
END_FUNCTION

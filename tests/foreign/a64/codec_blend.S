// Two pictures mixed by a mask of 0 to 64: (dst, stride, other, w, h, mask); the width chooses from a table of places.
#include "frame.inc"

.macro mix dst, other, mask, narrowed
        sub     v6.8b, v31.8b, \mask\().8b
        umull   v7.8h, \dst\().8b, v6.8b
        umlal   v7.8h, \other\().8b, \mask\().8b
    .ifb \narrowed
        rshrn   \dst\().8b, v7.8h, #6
    .else
        rshrn   \narrowed, v7.8h, #6
    .endif
.endm

.macro width_loop width, lanes, step
        .p2align 2
LOCAL_PREFIX\()blend_\width:
1:      subs    w4, w4, #1
    .if \width <= 8
        ld1     {v0.\lanes}\step, [x0]
        ld1     {v1.\lanes}\step, [x2], #\width
        ld1     {v2.\lanes}\step, [x5], #\width
        mix     v0, v1, v2
        st1     {v0.\lanes}\step, [x0], x1
    .else
        mov     x7, x0
        .rept   \width / 16
        ld1     {v0.16b}, [x7]
        ld1     {v1.16b}, [x2], #16
        ld1     {v2.16b}, [x5], #16
        sub     v6.16b, v31.16b, v2.16b
        umull   v16.8h, v0.8b, v6.8b
        umlal   v16.8h, v1.8b, v2.8b
        umull2  v17.8h, v0.16b, v6.16b
        umlal2  v17.8h, v1.16b, v2.16b
        rshrn   v18.8b, v16.8h, #6
        rshrn2  v18.16b, v17.8h, #6
        st1     {v18.16b}, [x7], #16
        .endr
        add     x0, x0, x1
    .endif
        b.gt    1b
        ret
.endm

function blend, export=1, align=5
        adr     x6, LOCAL(blend_table)
        clz     w3, w3
        sub     w3, w3, #26
        ldrh    w3, [x6, x3, lsl #1]
        sub     x6, x6, w3, uxtw
        movi    v31.16b, #64
        br      x6
        width_loop 4, s, [0]
        width_loop 8, 8b,
        width_loop 16, 16b,
        width_loop 32, 16b,
LOCAL(blend_table):
    .irp    width, 32, 16, 8, 4
        .hword  LOCAL(blend_table) - LOCAL_PREFIX\()blend_\width
    .endr
endfunc

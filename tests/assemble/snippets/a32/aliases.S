.syntax unified
src .req r0
dst .req r1
acc .req q3
low .req d6
idx .req r5
ldr r9, [src], #8
vld1.8 {low}, [SRC:64]!
vld1.8 {low-d7}, [src :128]!
vadd.i32 acc, acc, q1
str r9, [dst, idx, lsl #2]
str r9, [dst, -idx]
ldr r9, [dst], -idx
vmla.i16 acc, q1, low[1]
ldmia src!, {r2-r3, idx}
mov idx, idx, lsl idx
.unreq src
src .req r7
ldr r9, [src]
sum .dn d4.s16
va .dn d5.s16
vb .dn d6.s16[2]
wide .qn q8.s32
vadd sum, va, va
vmull wide, va, vb
#define base r10
ldr base, [base, #8]
mov a1, v1
add sb, sl, fp

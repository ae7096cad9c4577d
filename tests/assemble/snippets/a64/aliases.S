src .req x0
dst .req x1
acc .req v3
count .req w2
Mixed .req x5
again .req src
ldr x9, [src], #8
ldr q0, [SRC, #16]
str x9, [dst, again]
add acc.4s, acc.4s, v1.4s
mla acc.4s, v1.4s, acc.s[1]
ld1 {acc.16b}, [src], 16
st1 {acc.s}[2], [dst], #4
add count, count, #1
add mixed, Mixed, MIXED
.unreq src
src .req x7
ldr x9, [src]
.irp n, 0, 1, 2
in\n .req v\n
.endr
add in0.16b, in1.16b, in2.16b
#define base x10
#define row(n) v##n
ldr base, [base, #8]
add row(1).4s, row(2).4s, row(3).4s
.set width, 4
smlal row(4).8h, row(5).8b, row(6).8b

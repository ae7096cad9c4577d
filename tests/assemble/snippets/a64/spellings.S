.macro tile i, j
    mov v\i\().16b, v\j\().16b
    ldr x\i, [x\j], 16
    ldp q\i, q\j, [x0, #(16*\i)]
.endm
tile 2, 3
.set off, 32
.equ n, 3
ldr x0, [x1], 16
ldr x0,[x1],#8
LDR X0, [X1, #8]!
ldr q0, [x0, #(16*3)]
ldr q0, [x0, off]
str q0, [sp, #off + 16]
stp d14, d15, [sp, #(-16 * 10)]!
ld1 {v0.16b}, [x0], #16
ld1 { v0.16b - v3.16b } , [ x0 ] , #64
ld1 {v0.4s, v1.4s}, [x9], x10
ld4r {v0.8b, v1.8b, v2.8b, v3.8b}, [x3]
ld1 {v0.b}[n + 1], [x3]
st1{v2.d}[1],[x4]
mov w0, 'a'
mov x0, #1 << 12
mov x1, -1
movi v0.4s, #n, lsl #8
movi v1.16b, 0x80
add x0, x1, x2, lsl 3
add x0, x1, w2, SXTW #2
add x0, x1, x2, LSL #(1 + 1)
ldr w0, [x1, w2, uxtw 2]
csel x0, x1, x2, ne
CSET w0, LT
fmov s0, #1.0
fmov v1.4s, -0.5
fcmp s0, #0.0
mul v0.8h, v1.8h, v2.h[n]
sdot v0.4s, v1.16b, v2.4b[n]
mrs x0, fpcr
msr fpsr, x1
dmb ish
prfm pldl1keep, [x0, #64]
PRFM PLDL2STRM, [x0]
sub x29, sp, #16
mov x0, lr
mov fp, sp
lsl w1, w2, 5
ubfx x0, x1, #n, #n + 1
and x0, x1, #~0xf
orr w0, w1, 0x0f
ccmp x0, #1, #0, eq
shl v0.4s, v1.4s, n
dup v0.16b, w1
ins v0.s[n], w2
umov w0, v1.b[n * 4]
tbl v0.16b, {v1.16b, v2.16b}, v3.16b
ext v0.16b, v1.16b, v2.16b, #n
nop
.inst 0x4f80e068
.inst 0xd503201f, 0xd503201f

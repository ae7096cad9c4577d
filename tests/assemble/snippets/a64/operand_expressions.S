f: nop
b 16
bl 8
b.eq -8
cbz x0, 8
tbz x0, #1, 8
adr x0, 8
ldr x0, 8
.org f + 0x80
nop
.macro asm_function, fname
.global \fname
\fname:
.endm
asm_function g
ret
.macro t r:req, n=4
ldr x\r, [x\r, #(\n * 8)]
.endm
t 3
t r=4, n=2
t 5, 1+1
.irp r, x0, x1
mov \r, \r
.endr
add x0,x0,#(f2-f)
f2:
.balign 64,,63
movi v0.2d, #0xff00ff00ff00ff00
orr w1,w2,#~0xf
mov x9, #0xffffffffffffffff
mov w9, #0x8000ffff
fmov s1, #.5
fmov d1, #1e0
fmov v1.4s, #1.0e+0
sub sp, sp, #(8*16+64)
str d8, [sp, #-16]!
ld3 {v0.8b-v2.8b}, [x1], #24
ld1 {v0.s}[1], [x0], x2
tbx v0.8b, {v1.16b-v3.16b}, v4.8b
.byte (g-f)
.hword g-f, .-f
.p2align 2
cmp w0, 'a'
ccmp w0, #('b' - 90), #0b0100, ne
dmb #11
hint #34
sys #3, c7, c5, #1, x0
mrs x0, CNTVCT_EL0
mrs x1, s3_3_c9_c13_0
msr DAIFSet, #2
dc cvac, x0
prfm 5, [x0]
bti c
paciasp
ldp x0, x1, [sp], 16
stp q0,q1,[x0,#off*2]
.equ off, 16
stp q0,q1,[x0,#off*2]

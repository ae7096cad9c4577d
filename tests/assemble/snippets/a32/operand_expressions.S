.syntax unified
.fpu neon
f: nop
.org f + 0x80
nop
.macro t r:req, n=4
ldr r\r, [r\r, #(\n * 8)]
.endm
t 3
t r=4, n=2
t 5, 1+1
.balign 64,,63
ldr r0, [r1, #-off]
.equ off, 16
ldr r0, [r1, #-off]
ldr r0, [r1, -r2]
ldr r0, [r1, -r2, lsl #off/8]
add r0, r1, #off<<2
add r0, r1, r2, asr #off
vld1.8 {d0[off-14]}, [r0]
vmov.i64 d0, #0xff00ff00ff00ff00
vmov.i8 q0, #0xff
vmov.u8 r0, d0[off/8]
vshl.i32 q0, q1, #off-1
vdup.8 d0, d1[1]
svc 0
svc #off
cmp r0, #'a'
mov r0, 255
mvn r0, #0
push {r0}
stmfd sp!, {r4-r11,lr}
ldmfd sp!, {r4-r11,pc}
ldr pc, [sp], #4
str lr, [sp, #-4]!
subs pc, lr, #4
msr cpsr_f, r0
mrs r0, cpsr
vmsr fpscr, r1
swi 0
bl f(PLT)
tst r0, #(1 << 3)
rsb r0, r1, #0
vmul.i16 q0, q1, d0[1]
vext.8 q0, q1, q2, #(off - 1)
ldrd r4, r5, [r0], #8
strd r4, [r0, #off]
pld [r0, #off * 4]
cpsie i
dsb
ubfx r0, r1, #off / 4, 4
pkhbt r0, r1, r2, lsl #off
uxtab r0, r1, r2, ror #off
vst1.32 {d0[0]}, [r0, :32], r2
vld4.8 {d0[], d1[], d2[], d3[]}, [r0]!
vld1.64 {d0-d3}, [r0 :256]!
vld1.64 {d0-d3}, [r0,:256]
vcmp.f32 s0, #0
vcmp.f32 s0, #0.0
vmov s0, s1, r0, r1
vmov r0, r1, d0
vldmia r0!, {s0-s3}
.code 32
.arm
1: nop
b 1b + 4

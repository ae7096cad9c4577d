.syntax unified
.set off, 32
.equ n, 3
LDR ip, [sp, 8]
CMP r0, 2
VEXT.8 d0, d0, d0, 2
VSRA.S32 q8, q0, 31
VCEQ.S32 q5, q4, 0
VLD1.32 {d8[], d9[]}, [ip]!
VST1.32 {d16[0]}, [r2]!
vst1.64 {d0-d1}, [r3,:128]!
vld1.8 {d0}, [r3 :64]
vld1.64 {d0-d3}, [r1:256], r2
.set hint, 64
vld1.64 {d0}, [r1,:hint]!
.set hint, 128
vld1.64 {d0,d1}, [r1,:hint]!
PUSH {r4, r5, r6-r8, lr}
pop {r4-r11, pc}
stmdb sp!, {r4-r11, lr}
ldmfd sp!, {r4-r11, pc}
vpush {q4-q7}
vpush {d8-d15}
VLDM r0!, {d16-d23}
add r0, r1, r2, lsl #n
ADD r0, r0, r2, LSL #2
sub r1, 4
adds r2, 8
movlo r4, r3
mov r0, #'a'
mov r0, #~0
movw r0, #0x1234
movt r0, 0x1234
ldr r0, [r1, #off + 4]
ldr r0, [r1, #-4]!
ldr r0, [r1], #(4 * n)
ldrd r2, r3, [sp, 108]
ldr r0, [r1, r2, lsl #2]!
it eq
moveq r0, #1
itte ne
movne r0, #1
movne r0, #2
moveq r0, #3
vmov.i32 q0, #0
vmov.f32 s0, #1.0
vmov d0[1], r2
vmov.s8 r0, d1[n]
vdup.32 q0, d1[0]
vmul.f32 s0, s1, s2
vcvt.f32.s32 q0, q1
vmrs r0, fpscr
vmrs APSR_nzcv, fpscr
pld [r0, #64]
pld [r1, r2]
dmb ish
vmull.s8 q0, d1, d2
vtbl.8 d0, {d1, d2}, d3
ubfx r0, r1, #n, #n + 1
usat r0, 8, r1
ssat r0, #8, r1, asr #n
mcr p15, 0, r0, c7, c5, 4
nop
.inst 0xe1a00000
.arch armv7-a
.fpu neon
.eabi_attribute 24, 1
.fnstart
.save {r4, lr}
.pad #8
.cantunwind
.fnend
bx lr

// Kernels written for a phone's compiler: no `.syntax`, registers without braces, types where none is needed.
#define saved (4 * 9 + 8 * 8)
#define shift 2
.macro twice op, x, y, by
    \op \x, \x, \by[0]
    \op \y, \y, \by[1]
.endm
.macro each op, x, y // remarks stand behind a macro's parameters too
    \op \x, \x
    \op \y, \y
.endm
.text
.align 5
kernel:
    push {r4 - r11, lr}
    vpush {q4-q7}
    ldr r4, [sp, #saved]
    ldr r5,[sp, #(saved + 4)]
    subs r7, #16
    blo End
    Again:
        vld1.s8 {q2}, [r1]!
        vld1.f32 {q4,q5}, [r2], r4
        vld1.8 d12, [r5:64]!
        vst1.s32 d6[0], [r0], r4
        vst1.f16 {d6}, [r0]!
        vaddq.s32 q0, q8, q4
        vmulq.f32 q0, q0, d10[0]
        vbsl.f32 q12, q10, q11
        vdup.s8 q11, d22[0]
        vand.i8 q5, q5, q4
        vmov.s32 d13, d12
        vext.s32 q8, q8, #2
        vcge.f32 q3,  q2, #0
        twice vmla.f32, q8, q9, d3
        each vcvt.s32.f32, q8, q9
        add r2, r2, r5, lsl#shift
        bhs Again
End:
    vpop {q4-q7}
    pop {r4 - r11, pc}
	##### no directive
	#ldm r8!, {r4-r7}
.L4: .word 0x4B400000

// A tile of three rows and one column, with room for three columns.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    push {r4-r11, lr}
    vpush {d8-d15}
    mov r9, r0
    mov r10, #3
    add r11, r1, #512
2:
    add r3, r1, #0
    add r4, r1, #1024
    add r5, r1, #2048
    mov r8, r11
    mov r0, r9
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
1:
    vld1.8 {d6, d7}, [r8]!  // <-
    vld1.8 {d0, d1}, [r3]!
    vld1.8 {d2, d3}, [r4]!
    vld1.8 {d4, d5}, [r5]!
    vmla.i16 q8, q0, q3
    vmla.i16 q9, q1, q3
    vmla.i16 q10, q2, q3
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16, d17}, [r2]!
    vst1.8 {d18, d19}, [r2]!
    vst1.8 {d20, d21}, [r2]!
    add r11, r11, #1024
    subs r10, r10, #1
    bne 2b
    vpop {d8-d15}
    pop {r4-r11, lr}
    bx lr

    .global mended
mended:
    push {r4-r11, lr}
    vpush {d8-d15}
    add r3, r1, #0
    add r4, r1, #1024
    add r5, r1, #2048
    add r6, r1, #512
    add r6, r6, #0
    add r7, r1, #512
    add r7, r7, #1024
    add r8, r1, #512
    add r8, r8, #2048
    vmov.i32 q6, #0
    vmov.i32 q7, #0
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
    vmov.i32 q11, #0
    vmov.i32 q12, #0
    vmov.i32 q13, #0
    vmov.i32 q14, #0
1:
    vld1.8 {d6, d7}, [r6]!
    vld1.8 {d8, d9}, [r7]!
    vld1.8 {d10, d11}, [r8]!
    vld1.8 {d0, d1}, [r3]!
    vld1.8 {d2, d3}, [r4]!
    vld1.8 {d4, d5}, [r5]!
    vmla.i16 q6, q0, q3
    vmla.i16 q7, q1, q3
    vmla.i16 q8, q2, q3
    vmla.i16 q9, q0, q4
    vmla.i16 q10, q1, q4
    vmla.i16 q11, q2, q4
    vmla.i16 q12, q0, q5
    vmla.i16 q13, q1, q5
    vmla.i16 q14, q2, q5
    subs r0, r0, #1
    bne 1b
    vst1.8 {d12, d13}, [r2]!
    vst1.8 {d14, d15}, [r2]!
    vst1.8 {d16, d17}, [r2]!
    vst1.8 {d18, d19}, [r2]!
    vst1.8 {d20, d21}, [r2]!
    vst1.8 {d22, d23}, [r2]!
    vst1.8 {d24, d25}, [r2]!
    vst1.8 {d26, d27}, [r2]!
    vst1.8 {d28, d29}, [r2]!
    vpop {d8-d15}
    pop {r4-r11, lr}
    bx lr

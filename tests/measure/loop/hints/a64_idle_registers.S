// A tile of five rows and one column, with room for four columns.
// core: cortex-a53

    .text
    .global bad
bad:
    mov x9, x0
    mov x10, #4
    add x11, x1, #2048
2:
    add x3, x1, #0
    add x4, x1, #256
    add x5, x1, #512
    add x6, x1, #768
    add x7, x1, #1024
    mov x8, x11
    mov x0, x9
    movi v16.8h, #0
    movi v17.8h, #0
    movi v18.8h, #0
    movi v19.8h, #0
    movi v20.8h, #0
1:
    ldr q5, [x8], #16  // <-
    ldr q0, [x3], #16
    ldr q1, [x4], #16
    ldr q2, [x5], #16
    ldr q3, [x6], #16
    ldr q4, [x7], #16
    mla v16.8h, v0.8h, v5.8h
    mla v17.8h, v1.8h, v5.8h
    mla v18.8h, v2.8h, v5.8h
    mla v19.8h, v3.8h, v5.8h
    mla v20.8h, v4.8h, v5.8h
    subs x0, x0, #1
    b.ne 1b
    str q16, [x2], #16
    str q17, [x2], #16
    str q18, [x2], #16
    str q19, [x2], #16
    str q20, [x2], #16
    add x11, x11, #256
    subs x10, x10, #1
    b.ne 2b
    ret

    .global mended
mended:
    stp d8, d9, [sp, #-64]!
    stp d10, d11, [sp, #16]
    stp d12, d13, [sp, #32]
    stp d14, d15, [sp, #48]
    add x3, x1, #0
    add x4, x1, #256
    add x5, x1, #512
    add x6, x1, #768
    add x7, x1, #1024
    add x8, x1, #2048
    add x10, x1, #2304
    add x11, x1, #2560
    add x12, x1, #2816
    movi v8.8h, #0
    movi v9.8h, #0
    movi v10.8h, #0
    movi v11.8h, #0
    movi v12.8h, #0
    movi v13.8h, #0
    movi v14.8h, #0
    movi v15.8h, #0
    movi v16.8h, #0
    movi v17.8h, #0
    movi v18.8h, #0
    movi v19.8h, #0
    movi v20.8h, #0
    movi v21.8h, #0
    movi v22.8h, #0
    movi v23.8h, #0
    movi v24.8h, #0
    movi v25.8h, #0
    movi v26.8h, #0
    movi v27.8h, #0
1:
    ldr q5, [x8], #16
    ldr q6, [x10], #16
    ldr q7, [x11], #16
    ldr q28, [x12], #16
    ldr q0, [x3], #16
    ldr q1, [x4], #16
    ldr q2, [x5], #16
    ldr q3, [x6], #16
    ldr q4, [x7], #16
    mla v8.8h, v0.8h, v5.8h
    mla v9.8h, v1.8h, v5.8h
    mla v10.8h, v2.8h, v5.8h
    mla v11.8h, v3.8h, v5.8h
    mla v12.8h, v4.8h, v5.8h
    mla v13.8h, v0.8h, v6.8h
    mla v14.8h, v1.8h, v6.8h
    mla v15.8h, v2.8h, v6.8h
    mla v16.8h, v3.8h, v6.8h
    mla v17.8h, v4.8h, v6.8h
    mla v18.8h, v0.8h, v7.8h
    mla v19.8h, v1.8h, v7.8h
    mla v20.8h, v2.8h, v7.8h
    mla v21.8h, v3.8h, v7.8h
    mla v22.8h, v4.8h, v7.8h
    mla v23.8h, v0.8h, v28.8h
    mla v24.8h, v1.8h, v28.8h
    mla v25.8h, v2.8h, v28.8h
    mla v26.8h, v3.8h, v28.8h
    mla v27.8h, v4.8h, v28.8h
    subs x0, x0, #1
    b.ne 1b
    str q8, [x2], #16
    str q9, [x2], #16
    str q10, [x2], #16
    str q11, [x2], #16
    str q12, [x2], #16
    str q13, [x2], #16
    str q14, [x2], #16
    str q15, [x2], #16
    str q16, [x2], #16
    str q17, [x2], #16
    str q18, [x2], #16
    str q19, [x2], #16
    str q20, [x2], #16
    str q21, [x2], #16
    str q22, [x2], #16
    str q23, [x2], #16
    str q24, [x2], #16
    str q25, [x2], #16
    str q26, [x2], #16
    str q27, [x2], #16
    ldp d10, d11, [sp, #16]
    ldp d12, d13, [sp, #32]
    ldp d14, d15, [sp, #48]
    ldp d8, d9, [sp], #64
    ret

@ As generators write it: no C preprocessor, constants before the code, words for instructions. XTEA, 32 rounds:
@ (uint32 v[2], const uint32 key[4]).
        .syntax unified
        .arch   armv7-a
        .text
        .code   32
        .align  5
.Ldelta:
        .word   0x9E3779B9, 0
        .asciz  "XTEA for the lab, by hand\0"
        .align  2
        .globl  lab_xtea
        .type   lab_xtea,%function
        .align  5
lab_xtea:
        stmdb   sp!,{r4-r8,lr}
        ldmia   r0,{r2,r3}
        mov     r4,#0
        adr     r5,.Ldelta
        ldr     r5,[r5]
.rept   32
        mov     r6,r3,lsl#4; eor r6,r6,r3,lsr#5
        and     r7,r4,#3
        ldr     r7,[r1,r7,lsl#2]
        add     r6,r6,r3
        add     r7,r7,r4
        eor     r6,r6,r7
        add     r2,r2,r6
        add     r4,r4,r5
        mov     r6,r2,lsl#4
        eor     r6,r6,r2,lsr#5
        ubfx    r7,r4,#11,#2
        ldr     r7,[r1,r7,lsl#2]
        add     r6,r6,r2
        add     r7,r7,r4
        eor     r6,r6,r7
        add     r3,r3,r6
.endr
        stmia   r0,{r2,r3}
        ldmia   sp!,{r4-r8,lr}
        .word   0xe12fff1e                      @ bx lr
        .size   lab_xtea,.-lab_xtea

// As generators write it: no C preprocessor, constants before the code, words for instructions. XTEA, 32 rounds:
// (uint32 v[2], const uint32 key[4]).
        .arch   armv8-a
        .text
        .align  6
.Ldelta:
        .long   0x9E3779B9, 0
        .asciz  "XTEA for the lab, by hand\0"
        .align  2
        .globl  lab_xtea
        .type   lab_xtea,%function
        .align  5
lab_xtea:
        .inst   0xd503245f                      // bti c
        ldp     w2,w3,[x0]
        mov     w4,wzr
        adr     x5,.Ldelta
        ldr     w5,[x5]
.rept   32
        lsl     w6,w3,#4; eor w6,w6,w3,lsr#5
        and     w7,w4,#3
        ldr     w7,[x1,w7,uxtw#2]
        add     w6,w6,w3
        add     w7,w7,w4
        eor     w6,w6,w7
        add     w2,w2,w6
        add     w4,w4,w5
        lsl     w6,w2,#4
        eor     w6,w6,w2,lsr#5
        ubfx    w7,w4,#11,#2
        ldr     w7,[x1,w7,uxtw#2]
        add     w6,w6,w2
        add     w7,w7,w4
        eor     w6,w6,w7
        add     w3,w3,w6
.endr
        stp     w2,w3,[x0]
        .long   0xd65f03c0                      // ret
        .size   lab_xtea,.-lab_xtea

.syntax unified
# 4     a remark that begins with a number
# void kernel_w##BITS##_neon(const int a[restrict static 1])
#define PREPARE .arch armv7-a; .fpu neon
#define MAKE(BITS, STEP, SHIFT, LOAD) ;\
    .global kernel_w##BITS##_neon                ;\
    kernel_w##BITS##_neon:                       ;\
        PREPARE                                  ;\
                                                 ;\
        /* We don't stop at a "quote */          ;\
        CMP r1, 1                                ;\
        BLO _7_w##BITS                           ;\
        .p2align 4                               ;\
    _0_w##BITS##:                                ;\
        LOAD ip, [r5], STEP                      ;\
        ADD r6, r3, ip, LSL #2                   ;\
        ADD r9, r7, ip, LSL SHIFT                ;\
        VSUBL.U8 q4, d2, d16  /* a - zero */     ;\
        BHI _0_w##BITS                           ;\
    _7_w##BITS##:                                ;\
        BX lr                                    ;\
    .size kernel_w##BITS##_neon, . - kernel_w##BITS##_neon

MAKE(32, #4, #2, LDR)
MAKE(16, #2, #1, LDRH)
MAKE(8, #1, #0, LDRB)

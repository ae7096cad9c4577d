/*++

    It's a banner; its quotes " open nothing.

--*/
#if defined(_MSC_VER)
    #define CODE(name) AREA name, CODE, READONLY
    #define LABEL(name) name
#else
    #if defined(__APPLE__)
        #define GLOBAL(name) .globl _##name
    #else
        #define GLOBAL(name) .global name
        #define ENTRY(name) .type name, %function
    #endif
    #define CODE(name) .text
    #define ALIGN .p2align 4,,11
    #define LABEL(name) name:
    #define WORD(hex) .inst hex
    #define END
#endif
#define count x3
#define panel x1
#ifndef NAME 
#define NAME kernel
#endif
        .equ    .LFrame_Neon, (2 * 8)
        .equ    .LFrame_Params, 0 + .LFrame_Neon

        .macro  SdotByElement Into, A, B, Index
        .set    Word, 0x4F80E000
        .set    Word, Word + (\Into\() << 0)
        .set    Word, Word + (\A\() << 5)
        .set    Word, Word + ((\Index\() & 2) << 10)
        .inst   Word
        .endm
        .macro EmitIfGE Count, Least, Statement
.if (\Count\() >= \Least\())
        \Statement\()
.endif
        .endm
.macro ROUND s0 s1 z // parameters apart by blanks
    fmla \s0\().4s, \s1\().4s, \z\().s[1]
.endm

    CODE(NAME)
    ALIGN
    GLOBAL(NAME)
ENTRY(NAME)
LABEL(NAME)  // the entry
        stp     d14, d15, [sp, #(-16 * 8)]!
        ldr     x8,[sp,#.LFrame_Params]
        ldrb    w13,[sp,#.LFrame_Params + 8]
        # a remark in the first column that counts
        ldr     x15,[x0,count,lsl#3]
        csel    x15, x13, x15, LO
        add     sp, sp, #-(11 * 16)
        and     x2, x2, #0xFFFFFFFFFFFFFFFC
        cbz     count,.LConv.8Channels
        tbnz    x14, 3, .LConv.8Channels
        lsr     count, count, 3  // count / 8
        SdotByElement 16, 0, 4, 0
        SdotByElement 31, 3, 7, 3
        EmitIfGE 2, 1, "ldr x0,[x1],#8"
        EmitIfGE 2, 3, "ldr x0,[x1],#16"
        ROUND v8, v9, v10
        ROUND v1 v2 v3
        WORD(0x4d40c6bc)  // ld1r { v28.8h }, [x21]
    ALIGN
.LConv.8Channels:
        PRFM    PLDL1KEEP, [panel, 448]
        B.HS    .LConv.8Channels
        ret
    END
        .end
 nothing behind it ' counts

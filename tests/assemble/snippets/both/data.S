.byte 1, -1, 255, 0x7f, 'x'
.hword 1, -1
.short 2
.2byte 3
.word 1, -2
.long 3
.int 4
.4byte 5
.quad 0x1122334455667788, -1
.8byte 6
.octa 0x123456789abcdef0123456789abcdef, 1
.float 1.5, -2, 0f1.25, 0e1, 1e10, -0.0, 3, .5
.single 2.5
.double 1.0e-3, 1, -2.5e300
.float nan, inf, -inf
.ascii "a\n\x41\101\"\\\t\0", "b" "c"
.asciz "x", "y"
.string "z"
.space 4, 7
.skip 2
.zero 3
.fill 3, 2, 5
.fill 2
.fill 2, 8, 0x112233445566
.fill 3, 1, 0xab
.uleb128 300, 0, 127, 128
.sleb128 -5, 63, 64, -64, -65
.byte 0
.even
.dc.b 1
.dc.l 2
.data
.word 1, 2
.ascii "data"
.section .rodata
.hword 5
.asciz "read only"
.byte 200 + 100 - 100

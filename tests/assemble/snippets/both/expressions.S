.word 010, 0x1F, 0b101, 1<<4, -1>>60, 3|4&1, 1+2*3, 10/3, -7/2, 7%3, -7%3, !5, !0, ~1
.word 1==1, 2<3, 3&&0, 1||0, 2!=2, 1<>2, 3>=3, 3<=2
.word 1|2+4, 6-2|1, 5^1*2, 2 ! 1, 1 == 1 + 1, 1+1<<4, 1 << 2 + 1
.quad 1<<63>>63, -1>>1, 0xffffffffffffffff, -0x8000000000000000, 0x7fffffffffffffff + 1
.word 10U, 0x10L, -(-5), ~~3, 2*(3+4)*5, ((((1))))
.word 'a, 'b'+1, 1 - -1, - - 1
here: .word here2 - here, . - here, here2 - . + 4, (here2 - here) / 2
here2:
.set aa, 5
.equ bb, aa * 2
cc = bb + aa
.equiv dd, cc - 1
.word aa, bb, cc, dd, aa+bb-cc*dd
.set aa, 6
.word aa, bb
.set forward, late + 1
.word forward - late
late:
.byte late - here, 1 + (late - here2) * 2
ee = .
.byte . - ee
1: .byte 2f - 1b, 1f - 1b
2: .byte 1b - 2b
1: .byte 1b - 2b
.if (here2 - here) == 16
.byte 77
.endif

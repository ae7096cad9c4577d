.set three, 3
.if three == 3
.byte 1
.else
.byte 2
.endif
.if three - 3
.byte 3
.elseif three > 2
.byte 4
.elseif 1
.byte 5
.else
.byte 6
.endif
.ifdef three
.byte 7
.endif
.ifndef four
.byte 8
.else
.error "not reached"
.endif
.ifc a b,a b
.byte 9
.endif
.ifnc x, y
.byte 10
.endif
.ifb
.byte 11
.endif
.ifnb z
.byte 12
.endif
.ifeq three - 3; .byte 13; .endif
.ifne three; .byte 14; .endif
.ifge three - 4; .byte 99; .else; .byte 15; .endif
.iflt three - 4; .byte 16; .endif
.ifgt three; .byte 17; .endif
.ifle three; .byte 99; .endif
.ifeqs "a", "a"; .byte 18; .endif
.ifnes "a", "b"; .byte 19; .endif
.if 0
    .if 1
    .byte 99
    .else
    unknown_thing
    .endif
    .unknown_directive
.else
.byte 20
.endif
start: .byte 21
.if . - start == 1
.byte 22
.endif
.IF 1
.byte 23
.ENDIF
.ifndef later
.byte 24
.endif
later:
.ifdef later
.byte 25
.endif

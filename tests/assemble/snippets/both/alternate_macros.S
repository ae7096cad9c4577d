.altmacro
.macro place x, y
    LOCAL here, there
here: .byte x, y
there: .ascii "<x&y>"
    .byte there - here
.endm
place 1, %(2 + 3)
place <4>, 5
.macro listed list
    .irp item, list
    .byte item
    .endr
.endm
listed <1, 2, 3>
.macro quoted s
    .ascii s
.endm
quoted <"a,b">
quoted "abc"
.macro raised n
    .byte n
    .if n
    raised %(n - 1)
    .endif
.endm
raised 3
.noaltmacro
.macro after x
    .ascii "x\x"
.endm
after 1

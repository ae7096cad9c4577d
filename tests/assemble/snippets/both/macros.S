.macro first a, b=7, c
    .byte \a, \b
    .ifnb \c
    .byte \c
    .endif
.endm
first 1
first 1, 2
first 1, 2, 3
first 1 2 3
first c=9, a=8
FIRST 4,,5
.macro needed x:req, rest:vararg
    .byte \x
    .ifnb \rest
    needed \rest
    .endif
.endm
needed 1, 2, 3, 4
.macro counted
.Lmade_\@:
    .byte \@, . - .Lmade_\@
.endm
counted
counted
.macro glue name, suffix
\name\()_\suffix: .byte 1
v\name\()2\()\suffix = 3
    .byte v\name\()2\()\suffix
.endm
glue left, right
.byte left_right - left_right + 5
.macro outer x
    .macro inner_\x y=2
        .byte \x, \y
    .endm
    inner_\x
    inner_\x 9
.endm
outer 4
outer 5
inner_4 7
.macro down n
    .byte \n
    .if \n
    down "(\n - 1)"
    .endif
.endm
down 4
.macro leave n
    .byte \n
    .if \n == 2
    .exitm
    .endif
    .byte 99
.endm
leave 2
leave 3
.purgem leave
.macro leave
    .byte 77
.endm
leave
.macro text string
    .ascii "\string", "[\string]"
.endm
text "a, b c"
text plain
.macro operators e
    .byte \e
.endm
operators 1 + 2
operators (1 + 2) * 3
operators -1
operators 'a'
.macro amp a
    .byte &a, 6 & 3
.endm
.macro spaces a b c
    .ascii "<\a|\b|\c>"
.endm
spaces x0 , x1
spaces x0 x1
spaces [x0, y
spaces -1 -2
spaces a + b c
spaces (a b) c
spaces "q , r" ,,
spaces 3 < 4, !z
spaces a.b c.d
spaces x y, z

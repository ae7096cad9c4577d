.file "x.c"
.text
.global f
.globl g
.local h
.hidden f
.type f, %function
.type g, STT_FUNC
.type h, "function"
.ident "me"
.cfi_sections .debug_frame
f:
.cfi_startproc
nop
.cfi_def_cfa_offset 16
.cfi_endproc
.size f, . - f
g:
nop
.size g, .-g
h: nop
.func k
k: nop
.endfunc
.protected g
.internal h
.weak w
.print "printed"
.title "t"
.list
.nolist
.extern away
.end
this is never read

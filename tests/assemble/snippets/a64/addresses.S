.global g
g: nop
l: nop
adrp x0, l
adrp x0, g
adrp x1, ext + 8
add x0, x0, :lo12:g
add x0, x0, #:lo12:l
ldr x1, [x0, :lo12:g + 8]
ldr w1, [x0, #:lo12:l]
ldr q1, [x0, :lo12:l]
ldrb w1, [x0, :lo12:l]
ldrh w1, [x0, :lo12:l]
ldrsw x1, [x0, :lo12:l]
str d3, [x0, :lo12:l]
adrp x0, :got:ext
ldr x0, [x0, :got_lo12:ext]
adrp x0, :pg_hi21:ext
movz x0, #:abs_g1:0x12345678
movk x0, #:abs_g0_nc:0x12345678
movz x0, #:abs_g1:ext
movk x0, #:abs_g0_nc:ext
adrp x0, .
adr x0, l2
add x0, x0, #(l2 - l)
sub x0, x0, #l2 - l
mov x0, #l2 - l
add x0, x0, l2 - l
l2: nop

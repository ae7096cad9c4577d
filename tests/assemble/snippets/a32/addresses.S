.syntax unified
.global g
g: nop
l: nop
movw r0, #:lower16:ext
movt r0, #:upper16:ext + 5
movw r0, #:lower16:(ext - .)
movw r0, #:lower16:l
movt r0, #:upper16:l
movw r1, #:lower16:0x12345678
movt r1, #:upper16:0x12345678
movw r1, #:lower16:(g - (. + 16))
.word ext - . , g - ., ext(GOT), ext(GOTOFF), ext + 4 (GOT_PREL)
bl ext(PLT)

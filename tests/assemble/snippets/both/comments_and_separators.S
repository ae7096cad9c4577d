# a remark that is no directive, with don't and "quotes
  # void f(int a[restrict static 1])
/* two
   lines, and it's closed */ .byte 1 /* in between */ ; .byte 2 // don't
.byte 3; .byte 4 ; ; .byte 5 ; # to the end; .byte 99
.byte /* across
lines */ 6
label: .byte 7; other : third: .byte 8
.ascii "/* no comment */ // neither; 'nor this' \
joined"
.byte ';', '#', '/', 'a'
	.byte	'\n' , '\\' , '\t'

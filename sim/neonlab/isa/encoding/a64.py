"""Encode A64 instructions of ARMv8.1 to 8.6 other than half-precision arithmetic.

Encodings from the Arm Architecture Reference Manual for A-profile (DDI 0487), "A64 instruction set encoding".
"""

# ruff: noqa: E501

_ARRANGEMENT = "{zq:-,-,4h,8h,2s,4s,-,-}"
_COMPLEX = "{zq:-,-,4h,8h,2s,4s,-,2d}"

# ARMv8.0 instructions that Keystone refuses in a form that GNU as takes.
BASE = """
     | udf #<i>                                      | 0000000000000000iiiiiiiiiiiiiiii
     | hint #<i>                                     | 11010101000000110010iiiiiii11111
"""

INTEGER_MATRIX = f"""
dotprod | {{U:sdot,udot}} v<d>.{{q:2s,4s}}, v<n>.{{q:8b,16b}}, v<m>.{{q:8b,16b}} | 0qU01110100mmmmm100101nnnnnddddd
dotprod | {{U:sdot,udot}} v<d>.{{q:2s,4s}}, v<n>.{{q:8b,16b}}, v<m>.4b[<HL>]     | 0qU0111110Lmmmmm1110H0nnnnnddddd
i8mm    | usdot v<d>.{{q:2s,4s}}, v<n>.{{q:8b,16b}}, v<m>.{{q:8b,16b}}           | 0q001110100mmmmm100111nnnnnddddd
i8mm    | {{u:sudot,usdot}} v<d>.{{q:2s,4s}}, v<n>.{{q:8b,16b}}, v<m>.4b[<HL>]   | 0q001111u0Lmmmmm1111H0nnnnnddddd
i8mm    | {{U:smmla,ummla}} v<d>.4s, v<n>.16b, v<m>.16b                          | 01U01110100mmmmm101001nnnnnddddd
i8mm    | usmmla v<d>.4s, v<n>.16b, v<m>.16b                                     | 01001110100mmmmm101011nnnnnddddd
bf16    | bfdot v<d>.{{q:2s,4s}}, v<n>.{{q:4h,8h}}, v<m>.{{q:4h,8h}}             | 0q101110010mmmmm111111nnnnnddddd
bf16    | bfdot v<d>.{{q:2s,4s}}, v<n>.{{q:4h,8h}}, v<m>.2h[<HL>]                | 0q00111101Lmmmmm1111H0nnnnnddddd
bf16    | bfmmla v<d>.4s, v<n>.8h, v<m>.8h                                       | 01101110010mmmmm111011nnnnnddddd
bf16    | bfmlal{{q:b,t}} v<d>.4s, v<n>.8h, v<m>.8h                              | 0q101110110mmmmm111111nnnnnddddd
bf16    | bfmlal{{q:b,t}} v<d>.4s, v<n>.8h, v<m>.h[<HLM>]                        | 0q00111111LMmmmm1111H0nnnnnddddd
bf16    | bfcvt h<d>, s<n>                                                       | 0001111001100011010000nnnnnddddd
bf16    | {{q:bfcvtn,bfcvtn2}} v<d>.{{q:4h,8h}}, v<n>.4s                         | 0q00111010100001011010nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} v<d>.{_ARRANGEMENT}, v<n>.{_ARRANGEMENT}, v<m>.{_ARRANGEMENT} | 0q101110zz0mmmmm1000o1nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} {{z:-,h,s,-}}<d>, {{z:-,h,s,-}}<n>, {{z:-,h,s,-}}<m>          | 01111110zz0mmmmm1000o1nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} v<d>.{{q:4h,8h}}, v<n>.{{q:4h,8h}}, v<m>.h[<HLM>]             | 0q10111101LMmmmm11o1H0nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} v<d>.{{q:2s,4s}}, v<n>.{{q:2s,4s}}, v<m>.s[<HL>]              | 0q10111110Lmmmmm11o1H0nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} h<d>, h<n>, v<m>.h[<HLM>]                                     | 0111111101LMmmmm11o1H0nnnnnddddd
rdm     | {{o:sqrdmlah,sqrdmlsh}} s<d>, s<n>, v<m>.s[<HL>]                                      | 0111111110Lmmmmm11o1H0nnnnnddddd
"""

COMPLEX = f"""
fcma | fcmla v<d>.{_COMPLEX}, v<n>.{_COMPLEX}, v<m>.{_COMPLEX}, #{{r:0,90,180,270}} | 0q101110zz0mmmmm110rr1nnnnnddddd
fcma | fcadd v<d>.{_COMPLEX}, v<n>.{_COMPLEX}, v<m>.{_COMPLEX}, #{{r:90,270}}       | 0q101110zz0mmmmm111r01nnnnnddddd
fcma | fcmla v<d>.4h, v<n>.4h, v<m>.h[<L>], #{{r:0,90,180,270}}                     | 0010111101Lmmmmm0rr100nnnnnddddd
fcma | fcmla v<d>.8h, v<n>.8h, v<m>.h[<HL>], #{{r:0,90,180,270}}                    | 0110111101Lmmmmm0rr1H0nnnnnddddd
fcma | fcmla v<d>.4s, v<n>.4s, v<m>.s[<H>], #{{r:0,90,180,270}}                     | 01101111100mmmmm0rr1H0nnnnnddddd
frint | {{Uo:frint32z,frint64z,frint32x,frint64x}} v<d>.{{zq:2s,4s,-,2d}}, v<n>.{{zq:2s,4s,-,2d}} | 0qU011100z100001111o10nnnnnddddd
frint | {{ou:frint32z,frint32x,frint64z,frint64x}} {{z:s,d}}<d>, {{z:s,d}}<n>         | 000111100z10100ou10000nnnnnddddd
"""

_ORDER = "{AR:,l,a,al}"
_OPERATION = "{o:add,clr,eor,set,smax,smin,umax,umin}"

ATOMICS = f"""
lse  | cas{{ar:,l,a,al}} <W:s>, <W:t>, [<XSP:n>]              | 100010001a1sssssr11111nnnnnttttt
lse  | cas{{ar:,l,a,al}} <X:s>, <X:t>, [<XSP:n>]              | 110010001a1sssssr11111nnnnnttttt
lse  | cas{{ar:,l,a,al}}{{z:b,h}} <W:s>, <W:t>, [<XSP:n>]     | 0z0010001a1sssssr11111nnnnnttttt
lse  | ld{_OPERATION}{_ORDER} <W:s>, <W:t>, [<XSP:n>]         | 10111000AR1sssss0ooo00nnnnnttttt
lse  | ld{_OPERATION}{_ORDER} <X:s>, <X:t>, [<XSP:n>]         | 11111000AR1sssss0ooo00nnnnnttttt
lse  | ld{_OPERATION}{_ORDER}{{z:b,h}} <W:s>, <W:t>, [<XSP:n>]| 0z111000AR1sssss0ooo00nnnnnttttt
lse  | swp{_ORDER} <W:s>, <W:t>, [<XSP:n>]                    | 10111000AR1sssss100000nnnnnttttt
lse  | swp{_ORDER} <X:s>, <X:t>, [<XSP:n>]                    | 11111000AR1sssss100000nnnnnttttt
lse  | swp{_ORDER}{{z:b,h}} <W:s>, <W:t>, [<XSP:n>]           | 0z111000AR1sssss100000nnnnnttttt
lor  | {{l:stllr,ldlar}} <W:t>, [<XSP:n>]                     | 100010001l011111011111nnnnnttttt
lor  | {{l:stllr,ldlar}} <X:t>, [<XSP:n>]                     | 110010001l011111011111nnnnnttttt
lor  | {{l:stllr,ldlar}}{{z:b,h}} <W:t>, [<XSP:n>]            | 0z0010001l011111011111nnnnnttttt
rcpc | ldapr <W:t>, [<XSP:n>]                                 | 1011100010111111110000nnnnnttttt
rcpc | ldapr <X:t>, [<XSP:n>]                                 | 1111100010111111110000nnnnnttttt
rcpc | ldapr{{z:b,h}} <W:t>, [<XSP:n>]                        | 0z11100010111111110000nnnnnttttt
rcpc | {{l:stlur,ldapur}}{{z:b,h}} <W:t>, [<XSP:n>, #<s:i>]   | 0z0110010l0iiiiiiiii00nnnnnttttt
rcpc | {{l:stlur,ldapur}}{{z:b,h}} <W:t>, [<XSP:n>]           | 0z0110010l000000000000nnnnnttttt
rcpc | ldapurs{{z:b,h}} <W:t>, [<XSP:n>, #<s:i>]              | 0z011001110iiiiiiiii00nnnnnttttt
rcpc | ldapurs{{z:b,h}} <W:t>, [<XSP:n>]                      | 0z01100111000000000000nnnnnttttt
rcpc | ldapurs{{z:b,h,w,-}} <X:t>, [<XSP:n>, #<s:i>]          | zz011001100iiiiiiiii00nnnnnttttt
rcpc | ldapurs{{z:b,h,w,-}} <X:t>, [<XSP:n>]                  | zz01100110000000000000nnnnnttttt
rcpc | {{l:stlur,ldapur}} <W:t>, [<XSP:n>, #<s:i>]            | 100110010l0iiiiiiiii00nnnnnttttt
rcpc | {{l:stlur,ldapur}} <W:t>, [<XSP:n>]                    | 100110010l000000000000nnnnnttttt
rcpc | {{l:stlur,ldapur}} <X:t>, [<XSP:n>, #<s:i>]            | 110110010l0iiiiiiiii00nnnnnttttt
rcpc | {{l:stlur,ldapur}} <X:t>, [<XSP:n>]                    | 110110010l000000000000nnnnnttttt
"""

OTHER = """
pauth | ret{k:aa,ab}                                | 11010110010111110000 1k11111111 11
pauth | {v:pac,aut}{o:ia,ib,da,db} <X:d>, <XSP:n>    | 110110101100000100 0voonnnnnddddd
pauth | {v:pac,aut}{o:iza,izb,dza,dzb} <X:d>         | 110110101100000100 1voo11111ddddd
pauth | xpac{o:i,d} <X:d>                            | 110110101100000101 000o11111ddddd
pauth | pacga <X:d>, <X:n>, <XSP:m>                  | 10011010110mmmmm001100nnnnnddddd
flagm | cfinv                                       | 11010101000000000100000000011111
flagm | {o:-,xaflag,axflag,-}                       | 110101010000000001000000 0oo11111
flagm | rmif <X:n>, #<i>, #<k>                      | 10111010000iiiiii00001nnnnn0kkkk
flagm | setf{z:8,16} <W:n>                          | 00111010000000000z0010nnnnn01101
crc   | crc32{c:,c}{z:b,h,w,-} <W:d>, <W:n>, <W:m>   | 00011010110mmmmm010czznnnnnddddd
crc   | crc32{c:,c}x <W:d>, <W:n>, <X:m>             | 10011010110mmmmm010c11nnnnnddddd
sb    | sb                                          | 11010101000000110011000011111111
crypto | eor3 v<d>.16b, v<n>.16b, v<m>.16b, v<a>.16b | 11001110000mmmmm0aaaaannnnnddddd
crypto | bcax v<d>.16b, v<n>.16b, v<m>.16b, v<a>.16b | 11001110001mmmmm0aaaaannnnnddddd
crypto | rax1 v<d>.2d, v<n>.2d, v<m>.2d              | 11001110011mmmmm100011nnnnnddddd
crypto | xar v<d>.2d, v<n>.2d, v<m>.2d, #<i>         | 11001110100mmmmmiiiiiinnnnnddddd
crypto | {o:sha512h,sha512h2} q<d>, q<n>, v<m>.2d    | 11001110011mmmmm10000onnnnnddddd
crypto | sha512su1 v<d>.2d, v<n>.2d, v<m>.2d         | 11001110011mmmmm100010nnnnnddddd
crypto | sha512su0 v<d>.2d, v<n>.2d                  | 1100111011000000100000nnnnnddddd
crypto | sha1{o:c,p,m,-} q<d>, s<n>, v<m>.4s         | 01011110000mmmmm00oo00nnnnnddddd
crypto | sha1su0 v<d>.4s, v<n>.4s, v<m>.4s           | 01011110000mmmmm001100nnnnnddddd
crypto | {o:sha256h,sha256h2} q<d>, q<n>, v<m>.4s    | 01011110000mmmmm010o00nnnnnddddd
crypto | sha256su1 v<d>.4s, v<n>.4s, v<m>.4s         | 01011110000mmmmm011000nnnnnddddd
crypto | sha1h s<d>, s<n>                            | 0101111000101000000010nnnnnddddd
crypto | sha1su1 v<d>.4s, v<n>.4s                    | 0101111000101000000110nnnnnddddd
crypto | sha256su0 v<d>.4s, v<n>.4s                  | 0101111000101000001010nnnnnddddd
crypto | {o:aese,aesd,aesmc,aesimc} v<d>.16b, v<n>.16b | 010011100010100001oo10nnnnnddddd
crypto | {q:pmull,pmull2} v<d>.1q, v<n>.{q:1d,2d}, v<m>.{q:1d,2d} | 0q001110111mmmmm111000nnnnnddddd
"""

"""Encode A64 half-precision arithmetic (FEAT_FP16, FEAT_FHM).

Encodings from the Arm Architecture Reference Manual for A-profile (DDI 0487), "A64 instruction set encoding".
"""

# ruff: noqa: E501

_H = "{q:4h,8h}"
_CONDITION = "{c:eq,ne,cs,cc,mi,pl,vs,vc,hi,ls,ge,lt,gt,le,al,nv}"
_THREE = (
    "fmaxnm,fmla,fadd,fmulx,fcmeq,-,fmax,frecps,fminnm,fmls,fsub,-,-,-,fmin,frsqrts,"
    "fmaxnmp,-,faddp,fmul,fcmge,facge,fmaxp,fdiv,fminnmp,-,fabd,-,fcmgt,facgt,fminp,-"
)
_THREE_SCALAR = "-,-,-,fmulx,fcmeq,-,-,frecps,-,-,-,-,-,-,-,frsqrts,-,-,-,-,fcmge,facge,-,-,-,-,fabd,-,fcmgt,facgt,-,-"
_TWO = (
    "frintn,frintm,fcvtns,fcvtms,fcvtas,scvtf,-,-,frintp,frintz,fcvtps,fcvtzs,-,frecpe,-,-,"
    "frinta,frintx,fcvtnu,fcvtmu,fcvtau,ucvtf,-,-,-,frinti,fcvtpu,fcvtzu,-,frsqrte,-,fsqrt"
)
_TWO_SCALAR = (
    "-,-,fcvtns,fcvtms,fcvtas,scvtf,-,-,-,-,fcvtps,fcvtzs,-,frecpe,-,frecpx,"
    "-,-,fcvtnu,fcvtmu,fcvtau,ucvtf,-,-,-,-,fcvtpu,fcvtzu,-,frsqrte,-,-"
)
_FROM_H = "fcvtns,fcvtnu,-,-,fcvtas,fcvtau,fmov,-,fcvtps,fcvtpu,-,-,-,-,-,-,fcvtms,fcvtmu,-,-,-,-,-,-,fcvtzs,fcvtzu,-,-,-,-,-,-"

VECTOR = f"""
fp16 | {{Uao:{_THREE}}} v<d>.{_H}, v<n>.{_H}, v<m>.{_H}        | 0qU01110a10mmmmm00ooo1nnnnnddddd
fp16 | {{Uao:{_THREE_SCALAR}}} h<d>, h<n>, h<m>                | 01U11110a10mmmmm00ooo1nnnnnddddd
fp16 | {{Uao:{_TWO}}} v<d>.{_H}, v<n>.{_H}                     | 0qU01110a11110011ooo10nnnnnddddd
fp16 | {{Uao:{_TWO_SCALAR}}} h<d>, h<n>                        | 01U11110a11110011ooo10nnnnnddddd
fp16 | {{Uo:fcmgt,fcmeq,fcmlt,-,fcmge,fcmle,-,-}} v<d>.{_H}, v<n>.{_H}, #0.0 | 0qU011101111100011oo10nnnnnddddd
fp16 | {{Uo:fcmgt,fcmeq,fcmlt,-,fcmge,fcmle,-,-}} h<d>, h<n>, #0.0           | 01U111101111100011oo10nnnnnddddd
fp16 | {{U:fabs,fneg}} v<d>.{_H}, v<n>.{_H}                    | 0qU0111011111000111110nnnnnddddd
fp16 | faddp h<d>, v<n>.2h                                     | 0101111000110000110110nnnnnddddd
fp16 | {{a:fmaxnmp,fminnmp}} h<d>, v<n>.2h                     | 01011110a0110000110010nnnnnddddd
fp16 | {{a:fmaxp,fminp}} h<d>, v<n>.2h                         | 01011110a0110000111110nnnnnddddd
fp16 | {{a:fmaxnmv,fminnmv}} h<d>, v<n>.{_H}                   | 0q001110a0110000110010nnnnnddddd
fp16 | {{a:fmaxv,fminv}} h<d>, v<n>.{_H}                       | 0q001110a0110000111110nnnnnddddd
fp16 | {{Uo:fmla,fmls,fmul,-,-,-,fmulx,-}} v<d>.{_H}, v<n>.{_H}, v<m>.h[<HLM>] | 0qU0111100LMmmmmoo01H0nnnnnddddd
fp16 | {{Uo:fmla,fmls,fmul,-,-,-,fmulx,-}} h<d>, h<n>, v<m>.h[<HLM>]           | 01U1111100LMmmmmoo01H0nnnnnddddd
fp16 | {{U:scvtf,ucvtf}} v<d>.{_H}, v<n>.{_H}, #<16-f>         | 0qU011110001ffff111001nnnnnddddd
fp16 | {{U:fcvtzs,fcvtzu}} v<d>.{_H}, v<n>.{_H}, #<16-f>       | 0qU011110001ffff111111nnnnnddddd
fp16 | {{U:scvtf,ucvtf}} h<d>, h<n>, #<16-f>                   | 01U111110001ffff111001nnnnnddddd
fp16 | {{U:fcvtzs,fcvtzu}} h<d>, h<n>, #<16-f>                 | 01U111110001ffff111111nnnnnddddd
fp16 | fmov v<d>.{_H}, #<F:ab>                                 | 0q00111100000aaa111111bbbbbddddd
fp16fml | {{s:fmlal,fmlsl}} v<d>.{{q:2s,4s}}, v<n>.{{q:2h,4h}}, v<m>.{{q:2h,4h}}   | 0q001110s01mmmmm111011nnnnnddddd
fp16fml | {{s:fmlal2,fmlsl2}} v<d>.{{q:2s,4s}}, v<n>.{{q:2h,4h}}, v<m>.{{q:2h,4h}} | 0q101110s01mmmmm110011nnnnnddddd
fp16fml | {{s:fmlal,fmlsl}} v<d>.{{q:2s,4s}}, v<n>.{{q:2h,4h}}, v<m>.h[<HLM>]      | 0q00111110LMmmmm0s00H0nnnnnddddd
fp16fml | {{s:fmlal2,fmlsl2}} v<d>.{{q:2s,4s}}, v<n>.{{q:2h,4h}}, v<m>.h[<HLM>]    | 0q10111110LMmmmm1s00H0nnnnnddddd
"""

SCALAR = f"""
fp16 | {{o:fmul,fdiv,fadd,fsub,fmax,fmin,fmaxnm,fminnm,fnmul,-,-,-,-,-,-,-}} h<d>, h<n>, h<m> | 00011110111mmmmmoooo10nnnnnddddd
fp16 | {{o:fmov,fabs,fneg,fsqrt}} h<d>, h<n>                                   | 000111101110000oo10000nnnnnddddd
fp16 | {{o:frintn,frintp,frintm,frintz,frinta,-,frintx,frinti}} h<d>, h<n>     | 00011110111001ooo10000nnnnnddddd
fp16 | {{wo:fmadd,fmsub,fnmadd,fnmsub}} h<d>, h<n>, h<m>, h<a>                 | 0001111111wmmmmmoaaaaannnnnddddd
fp16 | {{e:fcmp,fcmpe}} h<n>, h<m>                                             | 00011110111mmmmm001000nnnnne0000
fp16 | {{e:fcmp,fcmpe}} h<n>, #0.0                                             | 0001111011100000001000nnnnne1000
fp16 | {{e:fccmp,fccmpe}} h<n>, h<m>, #<f>, {_CONDITION}                       | 00011110111mmmmmcccc01nnnnneffff
fp16 | fcsel h<d>, h<n>, h<m>, {_CONDITION}                                    | 00011110111mmmmmcccc11nnnnnddddd
fp16 | fmov h<d>, #<F:i>                                                       | 00011110111iiiiiiii10000000ddddd
fp16 | {{ro:{_FROM_H}}} <W:d>, h<n>                                            | 00011110111rrooo000000nnnnnddddd
fp16 | {{ro:{_FROM_H}}} <X:d>, h<n>                                            | 10011110111rrooo000000nnnnnddddd
fp16 | {{o:scvtf,ucvtf}} h<d>, <W:n>                                           | 000111101110001o000000nnnnnddddd
fp16 | {{o:scvtf,ucvtf}} h<d>, <X:n>                                           | 100111101110001o000000nnnnnddddd
fp16 | fmov h<d>, <W:n>                                                        | 0001111011100111000000nnnnnddddd
fp16 | fmov h<d>, <X:n>                                                        | 1001111011100111000000nnnnnddddd
fp16 | {{o:scvtf,ucvtf}} h<d>, <W:n>, #<32-f>                                  | 000111101100001o1fffffnnnnnddddd
fp16 | {{o:scvtf,ucvtf}} h<d>, <X:n>, #<64-f>                                  | 100111101100001offffffnnnnnddddd
fp16 | {{o:fcvtzs,fcvtzu}} <W:d>, h<n>, #<32-f>                                | 000111101101100o1fffffnnnnnddddd
fp16 | {{o:fcvtzs,fcvtzu}} <X:d>, h<n>, #<64-f>                                | 100111101101100offffffnnnnnddddd
"""

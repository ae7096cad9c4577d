"""Encode A32 half-precision arithmetic (FEAT_FP16) and the floating-point instructions new in ARMv8.

Encodings from the Arm Architecture Reference Manual for A-profile (DDI 0487), "Advanced SIMD and floating-point".
Conditions follow the base mnemonic: `vaddeq.f16`.
"""

_C = "{c:eq,ne,cs,cc,mi,pl,vs,vc,hi,ls,ge,lt,gt,le,,-}"
_THREE = (
    "-,vfma,vadd,vmla,vceq,-,vmax,vrecps,-,vfms,vsub,vmls,-,-,vmin,vrsqrts,"
    "-,-,-,vmul,vcge,vacge,-,vmaxnm,-,-,vabd,-,vcgt,vacgt,-,vminnm"
)
_VFP = "vmla,vmls,vnmls,vnmla,vmul,vnmul,vadd,vsub,vdiv,-,vfnms,vfnma,vfma,vfms,-,-"
_ROUND = "{r:a,n,p,m}"

NEON = f"""
fp16 | {{Uoak:{_THREE}}}.f16 d<Dd>, d<Nn>, d<Mm>       | 1111001U0Do1nnnndddd11aaN0Mkmmmm
fp16 | {{Uoak:{_THREE}}}.f16 q<Dd>, q<Nn>, q<Mm>       | 1111001U0Do1nnn0ddd011aaN1Mkmmm0
fp16 | vpadd.f16 d<Dd>, d<Nn>, d<Mm>                  | 111100110D01nnnndddd1101N0M0mmmm
fp16 | {{o:vpmax,vpmin}}.f16 d<Dd>, d<Nn>, d<Mm>       | 111100110Do1nnnndddd1111N0M0mmmm
fp16 | {{o:vcgt,vcge,vceq,vcle,vclt,-,-,-}}.f16 d<Dd>, d<Mm>, #0 | 111100111D110101dddd01ooo0M0mmmm
fp16 | {{o:vcgt,vcge,vceq,vcle,vclt,-,-,-}}.f16 q<Dd>, q<Mm>, #0 | 111100111D110101ddd001ooo1M0mmm0
fp16 | {{o:vabs,vneg}}.f16 d<Dd>, d<Mm>                | 111100111D110101dddd0111o0M0mmmm
fp16 | {{o:vabs,vneg}}.f16 q<Dd>, q<Mm>                | 111100111D110101ddd00111o1M0mmm0
fp16 | {{o:vrecpe,vrsqrte}}.f16 d<Dd>, d<Mm>           | 111100111D110111dddd0101o0M0mmmm
fp16 | {{o:vrecpe,vrsqrte}}.f16 q<Dd>, q<Mm>           | 111100111D110111ddd00101o1M0mmm0
fp16 | vcvt.{{o:f16.s16,f16.u16,s16.f16,u16.f16}} d<Dd>, d<Mm> | 111100111D110111dddd011oo0M0mmmm
fp16 | vcvt.{{o:f16.s16,f16.u16,s16.f16,u16.f16}} q<Dd>, q<Mm> | 111100111D110111ddd0011oo1M0mmm0
fp16 | vcvt.{{oU:f16.s16,f16.u16,s16.f16,u16.f16}} d<Dd>, d<Mm>, #<16-f> | 1111001U1D11ffffdddd110o00M1mmmm
fp16 | vcvt.{{oU:f16.s16,f16.u16,s16.f16,u16.f16}} q<Dd>, q<Mm>, #<16-f> | 1111001U1D11ffffddd0110o01M1mmm0
fp16 | vcvt{{r:a,n,p,m}}.{{o:s16,u16}}.f16 d<Dd>, d<Mm> | 111100111D110111dddd00rro0M0mmmm
fp16 | vcvt{{r:a,n,p,m}}.{{o:s16,u16}}.f16 q<Dd>, q<Mm> | 111100111D110111ddd000rro1M0mmm0
fp16 | vrint{{r:n,x,a,z,-,m,-,p}}.f16 d<Dd>, d<Mm>     | 111100111D110110dddd01rrr0M0mmmm
fp16 | vrint{{r:n,x,a,z,-,m,-,p}}.f16 q<Dd>, q<Mm>     | 111100111D110110ddd001rrr1M0mmm0
fp16 | {{o:vmla,vmls,vmul,-}}.f16 d<Dd>, d<Nn>, d<m>[<Ml>] | 111100101D01nnnnddddoo01N1M0lmmm
fp16 | {{o:vmla,vmls,vmul,-}}.f16 q<Dd>, q<Nn>, d<m>[<Ml>] | 111100111D01nnn0ddd0oo01N1M0lmmm
"""

VFP = f"""
fp16 | {{ptuo:{_VFP}}}{_C}.f16 s<dD>, s<nN>, s<mM>     | cccc1110pDtunnnndddd1001NoM0mmmm
fp16 | {{o:-,vabs,vneg,vsqrt}}{_C}.f16 s<dD>, s<mM>    | cccc11101D11000odddd1001o1M0mmmm
fp16 | vcmp{{e:,e}}{_C}.f16 s<dD>, s<mM>               | cccc11101D110100dddd1001e1M0mmmm
fp16 | vcmp{{e:,e}}{_C}.f16 s<dD>, #0                  | cccc11101D110101dddd1001e1000000
fp16 | vcvt{_C}.f16.{{s:u32,s32}} s<dD>, s<mM>         | cccc11101D111000dddd1001s1M0mmmm
fp16 | vcvt{{t:r,}}{_C}.{{s:u32,s32}}.f16 s<dD>, s<mM> | cccc11101D11110sdddd1001t1M0mmmm
fp16 | vcvt{_C}.f16.s16 s<dD>, s<dD>, #<16-mi> | cccc11101D111010dddd100101i0mmmm
fp16 | vcvt{_C}.f16.s32 s<dD>, s<dD>, #<32-mi> | cccc11101D111010dddd100111i0mmmm
fp16 | vcvt{_C}.f16.u16 s<dD>, s<dD>, #<16-mi> | cccc11101D111011dddd100101i0mmmm
fp16 | vcvt{_C}.f16.u32 s<dD>, s<dD>, #<32-mi> | cccc11101D111011dddd100111i0mmmm
fp16 | vcvt{_C}.s16.f16 s<dD>, s<dD>, #<16-mi> | cccc11101D111110dddd100101i0mmmm
fp16 | vcvt{_C}.s32.f16 s<dD>, s<dD>, #<32-mi> | cccc11101D111110dddd100111i0mmmm
fp16 | vcvt{_C}.u16.f16 s<dD>, s<dD>, #<16-mi> | cccc11101D111111dddd100101i0mmmm
fp16 | vcvt{_C}.u32.f16 s<dD>, s<dD>, #<32-mi> | cccc11101D111111dddd100111i0mmmm
fp16 | vrint{{rz:r,z,x,-}}{_C}.f16 s<dD>, s<mM>        | cccc11101D11011rdddd1001z1M0mmmm
fp16 | vrint{_ROUND}.f16 s<dD>, s<mM>                 | 111111101D1110rrdddd100101M0mmmm
fp16 | vcvt{_ROUND}.{{s:u32,s32}}.f16 s<dD>, s<mM>     | 111111101D1111rrdddd1001s1M0mmmm
fp16 | {{o:vmaxnm,vminnm}}.f16 s<dD>, s<nN>, s<mM>     | 111111101D00nnnndddd1001NoM0mmmm
fp16 | vsel{{r:eq,vs,ge,gt}}.f16 s<dD>, s<nN>, s<mM>   | 111111100Drrnnnndddd1001N0M0mmmm
fp16 | {{o:vmovx,vins}}.f16 s<dD>, s<mM>               | 111111101D110000dddd1010o1M0mmmm
fp16 | vmov{_C}.f16 s<dD>, #<F:ij>                    | cccc11101D11iiiidddd10010000jjjj
fp16 | vmov{_C}.f16 s<nN>, <R:t>                      | cccc11100000nnnntttt1001N0010000
fp16 | vmov{_C}.f16 <R:t>, s<nN>                      | cccc11100001nnnntttt1001N0010000
fp16 | {{l:vstr,vldr}}{_C}.16 s<dD>, [<R:n>]           | cccc11011D0lnnnndddd100100000000
fp16 | {{l:vstr,vldr}}{_C}.16 s<dD>, [<R:n>, #<i*2>]   | cccc11011D0lnnnndddd1001iiiiiiii
fp16 | {{l:vstr,vldr}}{_C}.16 s<dD>, [<R:n>, #-<i*2>]  | cccc11010D0lnnnndddd1001iiiiiiii
bf16 | vcvt{{t:b,t}}{_C}.bf16.f32 s<dD>, s<mM>         | cccc11101D110011dddd1001t1M0mmmm
"""

ARMV8 = f"""
armv8 | {{o:vmaxnm,vminnm}}.f32 d<Dd>, d<Nn>, d<Mm>    | 111100110Do0nnnndddd1111N0M1mmmm
armv8 | {{o:vmaxnm,vminnm}}.f32 q<Dd>, q<Nn>, q<Mm>    | 111100110Do0nnn0ddd01111N1M1mmm0
armv8 | {{o:vmaxnm,vminnm}}.f32 s<dD>, s<nN>, s<mM>    | 111111101D00nnnndddd1010NoM0mmmm
armv8 | {{o:vmaxnm,vminnm}}.f64 d<Dd>, d<Nn>, d<Mm>    | 111111101D00nnnndddd1011NoM0mmmm
armv8 | vcvt{_ROUND}.{{o:s32,u32}}.f32 d<Dd>, d<Mm>    | 111100111D111011dddd00rro0M0mmmm
armv8 | vcvt{_ROUND}.{{o:s32,u32}}.f32 q<Dd>, q<Mm>    | 111100111D111011ddd000rro1M0mmm0
armv8 | vcvt{_ROUND}.{{s:u32,s32}}.f32 s<dD>, s<mM>    | 111111101D1111rrdddd1010s1M0mmmm
armv8 | vcvt{_ROUND}.{{s:u32,s32}}.f64 s<dD>, d<Mm>    | 111111101D1111rrdddd1011s1M0mmmm
armv8 | vrint{{r:n,x,a,z,-,m,-,p}}.f32 d<Dd>, d<Mm>    | 111100111D111010dddd01rrr0M0mmmm
armv8 | vrint{{r:n,x,a,z,-,m,-,p}}.f32 q<Dd>, q<Mm>    | 111100111D111010ddd001rrr1M0mmm0
armv8 | vrint{_ROUND}.f32 s<dD>, s<mM>                | 111111101D1110rrdddd101001M0mmmm
armv8 | vrint{_ROUND}.f64 d<Dd>, d<Mm>                | 111111101D1110rrdddd101101M0mmmm
armv8 | vrint{{rz:r,z,x,-}}{_C}.f32 s<dD>, s<mM>       | cccc11101D11011rdddd1010z1M0mmmm
armv8 | vrint{{rz:r,z,x,-}}{_C}.f64 d<Dd>, d<Mm>       | cccc11101D11011rdddd1011z1M0mmmm
armv8 | vsel{{r:eq,vs,ge,gt}}.f32 s<dD>, s<nN>, s<mM>  | 111111100Drrnnnndddd1010N0M0mmmm
armv8 | vsel{{r:eq,vs,ge,gt}}.f64 d<Dd>, d<Nn>, d<Mm>  | 111111100Drrnnnndddd1011N0M0mmmm
armv8 | lda{{z:,-,b,h}}{_C} <R:t>, [<R:n>]             | cccc00011zz1nnnntttt110010011111
armv8 | ldaex{{z:,-,b,h}}{_C} <R:t>, [<R:n>]           | cccc00011zz1nnnntttt111010011111
armv8 | stl{{z:,-,b,h}}{_C} <R:t>, [<R:n>]             | cccc00011zz0nnnn111111001001tttt
armv8 | stlex{{z:,-,b,h}}{_C} <R:d>, <R:t>, [<R:n>]    | cccc00011zz0nnnndddd11101001tttt
crc   | crc32{{z:b,h,w,-}} <R:d>, <R:n>, <R:m>         | 111000010zz0nnnndddd00000100mmmm
crc   | crc32c{{z:b,h,w,-}} <R:d>, <R:n>, <R:m>        | 111000010zz0nnnndddd00100100mmmm
"""

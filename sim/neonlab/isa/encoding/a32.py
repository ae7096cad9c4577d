"""Encode A32 instructions newer than ARMv7-A that Keystone or Capstone lacks or gets wrong, with half precision.

Encodings from the Arm Architecture Reference Manual for A-profile (DDI 0487), "T32 and A32 Base Instruction Set" and
"Advanced SIMD and floating-point".  Conditions follow the base mnemonic: `vaddeq.f16`.
"""

# ruff: noqa: E501

_C = "{c:eq,ne,cs,cc,mi,pl,vs,vc,hi,ls,ge,lt,gt,le,,-}"

# Constants as GNU as writes them: Keystone picks another rotation for addresses, and has no vmov of some integers.
BASE = f"""
     | {{o:and,eor,sub,rsb,add,adc,sbc,rsc,-,-,-,-,orr,-,bic,-}}{{s:,s}}{_C} <R:d>, <R:n>, #<A:i> | cccc001oooosnnnnddddiiiiiiiiiiii
     | {{o:mov,mvn}}{{s:,s}}{_C} <R:d>, #<A:i>       | cccc00111o1s0000ddddiiiiiiiiiiii
     | {{o:tst,teq,cmp,cmn}}{_C} <R:n>, #<A:i>       | cccc00110oo1nnnn0000iiiiiiiiiiii
     | {{o:movw,movt}}{_C} <R:d>, #<ij>              | cccc00110o00iiiiddddjjjjjjjjjjjj
     | hint{_C} #<i>                                 | cccc0011001000001111 0000000iiiii
     | ssat{_C} <R:d>, #<i+1>, <R:n>, asr #32        | cccc0110101iiiiidddd00000101nnnn
     | usat{_C} <R:d>, #<i>, <R:n>, asr #32          | cccc0110111iiiiidddd00000101nnnn
"""

INTEGER_MATRIX = """
dotprod | {U:vsdot.s8,vudot.u8} d<Dd>, d<Nn>, d<Mm>      | 111111000D10nnnndddd1101N0MUmmmm
dotprod | {U:vsdot.s8,vudot.u8} q<Dd>, q<Nn>, q<Mm>      | 111111000D10nnn0ddd01101N1MUmmm0
dotprod | {U:vsdot.s8,vudot.u8} d<Dd>, d<Nn>, d<m>[<M>]  | 111111100D10nnnndddd1101N0MUmmmm
dotprod | {U:vsdot.s8,vudot.u8} q<Dd>, q<Nn>, d<m>[<M>]  | 111111100D10nnn0ddd01101N1MUmmmm
i8mm | vusdot.s8 d<Dd>, d<Nn>, d<Mm>                     | 111111001D10nnnndddd1101N0M0mmmm
i8mm | vusdot.s8 q<Dd>, q<Nn>, q<Mm>                     | 111111001D10nnn0ddd01101N1M0mmm0
i8mm | {U:vusdot.s8,vsudot.u8} d<Dd>, d<Nn>, d<m>[<M>]   | 111111101D00nnnndddd1101N0MUmmmm
i8mm | {U:vusdot.s8,vsudot.u8} q<Dd>, q<Nn>, d<m>[<M>]   | 111111101D00nnn0ddd01101N1MUmmmm
i8mm | {U:vsmmla.s8,vummla.u8} q<Dd>, q<Nn>, q<Mm>       | 111111000D10nnn0ddd01100N1MUmmm0
i8mm | vusmmla.s8 q<Dd>, q<Nn>, q<Mm>                    | 111111001D10nnn0ddd01100N1M0mmm0
rdm  | vqrdmlah.{z:-,s16,s32,-} d<Dd>, d<Nn>, d<Mm>  | 111100110Dzznnnndddd1011N0M1mmmm
rdm  | vqrdmlsh.{z:-,s16,s32,-} d<Dd>, d<Nn>, d<Mm>  | 111100110Dzznnnndddd1100N0M1mmmm
rdm  | vqrdmlah.{z:-,s16,s32,-} q<Dd>, q<Nn>, q<Mm>  | 111100110Dzznnn0ddd01011N1M1mmm0
rdm  | vqrdmlsh.{z:-,s16,s32,-} q<Dd>, q<Nn>, q<Mm>  | 111100110Dzznnn0ddd01100N1M1mmm0
rdm  | {o:vqrdmlah,vqrdmlsh}.s16 d<Dd>, d<Nn>, d<m>[<Ml>]  | 111100101D01nnnndddd111oN1M0lmmm
rdm  | {o:vqrdmlah,vqrdmlsh}.s16 q<Dd>, q<Nn>, d<m>[<Ml>]  | 111100111D01nnn0ddd0111oN1M0lmmm
rdm  | {o:vqrdmlah,vqrdmlsh}.s32 d<Dd>, d<Nn>, d<m>[<M>]   | 111100101D10nnnndddd111oN1M0mmmm
rdm  | {o:vqrdmlah,vqrdmlsh}.s32 q<Dd>, q<Nn>, d<m>[<M>]   | 111100111D10nnn0ddd0111oN1M0mmmm
bf16 | vdot.bf16 d<Dd>, d<Nn>, d<Mm>                     | 111111000D00nnnndddd1101N0M0mmmm
bf16 | vdot.bf16 q<Dd>, q<Nn>, q<Mm>                     | 111111000D00nnn0ddd01101N1M0mmm0
bf16 | vdot.bf16 d<Dd>, d<Nn>, d<m>[<M>]                 | 111111100D00nnnndddd1101N0M0mmmm
bf16 | vdot.bf16 q<Dd>, q<Nn>, d<m>[<M>]                 | 111111100D00nnn0ddd01101N1M0mmmm
bf16 | vmmla.bf16 q<Dd>, q<Nn>, q<Mm>                    | 111111000D00nnn0ddd01100N1M0mmm0
bf16 | vfma{t:b,t}.bf16 q<Dd>, q<Nn>, q<Mm>              | 111111000D11nnn0ddd01000NtM1mmm0
bf16 | vfma{t:b,t}.bf16 q<Dd>, q<Nn>, d<m>[<Ml>]         | 111111100D11nnn0ddd01000NtM1lmmm
bf16 | vcvt.bf16.f32 d<Dd>, q<Mm>                        | 111100111D110110dddd011001M0mmm0
"""

COMPLEX = """
fcma | vcadd.f16 d<Dd>, d<Nn>, d<Mm>, #{r:90,270}        | 1111110r1D00nnnndddd1000N0M0mmmm
fcma | vcadd.f16 q<Dd>, q<Nn>, q<Mm>, #{r:90,270}        | 1111110r1D00nnn0ddd01000N1M0mmm0
fcma | vcadd.f32 d<Dd>, d<Nn>, d<Mm>, #{r:90,270}        | 1111110r1D01nnnndddd1000N0M0mmmm
fcma | vcadd.f32 q<Dd>, q<Nn>, q<Mm>, #{r:90,270}        | 1111110r1D01nnn0ddd01000N1M0mmm0
fcma | vcmla.f16 d<Dd>, d<Nn>, d<Mm>, #{r:0,90,180,270}  | 1111110rrD10nnnndddd1000N0M0mmmm
fcma | vcmla.f16 q<Dd>, q<Nn>, q<Mm>, #{r:0,90,180,270}  | 1111110rrD10nnn0ddd01000N1M0mmm0
fcma | vcmla.f32 d<Dd>, d<Nn>, d<Mm>, #{r:0,90,180,270}  | 1111110rrD11nnnndddd1000N0M0mmmm
fcma | vcmla.f32 q<Dd>, q<Nn>, q<Mm>, #{r:0,90,180,270}  | 1111110rrD11nnn0ddd01000N1M0mmm0
fcma | vcmla.f16 d<Dd>, d<Nn>, d<m>[<M>], #{r:0,90,180,270} | 111111100Drrnnnndddd1000N0M0mmmm
fcma | vcmla.f16 q<Dd>, q<Nn>, d<m>[<M>], #{r:0,90,180,270} | 111111100Drrnnn0ddd01000N1M0mmmm
fcma | vcmla.f32 d<Dd>, d<Nn>, d<Mm>[0], #{r:0,90,180,270}  | 111111101Drrnnnndddd1000N0M0mmmm
fcma | vcmla.f32 q<Dd>, q<Nn>, d<Mm>[0], #{r:0,90,180,270}  | 111111101Drrnnn0ddd01000N1M0mmmm
fp16fml | {s:vfmal,vfmsl}.f16 d<Dd>, s<nN>, s<mM>           | 11111100sD10nnnndddd1000N0M1mmmm
fp16fml | {s:vfmal,vfmsl}.f16 q<Dd>, d<Nn>, d<Mm>           | 11111100sD10nnnnddd01000N1M1mmmm
fp16fml | {s:vfmal,vfmsl}.f16 d<Dd>, s<nN>, s<mM>[<l>]      | 111111100D0snnnndddd1000N0M1lmmm
fp16fml | {s:vfmal,vfmsl}.f16 q<Dd>, d<Nn>, d<m>[<Ml>]      | 111111100D0snnnnddd01000N1M1lmmm
"""

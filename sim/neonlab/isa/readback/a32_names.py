"""Split A32 mnemonics: `vaddeq.f32` is vadd, condition eq, type f32; `addseq` and `addeqs` set flags if equal.

Names are from the Arm Architecture Reference Manual (DDI 0406C, DDI 0487); those from before the unified syntax are
from appendix D6 of the former.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from neonlab.isa.readback.text import pairs, words

CONDITIONS = {
    name: name for name in ("eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
}
CONDITIONS |= {"hs": "cs", "lo": "cc", "ul": "cc", "al": ""}


# Those with an S form.
_FLAG_SETTING = words(
    "and eor sub rsb add adc sbc rsc orr mov bic mvn lsl lsr asr ror rrx neg mul mla umull umlal smull smlal"
)
_PARALLEL = {f"{p}{o}" for p in ("s", "q", "sh", "u", "uq", "uh") for o in words("add16 asx sax sub16 add8 sub8")}
_INTEGER = words(
    """tst teq cmp cmn tstp teqp cmpp cmnp mls umaal sdiv udiv usad8 usada8 qadd qsub qdadd qdsub sel ssat usat ssat16
    usat16 pkhbt pkhtb sxtb sxth sxtb16 uxtb uxth uxtb16 sxtab sxtah sxtab16 uxtab uxtah uxtab16 bfi bfc ubfx
    sbfx rbit rev rev16 revsh clz movw movt smulwb smulwt smlawb smlawt smlad smladx smlsd smlsdx smlald smlaldx
    smlsld smlsldx smuad smuadx smusd smusdx smmla smmlar smmls smmlsr smmul smmulr"""
) | {f"{base}{x}{y}" for base in ("smla", "smlal", "smul") for x in "bt" for y in "bt"}
_MEMORY = words(
    """ldr ldrb ldrh ldrsb ldrsh ldrd ldrt ldrbt ldrht ldrsbt ldrsht str strb strh strd strt strbt strht push pop ldrex
    ldrexb ldrexh ldrexd strex strexb strexh strexd lda ldab ldah stl stlb stlh ldaex ldaexb ldaexh ldaexd stlex
    stlexb stlexh stlexd swp swpb pld pldw pli"""
) | {f"{way}{mode}" for way in ("ldm", "stm") for mode in ("", "ia", "ib", "da", "db", "fd", "ed", "fa", "ea")}
_CONTROL = words(
    """b bl bx blx bxj svc swi bkpt hvc smc udf nop yield wfe wfi sev sevl hint dbg csdb esb dmb dsb isb clrex cps
    cpsie cpsid setend mrs msr mcr mrc mcr2 mrc2 mcrr mrrc mcrr2 mrrc2 cdp cdp2 ldc ldcl ldc2 ldc2l stc stcl
    stc2 stc2l adr eret crc32b crc32h crc32w crc32cb crc32ch crc32cw rfeia srsia"""
)
_VECTOR = words(
    """vaba vabal vabd vabdl vabs vacge vacgt vacle vaclt vadd vaddhn vaddl vaddw vand vbic vbif vbit vbsl vceq vcge
    vcgt vcle vcls vclt vclz vcmp vcmpe vcnt vcvt vcvta vcvtb vcvtm vcvtn vcvtp vcvtr vcvtt vdiv vdup veor vext
    vfma vfms vfnma vfnms vhadd vhsub vld1 vld2 vld3 vld4 vldm vldmia vldmdb vldr vmax vmaxnm vmin vminnm vmla
    vmlal vmls vmlsl vmov vmovl vmovn vmovx vins vmrs vmsr vmul vmull vmvn vneg vnmla vnmls vnmul vorn vorr
    vpadal vpadd vpaddl vpmax vpmin vpop vpush vqabs vqadd vqdmlal vqdmlsl vqdmulh vqdmull vqmovn vqmovun vqneg
    vqrdmlah vqrdmlsh vqrdmulh vqrshl vqrshrn vqrshrun vqshl vqshlu vqshrn vqshrun vqsub vraddhn vrecpe vrecps
    vrev16 vrev32 vrev64 vrhadd vrinta vrintm vrintn vrintp vrintr vrintx vrintz vrshl vrshr vrshrn vrsqrte
    vrsqrts vrsra vrsubhn vseleq vselge vselgt vselvs vshl vshll vshr vshrn vsli vsqrt vsra vsri vst1 vst2 vst3
    vst4 vstm vstmia vstmdb vstr vsub vsubhn vsubl vsubw vswp vtbl vtbx vtrn vtst vuzp vzip vsdot vudot vusdot
    vsudot vsmmla vummla vusmmla vdot vmmla vfmab vfmat vcadd vcmla vfmal vfmsl aesd aese aesimc aesmc sha1c
    sha1h sha1m sha1p sha1su0 sha1su1 sha256h sha256h2 sha256su0 sha256su1"""
)

# Mnemonics from before the unified syntax, without their last letter (s or d), and the unified ones.
_OLD_ARITHMETIC = pairs(
    """fadd=vadd fsub=vsub fmul=vmul fdiv=vdiv fmac=vmla fnmac=vmls fmsc=vnmls fnmsc=vnmla fnmul=vnmul fabs=vabs
    fneg=vneg fsqrt=vsqrt fcpy=vmov fcmp=vcmp fcmpe=vcmpe fcmpz=vcmp fcmpez=vcmpe"""
)
_OLD_CONVERSIONS = pairs(
    """fsito=vcvt.{}.s32 fuito=vcvt.{}.u32 ftosi=vcvtr.s32.{} ftoui=vcvtr.u32.{} ftosiz=vcvt.s32.{}
    ftouiz=vcvt.u32.{}"""
)
_OLD_TRANSFERS = pairs(
    """fldmia=vldmia fldmfd=vldmia fldmdb=vldmdb fldmea=vldmdb fstmia=vstmia fstmea=vstmia fstmdb=vstmdb
    fstmfd=vstmdb fld=vldr fst=vstr"""
)
OLD_FLOAT: dict[str, str] = {
    **pairs("fcvtds=vcvt.f64.f32 fcvtsd=vcvt.f32.f64 fmrx=vmrs fmxr=vmsr fmstat=fmstat"),
    **pairs("fmrs=vmov fmsr=vmov fmdrr=vmov fmrrd=vmov"),
}
for _letter, _type in (("s", "f32"), ("d", "f64")):
    OLD_FLOAT |= {f"{old}{_letter}": f"{new}.{_type}" for old, new in _OLD_ARITHMETIC.items()}
    OLD_FLOAT |= {f"{old}{_letter}": new.format(_type) for old, new in _OLD_CONVERSIONS.items()}
    OLD_FLOAT |= {f"{old}{_letter}": new for old, new in _OLD_TRANSFERS.items()}

# GNU as also takes these with a q behind: `vmulq.f32 q0, q1, q2`.
_QUAD = words(
    """vaba vabd vabs vacge vacgt vacle vaclt vadd vand vbic vbif vbit vbsl vceq vcge vcgt vcle vcls vclt vclz vcnt vcvt
    vdup veor vext vhadd vhsub vmax vmin vmla vmls vmov vmul vmvn vneg vorn vorr vpadal vpaddl vqabs vqadd vqdmulh vqneg
    vqrdmlah vqrdmlsh vqrdmulh vqrshl vqshl vqshlu vqsub vrecpe vrecps vrev16 vrev32 vrev64 vrhadd vrshl vrshr vrsqrte
    vrsqrts vrsra vshl vshr vsli vsra vsri vsub vswp vtrn vtst vuzp vzip"""
)

KNOWN = _FLAG_SETTING | _PARALLEL | _INTEGER | _MEMORY | _CONTROL | _VECTOR | OLD_FLOAT.keys()
# Suffixes that may follow the condition in the divided syntax: `ldreqb`, `ldmeqia`, `addeqs`.
_TAILS = ("s", "b", "h", "d", "t", "bt", "sb", "sh", "ia", "ib", "da", "db", "fd", "ed", "fa", "ea", "l", "p")


@dataclass(frozen=True, slots=True)
class Name:
    """The parts of a mnemonic.  `types` is the text after the first dot, "" when there is none."""

    base: str
    sets_flags: bool = False
    condition: str = ""
    types: str = ""

    def __str__(self) -> str:
        return f"{self.base}{'s' if self.sets_flags else ''}{self.condition}{'.' + self.types if self.types else ''}"


@functools.lru_cache(maxsize=4096)
def split(mnemonic: str) -> Name | None:
    """Return the parts of `mnemonic`, None when it contains no known base."""
    head, _, types = mnemonic.partition(".")
    if types in ("n", "w"):
        types = ""
    plain = _flags(head)
    if plain is not None:
        return Name(*plain, "", types)
    if head[-2:] in CONDITIONS:
        with_condition = _flags(head[:-2])
        if with_condition is not None:
            return Name(*with_condition, CONDITIONS[head[-2:]], types)
    for tail in _TAILS:
        stem = head[: -len(tail)]
        if head.endswith(tail) and stem[-2:] in CONDITIONS:
            infix = _flags(stem[:-2] + tail)
            if infix is not None:
                return Name(*infix, CONDITIONS[stem[-2:]], types)
    return None


def _flags(head: str) -> tuple[str, bool] | None:
    if head in KNOWN:
        return head, False
    if head.endswith("q") and head[:-1] in _QUAD:
        return head[:-1], False
    if head.endswith("s") and head[:-1] in _FLAG_SETTING:
        return head[:-1], True
    return None

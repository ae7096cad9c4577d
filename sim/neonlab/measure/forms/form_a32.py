"""Name the form of an A32 instruction, as the A64 instruction that does the same."""

from __future__ import annotations

import re

from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction

_TYPED = re.compile(r"(v\w+?)(?:\.([suifp]?)(\d+))?(?:\.[suif]?(\d+))?$")
_WHOLE = {8: "16b", 16: "8h", 32: "4s", 64: "2d"}
_HALF = {8: "8b", 16: "4h", 32: "2s", 64: "1d"}
_LANE = {8: "b", 16: "h", 32: "s", 64: "d"}

# Sign-dependent names: what follows the s or u of the A64 mnemonic.
_SIGNED = {
    "vmull": "mull", "vmlal": "mlal", "vmlsl": "mlsl", "vaddl": "addl", "vsubl": "subl", "vaddw": "addw",
    "vsubw": "subw", "vhadd": "hadd", "vhsub": "hsub", "vrhadd": "rhadd", "vqadd": "qadd", "vqsub": "qsub",
    "vmax": "max", "vmin": "min", "vpmax": "maxp", "vpmin": "minp", "vpaddl": "addlp", "vpadal": "adalp",
    "vabd": "abd", "vabdl": "abdl", "vaba": "aba", "vabal": "abal", "vmovl": "shll #", "vshll": "shll #",
    "vqmovn": "qxtn", "vqshrn": "qshrn #", "vqrshrn": "qrshrn #", "vshr": "shr #", "vrshr": "rshr #",
    "vsra": "sra #", "vrsra": "rsra #", "vrshl": "rshl", "vqrshl": "qrshl", "vsdot": "dot", "vudot": "dot",
}  # fmt: skip
_SAME = {
    "vadd": "add", "vsub": "sub", "vmul": "mul", "vmla": "mla", "vmls": "mls", "vpadd": "addp", "vmovn": "xtn",
    "vqmovun": "sqxtun", "vshrn": "shrn #", "vrshrn": "rshrn #", "vqshrun": "sqshrun #", "vqrshrun": "sqrshrun #",
    "vqdmulh": "sqdmulh", "vqrdmulh": "sqrdmulh", "vqdmull": "sqdmull", "vqdmlal": "sqdmlal", "vqdmlsl": "sqdmlsl",
    "vand": "and", "vorr": "orr", "veor": "eor", "vbic": "bic", "vorn": "orn", "vmvn": "mvn", "vbsl": "bsl",
    "vbit": "bit", "vbif": "bif", "vceq": "cmeq", "vcgt": "cmgt", "vcge": "cmge", "vtst": "cmtst", "vext": "ext #",
    "vabs": "abs", "vneg": "neg", "vclz": "clz", "vcls": "cls", "vcnt": "cnt", "vrev16": "rev16", "vrev32": "rev32",
    "vrev64": "rev64", "vsli": "sli #", "vsri": "sri #", "vaddhn": "addhn", "vsubhn": "subhn", "vraddhn": "raddhn",
    "vrsubhn": "rsubhn", "vqabs": "sqabs", "vqneg": "sqneg", "vfma": "fmla", "vfms": "fmls", "vrecpe": "frecpe",
    "vrsqrte": "frsqrte", "vrecps": "frecps", "vrsqrts": "frsqrts", "vzip": "zip", "vuzp": "uzp", "vtrn": "trn",
    "vswp": "swp", "vsqrt": "fsqrt", "vdiv": "fdiv", "vnmul": "fnmul", "vacge": "facge", "vacgt": "facgt",
    "vusdot": "usdot", "vqrdmlah": "sqrdmlah", "vqrdmlsh": "sqrdmlsh", "vclt": "cmlt", "vcle": "cmle",
    "vfnms": "fnmsub", "vfnma": "fnmadd", "vcmla": "fcmla", "vcadd": "fcadd",
}  # fmt: skip
_FLOAT = {
    "vadd": "fadd", "vsub": "fsub", "vmul": "fmul", "vmla": "fmla", "vmls": "fmls", "vmax": "fmax", "vmin": "fmin",
    "vpadd": "faddp", "vpmax": "fmaxp", "vpmin": "fminp", "vabs": "fabs", "vneg": "fneg", "vceq": "fcmeq",
    "vcgt": "fcmgt", "vcge": "fcmge", "vabd": "fabd", "vcmp": "fcmp", "vcmpe": "fcmp", "vclt": "fcmlt",
    "vcle": "fcmle", "vmaxnm": "fmaxnm", "vminnm": "fminnm", "vrintr": "frinti",
    **{f"vrint{how}": f"frint{how}" for how in "anpmxz"},
}  # fmt: skip
_INTEGER = {
    "rsb": "sub", "rsbs": "subs", "cmp": "subs", "cmn": "adds", "tst": "ands", "teq": "ands", "mla": "madd.w",
    "mls": "msub.w", "mul": "mul.w", "muls": "mul.w", "umull": "mull32", "smull": "mull32", "umlal": "mlal32",
    "smlal": "mlal32", "umaal": "umaal", "rrx": "lsr #", "rrxs": "lsr #",
    "movs": "ands", "mvns": "ands", "orrs": "ands", "eors": "ands", "bics": "bics", "movw": "mov #",
    "movt": "movk #", "sxtb": "sxtb", "uxtb": "uxtb", "sxth": "sxth", "uxth": "uxth", "sdiv": "sdiv.w",
    "udiv": "udiv.w", "lsls": "lsl", "lsrs": "lsr", "asrs": "asr", "rors": "ror", "rsc": "sbc", "smulbb": "smull",
    "smlabb": "smaddl", "smlad": "smaddl", "smuad": "smull", "nop": "nop", "pkhbt": "bfi #", "usat": "bfi #",
    "ssat": "bfi #", "usad8": "mul.w", "usada8": "madd.w", "revsh": "rev16", "sel": "csel", "ssat16": "bfi #",
    "usat16": "bfi #", "sxtb16": "sxtb", "uxtb16": "uxtb",
}  # fmt: skip
#: Integer operations of A32 alone, taken for what A64 has of their kind: estimates, but for the multiplies, which use
#: the same multiplier.
_INTEGER_KINDS = (
    (re.compile(r"(?:s|q|sh|u|uq|uh)(?:add|sub)(?:8|16)|(?:s|q|sh|u|uq|uh)(?:asx|sax)|qd?(?:add|sub)"), "bfi #"),
    (re.compile(r"[su]xta(?:b|h|b16)"), "add shift"),
    (re.compile(r"smlal(?:[bt][bt]|dx?)|smlsldx?"), "mlal32"),
    (re.compile(r"smul(?:[bt][bt]|w[bt])|smu[as]dx?|smmulr?"), "smull"),
    (re.compile(r"smla(?:[bt][bt]|w[bt]|dx?)|smlsdx?|smml[as]r?"), "smaddl"),
)
_CRYPTO = {
    **dict.fromkeys(("aese", "aesd", "aesmc", "aesimc"), "16b"),
    **dict.fromkeys(("sha1c", "sha1p", "sha1m", "sha1h"), "s"),
    **dict.fromkeys(("sha1su0", "sha1su1", "sha256su0", "sha256su1"), "4s"),
    **dict.fromkeys(("sha256h", "sha256h2"), "q"),
}
#: Loads and stores that are exclusive, ordered or unprivileged, as A64 calls them.
_ORDERED = re.compile(r"(ld|st)(?:(rex|aex|lex)|(a|l)|r(?=s?[bh]?t$))(s?[bh]|d)?t?$")
_ORDERED_AS = {"rex": "x", "aex": "ax", "lex": "lx", "a": "a", "l": "l", None: "t"}


def form_of_a32(instruction: Instruction) -> str:
    """Return the form's name; the mnemonic itself where no A64 instruction is like it."""
    mnemonic, operands = instruction.mnemonic.lower(), instruction.operands.lower()
    if instruction.branch is not BranchKind.NONE and not instruction.accesses:
        return {
            BranchKind.CONDITIONAL: "b.cond", BranchKind.CALL: "bl", BranchKind.RETURN: "ret",
            BranchKind.INDIRECT: "br",
        }.get(instruction.branch, "b")  # fmt: skip
    condition = instruction.condition
    if condition:
        spelled = {"hs": ("hs", "cs"), "lo": ("lo", "cc")}.get(condition, (condition,))
        for ending in spelled:
            head, dot, tail = mnemonic.partition(".")
            if head.endswith(ending):
                mnemonic = head[: -len(ending)] + dot + tail
                break
    if instruction.accesses:
        return _memory(mnemonic, operands, instruction)
    crypto, _, size = mnemonic.partition(".")
    if size and crypto in _CRYPTO:
        return f"{crypto}.{_CRYPTO[crypto]}"
    if mnemonic.startswith("v"):
        return _vector(mnemonic, operands)
    return _integer(mnemonic, operands)


def _mode(operands: str) -> str:
    if operands.endswith("!"):
        return " !" if re.search(r"\[[^\]]*,[^\]:]*\]!", operands) else " ,"
    if re.search(r"\]\s*,", operands):
        return " ,"
    return " [r]" if re.search(r"\[[^\]]*,\s*-?(r\d|sb|sl|fp|ip|lr)", operands) else ""


def _memory(mnemonic: str, operands: str, instruction: Instruction) -> str:
    kind = instruction.accesses[0].kind
    if kind is AccessKind.PREFETCH:
        return "prfm" + _mode(operands)
    load = kind is AccessKind.LOAD
    if re.match(r"v?(ldm|stm|push|pop)", mnemonic):
        return f"{'ldm' if load else 'stm'}.{'d' if mnemonic.startswith('v') else 'w'}"
    structure = re.match(r"v(ld|st)([1234])\.(\d+)", mnemonic)
    if structure:
        listed = operands[: operands.index("}")]
        bits, ways = int(structure.group(3)), int(structure.group(2))
        name = f"{structure.group(1)}{ways}"
        count = listed.count("d")
        if "[]" in listed:
            return f"{name}r.{_HALF[bits]}*{ways}{_mode(operands)}"
        if "[" in listed:
            return f"{name}.{_LANE[bits]}[]*{ways}{_mode(operands)}"
        if (ways == 1 and count % 2) or (ways > 1 and count == ways):
            return f"{name}.{_HALF[bits]}*{count}{_mode(operands)}"
        return f"{name}.{_WHOLE[bits]}*{count // 2}{_mode(operands)}"
    if mnemonic.startswith(("vldr", "vstr")):
        return f"{'ldr' if load else 'str'}.{operands[0]}{_mode(operands)}"
    size = mnemonic[3:]
    ordered = _ORDERED.match(mnemonic)
    if ordered is not None:
        kind_of, part = _ORDERED_AS[ordered.group(2) or ordered.group(3)], ordered.group(4) or ""
        if part == "d":
            return f"{ordered.group(1)}{kind_of}p.w"
        return f"{ordered.group(1)}{kind_of}r{part or '.w'}{_mode(operands)}"
    if mnemonic.startswith(("ldrd", "strd")):
        return f"{'ldp' if load else 'stp'}.w{_mode(operands)}"
    return f"{mnemonic[:3]}{size if size else '.w'}{_mode(operands)}"


def _vector(mnemonic: str, operands: str) -> str:
    matched = _TYPED.match(mnemonic)
    if matched is None:
        return mnemonic
    name, sign, bits = matched.group(1), matched.group(2) or "", int(matched.group(3) or 8)
    listed = [operand.strip() for operand in re.split(r",(?![^{]*\})", operands)]
    first = listed[0]
    if name in ("vmov", "vdup", "vmsr", "vmrs"):
        return _moved(name, bits, listed)
    if name in ("vtbl", "vtbx"):
        return f"{name[1:]}.8b*{(listed[1].count('d') + 1) // 2 if '{' in listed[1] else 1}"
    if name.startswith("vsel"):
        return f"fcsel.{'d' if bits == 64 else 's'}"
    if name in ("vcvtb", "vcvtt"):
        return f"fcvt.{_LANE[int(matched.group(4) or 32)]}"
    if name in ("vcvta", "vcvtn", "vcvtp", "vcvtm"):
        wide = listed[-1][0] if first[0] == "s" else "4s" if first[0] == "q" else "2s"
        return f"fcvt{name[-1]}{sign}.{wide}"
    if name in ("vfmal", "vfmsl"):
        element = "[]" if "[" in operands else ""
        return f"fml{name[3]}l.{'4h' if first[0] == 'q' else '2h'}{element}"
    if sign == "p" and name in ("vmull", "vmul"):
        return f"p{name[1:]}.{'1d' if bits == 64 else _WHOLE[bits] if listed[1][0] == 'q' else _HALF[bits]}"
    if name in ("vcvt", "vcvtr"):
        return f"fcvtzs.{'4s' if first[0] == 'q' else '2s'}" if first[0] in "qd" else "fcvtzs.s"
    source = next((operand for operand in listed[1:] if operand[:1] in "qds"), first)
    if name in ("vsdot", "vudot", "vusdot", "vext"):
        bits = 8
    elif name in ("vaddw", "vsubw"):  # named by the wide operand
        bits *= 2
    shape = _WHOLE[bits] if source[0] == "q" else _HALF[bits] if source[0] == "d" and bits < 64 else _LANE[bits]
    if source[0] == "s":
        shape = "s"
    element = "[]" if "[" in operands else ""
    immediate = " #" if "#" in operands else ""
    if sign == "f" and name in _FLOAT:
        base = _FLOAT[name]
    elif name in _SIGNED:
        base = ("u" if sign == "u" or name == "vudot" else "s") + _SIGNED[name]
    elif name in ("vshl", "vqshl", "vqshlu"):
        plain = {"vshl": "shl", "vqshl": "sqshl", "vqshlu": "sqshlu"}[name]
        base = plain if immediate or name != "vshl" else "sshl"
    else:
        base = _SAME.get(name, name)
    base, _, wants = base.partition(" ")
    return f"{base}.{shape}{element}{' #' if wants or immediate else ''}"


def _moved(name: str, bits: int, operands: list[str]) -> str:
    target, source = operands[0], operands[-1]
    if target[0] not in "qds":
        return f"umov.{_LANE[bits]}" if "[" in source else "fmov r<v"
    if source.startswith("#"):
        bits = min(bits, 32)  # the same constants, written otherwise
        return f"movi.{(_WHOLE if target[0] == 'q' else _HALF)[bits]} #{'0' if source in ('#0', '#0x0') else ''}"
    arrangement = (_WHOLE if target[0] == "q" else _HALF)[bits]
    if name == "vdup":
        return f"dup.{arrangement}[]" if "[" in source else f"dup.{arrangement} r"
    if source[0] in "qds":
        return f"mov.{arrangement}"
    return f"ins.{_LANE[bits]} r" if "[" in target else "fmov v<r"


def _integer(mnemonic: str, operands: str) -> str:
    like = (name for kind, name in _INTEGER_KINDS if kind.fullmatch(mnemonic))
    base = _INTEGER.get(mnemonic) or next(like, mnemonic)
    shift = re.search(r",\s*(lsl|lsr|asr|ror|rrx)\s*(#(\d+))?", operands)
    if " " in base or "." in base:
        return base
    if shift:
        return f"{base} {'lsl' if shift.group(1) == 'lsl' and int(shift.group(3) or 9) <= 4 else 'shift'}"
    if "#" in operands:
        return f"{base} #{'0' if base == 'mov' and operands.endswith('#0') else ''}"
    return base

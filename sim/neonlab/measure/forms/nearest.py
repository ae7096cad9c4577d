"""Find forms that stand for one that a table of timings does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SIZES = ("", "b", "h", "sb", "sh", "sw")
_SYNONYM = {"cmp": "subs", "cmn": "adds", "tst": "ands", "neg": "sub", "negs": "subs", "mvn": "orn", "mov": "orr",
            "ngc": "sbc", "cset": "csinc", "csetm": "csinv", "cinc": "csinc", "cinv": "csinv", "cneg": "csneg",
            "vzip": "zip1", "vuzp": "zip1", "vtrn": "trn1", "zip": "zip1", "uzp": "zip1", "trn": "trn1", "swp": "trn1",
            "adcs": "adc", "sbcs": "sbc", "ngcs": "ngc", "udot": "sdot", "usdot": "sdot", "sudot": "sdot",
            "uzp1": "zip1", "uzp2": "zip1", "zip2": "zip1", "trn2": "trn1", "ldur": "ldr", "ldurb": "ldrb",
            "ldurh": "ldrh", "ldursb": "ldrsb", "ldursh": "ldrsh", "ldursw": "ldrsw", "stur": "str", "sturb": "strb",
            "sturh": "strh", **{f"fcvt{rounding}{sign}": f"fcvta{sign}" for rounding in "nmpz" for sign in "su"},
            "ldm": "ldp", "stm": "stp", "mull32": "umull", "umaal": "mlal32", "mlal32": "umaddl",
            "paciasp": "nop", "autiasp": "nop", "bti": "nop", "adrp": "adr", "xtn2": "xtn",
            "vnmls": "fnmsub", "vnmla": "fnmadd",
            # Estimates: what is exclusive, ordered or unprivileged as what is plain, as no other core is modelled.
            **{f"ld{how}r{size}": f"ldr{size}" for how in ("t", "a", "ap", "x", "ax", "lap") for size in _SIZES},
            **{f"st{how}r{size}": f"str{size}" for how in ("t", "l", "x", "lx", "ll") for size in _SIZES},
            **dict.fromkeys(("ldxp", "ldaxp", "ldnp"), "ldp"), **dict.fromkeys(("stxp", "stlxp", "stnp"), "stp"),
            # LLVM, AArch64SchedA55.td (opened), has these in one class, and the sum forwarded to neither.
            "sqrdmlah": "sqrdmulh", "sqrdmlsh": "sqrdmulh",
            "fmov": "movi", "prfum": "prfm", "pmull2": "pmull"}  # fmt: skip
#: What shifts or extends its last operand as another does: the shifter comes before the sum, or before the logic.
_SHIFTS_AS = {"orr": "and", "eor": "and", "orn": "and", "eon": "and", "bic": "and", "mvn": "and", "bics": "ands",
              "tst": "ands", "sub": "add", "neg": "add", "subs": "adds", "negs": "adds", "cmp": "adds",
              "cmn": "adds"}  # fmt: skip
#: Vectors that a scalar operation with no form of its own is like.
_AS_VECTOR = {"b": ("8b", "16b"), "h": ("4h", "8h"), "s": ("2s", "4s"), "d": ("1d", "2d")}
#: Estimate: arithmetic on half-precision vectors takes as long as that on single-precision ones of the same size, where
#: the table has no form of its own.  So it is in LLVM, AArch64SchedA55.td (opened), but for divisions and square roots.
_HALF_AS = {"8h": ("4s",), "4h": ("2s",), "2h": ("4h", "8h")}
_FULL = {"8b": "16b", "4h": "8h", "2s": "4s", "1d": "2d"}
_COUNTS = {"b": ("", "16", "8"), "h": ("", "8", "4"), "s": ("", "4", "2"), "d": ("", "2", "1")}


def nearest_forms(form: str) -> Iterator[str]:
    """Yield the form, then less and less exact names, in the order in which a table of timings is searched."""
    base, _, modifier = form.partition(" ")
    seen = [form]
    if modifier == "#0":
        seen.append(f"{base} #")
    mnemonic, _, shape = base.partition(".")
    if modifier in ("shift", "extend"):
        names = dict.fromkeys((mnemonic, _SYNONYM.get(mnemonic, mnemonic), _SHIFTS_AS.get(mnemonic, mnemonic)))
        seen += [f"{name} {how}" for how in dict.fromkeys((modifier, "shift")) for name in names]
    seen.append(base)
    plain = shape.removesuffix("[]")
    shapes = [shape, _FULL.get(plain, plain) + shape[len(plain) :], plain, _FULL.get(plain, plain), ""]
    matched = re.match(r"(\w+)(\[\])?(\*\d+)$", shape)
    if matched:
        element, lane, count = matched.group(1)[-1:], matched.group(2) or "", matched.group(3)
        shapes += [f"{number}{letter}{lane}{count}" for letter in element + "bhsd" for number in _COUNTS[letter]]
    for candidate in shapes:
        for name in _alike(mnemonic):
            if not candidate and plain not in ("", "w", "x"):  # `smull` is not `smull.8b`
                continue
            spelled = f"{name}.{candidate}" if candidate else name
            if modifier:
                seen.append(f"{spelled} {modifier.replace('#0', '#')}")
            seen.append(spelled)
    ending = f" {modifier}" if modifier else ""
    if mnemonic.startswith("f") and plain in _HALF_AS:
        likes = [like + element for element in (shape[len(plain) :], "") for like in _HALF_AS[plain]]
        halves = [f"{name}.{like}" for like in dict.fromkeys(likes) for name in _alike(mnemonic)]
        seen += [f"{half}{end}" for half in halves for end in dict.fromkeys((ending, ""))]
    if mnemonic == "pmull2" and plain == "2d":
        seen.append("pmull.1d")
    if plain in ("b", "h", "s", "d"):
        alike = _alike(mnemonic)
        seen += [f"{name}.{like}{end}" for name in alike for like in _AS_VECTOR[plain] for end in (ending, "")]
        seen += [f"{name}.{letter}" for name in alike for letter in "sdhb"]
    yield from dict.fromkeys(seen)


def _alike(mnemonic: str) -> list[str]:
    """Return the mnemonic and others that take as long; of an unsigned operation the signed one too, at the end."""
    names = [mnemonic, _SYNONYM.get(mnemonic, mnemonic)]
    names += [f"s{name[1:]}" for name in names if name[0] == "u"]
    return list(dict.fromkeys([*names, *(_SYNONYM.get(name, name) for name in names)]))

"""Refuse instructions of SVE and SME in A64 text by name: neither the assembler nor the emulated CPU has them.

Most are recognised by an operand: a scalable vector (`z0.b`), a predicate (`p0/z`, `pn8`), a tile of ZA (`za`,
`za0h.s[w12, 0]`), `zt0`, or an offset in vector lengths (`mul vl`).  The few without one are listed.
"""

from __future__ import annotations

import re

from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.text.mnemonics import Place, mnemonic
from neonlab.assemble.text.registers import RegisterNames
from neonlab.isa.model.isa import Isa

# Names that are a register wherever a register may stand; `#`, `=` and `:` come before symbols.
_NAME = re.compile(r"(?<![\w.$#=:])[A-Za-z_]\w*")
_SCALABLE = re.compile(r"z\d+|pn?\d+")
_MATRIX = re.compile(r"(?<![\w.$])(?:za(?:\d{1,2})?[hv]?(?:\.[bhsdq]\b|\s*\[)|za\s*(?:[,}]|\Z)|zt0\b)", re.IGNORECASE)
_LENGTHS = re.compile(r"\bmul\s+vl\b", re.IGNORECASE)

_SME = frozenset({"smstart", "smstop", "rdsvl", "addsvl", "addspl"})
_SVE = frozenset(
    {
        *(f"cnt{size}" for size in "bhwd"),
        *(f"{sign}{way}{size}" for sign in ("", "sq", "uq") for way in ("inc", "dec") for size in "bhwd"),
        *("rdvl", "addvl", "addpl", "ctermeq", "ctermne", "setffr"),
        *(f"b.{one}" for one in ("none", "any", "nlast", "last", "first", "nfrst", "pmore", "plast", "tcont", "tstop")),
    }
)


class ScalableFault(SyntaxFault):
    """Raised for an instruction of SVE or SME, whatever else may be wrong with it."""


def refuse_scalable(name: str, operands: str, registers: RegisterNames) -> None:
    """Raise ScalableFault where `name operands`, in A64, is an instruction of SVE or SME.

    `registers` has the names that the source gave to registers.
    """
    lower = name.lower()
    if lower in _SVE or lower in _SME:
        raise _fault("SME" if lower in _SME else "SVE", name, name)
    if mnemonic(Isa.A64, name).place is Place.BRANCH:
        return  # to a place that may be called `z0`
    matrix = _MATRIX.search(operands)
    if matrix is not None:
        raise _fault("SME", name, matrix.group().rstrip("[,} "))
    for found in _NAME.finditer(operands):
        register = registers.find(found.group())
        if register is not None and _SCALABLE.fullmatch(register):
            raise _fault("SVE", name, found.group())
    lengths = _LENGTHS.search(operands)
    if lengths is not None:
        raise _fault("SVE", name, lengths.group())


def _fault(extension: str, name: str, token: str) -> ScalableFault:
    message = f"{extension} instruction `{name}` is not supported: the lab has the 128-bit vectors of NEON only"
    return ScalableFault(message, token, f"`#ifdef __ARM_FEATURE_{extension}` around it leaves it out")

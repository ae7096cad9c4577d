"""Number the families of lane arithmetic for compiled code."""

from __future__ import annotations

from neonlab.isa.lanes import FAMILIES

#: The families that the prover has rules for, in the order of their numbers.
NAMES = (
    "add", "sub", "mul", "mla", "mls", "dot", "mmla", "hadd", "hsub", "abd", "aba", "abs", "neg", "addp", "adalp",
    "addv", "shl", "shift", "shr", "sra", "addhn", "subhn", "qdmulh", "qdmlah", "qdmlsh", "qdmull", "qdmlal", "qdmlsl",
    "max", "min", "maxp", "minp", "maxv", "minv", "cmeq", "cmgt", "cmge", "cmlt", "cmle", "cmtst", "and", "orr", "eor",
    "bic", "orn", "not", "bsl", "bit", "bif", "mov", "orr_constant", "bic_constant", "sli", "sri", "tbl", "tbx",
)  # fmt: skip
(
    ADD, SUB, MUL, MLA, MLS, DOT, MMLA, HADD, HSUB, ABD, ABA, ABS, NEG, ADDP, ADALP,
    ADDV, SHL, SHIFT, SHR, SRA, ADDHN, SUBHN, QDMULH, QDMLAH, QDMLSH, QDMULL, QDMLAL, QDMLSL,
    MAX, MIN, MAXP, MINP, MAXV, MINV, CMEQ, CMGT, CMGE, CMLT, CMLE, CMTST, AND, ORR, EOR,
    BIC, ORN, NOT, BSL, BIT, BIF, MOV, ORR_CONSTANT, BIC_CONSTANT, SLI, SRI, TBL, TBX,
) = range(len(NAMES))  # fmt: skip

assert set(NAMES) <= set(FAMILIES)

#: Families of arithmetic on float32 lanes; those from F_FUSED on add a product.
(
    F_ADD, F_SUB, F_MUL, F_DIV, F_MIN, F_MAX, F_MINV, F_MAXV, F_MINP, F_MAXP, F_NEG, F_ABS, F_GREATER, F_GREATER_EQUAL,
    F_EQUAL, F_OF_INTEGER, F_TO_INTEGER, F_TO_WHOLE, F_FUSED, F_FUSED_MINUS, F_TWICE, F_TWICE_MINUS,
) = range(128, 150)  # fmt: skip

#: What is done to general registers alone: a choice by the flags, what sets these, shifts by a register, fields.
OF_GENERAL = ("choose", "compare", "shift_left_by", "shift_right_by", "field")
CHOOSE, COMPARE, SHIFT_LEFT_BY, SHIFT_RIGHT_BY, FIELD = range(160, 165)


def number_of(name: str) -> int:
    """Return the number of a family of integers."""
    return CHOOSE + OF_GENERAL.index(name) if name in OF_GENERAL else NAMES.index(name)

"""Decode Advanced SIMD in the unconditional coprocessor space of A32: products, complex arithmetic (DDI 0487, F4.1)."""

from __future__ import annotations

from neonlab.isa.a32.decode_vector import operate, span, vector_d, vector_m, vector_n
from neonlab.isa.model.effects import Effects

# (mask, value, feature): three registers, or two and a scalar
_FORMS = (
    (0xFFB00F00, 0xFC200D00, "dotprod"),  # vsdot, vudot
    (0xFFB00F00, 0xFE200D00, "dotprod"),  # by element
    (0xFFB00F10, 0xFCA00D00, "i8mm"),  # vusdot
    (0xFFB00F00, 0xFE800D00, "i8mm"),  # vusdot, vsudot by element
    (0xFFB00F40, 0xFC200C40, "i8mm"),  # vsmmla, vummla
    (0xFFB00F50, 0xFCA00C40, "i8mm"),  # vusmmla
    (0xFFB00F10, 0xFC000D00, "bf16"),  # vdot
    (0xFFB00F10, 0xFE000D00, "bf16"),  # by element
    (0xFFB00F50, 0xFC000C40, "bf16"),  # vmmla
    (0xFFB00F10, 0xFC300810, "bf16 long"),  # vfmab, vfmat
    (0xFFB00F10, 0xFE300810, "bf16 long"),  # by element
    (0xFF300F10, 0xFC200810, "fp16fml"),  # vfmal, vfmsl
    (0xFFA00F10, 0xFE000810, "fp16fml"),  # by element
    (0xFE200F10, 0xFC200800, "complex"),  # vcmla
    (0xFF000F10, 0xFE000800, "complex"),  # by element
    (0xFEA00F10, 0xFC800800, "complex"),  # vcadd
)


def neon_extension(effects: Effects, word: int) -> bool:
    """Add the effects of a dot product, matrix multiply, widening multiply or complex operation.

    Returns False for another word.
    """
    feature = next((feature for mask, value, feature in _FORMS if word & mask == value), None)
    if feature is None:
        return False
    effects.features.add(feature.split()[0])
    by_element = bool(word >> 25 & 1)
    if feature == "complex":
        _complex(effects, word, by_element=by_element)
    elif feature == "fp16fml":
        _half_to_single(effects, word, by_element=by_element)
    elif feature == "bf16 long":
        effects.is_multiply = True
        effects.arithmetic_fp(reads_control=False)
        second = [word & 7] if by_element else span(vector_m(word), 1)
        operate(effects, span(vector_d(word), 1), span(vector_n(word), 1), second, keeps=True)
    else:
        effects.is_multiply, quad = True, word >> 6 & 1
        second = [word & 15] if by_element else span(vector_m(word), quad)
        operate(effects, span(vector_d(word), quad), span(vector_n(word), quad), second, keeps=True)
    return True


def _half_to_single(effects: Effects, word: int, *, by_element: bool) -> None:
    """Describe vfmal and vfmsl, whose sources have half the destination's length.

    For a d destination they are s registers, which are halves of d registers.
    """
    quad = word >> 6 & 1
    effects.is_multiply = True
    effects.arithmetic_fp()
    first = [vector_n(word) if quad else word >> 16 & 15]
    second = [word & 7 if by_element else vector_m(word) if quad else word & 15]
    operate(effects, span(vector_d(word), quad), first, second, keeps=True)


def _complex(effects: Effects, word: int, *, by_element: bool) -> None:
    quad, m = word >> 6 & 1, vector_m(word)
    adds_only = not by_element and not word >> 21 & 1
    is_single = word >> (23 if by_element else 20) & 1
    if not is_single:
        effects.features.add("fp16")
    effects.arithmetic_fp(reads_control=not is_single)
    effects.is_multiply = not adds_only
    second = [m if is_single else m & 15] if by_element else span(m, quad)
    operate(effects, span(vector_d(word), quad), span(vector_n(word), quad), second, keeps=not adds_only)

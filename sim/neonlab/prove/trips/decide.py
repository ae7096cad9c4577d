"""Decide conditions for all sizes and passes of a region at once."""

from __future__ import annotations

from dataclasses import dataclass

from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.form import Form, Region

_NAMES = {"cs": "hs", "cc": "lo"}
_NEGATED = {"ne": "eq", "lo": "hs", "pl": "mi", "ls": "hi", "lt": "ge", "le": "gt"}
_UNDECIDED = "a condition is not the same for every size, or for every pass"


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags by what set them: `kind` "difference" (a - b), "sum" (a + b) or "bits" (a + 0; C and V are not known).

    The registers that were compared have `bits`.
    """

    kind: str
    a: Form
    b: Form
    bits: int


def truth(condition: str, flags: Flags, region: Region) -> bool:
    """Tell whether a condition holds.  Raises Refusal unless it does, or does not, in the whole region."""
    condition = _NAMES.get(condition, condition)
    positive = _NEGATED.get(condition, condition)
    return _holds(positive, flags, region) is (positive == condition)


def _holds(condition: str, flags: Flags, region: Region) -> bool:
    if condition == "eq":
        return is_zero(_result(flags), flags.bits, region)
    if condition == "mi":
        return not _at_least(region.placed(_result(flags), -(1 << flags.bits - 1), flags.bits), 0, region)
    if condition in ("hs", "hi"):
        return _is_above(flags, int(condition == "hi"), region)
    if condition in ("ge", "gt"):
        lowest = -(1 << flags.bits - 1)
        a, b = region.placed(flags.a, lowest, flags.bits), region.placed(flags.b, lowest, flags.bits)
        if flags.kind == "bits" or a is None or b is None:
            raise Refusal(_UNDECIDED)
        exact = a.minus(b) if flags.kind == "difference" else a.plus(b)
        return _at_least(exact, int(condition == "gt"), region)
    raise Refusal(f"{_UNDECIDED}: nothing is known of `{condition}` here")


def is_zero(form: Form, bits: int, region: Region) -> bool:
    """Tell whether a register of `bits` holds 0.  Raises Refusal unless it does, or does not, in the whole region."""
    if form.base:
        raise Refusal("an address is compared with a number")
    low, high = region.ends(form)
    if low == high:
        return low % (1 << bits) == 0
    if -(-low >> bits) << bits <= high:  # a multiple of the size lies among the values
        raise Refusal(_UNDECIDED)
    return False


def low_bits(form: Form, count: int) -> int:
    """Return the lowest bits of a register.  Raises Refusal where they vary."""
    if form.base or form.k % (1 << count) or form.t % (1 << count):
        raise Refusal("low bits of a register vary from size to size, from pass to pass, or with an address")
    return form.number % (1 << count)


def _result(flags: Flags) -> Form:
    found = flags.a.minus(flags.b) if flags.kind == "difference" else flags.a.plus(flags.b)
    if found is None:
        raise Refusal("addresses of different buffers are compared")
    return found


def _at_least(form: Form | None, limit: int, region: Region) -> bool:
    if form is None or form.base:
        raise Refusal(_UNDECIDED)
    low, high = region.ends(form)
    if low >= limit or high < limit:
        return low >= limit
    raise Refusal(_UNDECIDED)


def _is_above(flags: Flags, by: int, region: Region) -> bool:
    """Tell whether a is at least b + `by`, 0 or 1, as numbers without a sign; of a sum, whether it carries."""
    if flags.kind == "difference" and flags.a.base and flags.a.base == flags.b.base:
        return _at_least(_result(flags), by, region)  # no buffer goes around the end of memory
    a, b = region.placed(flags.a, 0, flags.bits), region.placed(flags.b, 0, flags.bits)
    if flags.kind == "bits" or (flags.kind == "sum" and by) or a is None or b is None:
        raise Refusal(_UNDECIDED)
    if flags.kind == "difference":
        return _at_least(a.minus(b), by, region)
    return _at_least(a.plus(b), 1 << flags.bits, region)

"""Describe what is known of general registers and flags at one place, and what a condition adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from neonlab.isa.model.condition import holds

Interval = tuple[int, int]
ANY_FLAGS = 0xFFFF
INVERSE = {
    "eq": "ne", "hs": "lo", "mi": "pl", "vs": "vc", "hi": "ls", "ge": "lt", "gt": "le",
    "ne": "eq", "lo": "hs", "pl": "mi", "vc": "vs", "ls": "hi", "lt": "ge", "le": "gt",
}  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """The subject of the flags: left - right, or left + right, and the register that holds the result, if one does.

    `left` and `right` are registers that still hold the operands; None for immediates and for overwritten registers.
    """

    subtracts: bool
    values: tuple[Interval, Interval]
    left: int | None
    right: int | None
    result: int | None
    bits: int


@dataclass(frozen=True)
class Knowledge:
    """The facts that hold before an instruction: intervals of general registers, as far as known.

    `flags` has one bit for each possible value of N, Z, C and V (8, 4, 2 and 1).  `frame` holds words of the stack by
    their offset in bytes from sp on entry; `depth` is the offset of sp itself, None if unknown.
    """

    registers: Mapping[int, Interval] = field(default_factory=dict)
    fact: Fact | None = None
    frame: Mapping[int, Interval] = field(default_factory=dict)
    depth: int | None = 0
    flags: int = ANY_FLAGS

    def without(self, index: int) -> Knowledge:
        """Return the knowledge without register `index`."""
        registers = {other: interval for other, interval in self.registers.items() if other != index}
        fact = self.fact
        if fact is not None:
            gone = {name: None for name in ("left", "right", "result") if getattr(fact, name) == index}
            fact = replace(fact, **gone) if gone else fact  # type: ignore[arg-type]
        return replace(self, registers=registers, fact=fact)

    def having(self, index: int, interval: Interval | None) -> Knowledge:
        """Return the knowledge after register `index` was written; `interval` is None if the new value is unknown."""
        found = self.without(index)
        return found if interval is None else replace(found, registers={**found.registers, index: interval})

    def narrowed(self, index: int | None, low: int | None, high: int | None) -> Knowledge | None:
        """Return the knowledge that an unchanged register also lies in [low, high]; None if no value is left."""
        if index is None or index not in self.registers:
            return self
        now_low, now_high = self.registers[index]
        now_low = now_low if low is None else max(now_low, low)
        now_high = now_high if high is None else min(now_high, high)
        if now_low > now_high:
            return None
        return replace(self, registers={**self.registers, index: (now_low, now_high)})

    def compared_with_zero(self, index: int, zero: bool) -> Knowledge | None:
        """Return what is known if register `index` is zero, or is not zero; None if that is impossible."""
        if zero:
            return self.narrowed(index, 0, 0)
        interval = self.registers.get(index)
        if interval is None:
            return self
        low, high = interval
        return self.narrowed(index, low + 1 if low == 0 else None, high - 1 if high == 0 else None)

    def given(self, condition: str) -> Knowledge | None:
        """Return what is known if the flags meet the condition; None if they never do."""
        met = sum(1 << value for value in range(16) if holds(condition, value << 28)) & self.flags
        if not met:
            return None
        fact, known = self.fact, replace(self, flags=met)
        if fact is None:
            return known
        (left, right), half = fact.values, 1 << fact.bits - 1
        if fact.subtracts:
            low, high = left[0] - right[1], left[1] - right[0]
        else:
            low, high = left[0] + right[0], left[1] + right[1]
        signed = -half <= min(left[0], right[0], low) and max(left[1], right[1], high) < half
        # Both are unsigned numbers, and the result is their exact difference.
        plain = fact.subtracts and min(left[0], right[0]) >= 0 and -half <= low and (low >= 0 or high < half)
        bound: tuple[int | None, int | None] | None = None
        if condition == "eq" and (signed or plain):
            bound = (0, 0)
        elif condition == "ne" and (signed or plain):
            bound = (1 if low == 0 else None, -1 if high == 0 else None)
        elif (condition in ("hs", "lo", "hi", "ls") and plain) or (condition in ("ge", "lt", "gt", "le") and signed):
            bound = {
                "hs": (0, None), "ge": (0, None), "lo": (None, -1), "lt": (None, -1),
                "hi": (1, None), "gt": (1, None), "ls": (None, 0), "le": (None, 0),
            }[condition]  # fmt: skip
        elif condition in ("mi", "pl") and signed:
            bound = (None, -1) if condition == "mi" else (0, None)
        elif condition in ("hs", "lo") and not fact.subtracts and signed and left[1] < 0 <= right[0]:
            # For a negative and a non-negative number, a carry means that the sum is not negative.
            bound = (0, None) if condition == "hs" else (None, -1)
        if bound is None:
            return known
        least, most = bound
        if (least is not None and high < least) or (most is not None and low > most):
            return None
        found = known.narrowed(fact.result, least, most)
        if found is None or not fact.subtracts:
            return found
        low, high = low if least is None else max(low, least), high if most is None else min(high, most)
        found = found.narrowed(fact.left, right[0] + low, right[1] + high)
        return None if found is None else found.narrowed(fact.right, left[0] - high, left[1] - low)

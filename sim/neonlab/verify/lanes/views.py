"""Decide which instructions must give their true result, and under which reading of their lanes.

The rule is that of `neonlab.verify.lanes.signs`; this module applies it to each instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neonlab.isa.lanes import LaneOperation
from neonlab.isa.model.instruction import Instruction
from neonlab.verify.lanes.signs import DIFFERENCES, SHIFT, STORE, LaneReading, SignAnalysis, Tags, adds_to_total

_NARROWS = {"shr", "addhn", "subhn"}
_OF_TWO = {"add", "sub", "mla", "mls"}  # families whose operands may differ in sign
_SUMS = {*_OF_TWO, "mul", "addp", "addv", "shl"}


@dataclass(frozen=True, slots=True)
class View:
    """The reading of each source (True is signed), and the readings in which the result may fit."""

    signs: tuple[bool, ...]
    fits_signed: bool
    fits_unsigned: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """An instruction whose lanes can wrap; a lane is right if its result fits in one of `views`."""

    instruction: Instruction
    operation: LaneOperation
    views: tuple[View, ...]


def can_wrap(operation: LaneOperation) -> bool:
    """Tell whether for some operands the lane cannot hold the true result."""
    if operation.saturates:
        return False
    bits = operation.destination.bits
    widest = max((lanes.bits for lanes in operation.sources), default=bits)
    match operation.family:
        case "add" | "sub" | "mul" | "addp" | "addv":
            return widest >= bits
        case "mla" | "mls" | "aba" | "adalp" | "sra" | "dot" | "mmla" | "abs" | "neg":
            return True
        case "shl":
            return widest == bits and operation.immediate > 0 and bits < 64
        case "shift":
            return bits < 64
        case "shr":
            return widest > bits
        case "addhn" | "subhn":
            return bits < 32
        case _:
            return False


def checked_instructions_of(analysis: SignAnalysis) -> tuple[Checked, ...]:
    """Return every reachable instruction that can wrap, with the views that decide whether it did."""
    found = []
    for number, operation in enumerate(analysis.operations):
        tags = analysis.before[number]
        if operation is None or tags is None or not can_wrap(operation):
            continue
        views = _Decision(analysis, number, operation, tags).views()
        if views:
            found.append(Checked(analysis.instructions[number], operation, views))
    return tuple(found)


class _Decision:
    """Decides the views of one instruction."""

    def __init__(self, analysis: SignAnalysis, number: int, operation: LaneOperation, tags: Tags) -> None:
        self._analysis, self._operation, self._tags = analysis, operation, tags
        self._uses = analysis.uses(number, operation.destination)
        self._is_open = [lanes.signed is None for lanes in operation.sources]

    def views(self) -> tuple[View, ...]:
        operation, analysis = self._operation, self._analysis
        if operation.family == "shl" and (self._is_raw() or self._is_only_shifted_back()):
            return ()
        if operation.family in _NARROWS and self._is_raw():
            return ()
        readings = analysis.operand_readings(operation, self._tags)
        declared = operation.destination.signed
        if declared is not None and operation.family not in _NARROWS and operation.family != "abs":
            return self._declared_views(readings, declared)
        known = {reading for reading in readings if reading is not None}
        if not known:  # only constants
            known = {analysis.of_memory(operation.destination.bits)}
        decided = known - {LaneReading.EITHER}
        given = self._given(readings)
        conversions = tuple(self._conversions(readings, given)) if given is not None else ()
        if conversions and given is not LaneReading.EITHER and self._is_only_stored():
            return conversions
        if not decided or self._may_be_negative(readings, decided):
            either = (
                self._view([r if r in decided else reading for r in readings])
                for reading in (LaneReading.SIGNED, LaneReading.UNSIGNED)
            )
            return self._as_used((*either, *conversions))
        begins_count = readings[0] is None and self._analysis.takes_mask_away(operation, self._tags)
        follow = LaneReading.SIGNED if LaneReading.SIGNED in decided and not begins_count else LaneReading.UNSIGNED
        return self._as_used((self._view([r if r in decided else follow for r in readings]), *conversions))

    def _declared_views(self, readings: Sequence[LaneReading | None], declared: bool) -> tuple[View, ...]:
        """Return the views of an instruction that says how it reads; its total may have the other sign."""
        signs = tuple(reading is not LaneReading.UNSIGNED for reading in readings)
        as_declared = View(signs, declared, not declared)
        if not adds_to_total(self._operation):
            return (as_declared,)
        other = View((not declared, *signs[1:]), not declared, declared)
        used = self._used()
        if used is not None and used != (declared, not declared):
            return (other,) if used == (not declared, declared) else (as_declared, other)
        total = self._analysis.reading_of_total(self._operation, self._tags)
        if total is LaneReading.EITHER or total is (LaneReading.UNSIGNED if declared else LaneReading.SIGNED):
            return (as_declared, View(other.signs, *(used or (True, True))))
        return (as_declared, other) if self._fits() == (not declared, declared) else (as_declared,)

    def _may_be_negative(self, readings: Sequence[LaneReading | None], decided: set[LaneReading]) -> bool:
        """Tell whether unsigned lanes meet a possible difference or a negative constant."""
        total = self._is_open[0] and not any(self._is_open[1:])
        if total and readings[0] is LaneReading.EITHER:
            return True
        if decided != {LaneReading.UNSIGNED} or self._operation.family not in _OF_TWO:
            return False
        tags = [self._analysis.tag(self._tags, lanes) for lanes in self._operation.sources]
        return any(
            reading is LaneReading.EITHER or (reading is None and tag.negative)
            for reading, tag in zip(readings, tags, strict=True)
        )

    def _used(self) -> tuple[bool, bool] | None:
        """Return whether typed instructions read the result as signed, and as unsigned; None if none reads it."""
        bits = self._operation.destination.bits
        letters = {letter for letter, width in self._uses if width == bits}
        return ("S" in letters, "U" in letters) if letters & {"S", "U"} else None

    def _as_used(self, views: tuple[View, ...]) -> tuple[View, ...]:
        """Return the views with their results limited to the readings of typed instructions."""
        used = self._used()
        if used is None or self._operation.family not in _SUMS:
            return views
        return tuple(dict.fromkeys(View(view.signs, *used) for view in views))

    def _given(self, readings: Sequence[LaneReading | None]) -> LaneReading | None:
        """Return the reading of the operand that a constant is added to or subtracted from; None if there is none."""
        if self._operation.family not in ("add", "sub") or list(readings).count(None) != 1:
            return None
        ((lanes, reading),) = (
            pair for pair in zip(self._operation.sources, readings, strict=True) if pair[1] is not None
        )
        if reading is LaneReading.EITHER and self._analysis.tag(self._tags, lanes).reading is LaneReading.MEMORY:
            signed = self._analysis.defaults.read.get(lanes.bits)
            return reading if signed is None else LaneReading.SIGNED if signed else LaneReading.UNSIGNED
        return reading

    def _conversions(self, readings: Sequence[LaneReading | None], given: LaneReading) -> Iterator[View]:
        """Yield the views in which a constant turns one kind of number into the other, as 128 makes uint8 of int8."""
        fits = self._fits()
        is_sum, is_first = self._operation.family == "add", readings[0] is None
        for signed in (True, False):
            kinds = (LaneReading.SIGNED if signed else LaneReading.UNSIGNED, LaneReading.EITHER)
            if fits == (not signed, signed) and given in kinds:
                constant = not signed if is_sum else signed and not is_first
                yield View(tuple(constant if reading is None else signed for reading in readings), *fits)

    def _view(self, readings: list[LaneReading | None]) -> View:
        signs = tuple(reading is LaneReading.SIGNED for reading in readings)
        family = self._operation.family
        if family in _NARROWS or family == "abs":
            return View(signs, *self._fits())
        if all(signs):
            return View(signs, True, False)
        if not any(signs):
            if family in DIFFERENCES:
                return View(signs, *self._fits())
            return View(signs, False, True)
        if self._is_open[0] and not any(self._is_open[1:]):
            return View(signs, signs[0], not signs[0])  # the added operand does not change how the sum is read
        return View(signs, True, True)

    def _fits(self) -> tuple[bool, bool]:
        """Return whether the result may fit as signed, and whether as unsigned, by its later uses."""
        bits = self._operation.destination.bits
        letters = {letter for letter, width in self._uses if width == bits}
        if letters & {"s", "u"}:
            return "s" in letters, "u" in letters
        signed = self._analysis.defaults.written.get(bits)
        if (STORE, 0) in self._uses and signed is not None:
            return signed, not signed
        return True, True

    def _is_only_stored(self) -> bool:
        """Tell whether the result is only stored, and no instruction reads it."""
        return self._uses == {(STORE, 0)}

    def _is_only_shifted_back(self) -> bool:
        return {kind for kind, bits in self._uses if bits == 0} == {SHIFT}

    def _is_raw(self) -> bool:
        """Tell whether the first source is made of masks, or loaded with a width that no buffer of the contract has."""
        lanes = self._operation.sources[0]
        tag = self._analysis.tag(self._tags, lanes)
        if tag.reading is LaneReading.MEMORY:
            return lanes.bits not in self._analysis.defaults.widths
        return tag.reading is LaneReading.BITS

"""Find sums and products of signed data in general registers, whose results must not wrap.

An addition in a general register may form an address, a counter, a hash or a sum; only a sum must give its true result.
A data flow over the program's graph separates them by the origin of values:

- pointers of the contract, the stack and addresses in the code lead to addresses;
- integer arguments and constants are numbers;
- signed loads, `smov`, `sxtb`, and loads of whole elements of buffers of int32 give signed data;
- an element of an unsigned buffer, narrower than the register, is unsigned data;
- parts of values (`and`, `eor`, `lsr`, ...), flags, and values from the stack, from calls or through undeclared
  pointers are not judged, nor are results of them.

A 32-bit `add`, `sub`, `mul`, `madd`, `msub` (A32: `add`, `sub`, `rsb`, `mul`, `mla`, `mls`, `smulbb`, `smlabb` and
their relatives) of numbers and data, with signed data among them, is judged: its result must fit int32.  If all
integers of 32 bits and more that leave the kernel are unsigned, sums are modular, as in C, and none is judged.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable

import numpy as np

from neonlab.contract.header import Argument, Contract
from neonlab.isa.lanes import LaneOperation, Lanes
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import Isa, Register
from neonlab.isa.model.lane_operation import general_start
from neonlab.verify.lanes.signs import LaneReading, SignAnalysis, Tags
from neonlab.verify.lanes.views import Checked, View


class Kind(enum.IntEnum):
    """The kind of contents of a general register."""

    NUMBER = 0  # an integer argument, a constant, or a result of them
    UNSIGNED = 1  # elements narrower than the register, and sums of them
    SIGNED = 2
    ADDRESS = 3
    UNKNOWN = 4


# A kind, and for an address the argument whose buffer it points into, or "" if that is unknown.
_Value = tuple[Kind, str]
_NUMBER, _SIGNED, _UNSIGNED = (Kind.NUMBER, ""), (Kind.SIGNED, ""), (Kind.UNSIGNED, "")
_ADDRESS, _UNKNOWN = (Kind.ADDRESS, ""), (Kind.UNKNOWN, "")
_State = tuple[_Value, ...]

_A32_NAMES = {f"r{i}": i for i in range(13)} | {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "lr": 14}
_FAMILIES = {
    Isa.A64: {"add": "add", "sub": "sub", "mul": "mul", "madd": "mla", "msub": "mls"},
    Isa.A32: {"add": "add", "sub": "sub", "rsb": "sub", "mul": "mul", "mla": "mla", "mls": "mls"},
}
_HALVES = re.compile(r"^sm(ul|la)([bt])([bt])$")
_JUDGED = {Kind.NUMBER, Kind.SIGNED, Kind.UNSIGNED}
_ARITHMETIC = re.compile(
    r"^(add|sub|rsb|rsc|adc|sbc|neg|ngc|mul|mla|mls|madd|msub|mneg|sm[mu]l|sml|smadd|smsub|smnegl|um|lsl|lsls)"
)
_KEEPS_KIND = re.compile(
    r"^(mov|asr|sbfx|ssat|usat|neg|mneg|lsl|sdiv|add|sub|rsb|mul|mla|mls|madd|msub|sm|csel|csneg|qadd|qsub)"
)
_EXTENDS = re.compile(r"^sxt[bhw]$")
_SIGNED_LOAD = re.compile(r"^ldu?rs[bhw]$|^ldrs[bh]$")


def is_arithmetic(instruction: Instruction) -> bool:
    """Tell whether the instruction adds, subtracts, multiplies or shifts left in general registers."""
    return bool(_ARITHMETIC.match(instruction.mnemonic)) and all(r.file != "vector" for r in instruction.writes)


def scalar_operation(instruction: Instruction) -> LaneOperation | None:
    """Return the operation on whole 32-bit registers, or on their signed halves, as lanes; None for all others."""
    isa, mnemonic = instruction.isa, instruction.mnemonic
    if instruction.condition or instruction.accesses:
        return None
    found = [_index(isa, part.strip()) for part in instruction.operands.split(",")]
    if any(index is None for index in found):
        return None
    target, *indices = (index for index in found if index is not None)
    indices = indices if len(indices) > 1 else [target, *indices]

    def lanes(index: int) -> Lanes:
        return Lanes(general_start(isa, index), 1, 32)

    destination = lanes(target)
    clear_end = destination.start + isa.pointer_bytes
    if halves := _HALVES.match(mnemonic):
        factors = [
            Lanes(general_start(isa, index) + 2 * (half == "t"), 1, 16, signed=True)
            for index, half in zip(indices, halves.groups()[1:], strict=False)
        ]
        total = (lanes(indices[2]),) if halves[1] == "la" else ()
        return LaneOperation("mla" if total else "mul", destination, (*total, *factors), clear_end=clear_end)
    family = _FAMILIES[isa].get(mnemonic)
    if family is None:
        return None
    if family in ("mla", "mls"):
        indices = [indices[2], *indices[:2]]
    elif mnemonic == "rsb":
        indices.reverse()
    return LaneOperation(family, destination, tuple(map(lanes, indices)), clear_end=clear_end)


def _index(isa: Isa, text: str) -> int | None:
    if isa is Isa.A32:
        return _A32_NAMES.get(text)
    found = re.fullmatch(r"w(\d+)", text)
    return int(found[1]) if found else None


def scalar_sums(analysis: SignAnalysis, contract: Contract) -> tuple[Checked, ...]:
    """Return every reachable sum or product of signed data in general registers, in program order."""
    if _is_modular(contract):
        return ()
    flow = _Flow(analysis, contract)
    found = []
    for number, instruction in enumerate(analysis.instructions):
        operation, state = scalar_operation(instruction), flow.before[number]
        if operation is None or state is None:
            continue
        kinds = [state[_register(instruction.isa, lanes)][0] for lanes in operation.sources]
        if Kind.SIGNED in kinds and all(kind in _JUDGED for kind in kinds):
            # Numbers and elements narrower than the register have the same value, signed or unsigned.
            found.append(Checked(instruction, operation, (View((True,) * len(kinds), True, False),)))
    return tuple(found)


def _register(isa: Isa, lanes: Lanes) -> int:
    return (lanes.start - general_start(isa, 0)) // 8


def _is_modular(contract: Contract) -> bool:
    """Tell whether all integers of 32 bits and more that leave the kernel are unsigned."""
    written = [a.dtype for a in contract.by_name.values() if a.write is not None and not a.fields and a.rows is None]
    wide = {dtype.kind for dtype in written if dtype.kind in "iu" and dtype.itemsize >= 4}
    returned = contract.signature.returns
    if returned is not None and returned.kind == "integer" and returned.size >= 4:
        wide.add("i" if returned.signed else "u")
    return wide == {"u"}


class _Flow:
    """The contents of each general register before each instruction; None for an unreached instruction."""

    def __init__(self, analysis: SignAnalysis, contract: Contract) -> None:
        self._analysis = analysis
        self._isa: Isa = analysis.instructions[0].isa if analysis.instructions else Isa.A64
        self._arguments = dict(contract.by_name)
        self.before: list[_State | None] = [None] * len(analysis.instructions)
        self._run(self._at_entry(contract))

    def _at_entry(self, contract: Contract) -> _State:
        state = [_UNKNOWN] * 32
        state[13 if self._isa is Isa.A32 else 31] = _ADDRESS
        for argument in contract.arguments:
            found = re.fullmatch(r"[rxw](\d+)", str(argument.location))
            if found:
                state[int(found[1])] = self._given(argument)
        return tuple(state)

    @staticmethod
    def _given(argument: Argument) -> _Value:
        return (Kind.ADDRESS, argument.name) if argument.is_pointer else _NUMBER

    def _run(self, entry: _State) -> None:
        waiting = []
        for number in self._analysis.entry:
            self.before[number] = entry
            waiting.append(number)
        while waiting:
            number = waiting.pop()
            state = self.before[number]
            assert state is not None
            after = self._after(number, state)
            for successor in self._analysis.successors[number]:
                known = self.before[successor]
                joined = after if known is None else tuple(map(_join, known, after))
                if joined != known:
                    self.before[successor] = joined
                    waiting.append(successor)

    def _after(self, number: int, state: _State) -> _State:
        instruction = self._analysis.instructions[number]
        if instruction.branch is BranchKind.CALL:
            return (_UNKNOWN,) * len(state)
        changed = list(state)
        base = instruction.writeback.base if instruction.writeback is not None else None
        value = self._value(instruction, state, self._analysis.before[number])
        for register in instruction.writes:
            if register.file == "general" and register != base and register.index < len(changed):
                held = changed[register.index]
                changed[register.index] = _join(held, value) if instruction.condition else value
        return tuple(changed)

    def _value(self, instruction: Instruction, state: _State, tags: Tags | None) -> _Value:
        """Return the value that the instruction writes."""
        if any(access.kind is AccessKind.LOAD for access in instruction.accesses):
            return self._loaded(instruction, state)
        vectors = [r for r in instruction.reads if r.file == "vector"]
        if vectors:
            return self._from_vector(instruction, vectors, tags)
        operands = [state[r.index] for r in instruction.reads if r.file == "general" and r.index < len(state)]
        if _EXTENDS.match(instruction.mnemonic):
            return _NUMBER if all(kind is Kind.NUMBER for kind, _ in operands) else _SIGNED
        if not operands:
            return _ADDRESS if instruction.mnemonic.startswith("adr") else _NUMBER
        if all(kind is Kind.NUMBER for kind, _ in operands):
            return _NUMBER
        halves = sum(register.file == "general" for register in instruction.writes) > 1  # of 64 bits, in A32
        if halves or not _KEEPS_KIND.match(instruction.mnemonic):
            return _UNKNOWN
        addresses = [value for value in operands if value[0] is Kind.ADDRESS]
        if addresses:
            return addresses[0] if len(addresses) == 1 else _NUMBER
        for kind in (Kind.UNKNOWN, Kind.SIGNED, Kind.UNSIGNED):
            if any(value[0] is kind for value in operands):
                return (kind, "")
        return _NUMBER

    def _loaded(self, instruction: Instruction, state: _State) -> _Value:
        (access, *others) = instruction.accesses
        kind, name = state[access.base.index] if access.base is not None else _UNKNOWN
        argument = self._arguments.get(name) if kind is Kind.ADDRESS else None
        if argument is None or others:
            return _SIGNED if _SIGNED_LOAD.match(instruction.mnemonic) and argument is not None else _UNKNOWN
        if argument.fields:
            inside = next((f.argument for f in argument.fields if f.offset == access.displacement), None)
            return self._given(inside) if inside is not None and access.index is None else _UNKNOWN
        if argument.rows is not None:
            return (Kind.ADDRESS, argument.rows.to.name)
        if _SIGNED_LOAD.match(instruction.mnemonic):
            return _SIGNED
        written = sum(register.file == "general" for register in instruction.writes)
        written -= instruction.writeback is not None
        dtype = argument.dtype
        if dtype.kind not in "iu" or access.count != dtype.itemsize * written:
            return _UNKNOWN
        if dtype == np.int32:
            return _SIGNED
        return _UNSIGNED if dtype.kind == "u" and dtype.itemsize < 4 else _UNKNOWN

    def _from_vector(self, instruction: Instruction, vectors: Iterable[Register], tags: Tags | None) -> _Value:
        """Return the value of a lane moved to a general register: signed if the instruction or its origin says so."""
        if instruction.mnemonic.startswith(("smov", "vmov.s")):
            return _SIGNED
        readings = {tags[register.index] for register in vectors} if tags is not None else set()
        is_whole = instruction.mnemonic in ("umov", "mov", "fmov", "vmov", "vmov.32")
        if is_whole and all(tag.reading is LaneReading.SIGNED and tag.bits == 32 for tag in readings) and readings:
            return _SIGNED
        return _UNKNOWN


def _join(first: _Value, second: _Value) -> _Value:
    """Return what holds on both of two paths to the same place."""
    if first == second:
        return first
    if Kind.ADDRESS in (first[0], second[0]):
        return _ADDRESS if first[0] is second[0] else _UNKNOWN
    return max(first, second)

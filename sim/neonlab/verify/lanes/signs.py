"""Decide whether a lane is signed or unsigned where the instruction does not say: `add`, `mul`, `shl`, `xtn`.

The bits are the same either way, but the loss is not: 100 + 100 does not fit int8, and fits uint8.  Operands are read
by the first of these rules that applies:

1.  An operand that the instruction itself reads as signed or unsigned is that (`smlal`, `uaddw`'s narrow operand).
2.  Its origin decides: results of smull, sxtl, sdot, saddlp, sqxtn and so on are signed, those of umull, uxtl, sqxtun
   are unsigned; a difference of unsigned lanes may be either.  Permutes and selections pass the reading on.  Constants
   (movi) and values from general registers follow the other operand, unless the constant converts one kind of number
   into the other, as adding 128 makes uint8 of int8, and the result is used as such.  A sum of unsigned lanes that
   starts with a possibly negative constant may be either.  If a signed operand meets an unsigned one, each is read as
   it is, and the result is signed.  The -1 of a comparison is signed; subtracted from a count, which is unsigned, it
   adds one.
3.  A value straight from memory has the sign of the contract's integer buffers of that width, if they agree; if there
   is none of that width, that of all its integer buffers.
4.  Either reading is possible: then a lane has wrapped only if the result fits under neither.

The range of a result is decided by its uses, where typed instructions (sxtl, uadalp, sqrdmulh, umull, cmhi) read it
directly or after further sums.  If all read it as signed, it must be a signed number; if all as unsigned, an unsigned
one.  Sums and shifts read their operands as neither.  Without such uses the result follows the operands.  For an
instruction that narrows (xtn, shrn, addhn) or changes the range (abs, a difference of unsigned lanes), right shifts
count as uses too, and so do the elements of a buffer that the contract says is written; without any of these either
reading will do.

Splitting of bits is no arithmetic.  So a left shift whose result is only shifted right is not checked, nor are shifts
and narrowings of data straight from memory of a width that the contract does not have.

The analysis is a data flow over the program's graph, on whole registers, done once; nothing of it runs while a guest
runs.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.isa.lanes import LaneOperation, Lanes, lane_operation
from neonlab.isa.model.instruction import BranchKind
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_bits import BITS
from neonlab.isa.model.lane_operation import VECTOR_BYTES, general_start


class LaneReading(enum.IntEnum):
    """The knowledge about the numbers in a register; joining two gives the larger, or EITHER."""

    CONSTANT = 0  # signed or unsigned as its user reads it
    MEMORY = 1  # signed or unsigned as the contract says
    SIGNED = 2
    UNSIGNED = 3
    MASK = 4  # 0 or -1, from a comparison
    BITS = 5  # masks and parts of numbers; not a number
    EITHER = 6


@dataclass(frozen=True, slots=True)
class Tag:
    """A reading of lanes of `bits`; 0 if the width does not matter.

    `negative` marks a constant that may be negative.
    """

    reading: LaneReading
    bits: int = 0
    negative: bool = False


_CONSTANT, _NUMBER = Tag(LaneReading.CONSTANT), Tag(LaneReading.CONSTANT, negative=True)
_MEMORY = Tag(LaneReading.MEMORY)
_BITS = Tag(LaneReading.BITS)
_EITHER = Tag(LaneReading.EITHER)
_MASKS = {"cmeq", "cmgt", "cmge", "cmlt", "cmle", "cmtst"}
_LOGIC = {"and", "orr", "eor", "bic", "orn", "not", "orr_constant", "bic_constant", "sli", "sri", "pmul", "rbit"}
_COUNTS = {"cnt", "clz", "cls"}
_PASS = {"mov", "ext", "rev", "zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2", "vzip", "vuzp", "vtrn", "vswp",
         "tbl", "tbx", "bsl", "bit", "bif", "pair_in", "pair_out"}  # fmt: skip
DIFFERENCES = {"sub", "mls", "neg", "subhn"}
_SUMS = {"add", "mla", "adalp", "aba"}


def join(first: Tag, second: Tag) -> Tag:
    """Return what holds on both of two paths to the same place."""
    if first is second or first == second:  # nearly always they are one object
        return first
    if second.reading is LaneReading.CONSTANT:
        return second if first.reading is LaneReading.CONSTANT and second.negative else first
    if first.reading is LaneReading.CONSTANT:
        return second
    low, high = sorted((first, second), key=lambda tag: tag.reading)
    if low.reading is LaneReading.MEMORY:
        return high
    return _EITHER


@dataclass
class Defaults:
    """The signs of a contract's integers by their width: True signed, False unsigned, absent if buffers disagree."""

    memory: dict[int, bool] = field(default_factory=dict)
    read: dict[int, bool] = field(default_factory=dict)
    written: dict[int, bool] = field(default_factory=dict)
    any_width: bool | None = None
    widths: frozenset[int] = frozenset()

    @staticmethod
    def of(contract: Contract) -> Defaults:
        """Collect the dtypes of a contract's buffers and of the fields of its structs."""
        plain = [a for a in contract.by_name.values() if not a.fields and a.rows is None]
        pointers = [a for a in plain if (a.is_pointer or "." in a.name) and a.dtype.kind in "iu"]

        def agreed(arguments: Iterable[tuple[int, bool]]) -> dict[int, bool]:
            seen: dict[int, set[bool]] = defaultdict(set)
            for bits, signed in arguments:
                seen[bits].add(signed)
            return {bits: next(iter(signs)) for bits, signs in seen.items() if len(signs) == 1}

        all_of = [(8 * a.dtype.itemsize, a.dtype.kind == "i") for a in pointers]
        inputs = [(8 * a.dtype.itemsize, a.dtype.kind == "i") for a in pointers if a.read is not None]
        outputs = [(8 * a.dtype.itemsize, a.dtype.kind == "i") for a in pointers if a.write is not None]
        signs = {signed for _, signed in all_of}
        return Defaults(
            agreed(all_of),
            agreed(inputs),
            agreed(outputs),
            next(iter(signs)) if len(signs) == 1 else None,
            frozenset(bits for bits, _ in all_of),
        )


def _registers(isa: Isa, lanes: Lanes) -> range:
    """Return the vector registers, in the lab's numbering, that hold the lanes; empty for general registers."""
    if lanes.start >= general_start(isa, 0):
        return range(0)
    size = VECTOR_BYTES[isa]
    return range(lanes.start // size, (lanes.end - 1) // size + 1)


Tags = tuple[Tag, ...]
USE, SHIFT, STORE = "use", "right shift", "store"
#: Uses of a register: ("s" or "u", bits) for an instruction that reads it as signed or unsigned; ("S" or "U", bits) in
#: addition where that shows what the number is, unlike in shifts and comparisons; (USE, 0), (SHIFT, 0) or (STORE, 0).
Demand = frozenset[tuple[str, int]]
#: Families whose first source is a total that the instruction adds to, whatever the signs of the other sources.
_TOTALS = {"mla", "mls", "adalp", "sra", "dot", "mmla", "aba"}


def adds_to_total(operation: LaneOperation) -> bool:
    """Tell whether the first source is as wide as the result, and what is added to it has a sign of its own."""
    if operation.family in _TOTALS:
        return True
    first, *others = operation.sources
    bits = operation.destination.bits
    return operation.family in ("add", "sub") and first.bits == bits and all(lanes.bits < bits for lanes in others)


class SignAnalysis:
    """Readings of every vector register before every instruction, and its uses afterwards.

    `operations` are the instructions' lane operations, in program order.  `before` has the tag of each register where
    the instruction is reachable, `after` the later uses of each register.
    """

    def __init__(self, program: Program, contract: Contract) -> None:
        self._isa = program.isa
        self.instructions = program.instructions
        self._index = {i.address: number for number, i in enumerate(program.instructions)}
        self.operations = [lane_operation(i) for i in program.instructions]
        self.defaults = Defaults.of(contract)
        labels = [self._index[at] for at in program.addresses.values() if at in self._index]
        self.successors = [self._next(number, labels) for number in range(len(program.instructions))]
        self.entry = labels or [0]
        self.before = self._forward()
        self.after = self._backward()

    def _next(self, number: int, labels: list[int]) -> tuple[int, ...]:
        instruction = self.instructions[number]
        following = self._index.get(instruction.address + instruction.size)
        target = self._index.get(instruction.target) if instruction.target is not None else None
        found: list[int | None] = []
        match instruction.branch:
            case BranchKind.NONE:
                found = [following]
            case BranchKind.JUMP:
                found = [target]
            case BranchKind.CONDITIONAL | BranchKind.CALL:
                found = [following, target]
            case BranchKind.INDIRECT:
                found = list(labels)
            case BranchKind.RETURN:
                found = [following] if instruction.condition else []
        return tuple(number for number in found if number is not None)

    def _forward(self) -> list[Tags | None]:
        before: list[Tags | None] = [None] * len(self.instructions)
        waiting = []
        for number in self.entry:
            before[number] = (_MEMORY,) * 32
            waiting.append(number)
        while waiting:
            number = waiting.pop()
            tags = before[number]
            if tags is None:
                continue
            after = self._transfer(number, tags)
            for successor in self.successors[number]:
                known = before[successor]
                if known == after:
                    continue
                joined = after if known is None else tuple(map(join, known, after))
                if joined != known:
                    before[successor] = joined
                    waiting.append(successor)
        return before

    def tag(self, tags: Tags, lanes: Lanes) -> Tag:
        """Return the tag of an operand by its origin."""
        if lanes.start >= general_start(self._isa, 0):
            is_zero = self._isa is Isa.A64 and lanes.start == general_start(self._isa, 31)
            return _CONSTANT if is_zero else _NUMBER
        found = _CONSTANT
        for register in _registers(self._isa, lanes):
            found = join(found, tags[register])
        return found

    def _transfer(self, number: int, tags: Tags) -> Tags:
        instruction, operation = self.instructions[number], self.operations[number]
        changed = list(tags)
        if operation is None:
            tag = _MEMORY if instruction.accesses else _BITS
            for written in instruction.writes:
                if written.file == "vector":
                    kept = written in instruction.reads and instruction.accesses
                    changed[written.index] = join(tags[written.index], tag) if kept else tag
            return tuple(changed)
        result = self._result(operation, tags)
        for lanes in (operation.destination, operation.second):
            if lanes is not None:
                for register in _registers(self._isa, lanes):
                    changed[register] = result if self._is_whole(operation, lanes) else join(tags[register], result)
        return tuple(changed)

    def _result(self, operation: LaneOperation, tags: Tags) -> Tag:
        family, destination = operation.family, operation.destination
        if family == "constant":
            return _NUMBER if operation.immediate >> destination.bits - 1 else _CONSTANT
        if family in _MASKS:
            return Tag(LaneReading.MASK, destination.bits)
        if family in _COUNTS:
            return _CONSTANT
        sources = [self.tag(tags, lanes) for lanes in operation.sources]
        if family in _PASS:
            values = sources[1:] if family == "bsl" else sources[:2] if family in ("bit", "bif") else sources
            values = sources[:-1] if family in ("tbl", "tbx") else values
            found = _CONSTANT
            for tag in values:
                found = join(found, tag)
            return found
        if family in _LOGIC:
            same = len(operation.sources) == 2 and operation.sources[0] == operation.sources[1]
            return sources[0] if same and family in ("and", "orr") else _BITS
        if destination.signed is not None and family not in ("abd",):
            return Tag(LaneReading.SIGNED if destination.signed else LaneReading.UNSIGNED, destination.bits)
        if family == "abd":
            # |a - b| of signed lanes may be used as signed or unsigned
            signed = operation.sources[0].signed
            return Tag(LaneReading.EITHER if signed else LaneReading.UNSIGNED, destination.bits)
        readings = {reading for reading in self.operand_readings(operation, tags) if reading is not None}
        if self.takes_mask_away(operation, tags):
            first = self._resolve(sources[0], destination.bits)
            return Tag(LaneReading.UNSIGNED if first is None else first, destination.bits)
        if LaneReading.SIGNED in readings:
            return Tag(LaneReading.SIGNED, destination.bits)
        if readings == {LaneReading.UNSIGNED}:
            may_be_negative = family in DIFFERENCES or (family in _SUMS and any(tag.negative for tag in sources))
            return Tag(LaneReading.EITHER if may_be_negative else LaneReading.UNSIGNED, destination.bits)
        if not readings:
            return _NUMBER
        return Tag(LaneReading.EITHER, destination.bits)

    def _resolve(self, tag: Tag, bits: int) -> LaneReading | None:
        """Return SIGNED, UNSIGNED or EITHER; None for a constant, which follows the other operands."""
        if tag.reading is LaneReading.CONSTANT:
            return None
        if tag.reading is LaneReading.MEMORY:
            return self.of_memory(bits)
        if tag.bits != bits:
            return LaneReading.EITHER
        if tag.reading is LaneReading.MASK:
            return LaneReading.SIGNED
        return tag.reading if tag.reading in (LaneReading.SIGNED, LaneReading.UNSIGNED) else LaneReading.EITHER

    def of_memory(self, bits: int) -> LaneReading:
        """Return the reading of lanes of `bits` loaded straight from memory."""
        exact = bits in self.defaults.widths
        signed = self.defaults.memory.get(bits) if exact else self.defaults.any_width
        return LaneReading.EITHER if signed is None else LaneReading.SIGNED if signed else LaneReading.UNSIGNED

    def operand_readings(self, operation: LaneOperation, tags: Tags) -> list[LaneReading | None]:
        """Return the reading of each source: as the instruction says, else by its origin."""
        found: list[LaneReading | None] = []
        for lanes in operation.sources:
            if lanes.signed is not None:
                found.append(LaneReading.SIGNED if lanes.signed else LaneReading.UNSIGNED)
            else:
                found.append(self._resolve(self.tag(tags, lanes), lanes.bits))
        return found

    def takes_mask_away(self, operation: LaneOperation, tags: Tags) -> bool:
        """Tell whether the operation counts: it subtracts the 0 or -1 of a comparison from a number."""
        if operation.family != "sub":
            return False
        first, second = (self.tag(tags, lanes).reading for lanes in operation.sources)
        return second is LaneReading.MASK and first is not LaneReading.MASK

    def reading_of_total(self, operation: LaneOperation, tags: Tags) -> LaneReading | None:
        """Return the reading of the first source by its origin, whatever the instruction says."""
        total = operation.sources[0]
        return self._resolve(self.tag(tags, total), total.bits)

    def _backward(self) -> list[list[Demand]]:
        """Return the later uses of each register after each instruction."""
        nothing: Demand = frozenset()
        count = len(self.instructions)
        after = [[nothing] * 32 for _ in range(count)]
        predecessors: list[list[int]] = [[] for _ in range(count)]
        for number, successors in enumerate(self.successors):
            for successor in successors:
                predecessors[successor].append(number)
        waiting = list(range(count))
        while waiting:
            number = waiting.pop()
            demanded = self._demanded(number, after[number])
            for predecessor in predecessors[number]:
                known = after[predecessor]
                # Most uses are known already or there are none; to compare them costs less than to join them.
                joined = [old if new <= old else old | new for old, new in zip(known, demanded, strict=True)]
                if joined != known:
                    after[predecessor] = joined
                    waiting.append(predecessor)
        return after

    def _demanded(self, number: int, after: list[Demand]) -> list[Demand]:
        instruction, operation = self.instructions[number], self.operations[number]
        before = list(after)
        read = {r.index for r in instruction.reads if r.file == "vector"}
        if operation is None:
            written = {r.index for r in instruction.writes if r.file == "vector"}
            for register in written - read:
                before[register] = frozenset()
            what = (STORE, 0) if instruction.accesses else (USE, 0)
            for register in read - written:
                before[register] = before[register] | {what}
            return before
        passed: Demand = frozenset()
        for lanes in (operation.destination, operation.second):
            if lanes is not None:
                for register in _registers(self._isa, lanes):
                    passed |= after[register]
                    if self._is_whole(operation, lanes):
                        before[register] = frozenset()
        for source, lanes in enumerate(operation.sources):
            wanted = self._wanted(operation, lanes, passed, is_total=source == 0 and adds_to_total(operation))
            for register in _registers(self._isa, lanes):
                before[register] = before[register] | wanted
        return before

    def _is_whole(self, operation: LaneOperation, lanes: Lanes) -> bool:
        """Tell whether a destination overwrites its registers completely."""
        return max(lanes.end, operation.clear_end) - lanes.start >= VECTOR_BYTES[self._isa]

    @staticmethod
    def _wanted(operation: LaneOperation, lanes: Lanes, passed: Demand, *, is_total: bool) -> Demand:
        family = operation.family
        if family in _PASS:
            return passed
        if family in BITS or (family in _MASKS and lanes.signed is None) or family == "pmul":
            return frozenset({(USE, 0)})
        kind = SHIFT if family in ("shr", "sra") else USE
        if lanes.signed is not None and not is_total:
            letter = "s" if lanes.signed else "u"
            tells_kind = operation.saturates or family not in (*_MASKS, "shr", "sra", "shift")
            typed = {(letter, lanes.bits)} if not tells_kind else {(letter, lanes.bits), (letter.upper(), lanes.bits)}
            return frozenset({*typed, (kind, 0)})
        if lanes.bits == operation.destination.bits and family not in ("abs",):
            return frozenset({(kind, 0)}) | {(letter, bits) for letter, bits in passed if bits == lanes.bits}
        return frozenset({(kind, 0)})

    def uses(self, number: int, lanes: Lanes) -> Demand:
        """Return the later uses of the registers of `lanes` after instruction `number`."""
        found: Demand = frozenset()
        for register in _registers(self._isa, lanes):
            found |= self.after[number][register]
        return found

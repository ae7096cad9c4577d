"""Plan how each instruction of a program acts on expressions, once, so that compiled code can replay a trace.

A place is a byte: of the register file as `neonlab.isa.model.lane_operation` lays it out, or of an access of the
instruction.  Compiled code knows the kinds below.

Data that only move are copied byte by byte.  Lane arithmetic and the arithmetic of general registers that is listed in
`neonlab.prove.kernel.scalar` make expressions.  Everything else may run only on what does not depend on the inputs, the
flags and the status register included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.hooks.callee_registers import RETURNS, changed_registers, kept_bytes
from neonlab.emulate.operands import ALWAYS, CONDITIONS, EXTENDS
from neonlab.isa.dependence import dependence_of
from neonlab.isa.lanes import LaneOperation, Lanes, lane_operation
from neonlab.isa.model.dependence import MEMORY, VECTOR, access_of, places_of
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, MemoryAccess
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register, general
from neonlab.isa.model.lane_operation import file_bytes, general_start
from neonlab.prove.kernel import families
from neonlab.prove.kernel.conditions import SIGN_OF_BITS
from neonlab.prove.kernel.floats import FloatOperation, float_operation
from neonlab.prove.kernel.lanes import LANES, MOST_SOURCES
from neonlab.prove.kernel.places import STACK_POINTER, Numbers
from neonlab.prove.kernel.rows import copies
from neonlab.prove.kernel.scalar import Extension, extension, scalar_operations

#: What an instruction does: nothing to data; arithmetic on lanes, or on their bits; copies; a narrow load or an
#: extension; anything else; arithmetic on floats; steps on general registers.
NOTHING, ARITHMETIC, BITS, COPIES, EXTENDS_ONE, OTHER, FLOATS, STEPS = range(8)
#: What becomes of flags: they stay; all are written; N and Z, and perhaps others; some that are not known.
KEPT, WRITTEN, SIGN_WRITTEN, SOME_WRITTEN = range(4)
#: What reads flags: nothing; a rule that knows them as expressions; anything else.
UNREAD, BY_RULE, BY_OTHERS = range(3)
#: Bits of `status`: the instruction writes the status register; it moves it to a register or to the flags.
STATUS_WRITTEN, STATUS_MOVED = 1, 2

#: One instruction.  Ranges `..._from` to `..._to` are rows of the tables of `Plans`.
PLAN = np.dtype(
    [
        ("kind", np.int32),
        ("condition", np.int32),
        ("branches_if", np.int32),
        ("lanes", np.int32),
        ("lanes_to", np.int32),
        ("copies_from", np.int32),
        ("copies_to", np.int32),
        ("accesses_from", np.int32),
        ("accesses_to", np.int32),
        ("addresses_from", np.int32),
        ("addresses_to", np.int32),
        ("reads_from", np.int32),
        ("reads_to", np.int32),
        ("clears_from", np.int32),
        ("clears_to", np.int32),
        ("writes_from", np.int32),
        ("writes_to", np.int32),
        ("flags_written", np.int32),
        ("flags_become", np.int32),
        ("flags_read", np.int32),
        ("status", np.int32),
    ]
)
#: One access: base and index as offsets in the register file, -1 for none.
ACCESS = np.dtype(
    [
        ("base", np.int32),
        ("index", np.int32),
        ("extend", np.int32),
        ("subtracts", np.int32),
        ("shift", np.int64),
        ("displacement", np.int64),
        ("count", np.int32),
        ("stores", np.int32),
    ]
)
#: Places from here on are bytes of accesses, ROOM for each.
ACCESS_PLACES, ROOM = 1 << 20, 1 << 12


@dataclass
class Plans:
    """The plans of a program's instructions: `plan` by number, and the rows that they refer to.

    Behind those of the instructions are those of returns from functions that the lab supplies, by the mask of results.
    """

    plan: npt.NDArray[Any]
    lanes: npt.NDArray[Any]
    sources: npt.NDArray[np.int32]  # (lanes, MOST_SOURCES, 5)
    copies: npt.NDArray[np.int32]  # (n, 2): place written, place read
    accesses: npt.NDArray[Any]
    addresses: npt.NDArray[np.int32]  # (n,) first byte of a register that an address or a target is in
    reads: npt.NDArray[np.int32]  # (n, 2): first place and number of bytes
    clears: npt.NDArray[np.int32]  # (n, 2): likewise, of what becomes plain
    writes: npt.NDArray[np.int32]  # (n, 2): first byte and size of each register in the trace, -1 for flags
    numbers: npt.NDArray[np.uint8]  # the numbers of instructions, at the end of what is beside the register file


@dataclass
class _Rows:
    numbers: Numbers
    lanes: list[tuple[int, ...]] = field(default_factory=list)
    sources: list[list[tuple[int, ...]]] = field(default_factory=list)
    copies: list[tuple[int, int]] = field(default_factory=list)
    accesses: list[tuple[int, ...]] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    reads: list[tuple[int, int]] = field(default_factory=list)
    clears: list[tuple[int, int]] = field(default_factory=list)
    writes: list[tuple[int, int]] = field(default_factory=list)


@lru_cache(maxsize=2)  # a kernel and a mutant of it, each at hundreds of shapes
def plans_of(program: Program) -> Plans:
    """Plan all instructions, in the order of `program.instructions`."""
    rows, isa = _Rows(Numbers(program.isa)), program.isa
    count, returns = len(program.instructions), RETURNS if program.served[1] else 0
    plan = np.zeros(count + returns, PLAN)
    for number, instruction in enumerate(program.instructions):
        _plan(plan[number], instruction, rows, isa)
    for results in range(returns):
        _plan_return(plan[count + results], results, rows, isa)

    def table(items: list[Any], *shape: int) -> npt.NDArray[np.int32]:
        return np.array(items, np.int32).reshape(-1, *shape) if items else np.zeros((0, *shape), np.int32)

    padded = [given + [(0,) * 5] * (MOST_SOURCES - len(given)) for given in rows.sources]
    return Plans(
        plan,
        np.array(rows.lanes, LANES),
        table(padded, MOST_SOURCES, 5),
        table(rows.copies, 2),
        np.array(rows.accesses, ACCESS),
        table(rows.addresses).reshape(-1),
        table(rows.reads, 2),
        table(rows.clears, 2),
        table(rows.writes, 2),
        np.frombuffer(rows.numbers.contents(), np.uint8),
    )


def _plan(plan: Any, instruction: Instruction, rows: _Rows, isa: Isa) -> None:
    branches = instruction.branch is not BranchKind.NONE
    plan["condition"] = CONDITIONS.index(instruction.condition) if instruction.condition and not branches else ALWAYS
    plan["branches_if"] = CONDITIONS.index(instruction.condition) if instruction.condition and branches else ALWAYS
    plan["flags_written"] = int(FLAGS in instruction.writes)
    plan["flags_read"] = BY_OTHERS if FLAGS in instruction.reads else UNREAD
    plan["flags_become"] = KEPT
    if FLAGS in instruction.writes:
        plan["flags_become"] = WRITTEN if isa is Isa.A64 else SOME_WRITTEN
    moves_status = STATUS in instruction.reads and instruction.mnemonic.startswith(("mrs", "vmrs"))
    plan["status"] = STATUS_WRITTEN * (STATUS in instruction.writes) + STATUS_MOVED * moves_status
    plan["writes_from"] = len(rows.writes)
    rows.writes += [_trace_row(register, isa) for register in instruction.writes]
    plan["writes_to"] = len(rows.writes)
    plan["addresses_from"] = len(rows.addresses)
    rows.addresses += [_first_byte(register, isa) for register in _control_registers(instruction)]
    plan["addresses_to"] = len(rows.addresses)
    plan["accesses_from"] = len(rows.accesses)
    rows.accesses += [_access(access, isa) for access in instruction.accesses]
    plan["accesses_to"] = len(rows.accesses)
    plan["copies_from"], plan["reads_from"], plan["clears_from"] = len(rows.copies), len(rows.reads), len(rows.clears)
    plan["kind"] = NOTHING if branches else _effect(plan, instruction, rows, isa)
    plan["copies_to"], plan["reads_to"], plan["clears_to"] = len(rows.copies), len(rows.reads), len(rows.clears)


def _plan_return(plan: Any, results: int, rows: _Rows, isa: Isa) -> None:
    """Plan the return from a supplied function: all registers that it may have changed hold what was recorded."""
    plan["kind"], plan["condition"], plan["branches_if"] = OTHER, ALWAYS, ALWAYS
    plan["flags_written"], plan["flags_become"], plan["flags_read"] = 1, WRITTEN, UNREAD
    for name, held in (("writes", rows.writes), ("clears", rows.clears)):
        plan[f"{name}_from"] = len(held)
    for register in changed_registers(isa, results):
        start, size = _trace_row(register, isa)
        rows.writes.append((start, size))
        if size:
            kept = kept_bytes(isa, register)
            rows.clears.append((start + kept, size - kept))
    for name, held in (("writes", rows.writes), ("clears", rows.clears)):
        plan[f"{name}_to"] = len(held)


def _effect(plan: Any, instruction: Instruction, rows: _Rows, isa: Isa) -> int:
    """Add what the instruction does to data, and return its kind."""
    writeback = instruction.writeback
    if writeback is not None:
        rows.clears.append((_first_byte(writeback.base, isa), isa.pointer_bytes))
    found = extension(instruction)
    if found is not None:
        _add_extension(plan, found, rows)
        return EXTENDS_ONE
    if inserted := copies.of_inserted_bytes(instruction):
        rows.copies += inserted
        return COPIES
    steps = scalar_operations(instruction, rows.numbers)
    if len(steps) > 1 or (steps and steps[0].family in families.OF_GENERAL):
        return _add_steps(plan, steps, instruction, rows)
    operation = lane_operation(instruction) or (steps[0] if steps else None)
    if operation is not None and copies.moves_bytes(operation):
        rows.copies += copies.of_byte_shift(operation)
        return COPIES
    if operation is not None and operation.family in families.NAMES and operation.second is None:
        copied = operation.family == "mov" and operation.sources[0].signed is not True
        if not copied and not (operation.family == "orr" and operation.sources[0] == operation.sources[1]):
            plan["lanes"] = len(rows.lanes)
            _add_lanes(operation, rows)
            return BITS if operation.family in families.NAMES[families.AND : families.BIF + 1] else ARITHMETIC
        if copied and operation.destination.bits == operation.sources[0].bits:
            rows.copies += copies.of_move(operation)
            return COPIES
        if copied:
            plan["lanes"] = len(rows.lanes)
            _add_lanes(operation, rows)
            return ARITHMETIC
    if operation is not None and operation.family in copies.PERMUTES:
        rows.copies += copies.of_permutation(operation)
        return COPIES
    floats = float_operation(instruction)
    if floats is not None:
        plan["lanes"] = len(rows.lanes)
        _add_floats(floats, rows)
        return FLOATS
    return _copies_or_other(instruction, rows, isa)


def _add_steps(plan: Any, steps: tuple[LaneOperation, ...], instruction: Instruction, rows: _Rows) -> int:
    """Add the steps of an instruction on general registers, which reads no others before it wrote them."""
    isa = instruction.isa
    plan["lanes"] = len(rows.lanes)
    for step in steps:
        _add_lanes(step, rows, file_bytes(isa))
    plan["lanes_to"] = len(rows.lanes)
    plan["condition"] = ALWAYS  # a step chooses
    if plan["flags_read"]:
        plan["flags_read"] = BY_RULE
    if plan["flags_written"]:
        kinds = {step.immediate & 255 for step in steps if step.family == "compare"}
        plan["flags_become"] = SIGN_WRITTEN if SIGN_OF_BITS in kinds else WRITTEN
    return STEPS


def _copies_or_other(instruction: Instruction, rows: _Rows, isa: Isa) -> int:
    dependence = dependence_of(instruction)
    base = instruction.writeback.base if instruction.writeback is not None else None
    changed = set(places_of(base, isa)) if base is not None else set()
    written = {place: found for place, found in dependence.sources.items() if place not in changed}
    sources = {place: found for place, found in written.items() if not _is_flag(place)}
    if dependence.moves and sources.keys() == written.keys() and _are_copies(sources):
        for place, found in sources.items():
            at = _place(place, isa)
            rows.copies.append((at, _place(next(iter(found)), isa) if found else -1))
        return COPIES
    # Flags and the status register must not depend on the inputs in a way that is not followed.
    for place in sorted({place for found in written.values() for place in found if not _is_flag(place)}):
        rows.reads.append((_place(place, isa), 1))
    rows.clears += [(_place(place, isa), 1) for place in sources]
    return OTHER


def _are_copies(sources: Mapping[int, Collection[int]]) -> bool:
    """Tell whether each byte is a copy of one or a constant: one whose sign fills a general register is twice in it."""
    if any(len(found) > 1 for found in sources.values()):
        return False
    general_registers = [(place // 8, *found) for place, found in sources.items() if place < VECTOR and found]
    return len(general_registers) == len(set(general_registers))


def _is_flag(place: int) -> bool:
    return VECTOR + 512 <= place < MEMORY


def _place(place: int, isa: Isa) -> int:
    """Return a place of `neonlab.isa.model.dependence` as compiled code numbers it."""
    if place >= MEMORY:
        number, byte = access_of(place)
        return ACCESS_PLACES + ROOM * number + byte
    if place >= VECTOR:
        return place - VECTOR
    index, byte = divmod(place, 8)
    return _first_byte(general(index), isa) + byte


def _add_floats(operation: FloatOperation, rows: _Rows) -> None:
    destination = operation.destination
    end = max(operation.clear_end, destination.end)
    rows.lanes.append(
        (
            *(operation.family, destination.start, destination.count, 32, 0, len(operation.sources)),
            *(operation.flushes, 0, end, operation.amount),
        )
    )
    rows.sources.append([(one.start, one.count, one.bits, _sign(one), int(one.same)) for one in operation.sources])
    rows.reads += [(one.start, one.size) for one in operation.sources]


def _add_lanes(operation: LaneOperation, rows: _Rows, end: int = 1 << 30) -> None:
    """Add an operation; what it reads from byte `end` on comes from steps before it."""
    destination = operation.destination
    rows.lanes.append(
        (
            families.number_of(operation.family),
            destination.start,
            destination.count,
            destination.bits,
            _sign(destination),
            len(operation.sources),
            operation.saturates,
            operation.rounds,
            max(operation.clear_end, destination.end),
            _signed_64(operation.immediate),
        )
    )
    rows.sources.append([(one.start, one.count, one.bits, _sign(one), int(one.same)) for one in operation.sources])
    rows.reads += [(one.start, one.size) for one in operation.sources if one.start < end]


def _add_extension(plan: Any, found: Extension, rows: _Rows) -> None:
    """Add a lane that is read with a sign and written wider, as one `mov`."""
    start = ACCESS_PLACES if found.loads else found.source
    plan["lanes"] = len(rows.lanes)
    width = found.width
    rows.lanes.append(
        (families.MOV, found.destination, 1, 8 * width, 2, 1, 0, 0, found.clear_end, 0),
    )
    rows.sources.append([(start, 1, found.bits, int(found.signed), 1)])
    rows.reads.append((start, found.bits // 8))


def _sign(lanes: Lanes) -> int:
    return 2 if lanes.signed is None else int(lanes.signed)


def _signed_64(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def _first_byte(register: Register, isa: Isa) -> int:
    if register.file == "vector":
        return (16 if isa is Isa.A64 else 8) * register.index
    if isa is Isa.A64 and register.index == 31:  # the register file has zeros there
        return file_bytes(isa) + STACK_POINTER
    return general_start(isa, register.index)


def _trace_row(register: Register, isa: Isa) -> tuple[int, int]:
    if register.file not in ("vector", "general"):
        return (-1 if register == FLAGS else -2, 0)
    if register.file == "vector":
        return _first_byte(register, isa), 16 if isa is Isa.A64 else 8
    return _first_byte(register, isa), 8


def _control_registers(instruction: Instruction) -> Iterable[Register]:
    for access in instruction.accesses:
        yield from (one for one in (access.base, access.index) if one is not None)
    if instruction.writeback is not None and instruction.writeback.register is not None:
        yield instruction.writeback.register
    if instruction.branch is not BranchKind.NONE:
        yield from (one for one in instruction.reads if one.file == "general")


def _access(access: MemoryAccess, isa: Isa) -> tuple[int, ...]:
    return (
        _first_byte(access.base, isa) if access.base is not None else -1,
        _first_byte(access.index, isa) if access.index is not None else -1,
        EXTENDS[access.extend.removeprefix("-")],
        int(access.extend.startswith("-")),
        access.shift,
        _signed_64(access.displacement),
        access.count,
        int(access.kind is AccessKind.STORE) if access.kind is not AccessKind.PREFETCH else 2,
    )

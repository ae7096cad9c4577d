"""Compute the cost of code if only one thing limited it: ports, dispatch width, or dependences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import Record, compiled, native_call
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.forms.form import form_of
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
from neonlab.measure.pipeline.state import DATA, FORWARDED, PARTS, REGISTER, REGISTERS, SIMILAR

Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]
#: Places of a cycle for work on vector registers, on cores that issue in order.
VECTOR_PLACES = 2
_SETTLED, _MEASURED = 32, 64
_MULTIPLY = re.compile(
    r"(f?n?m(?:ul|la|ls|add|sub)|[su](?:mull|mlal|mlsl)2?|(?:[su]|us|su)dot|(?:[su]|us)mmla)\.(\d*)([bhsd])"
)
_OF_LANE = {"dot": 4, "mmla": 8}  # multiplications for each 32-bit lane of the result


def port_bound(compiled: CompiledProgram, counts: npt.NDArray[np.int64]) -> float:
    """Return the cycles that the ports need for instructions executed `counts` times each, with any spread over ports.

    This is the most work that only a given set of ports can do, divided by their number (Hall's theorem, for work that
    can be split).
    """
    work: dict[int, float] = {}
    for number, times in enumerate(counts):
        part = int(compiled.code["use_part"][number]) / PARTS  # of the first
        for ports, cycles in compiled.uses_of(number).tolist():
            work[ports] = work.get(ports, 0) + (cycles + part) * int(times)
            part = 0.0
    unions = {0}
    for ports in work:
        unions |= {ports | other for other in unions}
    return max(
        (
            sum(cycles for ports, cycles in work.items() if ports & ~union == 0) / union.bit_count()
            for union in unions
            if union
        ),
        default=0.0,
    )


def dispatch_bound(compiled: CompiledProgram, counts: npt.NDArray[np.int64], core: PipelineCore) -> float:
    """Cycles that dispatch needs, and retirement."""
    slots = int((compiled.code["slots"] * counts).sum())
    return slots / min(core.width, core.retire or core.width)


def issue_bound(compiled: CompiledProgram, counts: npt.NDArray[np.int64], core: PipelineCore) -> float:
    """Return the cycles that an in-order core needs to issue instructions executed `counts` times each, in any order.

    A cycle has `core.width` slots, and room for work on vector registers: for one instruction of 128 bits, or two of
    64.  Of these two, one at most loads, as there is one port to load.  0 where the core issues out of order.
    """
    if not core.in_order:
        return 0.0
    rows = range(len(compiled.code))
    lengths = np.array([length_of(compiled, core, at) for at in rows], np.int64)
    slots = np.array([width_of(compiled, core, at) for at in rows], np.int64) * lengths
    places = np.array([vector_places_of(compiled, core, at) for at in rows], np.int64)
    whole = int((lengths * counts)[places >= VECTOR_PLACES].sum())
    alone: dict[int, int] = {}  # what takes one place, by the only port that it begins on as it is issued
    for at in np.flatnonzero((places == 1) & ~compiled.code["neon"]).tolist():
        for port in {ports for ports, cycles in compiled.uses_of(at).tolist() if ports.bit_count() == 1 and cycles}:
            alone[port] = alone.get(port, 0) + int(counts[at])
    return max(
        float((slots * counts).sum() / core.width),
        float((places * counts).sum() / VECTOR_PLACES),
        float(whole + max(alone.values(), default=0)),
    )


def length_of(compiled: CompiledProgram, core: PipelineCore, at: int) -> int:
    """Return the cycles that an instruction takes to be issued: what takes more slots than there are takes several."""
    return max(1, -(-int(compiled.code["slots"][at]) // core.width))


def width_of(compiled: CompiledProgram, core: PipelineCore, at: int) -> int:
    """Return the slots that nothing else has in these cycles."""
    slots = int(compiled.code["slots"][at])
    return core.width if compiled.code["alone"][at] or slots > core.width else slots


def vector_places_of(compiled: CompiledProgram, core: PipelineCore, at: int) -> int:
    """Return the places for vectors that nothing else has, of all cycles of an instruction."""
    length = length_of(compiled, core, at)
    return VECTOR_PLACES * length if length > 1 else min(VECTOR_PLACES, int(compiled.code["vectors"][at]))


def dependence_rate(compiled: CompiledProgram) -> float:
    """Cycles an iteration of a loop takes by what waits for what alone."""
    ends = _dataflow(compiled.code, compiled.reads, compiled.writes, _SETTLED + _MEASURED)
    return float(ends[-1] - ends[_SETTLED - 1]) / (_MEASURED * PARTS)


def loops_bound(
    code: Sequence[Instruction],
    executions: npt.NDArray[np.int64],
    core: PipelineCore,
    rates: dict[tuple[int, int], float] | None = None,
) -> float:
    """Return the cycles that innermost loops take by the dependences from one iteration to the next.

    Loops are backward branches over instructions that all have the same number of executions.  An iteration counts if
    another follows it.  `rates` keeps the cycles of an iteration between calls with the same code and core, by the
    numbers of the loop's first and last instruction.
    """
    rates = {} if rates is None else rates
    numbers = {instruction.address: number for number, instruction in enumerate(code)}
    total = 0.0
    for last, instruction in enumerate(code):
        first = numbers.get(instruction.target, last + 1) if instruction.target is not None else last + 1
        if instruction.branch not in (BranchKind.CONDITIONAL, BranchKind.JUMP) or first > last:
            continue
        body = executions[first : last + 1]
        left = int(executions[last + 1]) if last + 1 < len(code) else 0
        if body.min() == body.max() > left:
            if (first, last) not in rates:
                rates[first, last] = dependence_rate(compile_instructions(code[first : last + 1], core))
            total += (int(body[0]) - left) * rates[first, last]
    return total


def multiplications_of(form: str) -> int:
    """Return the lane multiplications that one instruction of the form does; 0 for forms that do none."""
    found = _MULTIPLY.match(form)
    if found is None:
        return 0
    mnemonic, lanes = found[1], int(found[2] or 1)
    for kind, each in _OF_LANE.items():
        if mnemonic.endswith(kind):
            return each * lanes // 4
    return lanes // 2 if mnemonic.endswith("2") else lanes


def peak_of(instructions: Iterable[Instruction], core: PipelineCore) -> tuple[float, str]:
    """Return the most multiplications a cycle with one of these instructions alone, and its form; (0, "") for none."""
    best, form = 0.0, ""
    forms: dict[str, Instruction] = {}  # the first instruction of each, in their order
    for instruction in instructions:
        if instruction.instruction_class is InstructionClass.NEON_MULTIPLY_ACCUMULATE:
            forms.setdefault(form_of(instruction), instruction)
    for name, instruction in forms.items():
        once, compiled = np.ones(1, np.int64), compile_instructions([instruction], core)
        cycles = max(port_bound(compiled, once), dispatch_bound(compiled, once, core))
        rate = multiplications_of(name) / cycles
        if rate > best:
            best, form = rate, name
    return best, form


@compiled
def _operands_there(code: Rows, one: Record, reads: Rows, registers: Rows) -> int:
    """Return the time at which the operands of an instruction are ready, in parts of a cycle."""
    work: int = 0
    for row in range(one.first_read, one.past_reads):
        read = reads[row]
        register = registers[read.register]
        when = register.ready
        if read.how == DATA and not one.load:
            continue  # a store holds up nothing
        if read.how == FORWARDED:
            when -= PARTS * min(read.late, register.forwards)
        elif read.how != SIMILAR or code[register.writer].family == one.family:
            when -= PARTS * read.late
            if read.how == SIMILAR:
                when += one.late_part
            elif read.how == DATA:
                when -= one.latency_part
        work = max(work, when)
    return work


@native_call
def _dataflow(code: Rows, reads: Rows, writes: Rows, times: int) -> Integers:
    """Return the time of the latest result after each iteration, in parts of a cycle.

    Every instruction begins as soon as its operands are ready.
    """
    registers = np.zeros(REGISTERS, REGISTER)  # when they are ready is in parts too
    ends = np.zeros(times, np.int64)
    latest = np.int64(0)
    for iteration in range(times):
        for number in range(len(code)):
            one = code[number]
            work = _operands_there(code, one, reads, registers)
            for row in range(one.first_write, one.past_writes):
                write = writes[row]
                register = registers[write.register]
                register.ready = work + PARTS * write.latency + (0 if write.aside else one.latency_part)
                register.writer, register.forwards = number, write.forwards
                latest = max(latest, register.ready)
        ends[iteration] = latest
    return ends

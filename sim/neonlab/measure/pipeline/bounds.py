"""What code would cost if only one thing limited it: the ports, the width of dispatch, or what waits for what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from neonlab.emulate.native import native_call
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.forms.form import form_of
from neonlab.measure.pipeline.program import Compiled, compile_instructions
from neonlab.measure.pipeline.state import (
    DATA,
    EARLY,
    FAMILY,
    FORWARDED,
    LATE_PART,
    LATENCY_PART,
    LOAD,
    PARTS,
    REGISTERS,
    SIMILAR,
    SLOTS,
    USE_PART,
)

_SETTLED, _MEASURED = 32, 64
_MULTIPLY = re.compile(
    r"(f?n?m(?:ul|la|ls|add|sub)|[su](?:mull|mlal|mlsl)2?|(?:[su]|us|su)dot|(?:[su]|us)mmla)\.(\d*)([bhsd])"
)
_OF_LANE = {"dot": 4, "mmla": 8}  # multiplications for each 32-bit lane of the result


def port_bound(compiled: Compiled, counts: npt.NDArray[np.int64]) -> float:
    """Cycles that the ports need for instructions executed so many times each, however they are spread over ports.

    The most that any set of ports has to do alone, by their number (Hall's theorem, for work that can be split).
    """
    owner = np.repeat(np.arange(len(counts)), np.diff(compiled.use_start))
    work: dict[int, float] = {}
    for row, (ports, cycles) in enumerate(compiled.uses):
        first = compiled.use_start[owner[row]] == row
        held = int(cycles) + (int(compiled.traits[owner[row], USE_PART]) / PARTS if first else 0.0)
        work[int(ports)] = work.get(int(ports), 0) + held * int(counts[owner[row]])
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


def dispatch_bound(compiled: Compiled, counts: npt.NDArray[np.int64], core: PipelineCore) -> float:
    """Cycles that dispatch needs, and retirement."""
    slots = int((compiled.traits[:, SLOTS] * counts).sum())
    return slots / min(core.width, core.retire or core.width)


def dependence_rate(compiled: Compiled) -> float:
    """Cycles an iteration of a loop takes by what waits for what alone."""
    ends = _dataflow(
        compiled.traits, compiled.read_start, compiled.reads, compiled.write_start, compiled.writes,
        _SETTLED + _MEASURED,
    )  # fmt: skip
    return float(ends[-1] - ends[_SETTLED - 1]) / (_MEASURED * PARTS)


def loops_bound(code: Sequence[Instruction], executions: npt.NDArray[np.int64], core: PipelineCore) -> float:
    """Cycles that innermost loops take by what waits for what from one iteration to the next.

    Loops are backward branches over instructions that are all executed as often; iterations are those that another
    follows.
    """
    numbers = {instruction.address: number for number, instruction in enumerate(code)}
    total = 0.0
    for last, instruction in enumerate(code):
        first = numbers.get(instruction.target, last + 1) if instruction.target is not None else last + 1
        if instruction.branch not in (BranchKind.CONDITIONAL, BranchKind.JUMP) or first > last:
            continue
        body = executions[first : last + 1]
        left = int(executions[last + 1]) if last + 1 < len(code) else 0
        if body.min() == body.max() > left:
            total += (int(body[0]) - left) * dependence_rate(compile_instructions(code[first : last + 1], core))
    return total


def multiplications_of(form: str) -> int:
    """Multiplications of lanes that one instruction of the form does; 0 for forms that do none."""
    found = _MULTIPLY.match(form)
    if found is None:
        return 0
    mnemonic, lanes = found[1], int(found[2] or 1)
    for kind, each in _OF_LANE.items():
        if mnemonic.endswith(kind):
            return each * lanes // 4
    return lanes // 2 if mnemonic.endswith("2") else lanes


def peak_of(instructions: Iterable[Instruction], core: PipelineCore) -> tuple[float, str]:
    """The most multiplications a cycle with one of these instructions alone, and its form; (0, "") for none."""
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


@native_call
def _dataflow(traits, read_start, reads, write_start, writes, times):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The latest result after each iteration, every instruction beginning as soon as its operands are there.

    In parts of a cycle.
    """
    ready = np.zeros(REGISTERS, np.int64)
    family = np.zeros(REGISTERS, np.int64)
    ends = np.zeros(times, np.int64)
    latest = np.int64(0)
    for iteration in range(times):
        for one in range(len(traits)):
            work = np.int64(0)
            for row in range(read_start[one], read_start[one + 1]):
                register = reads[row, 0]
                when = ready[register]
                if reads[row, 2] == DATA and traits[one, LOAD] == 0:
                    continue  # a store holds up nothing
                if reads[row, 2] == FORWARDED:
                    when -= PARTS * min(reads[row, 1], family[register] % EARLY)
                elif reads[row, 2] != SIMILAR or family[register] // EARLY == traits[one, FAMILY] // EARLY:
                    when -= PARTS * reads[row, 1]
                    if reads[row, 2] == SIMILAR:
                        when += traits[one, LATE_PART]
                    elif reads[row, 2] == DATA:
                        when -= traits[one, LATENCY_PART]
                work = max(work, when)
            for row in range(write_start[one], write_start[one + 1]):
                register = writes[row, 0]
                ready[register] = work + PARTS * writes[row, 1]
                if writes[row, 2] == 0:
                    ready[register] += traits[one, LATENCY_PART]
                early = writes[row, 2] - 1 if writes[row, 2] != 0 else traits[one, FAMILY] % EARLY
                family[register] = traits[one, FAMILY] // EARLY * EARLY + early
                latest = max(latest, ready[register])
        ends[iteration] = latest
    return ends

"""Slice an output value: its last writer and the instructions that made it, on one screen.

A small call is recorded.  The bytes of one element are followed backwards, lane by lane, through the instructions that
made them to the input elements that were loaded.  Each line of source is shown once, latest first, with its last effect
and the number of times it contributed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from neonlab.assemble.program import Program
from neonlab.assemble.source import folder_and_name
from neonlab.contract.header import Contract
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.trace import Trace, TraceProbe
from neonlab.isa.model.instruction import InstructionClass
from neonlab.verify.dataflow import touches_memory
from neonlab.verify.explain.slice_text import Words
from neonlab.verify.explain.slice_walk import Visit, Walked, walk_back
from neonlab.verify.memory.sanitizer import stack_bytes_for
from neonlab.verify.uninitialised.observed import integers_in

#: Lines that fit a screen together with the rest of a failure.
MOST_LINES = 16
#: Most steps of a call that are recorded.
LONGEST_TRACE = 1 << 20


@dataclass(frozen=True, slots=True)
class SliceLine:
    """One line of source that contributed to the value: `times` times, the last time as `detail` says."""

    address: int
    where: str  # file:line
    line: int
    source: str
    instruction: str
    times: int
    detail: str


@dataclass(frozen=True, slots=True)
class Slice:
    """The origin of one output element.

    `lines` has the latest first, at most MOST_LINES; `omitted` counts those cut off.  `steps` counts the executed
    instructions that contributed, `multiply_accumulates` those of them that multiply.  `elements` names the elements
    loaded from each buffer.  `unset` names the registers and memory that the value depends on although the call did not
    set them.
    """

    target: str
    lines: tuple[SliceLine, ...]
    omitted: int
    steps: int
    multiply_accumulates: int
    elements: Mapping[str, tuple[int, ...]]
    unset: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {**asdict(self), "elements": {name: list(found) for name, found in self.elements.items()}}

    def render(self, width: int = 80) -> str:
        """Return lines of text of at most `width` characters; `x3` says that a line contributed three times.

        With lines from several files, each file's name stands before its lines.
        """
        numbers = [f"{line.line}" + (f" x{line.times}" if line.times > 1 else "") for line in self.lines]
        margin = max(map(len, numbers), default=1) + 2
        source_width = min(max((len(line.source) for line in self.lines), default=0), max(2 * width // 5, 16))
        rows = [f"{self.target}, made by {self.steps} instructions, {self.multiply_accumulates} of them multiplies:"]
        files = [line.where.rpartition(":")[0] for line in self.lines]
        before = files[0] if len(set(files)) == 1 else None
        for number, line, file in zip(numbers, self.lines, files, strict=True):
            if file != before:
                rows.append(f"  {folder_and_name(file)}:")
                before = file
            rows.append(f"{number:>{margin}}: {_cut(line.source, source_width):<{source_width}}  {line.detail}")
        if self.omitted:
            rows.append(f"{'':>{margin}}  … {self.omitted} more lines")
        rows += [f"{'':>{margin}}  {name}: {ranges(found)}" for name, found in self.elements.items()]
        rows += [f"{'':>{margin}}  unset: {name}" for name in self.unset]
        return "\n".join(_cut(row, width) for row in rows)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def ranges(numbers: Sequence[int], most: int = 6) -> str:
    """Write ascending numbers as ranges: `0-7, 12, 14-15 … 3 more`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [f"{first}-{last}" if last > first else str(first) for first, last in runs[:most]]
    rest = sum(last - first + 1 for first, last in runs[most:])
    return ", ".join(shown) + (f" … {rest} more" if rest else "")


def slice_of(
    trace: Trace, contract: Contract, integers: Mapping[str, int], output: str, offset: int, size: int
) -> Slice | None:
    """Slice bytes `offset` up to `offset + size` of the buffer `output`; None if nothing wrote them."""
    placed = next(item for item in trace.buffers if item.buffer.name == output)
    walked = walk_back(trace, range(placed.address + offset, placed.address + offset + size))
    if not walked.visits:
        return None
    words = Words(trace, contract, integers)
    by_line: dict[tuple[str, int], list[Visit]] = {}
    for step in sorted(walked.visits, reverse=True):
        at = int(trace.pcs[step])
        line = trace.program.line_at(at)
        by_line.setdefault((line.path, line.line) if line is not None else ("", at), []).append(walked.visits[step])
    groups = list(by_line.values())
    # If not all lines fit, those that only rearrange data are dropped first.
    by_weight = sorted(range(len(groups)), key=lambda number: (not _carries(trace, groups[number][0].step), number))
    lines = [_line(trace, words, groups[number]) for number in sorted(by_weight[:MOST_LINES])]
    elements = words.elements(address for visit in walked.visits.values() for address in visit.loaded)
    return Slice(
        f"{words.element(output, offset)} = {words.value_at_end(output, offset)}",
        tuple(lines),
        len(groups) - len(lines),
        len(walked.visits),
        sum(_multiplies(trace, step) for step in walked.visits),
        elements,
        _unset(trace, contract, words, walked),
    )


def explain(
    program: Program,
    contract: Contract,
    arguments: Sequence[Passed],
    output: str,
    offset: int,
    size: int,
    *,
    seed: int = 0,
    step_budget: int = DEFAULT_STEP_BUDGET,
) -> Slice | None:
    """Repeat the call with a trace, and slice the bytes.

    Return None if nothing wrote them or the call takes more than LONGEST_TRACE steps.
    """
    probe = TraceProbe(program, LONGEST_TRACE)
    with Machine(program, probes=(probe,), stack_bytes=stack_bytes_for(contract)) as machine:
        machine.call(
            contract.name,
            arguments,
            contract.signature,
            float_abi=contract.float_abi,
            step_budget=step_budget,
            seed=seed,
        )
        trace = probe.collect(machine)
    return None if trace.overflow else slice_of(trace, contract, integers_in(contract, arguments), output, offset, size)


def _multiplies(trace: Trace, step: int) -> bool:
    instruction = trace.instruction(step)
    return instruction is not None and instruction.instruction_class is InstructionClass.NEON_MULTIPLY_ACCUMULATE


def _carries(trace: Trace, step: int) -> bool:
    """Tell whether a step loads, stores or multiplies."""
    instruction = trace.instruction(step)
    return instruction is not None and (touches_memory(instruction) or _multiplies(trace, step))


def _line(trace: Trace, words: Words, visits: Sequence[Visit]) -> SliceLine:
    """Return one line of the slice; `visits` are the steps of that source line, latest first."""
    address = int(trace.pcs[visits[0].step])
    line, instruction = trace.program.line_at(address), trace.instruction(visits[0].step)
    return SliceLine(
        address,
        f"{line.path}:{line.line}" if line is not None else f"{address:#x}",
        line.line if line is not None else address,
        " ".join((line.expanded or line.text).split()) if line is not None else "",
        instruction.text if instruction is not None else "",
        len(visits),
        words.detail(visits[0]),
    )


def _unset(trace: Trace, contract: Contract, words: Words, walked: Walked) -> tuple[str, ...]:
    """Return the sources of the value that the call did not set: registers, and memory outside of inputs."""
    given = words.given_places(contract)
    found = {words.register_name(place) for place in walked.entry_places if place not in given}
    outside = [address for address in walked.initial_memory if not words.is_given(address, contract)]
    if outside:
        found.add(words.memory_name(min(outside)))
    return tuple(sorted(found))

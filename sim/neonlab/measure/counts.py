"""Count the executed instructions of a call, exactly, and what follows from them and the text alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.isa.model.isa import Isa, RegisterKind


@dataclass(frozen=True, slots=True)
class LineCount:
    """Instructions executed from one source line, summed over all places where a macro put it."""

    path: str
    line: int
    text: str
    executions: int


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Exact counts of one call.

    `addresses` and `executions` (int64, one element for each instruction of the program) correspond.  An A32
    instruction whose condition fails counts as executed, as in INST_RETIRED, and the bytes of its access as moved.
    Bytes are those that load and store instructions name, not cache traffic; prefetches move none.  Registers are those
    that executed instructions read or write: 128-bit NEON registers, general registers without sp and pc.
    `peak_live_...` is the most of them that are live at any executed instruction.
    """

    isa: Isa
    addresses: npt.NDArray[np.int64]
    executions: npt.NDArray[np.int64]
    instructions: int
    by_class: Mapping[str, int]
    loaded_bytes: int
    stored_bytes: int
    branches: int
    neon_registers: int
    general_registers: int
    peak_live_neon: int
    peak_live_general: int
    lines: tuple[LineCount, ...]

    @property
    def neon_registers_available(self) -> int:
        """The number of 128-bit NEON registers of the ISA."""
        return self.isa.vector_registers

    @property
    def general_registers_available(self) -> int:
        """The number of general registers of the ISA that can hold values."""
        return self.isa.general_registers

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`; lines in the order of path and line."""
        return {
            "instructions": self.instructions,
            "by_class": dict(self.by_class),
            "loaded_bytes": self.loaded_bytes,
            "stored_bytes": self.stored_bytes,
            "branches": self.branches,
            "neon_registers": self.neon_registers,
            "neon_registers_available": self.neon_registers_available,
            "peak_live_neon": self.peak_live_neon,
            "general_registers": self.general_registers,
            "general_registers_available": self.general_registers_available,
            "peak_live_general": self.peak_live_general,
            "lines": [
                {"path": line.path, "line": line.line, "text": line.text.strip(), "executions": line.executions}
                for line in self.lines
            ],
        }


class CountsProbe(BlockMeter):
    """Counts the executed instructions of a machine.

    It is the machine's step budget too, so that one block hook does both.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._program = program

    def collect(self) -> Counts:
        """Return the counts of the last call."""
        program = self._program
        addresses = np.array([instruction.address for instruction in program.instructions], np.int64)
        executions = self.executions()[(addresses - self.base) >> 1] if len(addresses) else addresses
        executed = [
            (instruction, int(times))
            for instruction, times in zip(program.instructions, executions, strict=True)
            if times
        ]
        by_class = dict.fromkeys((member.value for member in InstructionClass), 0)
        for instruction, times in executed:
            by_class[instruction.instruction_class.value] += times
        ran = tuple(instruction for instruction, _ in executed)
        neon, general = _registers(program.isa, ran)
        alive = {instruction.address for instruction in ran}
        live = program.liveness if program.instructions else None
        return Counts(
            isa=program.isa,
            addresses=addresses,
            executions=executions,
            instructions=self.steps,
            by_class=by_class,
            loaded_bytes=sum(instruction.loaded_bytes * times for instruction, times in executed),
            stored_bytes=sum(instruction.stored_bytes * times for instruction, times in executed),
            branches=sum(times for instruction, times in executed if instruction.branch is not BranchKind.NONE),
            neon_registers=neon,
            general_registers=general,
            peak_live_neon=live.peak_live_quads(alive) if live else 0,
            peak_live_general=live.peak_live(RegisterKind.GENERAL, alive) if live else 0,
            lines=_by_line(program, executions),
        )


def _registers(isa: Isa, executed: tuple[Instruction, ...]) -> tuple[int, int]:
    """Return the numbers of distinct 128-bit NEON registers and general registers that `executed` reads or writes."""
    touched = {register for instruction in executed for register in (*instruction.reads, *instruction.writes)}
    halves = 2 if isa is Isa.A32 else 1
    neon = {register.index // halves for register in touched if register.kind is RegisterKind.VECTOR}
    excluded = (13, 15) if isa is Isa.A32 else (31,)
    general = {r.index for r in touched if r.kind is RegisterKind.GENERAL and r.index not in excluded}
    return len(neon), len(general)


def _by_line(program: Program, executions: npt.NDArray[np.int64]) -> tuple[LineCount, ...]:
    totals: dict[tuple[str, int], LineCount] = {}
    for instruction, times in zip(program.instructions, executions, strict=True):
        source = program.line_at(instruction.address)
        if source is None:
            continue
        key = source.path, source.line
        before = totals[key].executions if key in totals else 0
        totals[key] = LineCount(source.path, source.line, source.text, before + int(times))
    return tuple(totals[key] for key in sorted(totals))

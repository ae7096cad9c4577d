"""Find how many cycles the instructions of a loop wait for each other on a core, by its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neonlab.isa.model.isa import Register
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.pipeline.program import CompiledProgram, compile_instructions
from neonlab.measure.pipeline.state import FORWARDED, SIMILAR
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.dependence import edges_of, places_of


@dataclass(frozen=True, slots=True)
class Delay:
    """Instruction `later` issues at least `cycles` behind `earlier` of the iteration `distance` before it.

    It stands behind it in the order, even if `cycles` is 0.
    """

    earlier: int
    later: int
    distance: int
    cycles: int


@dataclass(frozen=True, slots=True)
class Work:
    """Hold what an instruction takes of a core as it issues: dispatch slots, places for vectors, and ports.

    `uses` has the ports that can do a part of it as a bit set, and for how many cycles.
    """

    slots: int
    vectors: int
    uses: tuple[tuple[int, int], ...]


def work_of(code: LoopCode, core: PipelineCore) -> list[Work]:
    """Return the work of each instruction of the body, the branch last."""
    compiled = compile_instructions(code.instructions, core)
    return [
        Work(int(row["slots"]), int(row["vectors"]), tuple(tuple(use) for use in compiled.uses_of(at).tolist()))
        for at, row in enumerate(compiled.code)
    ]  # fmt: skip


def delays_of(code: LoopCode, core: PipelineCore, values: Mapping[tuple[int, Register, bool], int]) -> list[Delay]:
    """Return the delays between the instructions of a loop's body on a core; `values` are as in `edges_of`."""
    compiled = compile_instructions(code.instructions, core)
    edges = edges_of([step.instruction for step in code.body], places_of(code), values)
    reads, writes = _read_rows(compiled), _write_rows(compiled)
    families = compiled.code["family"].tolist()
    return [
        Delay(
            one.earlier, one.later, one.distance,
            _cycles(writes[one.earlier], reads[one.later], similar=0 < families[one.earlier] == families[one.later]),
        )
        for one in edges
    ]  # fmt: skip


def _read_rows(compiled: CompiledProgram) -> list[list[tuple[int, int, int]]]:
    return [compiled.reads_of(at)[["register", "late", "how"]].tolist() for at in range(len(compiled.code))]


def _write_rows(compiled: CompiledProgram) -> list[list[tuple[int, int, int]]]:
    return [compiled.writes_of(at)[["register", "latency", "forwards"]].tolist() for at in range(len(compiled.code))]


def _cycles(writes: Sequence[tuple[int, int, int]], reads: Sequence[tuple[int, int, int]], *, similar: bool) -> int:
    """Return the cycles from an instruction with these results to one that reads these; 0 where it reads none."""
    found = 0
    for written, latency, forwards in writes:
        for read, late, how in reads:
            if read == written:
                early = min(late, forwards) if how == FORWARDED else late if how != SIMILAR or similar else 0
                found = max(found, latency - early)
    return found

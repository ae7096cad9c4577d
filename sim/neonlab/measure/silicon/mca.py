"""Compare the pipeline models with llvm-mca's, for cores without measurements.

llvm-mca is another model, not a measure of truth: where both agree, it is often because both follow the same guide. The
loops are the programs that a table of timings was measured with, without the figures of that table.  For cores that run
only A32, which have no such table, they are the innermost loops of kernels.
"""

from __future__ import annotations

import re
import statistics
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.errors import LLVM_MCA, ModelError
from neonlab.measure.cores.pipeline import load_pipeline
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.measure.silicon.measured_table import Measured
from neonlab.measure.silicon.timing_programs import programs_of
from neonlab.measure.silicon.timing_recipes import recipe_of
from neonlab.measure.silicon.truth import TOLERANCE

#: Cores that LLVM 19 has a model of by name, rather than that of another core, and that no table of timings has; with
#: the instruction set in which they are compared.
MODELS: Mapping[str, Isa] = {
    "cortex-a55": Isa.A64,
    "cortex-a57": Isa.A64,
    "neoverse-n2": Isa.A64,
    "cortex-a510": Isa.A64,
    "cortex-a9": Isa.A32,
}
#: Cores that llvm-mca of LLVM 19 answers for in each instruction set, some by the model of another core.
_ANSWERS: Mapping[Isa, frozenset[str]] = {
    Isa.A64: frozenset({"cortex-a53", "cortex-a55", "cortex-a57", "cortex-a72", "cortex-a73", "cortex-a76",
                        "cortex-a78", "cortex-x1", "neoverse-n1", "neoverse-v1", "neoverse-n2", "apple-m1",
                        "cortex-a75", "cortex-a510", "cortex-a710", "cortex-x2"}),
    Isa.A32: frozenset({"cortex-a9", "cortex-a15", "cortex-a57", "cortex-a72"}),
}  # fmt: skip
_FEW, _MANY = 20, 40  # iterations: the difference of the runs is the time of those between
_OPTIONS = ("-noalias", "-instruction-info=0", "-resource-pressure=0", "-skip-unsupported-instructions=lack-sched")
_TARGET = {Isa.A64: ("-mtriple=aarch64",), Isa.A32: ("-mtriple=armv7-linux-gnueabihf", "-mattr=+neon")}


def loops_of(rows: Sequence[Measured]) -> list[tuple[Instruction, ...]]:
    """Return the chains and streams of the rows of a table, without rows that cannot test a model."""
    found: dict[tuple[Instruction, ...], None] = {}
    for row in rows:
        recipe = recipe_of(row.form)
        programs = None if recipe.skip else programs_of(recipe)
        if programs is not None:
            chains = [programs.chain] if programs.chain is not None else []
            found.update(dict.fromkeys([*chains, *(stream for stream, _ in programs.streams[:1])]))
    return list(found)


def answers_for(core: str, isa: Isa) -> bool:
    """Return whether llvm-mca has a model of the core for code of that instruction set."""
    return core in _ANSWERS[isa]


def closed_loops(program: Program) -> list[tuple[Instruction, ...]]:
    """Return the innermost loops of a program that go straight from their first instruction to the branch back."""
    found = []
    places = {instruction.address: number for number, instruction in enumerate(program.instructions)}
    for last, instruction in enumerate(program.instructions):
        first = places.get(instruction.target) if instruction.target is not None else None
        back = instruction.branch is BranchKind.CONDITIONAL or instruction.condition
        if first is not None and first < last and back:
            body = program.instructions[first : last + 1]
            if all(one.branch is BranchKind.NONE for one in body[:-1]):
                found.append(tuple(body))
    return found


def loops_within(programs: Iterable[Program]) -> list[tuple[Instruction, ...]]:
    """Return the innermost loops of programs, each without its closing branch.

    Of loops with the same text, the first is returned.
    """
    found: dict[tuple[str, ...], tuple[Instruction, ...]] = {}
    for program in programs:
        for *body, _ in closed_loops(program):
            found.setdefault(tuple(one.text for one in body), tuple(body))
    return list(found.values())


def cycles_of(program: str, core: str, loops: Sequence[Sequence[Instruction]]) -> list[float | None]:
    """Return llvm-mca's cycles for an iteration of each loop; None where it does not know all of its instructions.

    The loops are of one instruction set; the core is any that it has a model of.  Raises InputError where `program`
    cannot be run or is not llvm-mca.
    """
    isas = {instruction.isa for loop in loops for instruction in loop}
    if not isas:
        return [None] * len(loops)
    (isa,) = isas
    text, kept = _regions(loops, range(len(loops))), list(range(len(loops)))
    result = _run(program, core, isa, text, _FEW)
    refused = {int(line) for line in re.findall(r":(\d+):\d+: error", result.stderr)}
    if refused:
        ends = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith("# LLVM-MCA-END")]
        starts = [1, *(end + 1 for end in ends)]
        bad = {at for at, (first, last) in enumerate(zip(starts, ends, strict=False)) for line in refused
               if first <= line <= last}  # fmt: skip
        kept = [at for at in kept if at not in bad]
        if not kept:
            return [None] * len(loops)
        text = _regions(loops, kept)
        result = _run(program, core, isa, text, _FEW)
    few, many = _totals(result), _totals(_run(program, core, isa, text, _MANY))
    if len(few) != len(many) or not few:
        raise InputError(f"{program}: does not report the cycles of loops on {core}: {result.stderr.strip()[:200]}")
    found: list[float | None] = [None] * len(loops)
    for at, (cycles, instructions) in few.items():
        if instructions == _FEW * len(loops[at]):
            found[at] = (many[at][0] - cycles) / (_MANY - _FEW)
    return found


def difference(program: str, core: str, loops: Sequence[Sequence[Instruction]]) -> ModelError:
    """Return the difference of a core's model from llvm-mca's, on loops whose forms the model has."""
    pipeline = load_pipeline(core)
    known = [loop for loop in loops if all(pipeline.knows(one) for one in loop)]
    pairs = [
        (steady_cycles(loop, pipeline), theirs)
        for loop, theirs in zip(known, cycles_of(program, core, known), strict=True)
        if theirs
    ]
    errors = [abs(ours / theirs - 1.0) for ours, theirs in pairs]
    within = sum(error <= TOLERANCE for error in errors)
    return ModelError(LLVM_MCA, len(errors), within, round(statistics.median(errors), 4) if errors else 0.0)


def _regions(loops: Sequence[Sequence[Instruction]], chosen: Sequence[int]) -> str:
    lines = []
    for at in chosen:
        body = [f"{one.mnemonic} {one.operands}" for one in loops[at]]
        lines += [f"# LLVM-MCA-BEGIN {at}", *body, f"# LLVM-MCA-END {at}"]
    return "\n".join(lines) + "\n"


def _run(program: str, core: str, isa: Isa, text: str, iterations: int) -> subprocess.CompletedProcess[str]:
    command = [program, *_OPTIONS, *_TARGET[isa], f"-mcpu={core}", f"-iterations={iterations}", "-"]
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=600, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{program}: cannot be run: {error}") from None


def _totals(result: subprocess.CompletedProcess[str]) -> dict[int, tuple[int, int]]:
    """Return the cycles and instructions of each region by its number."""
    pattern = r"Code Region - (\d+)\n(?:.*\n)*?Instructions:\s+(\d+)\nTotal Cycles:\s+(\d+)"
    return {int(at): (int(cycles), int(count)) for at, count, cycles in re.findall(pattern, result.stdout)}

"""Judge a changed kernel: its results on all cases, and a proof at every small shape that runs the new code."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.assemble.program import Program
from neonlab.contract.options import Given
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import Machine
from neonlab.emulate.native import is_kept
from neonlab.emulate.run import Fault
from neonlab.errors import InputError
from neonlab.lab.parallel.checks import check_all
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.proofs import prove_all
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.plan import draw_case, plan_cases, shapes_to_prove
from neonlab.measure.shape import Shape
from neonlab.prove.proof import ProofStatus
from neonlab.verify.cases.case import CaseName, Depth
from neonlab.verify.check_case import run_case

Begin = Callable[[str, int, str], Callable[[int], None]]
_FOLDERS = {"a32": "armv7", "a64": "armv8"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was shown of a changed kernel: it `is_right` on all cases, and `is_proved` if `reason` is "".

    Where it is wrong, `reason` says how.
    """

    is_right: bool
    is_proved: bool
    reason: str = ""
    proved: int = 0
    checked: int = 0
    held: tuple[str, ...] = ()
    call_cycles: int = 0


@contextmanager
def scratch_beside(kernel: Kernel) -> Iterator[Path]:
    """Yield a folder of a repository like that of the kernel, with the same operators and no kernel."""
    with tempfile.TemporaryDirectory(prefix="neonlab-optimize-") as scratch:
        root = Path(scratch).resolve()
        folder = root / "asm" / _FOLDERS[kernel.isa.value]
        folder.mkdir(parents=True)
        if kernel.root is not None:
            (root / "kernels").symlink_to(kernel.root / "kernels", target_is_directory=True)
        yield folder


def judge(
    kernel: Kernel, path: Path, lines: Sequence[int], cycles: int, workers: Workers, begin: Begin
) -> Judgement:  # fmt: skip
    """Judge the changed kernel in the file at `path`, whose new code lies on the given lines of that file.

    `cycles` are those of a whole call.  A kernel that is wrong on a case is not proved; one that is right is, shape by
    shape.
    """
    try:
        changed = changed_kernel(kernel, path)
        program = kernel_program(changed)
    except InputError as error:
        return Judgement(False, False, str(error))
    cases = plan_cases(changed)
    advance = begin("checking the new kernel", len(cases), "cases")
    verdicts = check_all(workers, [(changed, cases)], fail_fast=True, ranges=True, advance=advance)
    failure = next((one for verdict in verdicts for one in verdict.failures), None)
    if failure is not None or not verdicts or not verdicts[0].passed:
        why = f"{failure.identifier} at {failure.shape}" if failure is not None else "it is not exact"
        return Judgement(False, False, why, checked=len(cases))
    shown = _proved(changed, program, frozenset(lines), len(cases), workers, begin)
    return replace(shown, call_cycles=cycles)


def changed_kernel(kernel: Kernel, path: Path) -> Kernel:
    """Return the changed kernel in the file at `path`.  Raises InputError for one that cannot be opened."""
    return open_kernel(path, _given(kernel))


def _given(kernel: Kernel) -> Given:
    """Return the options that a kernel was opened with, and the contract beside it where it has one there."""
    beside = Path(kernel.contract.path)
    if kernel.given.contract or beside.suffix != ".toml":
        return kernel.given
    return replace(kernel.given, contract=str(beside.resolve()), symbol=kernel.given.symbol or kernel.name)


def _proved(
    kernel: Kernel, program: Program, lines: frozenset[int], cases: int, workers: Workers, begin: Begin
) -> Judgement:
    begin("finding the shapes that run the new code", 0, "")
    shapes = _running(kernel, program, lines)
    if not shapes:
        return Judgement(True, False, "no small shape runs the new code", checked=cases)
    from neonlab.prove.kernel.replay import replay  # here: a search that proves nothing needs no prover

    first = "" if is_kept(replay) else " (compiling the prover first, once on this machine, for up to three minutes)"
    advance = begin(f"proving the new kernel{first}", len(shapes), "shapes")
    found = prove_all(workers, [(kernel, shapes)], advance=advance)[0].shapes
    held = tuple(sorted({name for one in found for name in one.held}))
    refuted = next((one for one in found if one.status is ProofStatus.REFUTED), None)
    if refuted is not None:
        return Judgement(False, False, f"refuted at {refuted.shape}", checked=cases)
    wrong = next((one for one in found if not one.status.is_proof), None)
    if wrong is not None:
        shown = sum(one.status.is_proof for one in found)
        return Judgement(True, False, f"at {wrong.shape}: {wrong.reason}", shown, cases, held)
    return Judgement(True, True, "", len(found), cases, held)


def _running(kernel: Kernel, program: Program, lines: frozenset[int]) -> list[Shape]:
    """Return the small shapes that run any of the new code; at others the kernel is what it was."""
    own = Path(program.path).resolve()
    new = {
        at
        for at, instruction in enumerate(program.instructions)
        if (line := program.line_at(instruction.address)) is not None
        and line.line in lines
        and Path(line.path).resolve() == own
    }
    meter, found = BlockMeter(program), []
    with Machine(program, probes=(meter,)) as machine:
        for shape in shapes_to_prove(kernel):
            case = draw_case(kernel, CaseName(shape, "random", 1, Depth.QUICK))
            if isinstance(run_case(machine, kernel.contract, case), Fault):
                continue
            runs = meter.executions() > 0
            if any(runs[(program.instructions[at].address - meter.base) // 2] for at in new):
                found.append(shape)
    return found

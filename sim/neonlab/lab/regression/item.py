"""Test a kernel for a test suite: right on every case, right on a shape, and within its baseline there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.output_file import write_whole
from neonlab.lab.compare.figures import Change, Figures, figures_of
from neonlab.lab.parallel.checks import check_all, explain_all
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_all
from neonlab.lab.parallel.proofs import explain_proofs, prove_all, save_witnesses
from neonlab.lab.regression.baselines import FILE, Baselines, read_baselines
from neonlab.lab.repository.kernel_files import kernel_file
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.lab.run.judgement import verdict_of
from neonlab.lab.run.plan import layers_or_largest, parse_shape, plan_cases, shapes_to_prove
from neonlab.measure.cores.modelled import ModelledCore, cores_named
from neonlab.measure.options import on_each
from neonlab.measure.shape import Shape
from neonlab.prove.proof import Proof
from neonlab.verify.verdict import Failure, Verdict

_PATTERNS = ("random", "extremes")


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The result of one test.

    `figures` is None if none were asked for or the kernel does not run.  `missing` is True if the file of baselines has
    no entry for them.
    """

    verdict: Verdict
    figures: Figures | None = None
    exceeded: tuple[Change, ...] = ()
    beaten: tuple[Change, ...] = ()
    missing: bool = False

    @property
    def passed(self) -> bool:
        """Tell whether the kernel is right and within its baseline."""
        return self.verdict.passed and not self.exceeded and not self.missing


def shapes_to_try(kernel: Kernel, baselines: Baselines | None) -> list[str]:
    """Return the layers of the kernel's operator, or else the largest planned shape; then those of the baselines."""
    shapes = [str(shape) for shape in layers_or_largest(kernel)]
    more = baselines.shapes_of(kernel.title) if baselines is not None else ()
    return list(dict.fromkeys([*shapes, *more]))


def try_cases(workers: Workers, kernel: Kernel, seed: int = 1) -> ItemOutcome:
    """Check the kernel as `neonlab check` does."""
    work = [(kernel, plan_cases(kernel, seed=seed))]
    verdicts = check_all(workers, work, seed=seed, ranges=True)
    return ItemOutcome(explain_all(workers, [kernel], verdicts)[0])


def try_proof(workers: Workers, kernel: Kernel, which: str, seed: int = 1) -> Proof:
    """Prove the kernel at the shapes that `which` names, one of PROVED_SHAPES, as `neonlab prove` does.

    Inputs that refute it are saved, unless there is no place for them.  Raises InputError if there is no such shape.
    """
    shapes = shapes_to_prove(kernel, layers=which == "layers")
    if not shapes:
        raise InputError(f"{kernel.title}: prove = {which!r}: there is no such shape")
    proofs = explain_proofs(workers, [kernel], prove_all(workers, [(kernel, shapes)], seed=seed))
    with contextlib.suppress(InputError):
        proofs = save_witnesses([kernel], proofs)
    return proofs[0]


def try_shape(
    workers: Workers, kernel: Kernel, text: str, baselines: Baselines | None, *, update: bool = False, seed: int = 1
) -> ItemOutcome:
    """Check the kernel on one shape under two patterns, and compare its figures with the baseline unless `update`.

    Raises InputError for an invalid shape or an unknown core.
    """
    known = baselines or Baselines()
    cores, shape = cores_named(known.cores), parse_shape(kernel, text)
    work = [(kernel, plan_cases(kernel, shapes=[shape], patterns=_PATTERNS, seed=seed))]
    verdict = replace(explain_all(workers, [kernel], check_all(workers, work, seed=seed))[0], chosen=True)
    if not verdict.passed:
        return ItemOutcome(verdict)
    figures = _figures(workers, kernel, shape, cores, seed)
    if isinstance(figures, Failure):
        return ItemOutcome(verdict_of(kernel, [figures], seed))
    if update or baselines is None:
        return ItemOutcome(verdict, figures)
    return ItemOutcome(
        verdict,
        figures,
        baselines.exceeded(kernel.title, text, figures),
        baselines.beaten(kernel.title, text, figures),
        missing=baselines.of(kernel.title, text) is None,
    )


def _figures(
    workers: Workers, kernel: Kernel, shape: Shape, cores: Sequence[ModelledCore], seed: int
) -> Figures | Failure:
    profiles = []
    for memory in on_each(cores):
        [outcome] = profile_all(workers, [(kernel, shape)], seed=seed, memory=memory)
        if isinstance(outcome, Failure):
            return outcome
        profiles.append(outcome)
    return figures_of(profiles)


def updated(root: Path, found: Iterable[tuple[str, str, Figures]]) -> Baselines:
    """Return the repository's baselines with `found` (kernel, shape, figures), without kernels that are gone."""
    baselines = read_baselines(root / FILE) or Baselines()
    for kernel, shape, figures in found:
        baselines = baselines.with_figures(kernel, shape, figures)
    gone = {kernel for kernel in baselines.entries if kernel_file(root, kernel) is None}
    if gone:  # but for those that a contract beside a file of another name describes
        gone -= {kernel.title for kernel in open_library(root).kernels}
    return baselines.without(gone)


def write_baselines(root: Path, baselines: Baselines) -> None:
    """Write the file of the repository at `root`."""
    write_whole(root / FILE, baselines.to_toml().encode())


def measure_baselines(workers: Workers, root: Path) -> Baselines:
    """Return the baselines of all correct kernels of the repository as they are now."""
    before = read_baselines(root / FILE)
    found = []
    for kernel in open_library(root).kernels:
        for shape in shapes_to_try(kernel, before):
            figures = try_shape(workers, kernel, shape, before, update=True).figures
            if figures is not None:
                found.append((kernel.title, shape, figures))
    return updated(root, found)

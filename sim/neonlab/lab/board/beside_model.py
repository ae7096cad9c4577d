"""Set what a board measured beside what the models say, for each kernel and shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError
from neonlab.lab.board.result import BoardKernel, BoardResult, Timing
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import profile_each
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.lookup import names_file, one_kernel
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import refuse_core
from neonlab.measure.cores.modelled import cores_named
from neonlab.measure.cores.pipeline import pipeline_names
from neonlab.measure.options import MemoryOptions
from neonlab.measure.shape import Shape
from neonlab.verify.verdict import Failure


@dataclass(frozen=True, slots=True)
class BesideModel:
    """One kernel at one shape: cycles measured and modelled, of one of many calls back to back.

    `modelled` is None where the model has no figure, for `reason`.
    """

    kernel: BoardKernel
    timing: Timing
    modelled: float | None
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        """Return modelled over measured cycles; None without both."""
        measured = self.timing.measured
        return None if measured is None or self.modelled is None else self.modelled / measured


def refuse_without_model(core: str) -> None:
    """Raise InputError unless there is a pipeline model of a core."""
    cores_named([core])
    if core not in pipeline_names():
        raise InputError(f"there is no pipeline model of `{core}`; there are {', '.join(pipeline_names())}")


def core_of(result: BoardResult, named: str | None) -> str:
    """Return the core whose model is meant: `named`, else that of the MIDR; "" if there is no model of it.

    Raises InputError for a name without a model.
    """
    if named is not None:
        refuse_without_model(named)
        return named
    core = result.machine.core
    return core if core in pipeline_names() else ""


def open_again(measured: BoardKernel) -> Kernel:
    """Return the kernel that was measured.  Raises InputError if it is not there, or its code is another."""
    if names_file(measured.file):
        kernel = open_kernel(Path(measured.file), measured.given)
    else:
        kernel = one_kernel(measured.title)
    if code_digest(kernel) != measured.digest:
        raise InputError(f"{measured.title}: its code here is not what was measured: export and measure it again")
    return kernel


def beside_model(
    workers: Workers, result: BoardResult, core: str, advance: Callable[[int], None] = lambda _: None
) -> list[BesideModel]:
    """Return a row for each kernel and shape of the result, in its order; with an empty `core` without a model."""
    wanted: list[tuple[BoardKernel, Timing]] = [(k, timing) for k in result.kernels for timing in k.timings]
    tasks: dict[int, tuple[Kernel, Shape, MemoryOptions]] = {}
    reasons: dict[int, str] = {}
    for number, (measured, timing) in enumerate(wanted):
        try:
            tasks[number] = _task(measured, timing, core)
        except InputError as error:
            reasons[number] = str(error)
    profiles = profile_each(workers, list(tasks.values()), seed=result.seed, advance=advance)
    modelled: dict[int, float] = {}
    for number, outcome in zip(tasks, profiles, strict=True):
        if isinstance(outcome, Failure) or outcome.cycles is None:
            reasons[number] = "the call fails under emulation: `neonlab check` says why"
        else:
            modelled[number] = float(outcome.cycles.cycles)
    return [
        BesideModel(kernel, timing, modelled.get(number), reasons.get(number, ""))
        for number, (kernel, timing) in enumerate(wanted)
    ]


def _task(measured: BoardKernel, timing: Timing, core: str) -> tuple[Kernel, Shape, MemoryOptions]:
    """Return the profile to make.  Raises InputError where there can be none."""
    if not core:
        raise InputError("no model of this board's core: name one with --core")
    kernel = open_again(measured)
    shape = parse_shape(kernel, timing.shape)
    memory = MemoryOptions(core, warm=True)
    refuse_core(kernel, memory.core)
    return kernel, shape, memory

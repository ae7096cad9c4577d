"""Measure the time from a save of the file until `neonlab watch` has made the text to show.

The kernel's repository is copied, and its file is saved repeatedly with different code; the best time counts.  The
processor time of the same work in one process is measured too, step by step.
"""

from __future__ import annotations

import queue
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.lab.watch import questions as watch_side
from neonlab.lab.watch.reading import FIRST_CASES
from neonlab.lab.watch.saves import saves_in
from neonlab.lab.watch.session import Session, Watcher
from neonlab.measure.cores.modelled import AskedCore, ModelledCore, cores_named
from neonlab.measure.options import on_each
from neonlab.measure.shape import Shape

#: The project's limit in seconds, on a tile of the layer 14x14x256x256.
MOST_SECONDS = 0.3
CORES = ("cortex-a53", "cortex-a72")
_REPETITIONS = 5
_PATIENCE = 10.0  # seconds within which a save must be reported
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SaveBench:
    """Best times in seconds from the write until it is reported (`heard`), and until its text is made (`shown`).

    `processor` holds the processor time of each step between them, in seconds.
    """

    layer: Shape | None
    tile: Shape | None
    cores: tuple[ModelledCore, ...]
    heard: float
    shown: float
    processor: dict[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {
            "layer": str(self.layer),
            "tile": str(self.tile),
            "cores": [core.name for core in self.cores],
            "heard": round(self.heard, 4),
            "shown": round(self.shown, 4),
            "processor": {step: round(seconds, 4) for step, seconds in self.processor.items()},
        }

    def lines(self) -> tuple[str, ...]:
        """Return the lines that the terminal shows."""
        steps = ", ".join(f"{step} {seconds * 1e3:.0f}" for step, seconds in self.processor.items())
        cores = f"{len(self.cores)} core{'s' if len(self.cores) != 1 else ''}"
        return (
            f"after a save  {self.shown:8.2f} s until verdict, counts and cycles of {self.tile} on {cores} are shown "
            f"(wanted: {MOST_SECONDS})",
            f"  it is heard of after {self.heard * 1e3:.0f} ms; ms of a processor: {steps}",
        )


def bench_saves(
    kernel: Kernel,
    show: Callable[[Session], object],
    *,
    cores: Sequence[AskedCore] = CORES,
    repetitions: int = _REPETITIONS,
) -> SaveBench:
    """Save the kernel `repetitions` times; `show` makes the text of a session, which is timed too.

    Raises InputError if the kernel is not in a repository.
    """
    if kernel.root is None or not kernel.path.is_relative_to(kernel.root / "asm"):
        raise InputError(f"{kernel.path}: only kernels in the folder asm of a repository can be timed after a save")
    with tempfile.TemporaryDirectory(prefix="neonlab-") as scratch:
        root = Path(scratch).resolve() / "repository"
        for name in ("asm", "kernels"):
            shutil.copytree(kernel.root / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        path = root / kernel.path.relative_to(kernel.root)
        path.chmod(0o644)
        modelled = cores_named(cores)
        waits, session = _waits(path, show, modelled, repetitions)
        processor = _processor_time(path, show, modelled, session, repetitions)
    heard, shown = min(waits, key=lambda wait: wait[1])
    return SaveBench(session.shape, session.tile, session.cores, heard, shown, processor)


def _waits(
    path: Path, show: Callable[[Session], object], cores: Sequence[ModelledCore], repetitions: int
) -> tuple[list[tuple[float, float]], Session]:
    """Return, for each save, the seconds until it was reported and until the first text was made."""
    text, waits = path.read_text(encoding="utf-8"), []
    saves: queue.Queue[bool] = queue.Queue()
    with Watcher(path, cores=cores) as watcher, saves_in(watcher.folders, saves.put):
        for _ in watcher.look():
            pass
        for number in range(1, repetitions + 1):
            began = time.perf_counter()
            path.write_text(_with_other_code(text, number), encoding="utf-8")
            try:
                saves.get(timeout=_PATIENCE)
            except queue.Empty:
                raise InputError(f"{path.parent}: file changes are not reported here") from None
            heard = time.perf_counter() - began
            looks = watcher.look()
            show(next(looks))
            waits.append((heard, time.perf_counter() - began))
            for _ in looks:
                pass
        return waits, watcher.session


def _processor_time(
    path: Path, show: Callable[[Session], object], cores: Sequence[ModelledCore], session: Session, repetitions: int
) -> dict[str, float]:
    """Return the processor seconds of each step in this process, the best of all repetitions."""
    text = path.read_text(encoding="utf-8")
    best: dict[str, float] = {}

    def timed(step: str, work: Callable[..., T], *given: Any) -> T:
        began = time.process_time()
        result = work(*given)
        best[step] = min(best.get(step, float("inf")), time.process_time() - began)
        return result

    source = watch_side.WatchedFile(path)
    able = watch_side.subject_of(source.open(), None, cores).cores
    for state in range(1, repetitions + 2):  # the first fills caches
        path.write_text(_with_other_code(text, state), encoding="utf-8")
        timed("assembling", watch_side.digest, source, state)
        timed(f"{FIRST_CASES} cases", watch_side.first_cases, source, state, session.tile, FIRST_CASES, 1)
        for memory in on_each(able):
            step = memory.core.name if memory.core is not None else "counts"
            timed(step, watch_side.measure, source, state, session.tile, memory, 1)
        timed("text", show, session)
    return best


def _with_other_code(text: str, number: int) -> str:
    """Return the text with `number` more instructions, never executed, so that no cached result is valid."""
    return f"{text}\n    .text\n" + "    nop\n" * number

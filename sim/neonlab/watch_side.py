"""What the process beside `neonlab watch` does: it keeps a state of a kernel ready, and is asked about it bit by bit.

Each question is short, so that a newer state of the file never waits long.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from neonlab.lab import answer_ranges, code_digest, explain, forget_programs, kernel_program, profile
from neonlab.library import Kernel, open_kernel
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.plan import CaseName, draw_case, parse_shape, plan_cases, range_case
from neonlab.verify.case import Depth
from neonlab.verify.checker import Checker
from neonlab.verify.verdict import Failure, RangeAnswer


@dataclass
class _Ready:
    """The state of a file that was asked about last."""

    state: tuple[Path, int]
    kernel: Kernel
    checker: Checker


_ready: _Ready | None = None
_plan: tuple[str, list[CaseName]] | None = None


def _of(path: Path, state: int) -> _Ready:
    """The kernel in `path`; read and assembled anew when `state`, which counts what the person saved, is another."""
    global _ready
    if _ready is None or _ready.state != (path, state):
        if _ready is not None:
            _ready.checker.close()
            _ready = None
        forget_programs()
        kernel = open_kernel(path)
        _ready = _Ready((path, state), kernel, Checker(kernel_program(kernel), kernel.contract))
    return _ready


def digest(path: Path, state: int) -> str:
    """What tells the kernel's code from another's, its contract included.  Raises InputError."""
    kernel = _of(path, state).kernel
    return f"{code_digest(kernel)} {kernel.contract!r}"


def first_cases(path: Path, state: int, tile: str, few: int, seed: int) -> tuple[list[CaseName], list[Failure | None]]:
    """All that there is to try, `few` of it that tell most put first, and whether their results are right."""
    ready = _of(path, state)
    kernel = ready.kernel
    names = _planned(kernel, seed)
    on_tile = [CaseName(parse_shape(kernel, tile), pattern, seed) for pattern in ("random", "extremes")]
    order = list(dict.fromkeys([*on_tile, names[-1], *names[:: max(1, len(names) // few)], *names]))
    return order, [ready.checker.check(draw_case(kernel, name), Depth.QUICK) for name in order[:few]]


def _planned(kernel: Kernel, seed: int) -> list[CaseName]:
    """The cases of a contract are the same as long as it is, and so is its operator."""
    global _plan
    key = f"{kernel.contract!r} {seed}"
    if _plan is None or _plan[0] != key:
        _plan = key, plan_cases(kernel, seed=seed)
    return _plan[1]


def try_cases(path: Path, state: int, names: list[CaseName]) -> list[Failure | None]:
    """The outcome of each case."""
    ready = _of(path, state)
    return [ready.checker.check(draw_case(ready.kernel, name), name.depth) for name in names]


def measure(path: Path, state: int, shape: str, core: str | None, loop: bool, seed: int) -> Profile | Failure:
    """The kernel's profile on `shape` and `core`."""
    kernel = _of(path, state).kernel
    memory = MemoryOptions(core, loop=loop) if core is not None else None
    return profile(kernel, parse_shape(kernel, shape), seed=seed, memory=memory)


def ranges(path: Path, state: int, names: list[CaseName]) -> tuple[RangeAnswer, Failure | None] | None:
    """Whether any input in range makes a lane wrap; None where that is not asked."""
    kernel = _of(path, state).kernel
    name = range_case(kernel, names)
    return answer_ranges(kernel, name) if name is not None else None


def explained(path: Path, state: int, failure: Failure) -> Failure:
    """The failure with how it came about."""
    return explain(_of(path, state).kernel, failure)

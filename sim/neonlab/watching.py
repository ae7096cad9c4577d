"""One kernel under the hands of its author: after each save what it is worth, and what changed.

A `Session` is a value that says all there is to show; a `Watcher` makes one after another, first what is known within a
fraction of a second, then more.  Who shows them (a terminal, a page) and who tells of saves is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from neonlab import watch_side
from neonlab.comparison import check_cores
from neonlab.errors import InputError
from neonlab.figures import Change, Figures, changes, figures_of
from neonlab.library import Kernel, open_kernel
from neonlab.plan import CaseName, integers_of, layers_of, parse_shape, plan_cases
from neonlab.revision import head_of, tree_at
from neonlab.verify.case import Shape
from neonlab.verify.verdict import Failure, Verdict, fold, with_ranges
from neonlab.workers import Died, Workers, died

if TYPE_CHECKING:
    from neonlab.measure.profile import Profile

#: The layer that is measured unless another is asked for, where the kernel's operator names it or one like it.
_LAYER_WORK = 14 * 14 * 256 * 256
_TILE = 8  # of each size that results are counted by
_FEW, _CHUNK = 10, 24  # cases tried at first, and at a time afterwards
_ENOUGH = 12  # failures
_TIME_LIMIT = 60.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of one state of the file, so far.

    `problem` says why it cannot be tried (it does not assemble, has no contract).  `planned` cases there are, of which
    the verdict holds those tried.  `tile` and `layer` are profiles on a part of the layer and on all of it, one a core;
    empty until they are made.  `seconds` went by from the save to the first verdict with the tile's figures.
    """

    digest: str = ""
    problem: str | None = None
    verdict: Verdict | None = None
    planned: int = 0
    tile: tuple[Profile, ...] = ()
    layer: tuple[Profile, ...] = ()
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether nothing more will come."""
        if self.problem is not None:
            return True
        tried = self.verdict is not None and (self.verdict.cases >= self.planned or self.verdict.failed >= _ENOUGH)
        return tried and (bool(self.layer) or not self.tile)

    @property
    def tile_figures(self) -> Figures | None:
        """None until there are any."""
        return figures_of(self.tile) if self.tile else None

    @property
    def layer_figures(self) -> Figures | None:
        """None until there are any."""
        return figures_of(self.layer) if self.layer else None


@dataclass(frozen=True, slots=True)
class Session:
    """All there is to show: the file as it is, as it was saved before (its code another), and as it is committed.

    `saved` and `committed` are None where there is none; `commit` is the abbreviated revision.
    """

    path: Path
    tile: str
    shape: str
    cores: tuple[str, ...]
    latest: Reading = field(default_factory=Reading)
    saved: Reading | None = None
    committed: Reading | None = None
    commit: str | None = None
    saves: int = 0

    def changes(self, since: Reading | None, *, layer: bool) -> tuple[Change, ...]:
        """What changed since another reading, on the layer or on the tile; empty where either has no figures."""
        if since is None:
            return ()
        before = since.layer_figures if layer else since.tile_figures
        after = self.latest.layer_figures if layer else self.latest.tile_figures
        return changes(before, after) if before is not None and after is not None else ()

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        latest = self.latest
        tile, layer = latest.tile_figures, latest.layer_figures
        return {
            "path": str(self.path),
            "saves": self.saves,
            "problem": latest.problem,
            "verdict": latest.verdict.to_json() if latest.verdict is not None else None,
            "planned": latest.planned,
            "complete": latest.complete,
            "commit": self.commit,
            "tile": self._figures_json(self.tile, tile, layer=False),
            "layer": self._figures_json(self.shape, layer, layer=True),
        }

    def _figures_json(self, shape: str, figures: Figures | None, *, layer: bool) -> dict[str, Any]:
        return {
            "shape": shape,
            "figures": figures.to_json() if figures is not None else None,
            "since_saved": {c.name: c.difference for c in self.changes(self.saved, layer=layer)},
            "since_committed": {c.name: c.difference for c in self.changes(self.committed, layer=layer)},
        }


def layer_to_watch(kernel: Kernel) -> Shape:
    """The layer of 14x14x256x256, or the one nearest to it in work; the largest case planned without an operator."""
    layers = layers_of(kernel)
    if not layers:
        return plan_cases(kernel)[-1].shape
    if kernel.operator is not None and len(kernel.operator.dimensions) == 4:
        layer = Shape(kernel.operator.dimensions, (14, 14, 256, 256))
        if kernel.operator.accepts(kernel.contract, layer):
            return layer
    return min(layers, key=lambda shape: abs(shape.work - _LAYER_WORK))


def tile_of(kernel: Kernel, layer: Shape) -> Shape:
    """A part of `layer`, with a few of its results and all that goes into each: sizes that results are counted by, cut.

    Sizes are let be where the contract allows no smaller one.
    """
    tile = layer
    counted = [at for at, size in enumerate(layer.sizes) if size > _TILE and _counts_results(kernel, layer, at)]
    summed = any(size > _TILE for at, size in enumerate(layer.sizes) if at not in counted)
    for at in counted:
        # Where nothing is summed up, loops go over results: the last size leaves them some rounds.
        long = not summed and at == counted[-1]
        for size in (16 * _TILE,) if long else (_TILE, 2 * _TILE, 4 * _TILE):
            sizes = list(tile.sizes)
            sizes[at] = min(size, sizes[at])
            cut = Shape(tile.names, tuple(sizes))
            if _allowed(kernel, cut):
                tile = cut
                break
    return tile


def _written(kernel: Kernel, shape: Shape) -> int:
    integers = integers_of(kernel, shape)
    return sum(a.write.evaluate(integers) for a in kernel.contract.arguments if a.write is not None)


def _counts_results(kernel: Kernel, layer: Shape, at: int) -> bool:
    sizes = list(layer.sizes)
    sizes[at] //= 2
    half = Shape(layer.names, tuple(sizes))
    try:
        return _written(kernel, half) != _written(kernel, layer)
    except InputError:
        return False


def _allowed(kernel: Kernel, shape: Shape) -> bool:
    try:
        kernel.contract.check_values(integers_of(kernel, shape))
    except InputError:
        return False
    return True


class Watcher:
    """Looks at one file as often as it is told to, with a process kept warm.  A context manager.

    Raises InputError where the file is no kernel, the shape none of its, or a core not known.
    """

    def __init__(self, path: Path, *, shape: str | None = None, cores: Sequence[str] = (), seed: int = 1) -> None:
        check_cores(cores)
        self.path = path.resolve()
        self._seed = seed
        kernel = open_kernel(self.path)
        layer = parse_shape(kernel, shape) if shape is not None else layer_to_watch(kernel)
        if shape is not None:
            kernel.contract.check_values(integers_of(kernel, layer))
        self._kernel = kernel
        self.session = Session(path, str(tile_of(kernel, layer)), str(layer), tuple(cores))
        self._state = 0
        self._committed: ExitStack | None = None
        self._workers = Workers(1, _TIME_LIMIT)

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.__exit__()
        if self._committed is not None:
            self._committed.close()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Where changes may concern the kernel: beside it, and in its repository's asm/, include/ and kernels/."""
        found = [self.path.parent]
        root = self._kernel.root
        if root is not None and root in self.path.parents:
            found += [root / name for name in ("asm", "include", "kernels") if (root / name).is_dir()]
        return tuple(dict.fromkeys(found))

    def forget_operators(self) -> None:
        """A Python file changed: what was imported of it counts no longer."""
        self._workers.__exit__()
        self._workers = Workers(1, _TIME_LIMIT)

    def look(self) -> Iterator[Session]:
        """The session after a save, again and again with more in it; may be left at any time.

        Nothing comes where the code is what it was and all was known of it.
        """
        began = perf_counter()
        self._state += 1
        before = self.session.latest
        yielded = False
        for reading in self._read(self.path, self._state, began):
            session = self.session
            if not yielded:
                if reading.digest and reading.digest == before.digest and before.complete:
                    return
                basis = before if before.tile and before.digest != reading.digest else session.saved
                session = replace(session, saved=basis, saves=session.saves + 1)
                yielded = True
            self.session = replace(session, latest=reading)
            yield self.session
        if self.session.latest.problem is None:
            yield from self._look_back()

    def _read(self, path: Path, state: int, began: float) -> Iterator[Reading]:
        """Readings of the file, each with more than the one before."""
        session, ask = self.session, self._ask
        digest = ask(watch_side.digest, path, state)
        if isinstance(digest, (Died, InputError)):
            yield Reading(problem=digest.reason if isinstance(digest, Died) else str(digest))
            return
        started = ask(watch_side.first_cases, path, state, session.tile, _FEW, self._seed)
        if isinstance(started, (Died, InputError)):
            outcomes: list[Failure | None] = [self._failure(session.tile, started)]
            names: list[CaseName] = []
        else:
            names, outcomes = started  # only their results so far; all is looked at below
        reading = Reading(digest, planned=max(len(names), 1), verdict=self._verdict(outcomes))
        tile, _ = self._measured(path, state, session.tile)
        reading = replace(reading, tile=tile, seconds=perf_counter() - began)
        yield reading
        if names:
            reading = yield from self._all_cases(path, state, names, reading)
        layer, _ = self._measured(path, state, session.shape) if tile else ((), None)
        reading = replace(reading, layer=layer)
        if reading.verdict is not None and reading.verdict.passed:
            answer = ask(watch_side.ranges, path, state, names)
            if answer is not None and not isinstance(answer, (Died, InputError)):
                reading = replace(reading, verdict=with_ranges(reading.verdict, *answer))
        elif reading.verdict is not None:
            told = [(f, ask(watch_side.explained, path, state, f)) for f in reading.verdict.failures]
            failures = tuple(failure if isinstance(more, (Died, InputError)) else more for failure, more in told)
            reading = replace(reading, verdict=replace(reading.verdict, failures=failures))
        yield reading

    def _all_cases(
        self, path: Path, state: int, names: list[CaseName], reading: Reading
    ) -> Generator[Reading, None, Reading]:
        """Every case with every check, the few of the beginning first."""
        outcomes: list[Failure | None] = []
        starts = [0, *range(_FEW, len(names), _CHUNK)]
        for start, end in zip(starts, [*starts[1:], len(names)], strict=True):
            if sum(one is not None for one in outcomes) >= _ENOUGH:
                break
            chunk = names[start:end]
            found = self._ask(watch_side.try_cases, path, state, chunk)
            if isinstance(found, (Died, InputError)):
                found = [self._failure(str(chunk[0].shape), found)] * len(chunk)
            outcomes = [*outcomes, *found]
            reading = replace(reading, verdict=self._verdict(outcomes))
            yield reading
        return reading

    def _measured(self, path: Path, state: int, shape: str) -> tuple[tuple[Profile, ...], Failure | None]:
        """Profiles on each core; none and why not where the kernel does not run."""
        profiles = []
        for core in self.session.cores or (None,):
            found = self._ask(watch_side.measure, path, state, shape, core, False, self._seed)
            if isinstance(found, (Died, InputError)):
                return (), self._failure(shape, found)
            if isinstance(found, Failure):
                return (), found
            profiles.append(found)
        return tuple(profiles), None

    def _look_back(self) -> Iterator[Session]:
        """The committed file's figures, where git has it and its commit is not the one that was looked at."""
        commit = head_of(self.path.parent)
        if commit is None or (self.session.commit is not None and commit.startswith(self.session.commit)):
            return
        if self._committed is not None:
            self._committed.close()
        self._committed = ExitStack()
        try:
            tree = self._committed.enter_context(tree_at(commit, self.path.parent))
        except InputError:
            return
        then = tree.then(self.path)
        # States count up from 1; those of the committed file down.
        reading = self._figures_of(then, -self._state) if then.is_file() else None
        self.session = replace(self.session, committed=reading, commit=tree.commit)
        yield self.session
        self._ask(watch_side.digest, self.path, self._state)  # warm again for the next save

    def _figures_of(self, path: Path, state: int) -> Reading | None:
        digest = self._ask(watch_side.digest, path, state)
        if isinstance(digest, (Died, InputError)):
            return None
        tile, _ = self._measured(path, state, self.session.tile)
        layer, _ = self._measured(path, state, self.session.shape)
        return Reading(digest, tile=tile, layer=layer)

    def _ask(self, function: Callable[..., T], *task: Any) -> T | Died | InputError:
        """What the process beside answers; how it ended, or what it says is wrong with the file."""
        try:
            [answer] = self._workers.run(function, [task])
        except InputError as error:
            return error
        return answer

    def _failure(self, shape: str, ended: Died | InputError) -> Failure:
        reason = ended.reason if isinstance(ended, Died) else str(ended)
        return died(shape, "random", self._seed, Died(reason))

    def _verdict(self, outcomes: Sequence[Failure | None]) -> Verdict:
        kernel = self._kernel
        return fold(kernel.title, kernel.isa.value, str(self.path), kernel.operator is not None, outcomes, self._seed)

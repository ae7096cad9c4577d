"""Choose what `make test` runs of all tests, and say at the end what it left out.

`make test` is what a person runs before each commit, on a machine that has only Python.  It is meant to take
8 minutes at most, and took 5 on two cores.

`make test-all` (`pytest --thorough`) runs everything.  CI runs what `make test` does and, with `--share 1/16`, a
sixteenth of the rest: sixteen commits in turn take all of it, on the bare machine and on the one with every tool.

Three marks make the difference.  Two are chosen by what the cases prove, the third by how long they take:

- `sweep`: one statement tried on many cases.  `make test` keeps one case of every third kind, and begins with another
  kind in each test, so that every kind is tried by some.  A kind of kernel is its instruction set, operator, window and
  level, of which `sweep(parts=2)` takes the first two; a kind of saboteur is its instruction set and the fault that it
  must show; the right kernels beside them are one kind more.  Where cases have no kind, `sweep(keep=8)` keeps eight,
  evenly spaced from the first to the last.
- `thorough(why)`: left to `make test-all` whole, since another test proves the same on less.
- `slow(keep=2)`: takes 3 s or more, all its cases together; `make test` keeps two of them, evenly spaced, or none.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from tests.saboteurs import Saboteur
from tests.tools import kind_of_absent

from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_files import isa_folder
from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
from neonlab.lab.repository.library import Kernel

#: Cases that a sweep without kinds keeps.
KEEP = 8
#: Of so many kinds a sweep keeps one.
EVERY = 3
_LEFT = "neonlab_left"
_ABSENT = re.compile(r"(?:Skipped: )?(\S+) is not installed")
_TITLE = re.compile(r"(armv[78])/(\w+)")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--thorough` and `--share`."""
    parser.addoption("--thorough", action="store_true", help="run every case of every test, as `make test-all` does")
    parser.addoption("--share", type=_share, metavar="N/M", help="run one share of M of what `make test` leaves out")


def _share(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"--share takes a share such as 1/8, not {text}")
    return int(number), int(of)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marks."""
    config.addinivalue_line("markers", "sweep(keep): `make test` keeps one case of each kind, or `keep` evenly spaced")
    config.addinivalue_line("markers", "thorough(why): left to `make test-all`")
    config.addinivalue_line("markers", "slow(keep): left to `make test-all` but for `keep` cases")
    config.stash[_LEFT_OUT] = Counter()
    config.pluginmanager.register(_FromWorkers(config), "tiers-from-workers")


_LEFT_OUT = pytest.StashKey[Counter[str]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for `make test-all`, unless that, or a single case by its name, was asked for.

    Examples that only `make test-all` tries must be refreshed by `--update` too.
    """
    share = config.getoption("--share")
    whole = config.getoption("--update", default=False) or (config.getoption("--thorough") and share is None)
    if whole or any("::" in str(argument) for argument in config.args):
        return
    left = {
        item: mark
        for cases in _by_function(items)
        for item, mark in _left_out(cases).items()
        if share is None or not _is_in(item, *share)
    }
    config.stash[_LEFT_OUT].update(left.values())
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def _is_in(item: pytest.Item, number: int, of: int) -> bool:
    """Tell whether a test is in this share: by its name, so that it is in the same one wherever it runs."""
    return crc32(f"{item.path.name}::{item.name}".encode()) % of == number - 1


def _left_out(cases: Sequence[pytest.Item]) -> dict[pytest.Item, str]:
    """Return those of the cases of a test that `make test` leaves out, each with the mark that does it."""
    if cases[0].get_closest_marker("thorough") is not None:
        return dict.fromkeys(cases, "thorough")
    sweep, slow = (cases[0].get_closest_marker(mark) for mark in ("sweep", "slow"))
    some = cases if sweep is None else spread(cases, **sweep.kwargs)
    few = some if slow is None else _some(some, **slow.kwargs)
    marks = {**dict.fromkeys(cases, "cases of sweeps"), **dict.fromkeys(some, "slow")}
    for case in few:
        del marks[case]
    return marks


def _by_function(items: Iterable[pytest.Item]) -> list[list[pytest.Item]]:
    return [list(group) for _, group in groupby(items, key=_function_of)]


def _function_of(item: pytest.Item) -> tuple[str, str]:
    return str(item.path), item.nodeid.partition("[")[0]


def spread(cases: Sequence[pytest.Item], keep: int = KEEP, parts: int | None = None) -> list[pytest.Item]:
    """Return the first case of every third kind, as `parts` of it tell; where no case has a kind, `keep` evenly spaced.

    The name of the test says with which kind it begins.
    """
    kinds = [tuple(_first(kind_of(value), parts) for value in _values(case)) for case in cases]
    if any(part is not None for kind in kinds for part in kind):
        first = dict(zip(reversed(kinds), reversed(cases), strict=True))
        name = _function_of(cases[0])[1].rpartition("/")[2]  # the same wherever the checkout is
        start = crc32(name.encode()) % min(EVERY, len(first))
        chosen = {first[kind] for kind in list(dict.fromkeys(kinds))[start::EVERY]}
        return [case for case in cases if case in chosen]
    return [cases[number] for number in evenly(len(cases), keep)]


def _some(cases: Sequence[pytest.Item], keep: int = 0) -> list[pytest.Item]:
    return [cases[number] for number in evenly(len(cases), keep)] if keep else []


def evenly(count: int, keep: int) -> list[int]:
    """Return `keep` of the numbers below `count`, evenly spaced, first and last among them."""
    if keep >= count:
        return list(range(count))
    if keep == 1:
        return [0]
    return sorted({number * (count - 1) // (keep - 1) for number in range(keep)})


def _first(kind: Hashable, parts: int | None) -> Hashable:
    return kind[:parts] if isinstance(kind, tuple) else kind


def _values(case: pytest.Item) -> Iterable[Any]:
    call = getattr(case, "callspec", None)
    return [] if call is None else [value for _, value in sorted(call.params.items())]


def kind_of(value: Any) -> Hashable:
    """Return the kind of a kernel, of a path to one or of its title, or of a saboteur; else None.

    An instruction set is its own kind.
    """
    if isinstance(value, Isa):
        return value
    if isinstance(value, Saboteur):
        return value.isa, value.fault
    if isinstance(value, Kernel):
        return _kind_of_name(value.isa.value, value.name)
    title = _TITLE.fullmatch(value) if isinstance(value, str) else None
    if title:
        return _kind_of_name(*title.groups())
    if isinstance(value, Path) and value.suffix == ".S":
        folder = (isa_folder(value) or value.parent).name
        if "saboteurs" in value.parts:
            return folder, "right"
        return _kind_of_name(folder, value.stem)
    return None


def _kind_of_name(isa: str, name: str) -> Hashable:
    try:
        parsed = KernelName.parse(name)
    except KernelNameError:
        return isa, name
    return isa, parsed.operator, parsed.window, parsed.level


class _FromWorkers:
    """Take from xdist's workers, each of which collects everything, what was left out."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_sessionfinish(self) -> None:
        """Send the counts, in a worker."""
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            left = self._config.stash[_LEFT_OUT]
            output[_LEFT] = dict(left)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive them, in the process that the person started."""
        left = getattr(node, "workeroutput", {}).get(_LEFT)
        if left:
            self._config.stash[_LEFT_OUT] = Counter(left)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Count what did not run, by kind."""
    skipped: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        absent = _ABSENT.search(reason)
        skipped[kind_of_absent(absent[1]) if absent else reason] += 1
    for kind, count in sorted(skipped.items(), key=lambda pair: (-pair[1], pair[0])):
        terminalreporter.write_line(f"skipped {count:,}: needs {kind}")
    left = {kind: count for kind, count in config.stash[_LEFT_OUT].items() if count}
    if left:
        *others, last = (f"{left[kind]:,} {kind}" for kind in ("cases of sweeps", "thorough", "slow") if kind in left)
        parts = f"{', '.join(others)} and {last}" if others else last
        to = "`make test-all`" if config.getoption("--share") is None else "other shares"
        terminalreporter.write_line(f"left to {to}: {parts}")

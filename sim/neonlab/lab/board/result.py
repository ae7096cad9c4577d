"""Read result.json, which the bench of `neonlab board export` prints on a board."""

from __future__ import annotations

import functools
import importlib.resources
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.contract.options import Build, Given
from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.isa.model.isa import Isa, isa_named
from neonlab.lab.board.export import FORMAT

VERDICTS = ("exact", "ran", "unchecked", "WRONG")
#: Most cycles or nanoseconds of a call: a day has fewer.
_MOST = 1e15
COUNTERS = ("perf_event", "pmccntr", "clock")


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of a result: `midr` is the Main ID Register of its core, None where the system does not tell."""

    cpu: int
    midr: int | None
    governor: str | None
    frequency_khz: str | None
    system: str
    release: str
    architecture: str

    @property
    def core(self) -> str:
        """The name of the core that there may be a model of; "" for others."""
        if self.midr is None:
            return ""
        return _parts().get(f"{self.midr >> 24 & 0xFF:02x}-{self.midr >> 4 & 0xFFF:03x}", "")


@dataclass(frozen=True, slots=True)
class Timing:
    """One shape: medians of cycles and nanoseconds of a call, and those of an empty function that is called alike.

    Cycles are None where the board has no counter and tells no frequency.  All are None where a call failed, for
    `reason`.
    """

    shape: str
    calls: int = 0
    repetitions: int = 0
    cycles: float | None = None
    lowest: float | None = None
    empty: float | None = None
    ns: float | None = None
    empty_ns: float | None = None
    reason: str = ""

    @property
    def measured(self) -> float | None:
        """The cycles of the function alone: the caller's loop, as the empty function takes it, is subtracted."""
        if self.cycles is None:
            return None
        return max(self.cycles - (self.empty or 0.0), 0.0) or None

    @property
    def time(self) -> float | None:
        """The same in nanoseconds."""
        return None if self.ns is None else max(self.ns - (self.empty_ns or 0.0), 0.0)


@dataclass(frozen=True, slots=True)
class BoardKernel:
    """One kernel: its verdict on the board, what failed as (case, what), and its times.

    `file` and `given` open it again, as it was opened for the export; `digest` is that of its code.
    """

    title: str
    digest: str
    file: str
    given: Given
    verdict: str
    cases: int
    tried: int
    wrong: int
    failures: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]
    timings: tuple[Timing, ...]


@dataclass(frozen=True, slots=True)
class BoardResult:
    """All of a result.json; `name` is the file's name, `counter` how cycles were counted, `hz` a clock's frequency."""

    name: str
    isa: Isa
    seed: int
    machine: Machine
    compiler: str
    counter: str
    hz: float | None
    kernels: tuple[BoardKernel, ...]

    @property
    def exact(self) -> bool:
        """Tell whether no kernel is wrong."""
        return all(kernel.verdict != "WRONG" for kernel in self.kernels)


def read_result(path: Path) -> BoardResult:
    """Read the file at `path`.  Raises InputError with the place of the first mistake."""
    return parse_result(read_input_text(path), str(path))


def parse_result(text: str, path: str) -> BoardResult:
    """Read the text of a result; `path` serves messages."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON document as a board's bench prints it: {error}") from None
    top = _Reader(document, path, "")
    if top.whole("board") != FORMAT:
        raise InputError(f"{path}: `board` must be {FORMAT}: this neonlab reads no other layout of results")
    counter = top.table("counter")
    kind, hz = counter.word("kind", COUNTERS), counter.figure("hz")
    kernels = tuple(_kernel(one) for one in top.tables("kernels"))
    if not kernels or len({one.title for one in kernels}) != len(kernels):
        raise top.error("kernels", "one kernel or more, each once")
    if kind == "clock" and not hz and any(one.cycles is not None for kernel in kernels for one in kernel.timings):
        raise counter.error("hz", "the clock's frequency where there are cycles")
    return BoardResult(
        Path(path).name,
        top.isa("isa"),
        top.whole("seed"),
        _machine(top.table("machine")),
        top.text("compiler"),
        kind,
        hz,
        kernels,
    )


def _machine(table: _Reader) -> Machine:
    midr = table.text_or_none("midr")
    try:
        number = None if midr is None else int(midr, 16)
    except ValueError:
        raise table.error("midr", "a hexadecimal number or null") from None
    return Machine(
        table.whole("cpu", least=-1),
        number,
        table.text_or_none("governor"),
        table.text_or_none("frequency_khz"),
        table.text("system"),
        table.text("release"),
        table.text("architecture"),
    )


def _kernel(table: _Reader) -> BoardKernel:
    opened = table.table("opened")
    failures = tuple((one.text("case"), one.text("what")) for one in table.tables("failures"))
    found = BoardKernel(
        table.text("kernel"),
        table.text("digest"),
        opened.text("file"),
        _given(opened),
        table.word("verdict", VERDICTS),
        table.whole("cases"),
        table.whole("tried"),
        table.whole("wrong"),
        failures,
        tuple((one.text("case"), one.text("reason")) for one in table.tables("left_out")),
        tuple(_timing(one) for one in table.tables("timings")),
    )
    if (found.verdict == "WRONG") != (found.wrong > 0) or len(failures) != found.wrong:
        raise table.error("verdict", "WRONG exactly where `wrong` counts `failures`")
    if not found.wrong and found.tried != found.cases:
        raise table.error("tried", "equal to `cases` where nothing failed: the bench was stopped")
    return found


def _given(opened: _Reader) -> Given:
    isa = opened.text("isa")
    settings = []
    for pair in opened.items("settings"):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
            raise opened.error("settings", "a list of pairs of texts")
        settings.append((pair[0], pair[1]))
    build = Build(opened.texts("include"), opened.texts("define"), opened.texts("flags"), opened.text("compiler"))
    return Given(
        opened.isa("isa") if isa else None,
        opened.text("symbol"),
        opened.text("prototype"),
        opened.text("contract"),
        tuple(settings),
        build,
    )


def _timing(table: _Reader) -> Timing:
    shape = table.text("shape")
    if "reason" in table.value:
        return Timing(shape, reason=table.text("reason"))
    cycles, lowest, empty, ns, empty_ns = map(table.figure, ("cycles", "lowest", "empty", "ns", "empty_ns"))
    if ns is None:
        raise table.error("ns", "a number")
    if cycles is not None and lowest is not None and lowest > cycles:
        raise table.error("lowest", "no more than `cycles`")
    calls, repetitions = (table.whole(key, least=1) for key in ("calls", "repetitions"))
    return Timing(shape, calls, repetitions, cycles, lowest, empty, ns, empty_ns)


class _Reader:
    """One table of the document, with its place for messages."""

    def __init__(self, value: Any, path: str, place: str) -> None:
        self.value: Mapping[str, Any] = value if isinstance(value, dict) else {}
        self._path, self._place = path, place
        if not isinstance(value, dict):
            raise InputError(f"{path}: `{place or 'the document'}` must be a JSON object")

    def _at(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def error(self, key: str, must: str) -> InputError:
        return InputError(f"{self._path}: `{self._at(key)}` must be {must}")

    def _of(self, key: str, kinds: tuple[type, ...], must: str) -> Any:
        found = self.value.get(key)
        if key not in self.value or not isinstance(found, kinds) or isinstance(found, bool):
            raise self.error(key, must)
        return found

    def text(self, key: str) -> str:
        found = str(self._of(key, (str,), "text"))
        if not found.replace("\n", "").isprintable():  # or it could direct the terminal
            raise self.error(key, "text of printable characters")
        return found

    def text_or_none(self, key: str) -> str | None:
        return None if self._of(key, (str, type(None)), "text or null") is None else self.text(key)

    def word(self, key: str, words: tuple[str, ...]) -> str:
        found = self.text(key)
        if found not in words:
            raise self.error(key, f"one of {', '.join(words)}")
        return found

    def whole(self, key: str, least: int = 0) -> int:
        found = int(self._of(key, (int,), "a whole number"))
        if found < least:
            raise self.error(key, f"{least} or more")
        return found

    def figure(self, key: str) -> float | None:
        found = self._of(key, (int, float, type(None)), "a number or null")
        if found is not None and not 0 <= found <= _MOST:
            raise self.error(key, f"from 0 to {_MOST:.0e}")
        return None if found is None else float(found)

    def isa(self, key: str) -> Isa:
        try:
            return isa_named(self.text(key))
        except InputError:
            raise self.error(key, "armv7 or armv8") from None

    def items(self, key: str) -> list[Any]:
        return list(self._of(key, (list,), "a list"))

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.items(key)
        if not all(isinstance(one, str) for one in found):
            raise self.error(key, "a list of texts")
        return tuple(found)

    def table(self, key: str) -> _Reader:
        return _Reader(self.value.get(key), self._path, self._at(key))

    def tables(self, key: str) -> list[_Reader]:
        return [_Reader(one, self._path, f"{self._at(key)}[{n}]") for n, one in enumerate(self.items(key))]


@functools.cache
def _parts() -> Mapping[str, str]:
    text = (importlib.resources.files("neonlab.lab.board") / "parts.toml").read_text(encoding="utf-8")
    return {key: str(core) for key, core in tomllib.loads(text).items()}

"""Read cores from data: tables/NAME.toml, with the source of every number beside it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

POLICIES = ("lru", "random", "plru")
#: Features of instruction sets that not every core has.
FEATURES = frozenset({"dotprod", "i8mm"})
#: Cores whose tables have the name of another core.
ALIASES = {"neoverse-n1": "cortex-a76"}


class CoreError(InputError):
    """Raised for an unknown core, or for a file that does not describe one."""


@dataclass(frozen=True, slots=True)
class CacheShape:
    """One cache: `size` and `line` in bytes. `policy` is "lru", "random" (by a fixed sequence) or "plru" (a tree)."""

    size: int
    ways: int
    line: int
    policy: str
    source: str

    def __post_init__(self) -> None:
        sets, rest = divmod(self.size, self.ways * self.line)
        if rest or not _power_of_two(sets) or not _power_of_two(self.line):
            raise CoreError(f"a cache of {self.size} bytes, {self.ways} ways and lines of {self.line} is not possible")
        if self.policy not in POLICIES:
            raise CoreError(f"replacement policy `{self.policy}` is not known: use one of {', '.join(POLICIES)}")
        if self.policy == "plru" and not _power_of_two(self.ways):
            raise CoreError(f"tree replacement of {self.ways} ways is not modelled")

    @property
    def sets(self) -> int:
        """The number of sets, which is the number of lines in one way."""
        return self.size // (self.ways * self.line)


@dataclass(frozen=True, slots=True)
class Prefetcher:
    """A stride prefetcher: after `confidence` equal steps of one instruction, it fetches `depth` steps ahead.

    `level` 1 fills the first-level data cache and the second level, 2 the second level alone.
    """

    level: int
    confidence: int
    depth: int
    source: str


@dataclass(frozen=True, slots=True)
class Latencies:
    """Latencies of the memory, in core cycles.

    `l1`, `l2` and `memory` count from the issue of a load to the issue of the first instruction that needs the loaded
    general register.  Lines arrive from the second level at least `l2_interval` cycles apart, from memory
    `memory_interval`. At most `outstanding` lines are in flight; `stores` missed stores wait in a buffer.
    `behind_miss` is the number of instructions that an in-order core issues, a missed load among them, before its line
    arrives; further accesses and 128-bit NEON work wait for the line as well.  0 means that only instructions that need
    the data wait.
    """

    l1: int
    l2: int
    memory: int
    l2_interval: int
    memory_interval: int
    outstanding: int
    stores: int
    source: str
    behind_miss: int = 0


@dataclass(frozen=True, slots=True)
class MemoryHierarchy:
    """The caches of one core.  All are write-back, write-allocate.

    `l2_takes` is "refills" where lines enter the second level on their way to the first.  It is "evictions" where data
    lines enter it when the first level evicts them.
    """

    l1i: CacheShape
    l1d: CacheShape
    l2: CacheShape
    l2_takes: str
    prefetcher: Prefetcher
    latency: Latencies
    source: str

    def __post_init__(self) -> None:
        if self.l2_takes not in ("refills", "evictions"):
            raise CoreError(f"l2_takes must be refills or evictions, not `{self.l2_takes}`")
        if max(self.l1i.line, self.l1d.line) > self.l2.line:
            raise CoreError("lines of the first level are longer than those of the second")


@dataclass(frozen=True, slots=True)
class Core:
    """One core as a chip has it.  Where the design leaves sizes open, `memory` names the common choice that is used."""

    name: str
    title: str
    memory: MemoryHierarchy
    features: frozenset[str] = frozenset()
    instruction_sets: frozenset[Isa] = frozenset(Isa)

    def refusal(self, isa: Isa, needed: frozenset[str]) -> str | None:
        """Return why it cannot run code of `isa` that needs these features, in words; None where it can."""
        if isa not in self.instruction_sets:
            return f"{self.name} does not execute {isa.name}"
        missing = sorted((needed & FEATURES) - self.features)
        return f"{self.name} has no {' and no '.join(missing)}" if missing else None


def core_names() -> tuple[str, ...]:
    """Return every name that `load_core` takes, in alphabetical order."""
    folder = files("neonlab.measure.cores") / "tables"
    names = [entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")]
    own = [name for name in names if "." not in name and name != "errors"]
    return tuple(sorted([*own, *ALIASES]))


@functools.cache
def load_core(name: str) -> Core:
    """Return the core called `name`.  Raises CoreError when there is none."""
    if name not in core_names():
        raise CoreError(f"no core `{name}`; there are {', '.join(core_names())}")
    path = files("neonlab.measure.cores") / "tables" / f"{ALIASES.get(name, name)}.toml"
    return read_core(name, path.read_text(encoding="utf-8"))


def read_core(name: str, text: str) -> Core:
    """Return the core that `text` describes.  Raises CoreError where it describes none."""
    try:
        table = tomllib.loads(text)
        memory: Mapping[str, Any] = table["memory"]
        caches = {level: CacheShape(**memory[level]) for level in ("l1i", "l1d", "l2")}
        prefetcher = Prefetcher(**memory["prefetcher"])
        hierarchy = MemoryHierarchy(
            **caches,
            l2_takes=memory["l2_takes"],
            prefetcher=prefetcher,
            latency=Latencies(**memory["latency"]),
            source=memory["source"],
        )
        sets = frozenset(Isa(known) for known in table.get("instruction_sets", [isa.value for isa in Isa]))
        return Core(name, table["title"], hierarchy, frozenset(table.get("features", ())), sets)
    except (ValueError, KeyError, TypeError) as error:
        raise CoreError(f"core `{name}`: {error}") from error


def _power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0

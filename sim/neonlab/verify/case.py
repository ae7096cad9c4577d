"""One thing to try: a shape, data of one pattern, and the result that must come out."""

from __future__ import annotations

import enum
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.assemble.contract import Argument
from neonlab.errors import InputError

_PLACEMENTS = 8
#: The shape of a kernel that has no sizes.
NO_SIZES = "fixed"
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Shape:
    """Named sizes of an operator, in the operator's order; written `14x14x256x512`."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __getitem__(self, name: str) -> int:
        return self.sizes[self.names.index(name)]

    def __str__(self) -> str:
        return "x".join(map(str, self.sizes)) or NO_SIZES

    @property
    def work(self) -> int:
        """The product of all, for ordering shapes by size."""
        return math.prod(max(1, abs(size)) for size in self.sizes)

    def values(self) -> dict[str, int]:
        """The sizes by name."""
        return dict(zip(self.names, self.sizes, strict=True))

    @staticmethod
    def parse(text: str, names: tuple[str, ...], *, lowest: int | None = 1) -> Shape:
        """Read `14x14x256x512`, one number for each of `names`, `lowest` at least.  Raises InputError."""
        parts = text.lower().split("x") if names or text != NO_SIZES else []
        if not names and parts:
            raise InputError(f"shape `{text}`: the kernel has no sizes; its only shape is `{NO_SIZES}`")
        if len(parts) != len(names) or not all(re.fullmatch(r"-?[0-9]+", part) for part in parts):
            example = "x".join(names)
            raise InputError(f"shape `{text}` is not {example}: {len(names)} whole numbers joined by x")
        sizes = tuple(int(part[:12]) for part in parts)
        if lowest is not None and any(size < lowest for size in sizes):
            raise InputError(f"shape `{text}`: every size is at least {lowest}")
        return Shape(names, sizes)


class Depth(enum.Enum):
    """How much a case is checked for."""

    QUICK = "quick"  # results, and the faults that the emulator itself sees
    LARGE = "large"  # every access, every lane, the procedure call standard
    WATCHED = "watched"  # that, with buffers aligned no better than promised
    FULL = "full"  # that, and whether anything depends on what nobody set or on where buffers lie


PATTERNS: Mapping[str, str] = {
    "random": "uniform over the declared range",
    "extremes": "each element the lowest or the highest of its range, at random",
    "lowest": "every element the lowest of its range",
    "highest": "every element the highest of its range",
    "opposed": "arrays in turn all lowest and all highest",
    "alternating": "lowest and highest in turn",
    "one_hot": "zero but for one element",
}


class DataSource:
    """Draws a case's arrays: one pattern, one seed, each argument's declared range."""

    def __init__(self, pattern: str, seed: int, *salt: str) -> None:
        if pattern not in PATTERNS:
            raise InputError(f"pattern `{pattern}` is none of {', '.join(PATTERNS)}")
        self.pattern, self.seed = pattern, seed
        self.random = np.random.default_rng([seed, *(zlib.crc32(text.encode()) for text in salt)])
        self._drawn = 0

    def array(self, argument: Argument, shape: tuple[int, ...]) -> Array:
        """An array of `shape` for `argument`, of its dtype, within its declared range (all of the dtype if none)."""
        dtype = argument.dtype
        low, high = argument.value_range or ((-1.0, 1.0) if dtype.kind == "f" else _limits(dtype))
        return self.draw(shape, dtype, low, high)

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any], low: float, high: float) -> Array:
        """An array of `shape` with elements of [low, high], filled as the pattern says."""
        turn, self._drawn = self._drawn, self._drawn + 1
        count = math.prod(shape)
        ends = np.array([low, high], dtype)
        match self.pattern:
            case "random" if dtype.kind == "f":
                flat = self.random.uniform(low, high, count)
            case "random":
                flat = self.random.integers(int(low), int(high), count, dtype, endpoint=True)
            case "extremes":
                flat = ends[self.random.integers(0, 2, count)]
            case "lowest":
                flat = np.full(count, low)
            case "highest":
                flat = np.full(count, high)
            case "opposed":
                flat = np.full(count, ends[turn % 2])
            case "alternating":
                flat = ends[np.arange(count) % 2]
            case _:
                flat = np.full(count, min(max(0, low), high), dtype)
                flat[int(self.random.integers(max(count, 1))) :][:1] = low if turn % 2 else high
        return np.ascontiguousarray(flat, dtype).reshape(shape)


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


@dataclass(frozen=True)
class Expected:
    """What an output must hold: `array` in the kernel's own layout, `axes` the name of each of its dimensions."""

    array: Array
    axes: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Everything one call needs.  `integers` and `inputs` by argument name; `expected` empty without a reference.

    What lies behind a pointer in a struct or an array goes by its own name: `params.bias`; all rows that the pointers
    of `input` lead to are one array `input[]`.  `rows` says for such pointers which row each leads to, -1 for none of
    them; without it each leads to the next.  `returned` is the value to be returned, None where nobody says.
    """

    shape: Shape
    pattern: str
    seed: int
    integers: Mapping[str, int]
    inputs: Mapping[str, Array]
    expected: Mapping[str, Expected]
    rows: Mapping[str, Array] = field(default_factory=dict)
    returned: int | float | None = None

    @property
    def title(self) -> str:
        """One line that, with the kernel's name, reproduces the case: `3x3x16x8 random seed 1`."""
        return f"{self.shape} {self.pattern} seed {self.seed}"

    @property
    def placement(self) -> int:
        """Which of the places that the contract allows its buffers take; 0 is flush with the end of a page."""
        return zlib.crc32(self.title.encode()) % _PLACEMENTS

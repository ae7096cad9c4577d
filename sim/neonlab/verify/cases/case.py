"""Define a case: a shape, data of one pattern, and the expected result."""

from __future__ import annotations

import enum
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.contract.header import Argument
from neonlab.errors import InputError

_PLACEMENTS = 8
#: The shape of a kernel that has no sizes.
NO_SIZES = "fixed"
Array = np.ndarray[Any, np.dtype[Any]]


#: Most digits of a size: any number of so many fits 64 bits.
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Shape:
    """Hold the named sizes of one problem, in the order of the operator's dimensions; written `14x14x256x512`."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __getitem__(self, name: str) -> int:
        return self.sizes[self.names.index(name)]

    def __str__(self) -> str:
        return "x".join(map(str, self.sizes)) or NO_SIZES

    @property
    def work(self) -> int:
        """Return the product of the sizes, by which shapes are ordered."""
        return math.prod(max(1, abs(size)) for size in self.sizes)

    def values(self) -> dict[str, int]:
        """Return the sizes by their names."""
        return dict(zip(self.names, self.sizes, strict=True))

    @staticmethod
    def parse(text: str, names: tuple[str, ...], *, lowest: int | None = 1) -> Shape:
        """Parse `14x14x256x512`: one integer for each of `names`, none below `lowest`.  Raises InputError."""
        parts = text.lower().split("x") if names or text != NO_SIZES else []
        if not names and parts:
            raise InputError(f"shape `{text}`: the kernel has no sizes; its only shape is `{NO_SIZES}`")
        if len(parts) != len(names) or not all(re.fullmatch(r"-?[0-9]+", part) for part in parts):
            sizes_named = f"the {len(names)} sizes {' x '.join(names)}" if names[1:] else f"the size {names[0]}"
            raise InputError(f"shape `{text[:100]}`: give {sizes_named} as whole numbers joined by x")
        if any(len(part.lstrip("-0")) > _MOST_DIGITS for part in parts):
            raise InputError(f"shape `{text[:100]}`: a size has more than {_MOST_DIGITS} digits")
        sizes = tuple(int(part.lstrip("-0") or "0") * (-1 if part.startswith("-") else 1) for part in parts)
        if lowest is not None and any(size < lowest for size in sizes):
            raise InputError(f"shape `{text}`: every size must be {lowest} or more")
        return Shape(names, sizes)


class Depth(enum.Enum):
    """The thoroughness of a check."""

    QUICK = "quick"  # results, and the faults that the emulator itself reports
    LARGE = "large"  # every access, every lane, the procedure call standard
    WATCHED = "watched"  # as LARGE, with buffers aligned no better than promised
    FULL = "full"  # as WATCHED, and whether anything depends on uninitialised data or on the addresses of buffers


PATTERNS: Mapping[str, str] = {
    "random": "uniform over the declared range",
    "extremes": "each element the lowest or the highest of its range, at random; of floats zeros and denormals too",
    "lowest": "every element the lowest of its range",
    "highest": "every element the highest of its range",
    "opposed": "arrays in turn all lowest and all highest",
    "alternating": "lowest and highest in turn",
    "one_hot": "zero except for one element",
}


class DataSource:
    """Draw the arrays of one case from a pattern and a seed, within each argument's declared range.

    Raises InputError for a pattern that is not known.
    """

    def __init__(self, pattern: str, seed: int, *salt: str) -> None:
        if pattern not in PATTERNS:
            raise InputError(f"no pattern is called `{pattern}`; there are {', '.join(PATTERNS)}")
        self.pattern, self.seed = pattern, seed
        self.random = np.random.default_rng([seed, *(zlib.crc32(text.encode()) for text in salt)])
        self._drawn = 0

    def array(self, argument: Argument, shape: tuple[int, ...]) -> Array:
        """Return an array of `shape` in the dtype of `argument`, within its declared range or else that of the dtype.

        A float without a declared range is drawn from [-1, 1].
        """
        dtype = argument.dtype
        low, high = argument.value_range or ((-1.0, 1.0) if dtype.kind == "f" else _limits(dtype))
        return self.draw(shape, dtype, low, high)

    def draw(self, shape: tuple[int, ...], dtype: np.dtype[Any], low: float, high: float) -> Array:
        """Return an array of `shape` and `dtype` with elements in [low, high], filled as the pattern says."""
        turn, self._drawn = self._drawn, self._drawn + 1
        count = math.prod(shape)
        ends = np.array([low, high], dtype)
        match self.pattern:
            case "random" if dtype.kind == "f":
                flat = self.random.uniform(low, high, count)
            case "random":
                flat = self.random.integers(int(low), int(high), count, dtype, endpoint=True)
            case "extremes":
                ends = np.concatenate([ends, _ends_of_format(dtype, low, high)])
                flat = ends[self.random.integers(0, ends.size, count)]
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


def _ends_of_format(dtype: np.dtype[Any], low: float, high: float) -> Array:
    """Return the floats in [low, high] at which the format changes, as a 1-dimensional array of `dtype`.

    They are both zeros, the ends of the denormals and the smallest normals.  A32's NEON flushes denormals to 0.  For
    integers the array is empty.
    """
    if dtype.kind != "f":
        return np.zeros(0, dtype)
    limits = np.finfo(dtype)
    sizes = [0.0, limits.smallest_subnormal, limits.smallest_normal - limits.smallest_subnormal, limits.smallest_normal]
    signed = np.array([*sizes, *(-size for size in sizes)], dtype)
    return signed[(signed >= low) & (signed <= high)]


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


@dataclass(frozen=True)
class Expected:
    """Hold what an output must be: `array` in the kernel's own layout and dtype, `axes` the name of each dimension."""

    array: Array
    axes: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Hold everything that one call needs: `integers` and `inputs` by argument name, and what is `expected` of it.

    `expected` is empty without a reference.  The target of a pointer in a struct has a name such as `params.bias`; all
    rows that an array of pointers `input` points to are one array `input[]`.  For such an array, `rows` holds the index
    of the row for each pointer, -1 for a pointer to none of them; without it each points to the next row.  `returned`
    is the value that must be returned, None where it is not known.
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
        """Return the text that reproduces the case together with the kernel's name: `3x3x16x8 random seed 1`."""
        return f"{self.shape} {self.pattern} seed {self.seed}"

    @property
    def placement(self) -> int:
        """Return the number of the placement of its buffers, below 8; 0 puts their ends at the end of a page."""
        return zlib.crc32(self.title.encode()) % _PLACEMENTS

"""Define a case: a shape, data of one pattern, and the expected result."""

from __future__ import annotations

import enum
import functools
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.contract.header import Argument
from neonlab.errors import InputError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.sizes import Dimension, Role, numbers

#: Placements of buffers; every eighth is number 0, and from `placement.MIXED` on buffers are mixed.
_PLACEMENTS, _FLUSH = 64, 8
#: Part of the random numbers of `DataSource.values` that are ends, 0 and the like.
_NOTABLE = 0.5
#: Scales whose products with whole numbers are exact, so that rounding meets ties.
_EXACT_SCALES = (0.125, 0.25, 0.5, 1.0, 2.0)
#: How near to an end the elements of an array are: integers, and floats as a part of the range.
_NEAR, _NEAR_FLOAT = 3, 1 / 1024
#: In one case of so many, all numbers that decide about a whole tensor are ends of their ranges.
_ENDS_IN = 8
#: Width of a range from which on random integers have any number of bits.
_WIDE = 1 << 17
#: Parts of these that are next to powers of two, and of those with fewer bits.
_POWERS, _FEWER_BITS = 0.125, 0.375
#: Elements from which on the one of `one_hot` is among the last few.
_LONG, _LAST = 1 << 16, 6
#: Elements of a block of zeros.
_BLOCK = 256
Array = np.ndarray[Any, np.dtype[Any]]


class Depth(enum.Enum):
    """The thoroughness of a check."""

    QUICK = "quick"  # results, and the faults that the emulator itself reports
    LARGE = "large"  # every access, every lane, the procedure call standard
    WATCHED = "watched"  # as LARGE, with buffers aligned no better than promised, or mixed
    FULL = "full"  # as WATCHED, and whether anything depends on uninitialised data or on the addresses of buffers


@dataclass(frozen=True, slots=True)
class CaseName:
    """The key of a case, which is a pure function of the kernel's name and this key; `depth` says how to check it."""

    shape: Shape
    pattern: str
    seed: int
    depth: Depth = Depth.FULL

    def __str__(self) -> str:
        return f"{self.shape} {self.pattern} seed {self.seed}"


PATTERNS: Mapping[str, str] = {
    "random": "uniform over the declared range",
    "extremes": "each element the lowest or the highest of its range, at random; of floats zeros and denormals too",
    "lowest": "every element the lowest of its range",
    "highest": "every element the highest of its range",
    "opposed": "arrays in turn all lowest and all highest",
    "alternating": "lowest and highest in turn",
    "one_hot": "zero except for one element",
    "near_ends": "each array near the lowest or near the highest of its range, integers within 3",
    "sparse": "blocks of 256 zeros, and between them one random element or sixteen",
}


class DataSource:
    """Draw the arrays of one case from a pattern and a seed, within each argument's declared range.

    With `any_size`, random integers of a wide range have any number of bits; an operator of the lab draws them as its
    formulas need them.  Raises InputError for a pattern that is not known.
    """

    def __init__(self, pattern: str, seed: int, *salt: str, any_size: bool = False) -> None:
        if pattern not in PATTERNS:
            raise InputError(f"no pattern is called `{pattern}`; there are {', '.join(PATTERNS)}")
        self.pattern, self.seed, self.any_size = pattern, seed, any_size
        self.random = generator(seed, *(zlib.crc32(text.encode()) for text in salt))
        self._drawn = 0
        self._all_ends = zlib.crc32(" ".join([str(seed), *salt]).encode()) % _ENDS_IN == 0

    def array(self, argument: Argument, shape: tuple[int, ...]) -> Array:
        """Return an array of `shape` in the dtype of `argument`, within its declared range or else that of the dtype.

        A float without a declared range is drawn from [-1, 1].
        """
        dtype = argument.dtype
        low, high = argument.value_range or ((-1.0, 1.0) if dtype.kind == "f" else _limits(dtype))
        return self.draw(shape, dtype, low, high)

    def value(self, argument: Argument) -> Array:
        """Return one number, such as a zero point or a padding value, as an array without dimensions; see `values`."""
        return self.values(argument, ()).reshape(())

    def values(self, argument: Argument, shape: tuple[int, ...]) -> Array:
        """Return numbers that decide about all of a tensor: zero points, limits, multipliers.

        They are drawn as `array` draws them.  Of random ones, every other is 0, an end of the range, or another of
        `neonlab.verify.cases.sizes.numbers`, so that a check meets all of these.  Of floats every other is 0, an end,
        or a power of two: products of whole numbers and such a scale lie midway between two whole numbers often.  In
        one case of eight, all numbers of the case are ends, so that the ends of several meet data of any kind.
        """
        found = self.array(argument, shape)
        if self.pattern != "random":
            return found
        if self._all_ends and argument.dtype.kind != "f":
            ends = argument.value_range or _limits(argument.dtype)
            return np.asarray(np.array(ends, argument.dtype)[self.random.integers(0, 2, shape)], argument.dtype)
        if argument.dtype.kind == "f":
            low, high = argument.value_range or (-1.0, 1.0)
            exact = [power for power in _EXACT_SCALES if low <= power <= high]
            few = np.array([low, high, min(max(0.0, low), high), *exact], argument.dtype)
        else:
            low, high = argument.value_range or _limits(argument.dtype)
            few = _notable(int(low), int(high), argument.dtype)
        chosen = few[self.random.integers(0, few.size, shape)]
        return np.asarray(np.where(self.random.random(shape) < _NOTABLE, chosen, found), argument.dtype)

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
                if self.any_size and int(high) - int(low) >= _WIDE:
                    flat = self._of_any_size(flat, low, high)
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
            case "near_ends":
                near = min(_NEAR, int(high) - int(low)) if dtype.kind != "f" else (high - low) * _NEAR_FLOAT
                first = low if self.random.random() < _NOTABLE else high - near
                if dtype.kind == "f":
                    flat = self.random.uniform(first, first + near, count)
                else:
                    flat = self.random.integers(int(first), int(first) + int(near), count, dtype, endpoint=True)
            case "sparse":
                flat = np.full(count, min(max(0, low), high), dtype)
                # Often from the first element on and of one sign, so that the zeros are an end of all that there is.
                begin = int(self.random.integers(_BLOCK)) if self.random.random() < _NOTABLE else 0
                some = _between_blocks(count, begin, (1, 16)[(turn + int(self.random.integers(2))) % 2])
                lowest = max(low, 0) if high > 0 and self.random.random() < _NOTABLE else low
                flat[some] = self.random.uniform(lowest, high, count)[some].astype(dtype)
                flat[some[:1]] = high  # whatever the range, one element is not 0
            case _:
                flat = np.full(count, min(max(0, low), high), dtype)
                at = int(self.random.integers(max(count, 1)))
                if count > _LONG:  # among the last, where an index that lost its high bits points elsewhere
                    at = count - 1 - at % _LAST
                    turn += count.bit_length() // 2 % 2  # and the least of all at some sizes
                flat[at:][:1] = low if turn % 2 else high
        return np.ascontiguousarray(flat, dtype).reshape(shape)

    def _of_any_size(self, drawn: Array, low: float, high: float) -> Array:
        """Return integers of a wide range, of which some have fewer bits, each number of bits as often as another.

        Of all int32, one in a million lies within 2,000 of 0: a kernel could be wrong for all of these.  Others are
        powers of two, or one less.
        """
        bits = 8 * drawn.dtype.itemsize - 1
        shifts = self.random.integers(0, bits, drawn.size).astype(drawn.dtype)
        chance = self.random.random(drawn.size)
        powers = (np.ones(drawn.size, drawn.dtype) << shifts) - self.random.integers(0, 2, drawn.size, drawn.dtype)
        powers = np.where(drawn < 0, -powers, powers)
        found = np.where(chance < _POWERS, powers, np.where(chance < _POWERS + _FEWER_BITS, drawn >> shifts, drawn))
        return np.asarray(np.clip(found, int(low), int(high)), drawn.dtype)


def _between_blocks(count: int, first: int, run: int) -> Array:
    """Return the indices below `count` of runs of `run` elements from `first` on, with blocks of zeros in between.

    In an array too short for that, the run begins within it.
    """
    starts = np.arange(first % max(1, count), max(1, count), _BLOCK + run)
    found = np.add.outer(starts, np.arange(run)).reshape(-1)
    chosen: Array = found[found < count]
    return chosen


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


def generator(seed: int, *salt: int) -> np.random.Generator:
    """Return what `default_rng` of these numbers is, in two thirds of the time; `salt` has numbers of 32 bits."""
    if seed >> 32:
        return np.random.default_rng([seed, *salt])
    return np.random.Generator(np.random.PCG64(np.array([seed, *salt], np.uint32)))


@functools.lru_cache(maxsize=64)
def _notable(low: int, high: int, dtype: np.dtype[Any]) -> Array:
    """Return the notable numbers of a range: every case draws from those of the same few."""
    return np.array(numbers(Dimension("", low, high, 1, Role.NUMBER)), dtype)


@functools.lru_cache(maxsize=16)
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
    def name(self) -> CaseName:
        """Return the key that reproduces the case together with the kernel's name."""
        return CaseName(self.shape, self.pattern, self.seed)

    @property
    def title(self) -> str:
        """Return the same as text: `3x3x16x8 random seed 1`."""
        return str(self.name)

    @property
    def nbytes(self) -> int:
        """Return the bytes of its inputs and of the results expected of them."""
        expected = sum(one.array.nbytes for one in self.expected.values())
        return expected + sum(array.nbytes for array in self.inputs.values())

    @property
    def placement(self) -> int:
        """Return the number of the placement of its buffers, below 64; 0 puts their ends at the end of a page."""
        number = zlib.crc32(self.title.encode()) % _PLACEMENTS
        return number if number % _FLUSH else 0

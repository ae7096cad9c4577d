"""Read how a buffer is measured: where it lies, what it holds, and whether calls find it in the caches.

    a = { read = "k", offset = 3, data = "ramp" }
    p = { read = "4*n", dtype = "int32", data = { start = 0, step = 2 } }
    w = { read = "k*n", data = "weights.npy", cold = true }

None of it is a promise to the kernel: checks place buffers and draw data by rules of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.contract.text import ContractText

#: The entries of a buffer that this module reads; a pointer in a struct has no `offset` of this kind.
KEYS, OFFSET = ("offset", "data", "cold"), "offset"
#: The word for a ramp that says nothing else, and how names of files end.
RAMP, SUFFIXES = "ramp", (".npy", ".bin")
_MOST_OFFSET = 4096
_SAY = '"ramp", a table such as { start = 0, step = 1 }, or a file that ends in .npy or .bin'


@dataclass(frozen=True, slots=True)
class Ramp:
    """Elements that rise by `step` from `start` and go on at the other end of the range; None leaves it to the type."""

    start: float | None = None
    step: float | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """Elements in a file: an array of numpy's (.npy), or bytes as the memory holds them (.bin)."""

    path: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """Say how a buffer is measured.

    The pointer lies `offset` bytes behind a place that is aligned; None is as 0.  `data` is what it holds; None is
    random.  `cold` says that it holds weights, which other work drives out of the caches between calls.
    """

    offset: int | None = None
    data: Ramp | DataFile | None = None
    cold: bool = False

    def joined(self, other: Conditions) -> Conditions:
        """Return the place and the state of two pointers that are one, with this one's data."""
        offset = other.offset if self.offset is None else self.offset
        return Conditions(offset, self.data, self.cold or other.cold)


#: Nothing is said.
NO_CONDITIONS = Conditions()


def read_conditions(
    table: Mapping[str, Any],
    text: ContractText,
    name: str,
    *,
    dtype: np.dtype[Any],
    bounds: tuple[float, float] | None,
    align: int,
    holds_data: bool,
    in_struct: bool,
) -> Conditions:
    """Return the conditions in the `table` of the buffer `name`.

    `align` is the alignment that the contract promises, in bytes.  `holds_data` says that the buffer holds plain
    elements that the kernel reads, of `dtype` and within `bounds`.  With `in_struct`, `offset` means something else.
    Raises ContractError.
    """
    offset = None if in_struct else table.get(OFFSET)
    if offset is not None:
        if type(offset) is not int or not 0 <= offset < _MOST_OFFSET:
            raise text.error(f"offset of `{name}` is a number of bytes, 0 to {_MOST_OFFSET - 1}", name)
        if offset % align:
            raise text.error(
                f"offset of `{name}` is {offset}, but the contract promises {align}-byte alignment (`align`, or the "
                "size of an element): give a multiple",
                name,
            )
    cold = table.get("cold", False)
    if type(cold) is not bool:
        raise text.error(f"cold of `{name}` is true or false", name)
    data = None
    if "data" in table:
        if not holds_data:
            raise text.error(f"`{name}` has `data`, but no plain elements that are read: state `read`", name)
        data = _data(table["data"], text, name, dtype, bounds)
    return Conditions(offset, data, cold)


def _data(
    value: Any, text: ContractText, name: str, dtype: np.dtype[Any], bounds: tuple[float, float] | None
) -> Ramp | DataFile:
    if value == RAMP:
        return Ramp()
    if isinstance(value, str) and value.endswith(SUFFIXES):
        return DataFile(str(Path(text.path).parent / value))
    if not isinstance(value, dict) or not value:
        raise text.error(f"data of `{name}` is {_SAY}", name)
    text.known(value, ("start", "step"), f"data of `{name}`", name)
    for key, number in value.items():
        whole = type(number) is int
        if not whole and (dtype.kind != "f" or type(number) is not float or not math.isfinite(number)):
            kind = "a finite number" if dtype.kind == "f" else "a whole number"
            raise text.error(f"{key} in data of `{name}` is {kind}", name)
    start = value.get("start")
    low, high = range_of(dtype, bounds)
    if start is not None and not low <= start <= high:
        raise text.error(f"start in data of `{name}` is within its range, [{low}, {high}]", name)
    return Ramp(start, value.get("step"))


def range_of(dtype: np.dtype[Any], bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Return the range of elements: `bounds` if there are any, else that of the type; of a float [-1, 1]."""
    if bounds is not None:
        return bounds
    if dtype.kind == "f":
        return -1.0, 1.0
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)

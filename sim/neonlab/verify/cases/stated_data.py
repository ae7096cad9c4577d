"""Make the data that a contract states for measurements: a ramp, or the contents of a file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.contract.conditions import DataFile, Ramp, range_of
from neonlab.contract.header import Argument, Contract
from neonlab.errors import InputError
from neonlab.host.input_file import is_file, no_file, read_input
from neonlab.verify.cases.case import Array, Case

#: Steps of a ramp of floats through its range, if it states none.
_STEPS = 256
#: Values from which products of step and index may not fit into 64 bits.
_WIDE, _FAR = 1 << 32, 1 << 62


def with_stated_data(contract: Contract, case: Case) -> Case:
    """Return the case with the data that the contract states for its buffers.

    The expected results stay those of the data before.  Raises InputError for a file that does not fit.
    """
    stated: dict[str, Array] = {}
    for argument in contract.by_name.values():
        if argument.conditions.data is not None and argument.name in case.inputs:
            drawn = case.inputs[argument.name]
            stated[argument.name] = stated_array(argument, drawn.size).reshape(drawn.shape)
    inputs: Mapping[str, Array] = {**case.inputs, **stated}
    return replace(case, inputs=inputs) if stated else case


def stated_array(argument: Argument, count: int) -> Array:
    """Return `count` elements of the data that the contract states for `argument`, of shape (count,).

    Raises InputError for a file that cannot be read, holds fewer elements or others, or one outside the range.
    """
    data = argument.conditions.data
    assert data is not None
    if isinstance(data, Ramp):
        return _ramp(argument, data, count)
    found = _read(argument, data, count)
    if argument.value_range is not None:
        low, high = argument.value_range
        wrong = np.flatnonzero(~((found >= low) & (found <= high)))
        if wrong.size:
            first = int(wrong[0])
            raise InputError(
                f"{data.path}: element {first} is {found[first]}, outside the range of `{argument.name}`, "
                f"[{low}, {high}]"
            )
    return found


def _ramp(argument: Argument, ramp: Ramp, count: int) -> Array:
    dtype = argument.dtype
    low, high = range_of(dtype, argument.value_range)
    start = min(max(0, low), high) if ramp.start is None else ramp.start
    if dtype.kind == "f":
        step = (high - low) / _STEPS if ramp.step is None else ramp.step
        along = start - low + step * np.arange(count, dtype=np.float64)
        found = low + np.mod(along, high - low) if high > low else np.full(count, low)
        return np.asarray(found).astype(dtype)
    span, first = int(high) - int(low) + 1, int(start) - int(low)
    step = (1 if ramp.step is None else int(ramp.step)) % span
    if span < _WIDE and -_FAR < low < _FAR:
        steps = (first + step * np.arange(count, dtype=np.int64)) % span
        return np.asarray(steps + int(low)).astype(dtype)
    return np.array([int(low) + (first + step * index) % span for index in range(count)], dtype)


def _read(argument: Argument, data: DataFile, count: int) -> Array:
    path, dtype, name = Path(data.path), argument.dtype, argument.name
    if not is_file(path):
        raise no_file(path)
    content = read_input(path)
    if path.suffix == ".npy":
        found = _of_numpy(content, data.path, dtype, name)
    else:
        found = np.frombuffer(content[: len(content) // dtype.itemsize * dtype.itemsize], dtype)
    if found.size < count:
        raise InputError(f"{data.path}: has {found.size} elements, and the call reads {count} of `{name}`")
    return found[:count]


def _of_numpy(content: bytes, path: str, dtype: np.dtype[Any], name: str) -> Array:
    """Return the array in a file of numpy's, in one dimension.  Raises InputError where it is none, or of objects."""
    stream = io.BytesIO(content)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        shape, by_columns, kind = read_header[np.lib.format.read_magic(stream)](stream)
    except (ValueError, KeyError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise InputError(f"{path}: is no array that `numpy.save` wrote") from None
    if kind != dtype:
        raise InputError(f"{path}: its elements are {kind}, and those of `{name}` are {dtype}")
    held = content[stream.tell() :]
    count = int(np.prod([int(size) for size in shape], dtype=object)) if shape else 1
    if count < 0 or len(held) < count * dtype.itemsize:
        raise InputError(f"{path}: is damaged: {count} elements are announced, and {len(held)} bytes follow")
    found = np.frombuffer(held, dtype, count)
    return found.reshape(shape, order="F").reshape(-1) if by_columns else found

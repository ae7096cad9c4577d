"""Share the basics of the reference functions: operand checks, output ranges, exact integer products."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from neonlab.errors import InputError

Integers = NDArray[np.integer[Any]]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
LEAST_SCALE = 2.0**-60


class OperandError(InputError):
    """Raised for an operand of the wrong type, shape or range; the message says which operand and why."""


@dataclass(frozen=True, slots=True)
class Output:
    """The format of results: the zero point, the range they are clamped to, and the integer type that holds them.

    A fused relu or relu6 is a narrower range (`elementwise.activation_range`).  Raises OperandError when the zero point
    or the range is no integer or does not fit the type, or the range is empty.
    """

    zero_point: int = 0
    minimum: int = -128
    maximum: int = 127
    dtype: str = "int8"

    def __post_init__(self) -> None:
        for number in (self.zero_point, self.minimum, self.maximum):
            if not isinstance(number, int | np.integer):
                raise OperandError(f"zero point and range are integers, not {number}")
        low, high = limits(self.dtype)
        if not low <= self.minimum <= self.maximum <= high:
            raise OperandError(f"the range {self.minimum} to {self.maximum} is empty or does not fit {self.dtype}")
        if not low <= self.zero_point <= high:
            raise OperandError(f"the zero point {self.zero_point} does not fit {self.dtype}")

    @classmethod
    def of(cls, dtype: str, zero_point: int = 0) -> Output:
        """Return an output with the whole range of an integer type."""
        return cls(zero_point, *limits(dtype), dtype)

    def place(self, values: Int64s) -> Integers:
        """Return `values` (int64, without the zero point) plus the zero point, clamped, as the output's type."""
        # As np.clip does, which takes three times as long for few values.
        return np.minimum(np.maximum(values + self.zero_point, self.minimum), self.maximum).astype(self.dtype)


def limits(dtype: DTypeLike) -> tuple[int, int]:
    """Return the least and greatest value of an integer type.  Raises OperandError for any other type."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise OperandError(f"there is no type {dtype}") from None
    if kind.kind not in "iu":
        raise OperandError(f"{kind} is no integer type")
    return _limits_of(kind)


@functools.lru_cache(maxsize=16)
def _name_of(kind: np.dtype[Any]) -> str:
    return kind.name  # which numpy composes anew each time


@functools.lru_cache(maxsize=16)
def _limits_of(kind: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(kind)
    return int(info.min), int(info.max)


def integers(values: object, name: str, *dtypes: str) -> Integers:
    """Return `values` as an array of integers, of one of `dtypes` if any are given.  Raises OperandError."""
    array = _array(values, name)
    if array.dtype.kind not in "iu":
        raise OperandError(f"{name} holds {array.dtype}, not integers")
    if dtypes and _name_of(array.dtype) not in dtypes:
        raise OperandError(f"{name} holds {array.dtype}; wanted {' or '.join(dtypes)}")
    return array


def integer(value: object, name: str) -> int:
    """Return `value`, one integer, as int.  Raises OperandError."""
    array = integers(value, name)
    if array.ndim:
        raise OperandError(f"{name} has the shape {array.shape}; wanted one number")
    return int(array)


def _array(values: object, name: str) -> NDArray[Any]:
    try:
        return np.asanyarray(values)
    except ValueError:
        raise OperandError(f"{name} make no array: rows differ in length") from None


def wide(values: Integers) -> Int64s:
    """Return `values`, any shape, as int64, where products and sums of 32-bit kernel values are exact."""
    return values.astype(np.int64)


def finite(values: object, name: str) -> Floats:
    """Return `values` as float64.  Raises OperandError for values that are not finite numbers."""
    array = _array(values, name)
    if array.dtype.kind not in "fiu":
        raise OperandError(f"{name} holds {array.dtype}, not numbers")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise OperandError(f"{name} holds values that are not finite")
    return array


def number(value: object, name: str) -> float:
    """Return `value`, one finite number, as float.  Raises OperandError."""
    array = finite(value, name)
    if array.ndim:
        raise OperandError(f"{name} has the shape {array.shape}; wanted one number")
    return float(array)


def positive(values: object, name: str) -> Floats:
    """Return `values` as float64, all greater than zero.  Raises OperandError."""
    array = finite(values, name)
    if not (array > 0).all():
        raise OperandError(f"{name} must be greater than 0")
    return array


def single_scale(values: object, name: str) -> NDArray[np.float32]:
    """Return `values` as float32, from 2^-60 to 2^60, so that products of scales do not overflow.

    Raises OperandError.
    """
    array = positive(values, name)
    if not ((array >= LEAST_SCALE) & (array <= 1 / LEAST_SCALE)).all():
        raise OperandError(f"{name} must lie from 2^-60 to 2^60")
    return array.astype(np.float32)


def one_scale(value: object, name: str) -> np.float32:
    """Return one scale as a float32 number, checked as by `single_scale`.  Raises OperandError."""
    return np.float32(single_scale(number(value, name), name))


def check_broadcast(values: NDArray[Any], shape: tuple[int, ...], name: str) -> None:
    """Raise OperandError unless `values` broadcasts to `shape`: [channels] to a shape with channels last."""
    try:
        fits = np.broadcast_shapes(values.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise OperandError(f"{name} has the shape {values.shape}, which does not broadcast to {shape}")


def finite_single(values: object, name: str) -> NDArray[np.float32]:
    """Return `values` as float32.  Raises OperandError for values that are not finite numbers, or beyond float32."""
    array = finite(values, name)
    if (np.abs(array) > float(np.finfo(np.float32).max)).any():
        raise OperandError(f"{name} holds values beyond float32")
    return array.astype(np.float32)


def to_int32(values: Int64s, name: str) -> Int32s:
    """Return `values` as int32.  Raises OperandError when one does not fit: a kernel's accumulator would wrap."""
    if values.size and (values.min() < INT32_MIN or values.max() > INT32_MAX):
        raise OperandError(f"{name} leaves int32: {values.min()} to {values.max()}")
    return values.astype(np.int32)


def exact_matmul(left: Integers, right: Integers) -> Int64s:
    """Return `left @ right` over the integers, as int64.  Shapes are as in numpy's `matmul`, with batches.

    It computes in floats where every partial sum is an integer that the float holds exactly, so that BLAS can do it.
    Raises OperandError for shapes that do not multiply.
    """
    if left.shape[-1] != right.shape[-2 if right.ndim > 1 else 0]:
        raise OperandError(f"shapes {left.shape} and {right.shape} do not multiply")
    if type(left) is not np.ndarray or type(right) is not np.ndarray:  # a type of its own multiplies in its own way
        return wide(left) @ wide(right)
    bound = _magnitude(left) * _magnitude(right) * left.shape[-1]
    if bound <= 1 << 24:
        return (left.astype(np.float32) @ right.astype(np.float32)).astype(np.int64)
    if bound <= 1 << 53:
        return (left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
    return left.astype(np.int64) @ right.astype(np.int64)


def _magnitude(values: Integers) -> int:
    return max(abs(int(values.min())), abs(int(values.max()))) if values.size else 0

"""What the functions in this folder's assembly compute, in plain numpy and Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

# RFC 8439, section 2.3.2: the state before and after.
CHACHA20_IN = [
    0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, 0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C,
    0x13121110, 0x17161514, 0x1B1A1918, 0x1F1E1D1C, 0x00000001, 0x09000000, 0x4A000000, 0x00000000,
]  # fmt: skip
CHACHA20_OUT = [
    0xE4E7F110, 0x15593BD1, 0x1FDD0F50, 0xC47120A3, 0xC7F4D1C7, 0x0368C033, 0x9AAA2204, 0x4E6CD4C3,
    0x466482D2, 0x09AA9F07, 0x05D7C214, 0xA2028BD9, 0xD19C12B5, 0xB94E16DE, 0xE883D0CB, 0x4E3C50A2,
]  # fmt: skip
_FILTERS = (
    (0, 0, 0, 64, 0, 0, 0, 0),
    (0, 1, -5, 56, 15, -4, 1, 0),
    (-1, 3, -10, 40, 40, -10, 3, -1),
    (0, 1, -4, 15, 56, -5, 1, 0),
)
_TRANSFORM = np.array([[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]])
_DELTA, _WORD = 0x9E3779B9, 0xFFFFFFFF


def sad(a: Array, b: Array) -> int:
    """Sum of absolute differences."""
    return int(np.abs(a.astype(np.int64) - b.astype(np.int64)).sum())


def blend(a: Array, b: Array, mask: Array) -> Array:
    """(64 - mask) parts of a and mask parts of b, rounded."""
    part = mask.astype(np.int64)
    mixed: Array = (a.astype(np.int64) * (64 - part) + b.astype(np.int64) * part + 32) >> 6
    return mixed


def transform(a: Array, b: Array) -> Array:
    """The 4 x 4 integer transform of a - b."""
    transformed: Array = _TRANSFORM @ (a.astype(np.int64) - b.astype(np.int64)) @ _TRANSFORM.T
    return transformed


def filtered(source: Array, count: int, which: int) -> Array:
    """Eight taps, rounded and clipped to a byte."""
    taps = [_FILTERS[which][k] * source[k : k + count].astype(np.int64) for k in range(8)]
    clipped: Array = np.clip((np.sum(taps, axis=0) + 32) >> 6, 0, 255)
    return clipped


def xtea_undone(block: list[int], key: list[int]) -> list[int]:
    """XTEA backwards, 32 rounds, as its authors published it."""
    low, high = block
    total = _DELTA * 32 & _WORD
    for _ in range(32):
        high = high - (((low << 4 & _WORD ^ low >> 5) + low) ^ (total + key[total >> 11 & 3])) & _WORD
        total = total - _DELTA & _WORD
        low = low - (((high << 4 & _WORD ^ high >> 5) + high) ^ (total + key[total & 3])) & _WORD
    return [low, high]


def requantized(rows: Array, weights: Array, bias: int, multiplier: int, zero: int, least: int, most: int) -> list[int]:
    """Sums of products times multiplier / 2 ** 31, rounded, moved by the zero point and clamped."""
    sums = rows.astype(np.int64) @ weights.astype(np.int64) + bias
    return [int(min(max((int(total) * multiplier + (1 << 30) >> 31) + zero, least), most)) for total in sums]

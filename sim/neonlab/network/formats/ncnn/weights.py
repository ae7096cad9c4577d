"""Read the weights of an ncnn model, its .bin: runs of numbers, one after another, in the order of the layers.

What a run holds is said by the layers of the .param alone.  The package `ncnn` reads it, and gives no weights out.

Source of the format: ncnn src/modelbin.cpp, `ModelBinFromDataReader::load`.
"""

from __future__ import annotations

import numpy as np

from neonlab.errors import InputError
from neonlab.network.formats.draft import Refusal
from neonlab.network.graph import MOST_ELEMENTS, Array

#: What the four bytes before a tagged run say of its numbers.
_FLOAT16, _INT8, _FLOAT32 = 0x01306B47, 0x000D4B38, 0x0002C056
_TABLE = 256


class Weights:
    """The bytes of a .bin, read from the start on."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path, self._data, self._at = path, data, 0

    def tagged(self, layer: str, count: int) -> Array:
        """Return the next `count` numbers, of the type that their tag says: int8, or float32 (also from float16).

        Raises InputError where the file ends, and Refusal for a count that no file has.
        """
        _check(count)
        tag = int(self._take(layer, 1, np.uint32)[0])
        if tag == _INT8:
            return self._take(layer, count, np.int8)
        if tag == _FLOAT16:
            return self._take(layer, count, np.float16).astype(np.float32)
        if tag in (0, _FLOAT32):
            return self._take(layer, count, np.float32)
        # Any other tag announces a table of 256 numbers, and an index of 8 bits for each weight.
        table = self._take(layer, _TABLE, np.float32)
        return table[self._take(layer, count, np.uint8)]

    def weights(self, layer: str, count: int, outs: int, quantized: bool) -> Array:
        """Return the next `count` weights as `tagged` does; the tag says more than `outs` and `quantized`."""
        return self.tagged(layer, count)

    def of_weights(self, layer: str, count: int, depth: int) -> Array:
        """Return the next `count` scales of weights as `floats` does, however many products a channel sums up."""
        return self.floats(layer, count)

    def of_tensor(self, layer: str) -> Array:
        """Return the next number, the scale of a tensor."""
        return self.floats(layer, 1)

    def floats(self, layer: str, count: int) -> Array:
        """Return the next `count` numbers without a tag, float32.  Raises InputError where the file ends."""
        _check(count)
        return self._take(layer, count, np.float32)

    def finish(self) -> None:
        """Raise InputError if bytes are left."""
        left = len(self._data) - self._at
        if left:
            raise InputError(
                f"{self.path}: {left:,} bytes more than the layers of the .param take: do the two belong together?"
            )

    def _take(self, layer: str, count: int, dtype: type[np.generic]) -> Array:
        size = count * np.dtype(dtype).itemsize
        # Each run takes a multiple of 4 bytes.
        end = self._at + size + (-size % 4)
        if end > len(self._data):
            raise InputError(
                f"{self.path}: ends in the weights of layer `{layer}`: {end - self._at:,} bytes at {self._at:,} of "
                f"{len(self._data):,}"
            )
        found = np.frombuffer(self._data, dtype, count, self._at)
        self._at = end
        return found


def _check(count: int) -> None:
    if not 0 < count <= MOST_ELEMENTS:
        raise Refusal(f"{count:,} weights; the lab goes from 1 to {MOST_ELEMENTS:,}")

"""Draw the weights of an ncnn model that has no .bin: what its layers cost does not depend on them."""

from __future__ import annotations

import numpy as np

from neonlab.network.graph import Array

#: Scale of the tensors between layers: sums of drawn products then come out about as large as what went in.
_BETWEEN = 24.0
#: About the size of a drawn int8, by which the scale of sums of products of them is chosen.
_SIZE = 73.0


class DrawnWeights:
    """Numbers in place of those of a .bin, as `Weights` gives them; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def weights(self, _layer: str, count: int, outs: int, quantized: bool) -> Array:
        """Return `count` weights to `outs` channels: int8 of a layer with scales, else float32."""
        if quantized:
            return self._random.integers(-127, 128, count).astype(np.int8)
        return self._random.normal(0, 1 / np.sqrt(max(count // max(outs, 1), 1)), count).astype(np.float32)

    def of_weights(self, _layer: str, count: int, depth: int) -> Array:
        """Return the scales of the weights of a layer whose channels sum up `depth` products each."""
        found: Array = (_SIZE * depth**0.5 * self._random.uniform(0.5, 1.5, count)).astype(np.float32)
        return found

    def of_tensor(self, _layer: str) -> Array:
        """Return the scale of a tensor."""
        return np.full(1, _BETWEEN, np.float32)

    def floats(self, _layer: str, count: int) -> Array:
        """Return other numbers: biases, variances, slopes; above 0 and about 1."""
        return self._random.uniform(0.5, 1.5, count).astype(np.float32)

    def finish(self) -> None:
        """Do nothing: there is no file whose end could be missed."""

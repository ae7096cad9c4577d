"""Addition of int8 arrays, saturated: c[i] = min(max(a[i] + b[i], -128), 127)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

_DIMENSIONS = ("count",)


class Add(Operator):
    """Elementwise; what the kernels in asm/ called add_s8_... are compared with."""

    name = "add"
    dimensions = _DIMENSIONS
    # Shapes that costs are counted on, by what they are.
    layers: Mapping[str, Shape] = {"a feature map of 14x14x256": Shape(_DIMENSIONS, (14 * 14 * 256,))}

    def claims(self, contract: Contract) -> bool:
        """Whether the kernel of `contract` is one of these."""
        return contract.name.startswith("add_s8_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        """The kernel's integer arguments."""
        return {"count": shape["count"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        """What the kernel reads."""
        return {name: data.array(contract.argument(name), shape.sizes) for name in ("a", "b")}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        """What it must write, in plain wide arithmetic."""
        sums = inputs["a"].astype(np.int64) + inputs["b"].astype(np.int64)
        return {"c": Expected(np.clip(sums, -128, 127).astype(np.int8), ("element",))}


OPERATOR = Add()

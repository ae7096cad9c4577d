"""Matrix multiplication of packed operands: c[m, n] = sum over k of a[m, k] * b[k, n], as int32 or requantized."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

from ._in_order import A32, A64, DOTPROD, by_core
from ._packing import pack_panels, unpack_panels
from ._product import exact_product, kept_product
from ._requantize import PER_CHANNEL, parameters, requantized

_DIMENSIONS = ("rows", "cols", "depth")


class Matmul(Operator):
    """A matrix multiplication with row-major c.

    Layouts: a is `rows8_depth4` or the like, b is `cols12_depth4` or the like, see `_packing`.
    """

    name = "matmul"
    dimensions = _DIMENSIONS
    weights = ("b", *PER_CHANNEL)
    # Every pointwise layer of MobileNet v1 at 224 (Howard et al. 2017, table 1), repeated ones once: a row is a pixel,
    # a column an output channel, depth the input channels.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 {size}x{size} {ins}->{outs}": Shape(_DIMENSIONS, (size * size, outs, ins))
        for size, ins, outs in (
            (112, 32, 64),
            (56, 64, 128),
            (56, 128, 128),
            (28, 128, 256),
            (28, 256, 256),
            (14, 256, 512),
            (14, 512, 512),
            (7, 512, 1024),
            (7, 1024, 1024),
        )
    }

    dispatches = (
        by_core(
            "matmul_s8s32_packed_2x4", "matmul_s8s32_packed_2x4_inorder", *A32, "cortex-a15", "cortex-a57", "cortex-a72"
        ),
        by_core("matmul_s8s32_packed_4x4", "matmul_s8s32_packed_4x4_inorder", *A64),
        by_core("matmul_s8s32_packed_6x8_dotprod", "matmul_s8s32_packed_6x8_dotprod_inorder", *DOTPROD),
        by_core("matmul_s8s32_packed_8x12_dotprod", "matmul_s8s32_packed_8x12_dotprod_inorder", *DOTPROD),
    )

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("matmul_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        a, b = contract.argument("a"), contract.argument("b")
        left = _summable(data.array(a, (shape["rows"], shape["depth"])))
        right = _summable(data.array(b, (shape["cols"], shape["depth"])))
        of_floats = _float_parameters(contract, shape["cols"], data) if b.dtype == np.float32 else {}
        found = parameters(contract, right, data, lambda found: _sums(left, right, found))
        return {"a": pack_panels(left, a.layout), "b": pack_panels(right, b.layout), **of_floats, **found}

    def packed(self, contract: Contract, name: str, values: Array) -> Array:
        return pack_panels(values, contract.argument(name).layout) if name in ("a", "b") else values.reshape(-1)

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        a = unpack_panels(inputs["a"], contract.argument("a").layout, shape["rows"], shape["depth"])
        b = unpack_panels(inputs["b"], contract.argument("b").layout, shape["cols"], shape["depth"])
        if contract.argument("c").dtype == np.float32:
            sums = inputs["bias"][: shape["cols"]] + a.astype(np.float64) @ b.astype(np.float64).T
            held = np.clip(sums.astype(np.float32), *inputs["limits"])
            return {"c": Expected(held, ("row", "column"))}
        return {"c": Expected(requantized(contract, _sums(a, b, inputs), inputs), ("row", "column"))}


def _sums(a: Array, b: Array, inputs: Mapping[str, Array]) -> Array:
    """Return the products of rows of `a` with rows of `b`, without bias.

    Zero points are subtracted first if `inputs` holds any.
    """
    if "points" in inputs:
        a, b = a.astype(np.int64) - inputs["points"][0], b.astype(np.int64) - inputs["points"][1]
    return (kept_product if "range" in inputs or "points" in inputs else exact_product)(a, b)


def _float_parameters(contract: Contract, cols: int, data: DataSource) -> dict[str, Array]:
    """Draw a bias for each column, filled up as the contract reads, and limits: half of the time close ones."""
    bias, limits = contract.argument("bias"), contract.argument("limits")
    assert bias.read is not None
    most = 1e4 if data.random.integers(2) else 1e30
    clamps = np.sort(data.draw((2,), limits.dtype, -most, most))
    # Sums are whole numbers, and A32's NEON has no denormals to clamp them to, as the kernel's header says.
    clamps[np.abs(clamps) < np.finfo(limits.dtype).smallest_normal] = 0
    return {
        "bias": _summable(data.array(bias, (bias.read.evaluate({"cols": cols}) // 4,))),
        "limits": clamps,
    }


def _summable(matrix: Array) -> Array:
    """Round floats to whole numbers, whose products sum exactly in any order; return integers unchanged."""
    # The sign of a sum of zeros depends on the order of the products, so no operand is -0.
    return np.rint(matrix) + np.float32(0) if matrix.dtype == np.float32 else matrix


OPERATOR = Matmul()

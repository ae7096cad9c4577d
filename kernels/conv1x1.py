"""Pointwise convolution: output[o, p] = sum over i of weights[o, i] * input[i, p], as int32 or requantized to int8."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Dispatch, Expected, Operator, Role, Shape
from neonlab.int8.activation import look_up

from ._in_order import A32, A64, DOTPROD, by_core
from ._packing import pack_panels, unpack_panels
from ._product import exact_product, kept_product
from ._requantize import PER_CHANNEL, parameters, requantized
from .lut import draw_table

_DIMENSIONS = ("height", "width", "in_channels", "out_channels")


def _layer(size: int, in_channels: int, out_channels: int) -> Shape:
    return Shape(_DIMENSIONS, (size, size, in_channels, out_channels))


def _remainder_by_8(shape: Shape) -> str:
    pixels = shape["height"] * shape["width"]
    return "conv1x1_s8s32_chw_8x4_left4" if pixels % 8 == 4 else "conv1x1_s8s32_chw_8x4"


class Conv1x1(Operator):
    """A pointwise convolution of stride 1, without padding; only kernels that requantize add a bias."""

    name = "conv1x1"
    dimensions = _DIMENSIONS
    weights = ("weights", *PER_CHANNEL)
    roles: Mapping[str, Role] = {"height": Role.FACTOR}  # kernels take the number of pixels
    # Every pointwise layer of MobileNet v1 at 224 (Howard et al. 2017, table 1), repeated ones once.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 {size}x{size} {ins}->{outs}": _layer(size, ins, outs)
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
        Dispatch(
            "conv1x1_s8s32_chw",
            ("conv1x1_s8s32_chw_8x4", "conv1x1_s8s32_chw_8x4_left4"),
            _remainder_by_8,
            "left4 where 4 pixels remain after the blocks of 8, else the general one",
        ),
        by_core("conv1x1_s8s32_hwc_2x4", "conv1x1_s8s32_hwc_2x4_inorder", *A32),
        by_core("conv1x1_s8s8_hwc_2x4_ruy", "conv1x1_s8s8_hwc_2x4_inorder_ruy", *A32),
        by_core("conv1x1_s8s32_hwc_4x8_dotprod", "conv1x1_s8s32_hwc_4x8_dotprod_inorder", *DOTPROD),
        by_core("conv1x1_s8s8_hwc_4x8_dotprod_ruy", "conv1x1_s8s8_hwc_4x8_dotprod_inorder_ruy", *DOTPROD),
        by_core("conv1x1_s8s32_hwc_4x4", "conv1x1_s8s32_hwc_4x4_inorder", *A64),
        by_core("conv1x1_s8s8_hwc_4x4_ruy", "conv1x1_s8s8_hwc_4x4_inorder_ruy", *A64),
        by_core("conv1x1_s8s8_hwc_4x4_fp32", "conv1x1_s8s8_hwc_4x4_inorder_fp32", *A64),
        by_core("conv1x1_s8s32_hwc_4x16_dotprod", "conv1x1_s8s32_hwc_4x16_dotprod_inorder", *DOTPROD),
        by_core("conv1x1_s8s8_hwc_4x16_dotprod_ruy", "conv1x1_s8s8_hwc_4x16_dotprod_inorder_ruy", *DOTPROD),
        by_core("conv1x1_s8s8_hwc_4x16_dotprod_fp32", "conv1x1_s8s8_hwc_4x16_dotprod_inorder_fp32", *DOTPROD),
    )

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(("conv1x1_s8s32_", "conv1x1_s8s16_", "conv1x1_s8s8_"))

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {
            "pixels": shape["height"] * shape["width"],
            "in_channels": shape["in_channels"],
            "out_channels": shape["out_channels"],
        }

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        height, width, ins, outs = shape.sizes
        input_ = contract.argument("input")
        size = (ins, height, width) if input_.layout == "chw" else (height, width, ins)
        pixels = data.array(input_, size)
        layout = contract.argument("weights").layout
        weights = data.array(contract.argument("weights"), (outs, ins))
        rows = pixels.reshape(ins, -1).T if input_.layout == "chw" else pixels.reshape(-1, ins)
        found = parameters(contract, weights, data, lambda _: kept_product(rows, weights))
        if _has_table(contract):
            found["table"] = draw_table(data)
        return {"input": pixels, "weights": weights if layout == "oc_ic" else pack_panels(weights, layout), **found}

    def packed(self, contract: Contract, name: str, values: Array) -> Array:
        layout = contract.argument(name).layout
        if name != "weights" or layout == "oc_ic":
            return values.reshape(-1)
        return pack_panels(values.reshape(len(values), -1), layout)

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        layout = contract.argument("weights").layout
        packed = inputs["weights"]
        ins, outs = shape["in_channels"], shape["out_channels"]
        weights = packed if layout == "oc_ic" else unpack_panels(packed, layout, outs, ins)
        output = contract.argument("output")
        if output.layout == "chw":
            pixels = inputs["input"].reshape(ins, -1)
            if output.dtype == np.int8:
                sums = requantized(contract, kept_product(pixels.T, weights), inputs).T
            else:
                sums = exact_product(weights, pixels.T)
            found = sums.astype(output.dtype)
            array, axes = found.reshape(outs, shape["height"], shape["width"]), ("channel", "y", "x")
        else:
            product = kept_product if output.dtype == np.int8 else exact_product
            sums = requantized(contract, product(inputs["input"].reshape(-1, ins), weights), inputs)
            if _has_table(contract):
                sums = look_up(inputs["table"], sums)
            array, axes = sums.reshape(shape["height"], shape["width"], outs), ("y", "x", "channel")
        return {"output": Expected(np.ascontiguousarray(array), axes)}


def _has_table(contract: Contract) -> bool:
    return contract.name.endswith("_lut")


OPERATOR = Conv1x1()

"""Convolution of HWC images: output[y, x, o] = sum over i, j, k of weights[o, i, j, k] * input[s*y+i, s*x+j, k]."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.convolution import conv2d
from neonlab.int8.windows import Window

from ._again import kept_for_the_same
from ._in_order import A32, A64, DOTPROD, by_core
from ._packing import pack_panels, unpack_panels
from ._requantize import PER_CHANNEL, parameters, requantized

_DIMENSIONS = ("height", "width", "in_channels", "out_channels")
#: Tiles with a variant for cores that issue in order, and these cores.
_IN_ORDER = {"2x4": A32, "4x8_dotprod": DOTPROD, "4x4": A64, "4x16_dotprod": DOTPROD}
_FIRST_IN_ORDER = {"4x16_dotprod_ic3": ("cortex-a55", "cortex-a75")}


class Convolution(Operator):
    """A convolution with a square window.  Height and width are the output's; the input comes with its padding.

    Layouts: input and output "hwc"; weights "oc_kh_kw_ic", or "oc16_ic4" and the like.  The latter are panels as in
    `_packing`: for each block of output channels the panel of the window's first row, then that of the next, each as
    deep as a row of the window.  For 3 channels there is also "oc16_taps28" and the like: panels in which the first 8
    elements of each row lie before the ninths.
    """

    dimensions = _DIMENSIONS
    weights = ("weights", *PER_CHANNEL)

    def __init__(self, window: int, stride: int, layers: Mapping[str, tuple[int, int, int, int]]) -> None:
        self.window, self.stride = window, stride
        self.name = f"conv{window}x{window}" + (f"s{stride}" if stride > 1 else "")
        self.layers = {label: Shape(_DIMENSIONS, sizes) for label, sizes in layers.items()}
        self.dispatches = tuple(
            by_core(f"{stem}_{tile}{scheme}", f"{stem}_{tile}_inorder{scheme}", *cores)
            for stem, scheme, tiles in (
                (f"{self.name}_s8s32_hwc", "", _IN_ORDER),
                (f"{self.name}_s8s8_hwc", "_ruy", _IN_ORDER | _FIRST_IN_ORDER),
            )
            for tile, cores in tiles.items()
        )

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(f"{self.name}_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        height, width, ins, outs = shape.sizes
        size = tuple((length - 1) * self.stride + self.window for length in (height, width))
        weights = data.array(contract.argument("weights"), (outs, self.window, self.window * ins))
        pixels = data.array(contract.argument("input"), (*size, ins))
        found = parameters(contract, weights, data, lambda _: _sums(pixels, weights, self.window, self.stride))
        return {"input": pixels, "weights": self.pack(weights, contract.argument("weights").layout), **found}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        ins, outs = shape["in_channels"], shape["out_channels"]
        layout = contract.argument("weights").layout
        weights = self._unpack(inputs["weights"], layout, outs, self.window * ins)
        sums = _sums(inputs["input"], weights, self.window, self.stride)
        return {"output": Expected(requantized(contract, sums, inputs), ("y", "x", "channel"))}

    def packed(self, contract: Contract, name: str, values: Array) -> Array:
        if name != "weights":
            return values.reshape(-1)
        return self.pack(values.reshape(len(values), self.window, -1), contract.argument(name).layout)

    def pack(self, weights: Array, layout: str) -> Array:
        """Pack `weights` [output channel][row of the window][element of the row] as `layout` says."""
        if layout == "oc_kh_kw_ic":
            return weights.reshape(-1)
        if panels := _panels_of_taps(layout):
            gathered = np.concatenate([weights[..., :8].reshape(-1, 24), weights[..., 8]], axis=1)
            return pack_panels(gathered, panels)
        blocks = -(-len(weights) // _width(layout))
        rows = [pack_panels(weights[:, row], layout).reshape(blocks, -1) for row in range(self.window)]
        return np.stack(rows, axis=1).reshape(-1)

    def _unpack(self, packed: Array, layout: str, outs: int, run: int) -> Array:
        """Return the weights that `pack` packed."""
        if layout == "oc_kh_kw_ic":
            return packed.reshape(outs, self.window, run)
        if panels := _panels_of_taps(layout):
            gathered = unpack_panels(packed, panels, outs, 27)
            return np.concatenate([gathered[:, :24].reshape(-1, 3, 8), gathered[:, 24:, np.newaxis]], axis=2)
        blocks = packed.reshape(-(-outs // _width(layout)), self.window, -1)
        rows = [unpack_panels(blocks[:, row].reshape(-1), layout, outs, run) for row in range(self.window)]
        return np.stack(rows, axis=1)


@kept_for_the_same
def _sums(pixels: Array, weights: Array, window: int, stride: int) -> Array:
    kernel = weights.reshape(len(weights), window, window, pixels.shape[-1])
    sums: Array = conv2d(pixels[np.newaxis], kernel, window=Window((stride, stride)))[0].astype(np.int64)
    return sums


def _width(layout: str) -> int:
    """Return the number of output channels in a block."""
    return int("".join(filter(str.isdigit, layout.split("_")[0])))


def _panels_of_taps(layout: str) -> str:
    """Return the layout in terms of `_packing` of the 27 taps of 3 channels; "" if `layout` is not one of taps."""
    block, _, rest = layout.partition("_")
    return {"taps28": f"{block}_ic4", "taps32": f"{block}_ic32"}.get(rest, "")

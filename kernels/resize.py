"""Resize of HWC images to the nearest pixels: each pixel of the output is one of the input, by tables of offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape

_DIMENSIONS = ("height", "width", "channels", "input_pixels")


class Resize(Operator):
    """A resize; height and width are those of the output.  The sum of two offsets is that of a pixel of the input."""

    name = "resize"
    dimensions = _DIMENSIONS
    # The first upsampling of YOLOv3 at 416 (Redmon and Farhadi 2018): 13x13 pixels, each twice each way.
    layers: Mapping[str, Shape] = {"yolov3 26x26x256": Shape(_DIMENSIONS, (26, 26, 256, 13 * 13))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("resize_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return shape.values()

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        # Under any pattern, or a wrong offset would go unseen.
        image = data.random.integers(-128, 128, shape["input_pixels"] * shape["channels"])
        # A row may begin at any byte; the last pixel of the input is among those that are read.
        last = (shape["input_pixels"] - 1) * shape["channels"]
        most = int(data.random.integers(0, last + 1))
        found: dict[str, Array] = {"input": image.astype(np.int8)}
        for name, count, end in (("rows", shape["height"], most), ("columns", shape["width"], last - most)):
            offsets = data.random.integers(0, end + 1, count)
            offsets[data.random.integers(count)] = end
            found[name] = offsets.astype(np.int32)
        return found

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        rows, columns = (inputs[name].astype(np.int64) for name in ("rows", "columns"))
        first = rows[:, np.newaxis, np.newaxis] + columns[:, np.newaxis]
        found = inputs["input"].reshape(-1)[first + np.arange(shape["channels"])]
        return {"output": Expected(found, ("y", "x", "channel"))}


OPERATOR = Resize()

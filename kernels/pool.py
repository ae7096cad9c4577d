"""Max and average pooling of 2x2 pixels with stride 2 on HWC images, windows inside the image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, KernelName, Operator, Shape
from neonlab.int8 import pooling
from neonlab.int8.windows import Window

_DIMENSIONS = ("height", "width", "channels")
_STRIDE = 2


class Pool(Operator):
    """A pool of 2x2 pixels.  Height and width are the output's; window and kind are those of the kernel's name."""

    name = "pool"
    dimensions = _DIMENSIONS
    # The third pooling of GoogLeNet (Szegedy et al. 2014, table 1), without its padding.
    layers: Mapping[str, Shape] = {"googlenet 14x14x480": Shape(_DIMENSIONS, (14, 14, 480))}

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith(("maxpool2x2", "avgpool2x2"))

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {name: shape[name] for name in _DIMENSIONS}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        window = KernelName.parse(contract.name).window
        assert window is not None
        height, width = (_STRIDE * (size - 1) + taps for size, taps in zip(shape.sizes[:2], window, strict=True))
        return {"input": data.array(contract.argument("input"), (height, width, shape["channels"]))}

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        name = KernelName.parse(contract.name)
        assert name.window is not None and name.stride == _STRIDE
        pooled = pooling.max_pool if name.operator == "maxpool" else pooling.average_pool
        found = pooled(inputs["input"][np.newaxis], name.window, Window((_STRIDE, _STRIDE)))[0]
        return {"output": Expected(np.ascontiguousarray(found), ("y", "x", "channel"))}


OPERATOR = Pool()

"""Depthwise 3x3 convolution of stride 1."""

from __future__ import annotations

from ._depthwise import Depthwise

# Of those of MobileNet v1 at 224 (Howard et al. 2017, table 1).
OPERATOR = Depthwise(
    3,
    1,
    {
        f"mobilenet_v1 depthwise {size}x{size}x{channels}": (size, channels)
        for size, channels in ((112, 32), (28, 256), (7, 1024))
    },
)

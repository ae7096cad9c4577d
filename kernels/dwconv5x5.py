"""Depthwise 5x5 convolution of stride 1."""

from __future__ import annotations

from ._depthwise import Depthwise

# Of those of MobileNet v3-Large at 224 (Howard et al. 2019, table 1).
OPERATOR = Depthwise(
    5,
    1,
    {
        f"mobilenet_v3 depthwise 5x5 {size}x{size}x{channels}": (size, channels)
        for size, channels in ((28, 120), (7, 960))
    },
)

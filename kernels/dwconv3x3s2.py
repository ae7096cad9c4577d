"""Depthwise 3x3 convolution of stride 2."""

from __future__ import annotations

from ._depthwise import Depthwise

# Of those of MobileNet v1 at 224 (Howard et al. 2017, table 1): the size is the output's.
OPERATOR = Depthwise(
    3,
    2,
    {
        f"mobilenet_v1 depthwise {2 * size}x{2 * size}x{channels} /2": (size, channels)
        for size, channels in ((56, 64), (7, 512))
    },
)

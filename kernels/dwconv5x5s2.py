"""Depthwise 5x5 convolution of stride 2."""

from __future__ import annotations

from ._depthwise import Depthwise

# Of those of MobileNet v3-Large at 224 (Howard et al. 2019, table 1): the size is the output's.
OPERATOR = Depthwise(
    5,
    2,
    {
        f"mobilenet_v3 depthwise 5x5 {2 * size}x{2 * size}x{channels} /2": (size, channels)
        for size, channels in ((28, 72), (7, 672))
    },
)

"""3x3 convolution of stride 1."""

from __future__ import annotations

from ._convolution import Convolution

# Of those of ResNet-18 at 224 (He et al. 2015, table 1).
OPERATOR = Convolution(
    3,
    1,
    {
        f"resnet18 3x3 {size}x{size} {channels}->{channels}": (size, size, channels, channels)
        for size, channels in ((28, 128), (7, 512))
    },
)

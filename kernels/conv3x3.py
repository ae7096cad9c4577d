"""3x3 convolution of stride 1."""

from __future__ import annotations

from ._convolution import Convolution

# Of those of ResNet-18 at 224 (He et al. 2015, table 1), and the first of ResNet-20 for CIFAR-10 (section 4.2).
OPERATOR = Convolution(
    3,
    1,
    {
        "resnet20 3x3 32x32 3->16": (32, 32, 3, 16),
    }
    | {
        f"resnet18 3x3 {size}x{size} {channels}->{channels}": (size, size, channels, channels)
        for size, channels in ((28, 128), (7, 512))
    },
)

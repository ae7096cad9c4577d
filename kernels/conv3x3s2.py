"""3x3 convolution of stride 2."""

from __future__ import annotations

from ._convolution import Convolution

# Of those of ResNet-18 at 224 (He et al. 2015, table 1), and the first of MobileNet v1 at 224 (Howard et al. 2017,
# table 1): the size is the output's.
OPERATOR = Convolution(
    3,
    2,
    {
        "mobilenet_v1 3x3 224x224 3->32 /2": (112, 112, 3, 32),
    }
    | {
        f"resnet18 3x3 {2 * size}x{2 * size} {channels // 2}->{channels} /2": (size, size, channels // 2, channels)
        for size, channels in ((28, 128), (7, 512))
    },
)

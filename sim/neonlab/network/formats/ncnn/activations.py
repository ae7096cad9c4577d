"""Turn ncnn's activations, layers of their own or fused into others, into nodes.

Source: ncnn src/layer/fused_activation.h, `activation_ss`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.ncnn.text import Layer

_RELU, _LEAKY, _CLIP, _SIGMOID, _MISH, _HARD_SWISH = range(1, 7)
_PARAMETERS = {_LEAKY: 1, _CLIP: 2, _HARD_SWISH: 2}


def fused(kind: int, parameters: tuple[float, ...]) -> Mapping[str, Any] | None:
    """Return the attributes of a function of floats that a layer ends with; None for none.

    Raises Refusal for one that ncnn does not have.
    """
    if len(parameters) < _PARAMETERS.get(kind, 0):
        raise Refusal(f"activation {kind} with {len(parameters)} parameters")
    with np.errstate(over="ignore"):  # an end beyond float32 is none
        single = tuple(float(np.float32(value)) for value in parameters)
    match kind:
        case 0:
            return None
        case 1:
            return {"function": "relu"}
        case 2:
            return {"function": "leaky_relu", "alpha": single[0]}
        case 3:
            return {"function": "clip", "low": single[0], "high": single[1]}
        case 4:
            return {"function": "sigmoid"}
        case 5:
            return {"function": "mish"}
        case 6:
            return hard("hard_swish_ncnn", *single[:2])
    raise Refusal(f"activation {kind}")


def of_layer(layer: Layer) -> Mapping[str, Any]:
    """Return the attributes of a layer that is an activation.

    Raises Refusal for parameters that it does not have.
    """
    if layer.kind == "ReLU":
        slope = float(np.float32(layer.real(0)))
        return {"function": "leaky_relu", "alpha": slope} if slope else {"function": "relu"}
    if layer.kind == "Clip":
        largest = float(np.finfo(np.float32).max)
        low, high = (float(np.float32(layer.real(number, end))) for number, end in ((0, -largest), (1, largest)))
        return {"function": "clip", "low": low, "high": high}
    if layer.kind in _HARD:
        return hard(_HARD[layer.kind], *(float(np.float32(layer.real(*ends))) for ends in ((0, 0.2), (1, 0.5))))
    return {"function": _PLAIN[layer.kind]}


def hard(function: str, alpha: float, beta: float) -> Mapping[str, Any]:
    """Return the attributes of a hard sigmoid or swish.  Raises Refusal for a slope of 0."""
    if not alpha:
        raise Refusal("a slope of 0")
    return {"function": function, "alpha": alpha, "beta": beta}


_PLAIN = {"Sigmoid": "sigmoid", "TanH": "tanh", "Mish": "mish", "Swish": "swish"}
_HARD = {"HardSwish": "hard_swish_ncnn", "HardSigmoid": "hard_sigmoid_ncnn"}
#: Layers that are an activation.
ACTIVATIONS = ("ReLU", "Clip", *_PLAIN, *_HARD)

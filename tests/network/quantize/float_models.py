"""A small float network, samples for it, and their classes."""

from __future__ import annotations

import numpy as np
from tests.network.onnx_models import model, node, run

SHAPE = (3, 12, 10)
CLASSES = 7


def network(seed: int = 1) -> bytes:
    """Two convolutions, one of which is depthwise, a batch normalization, a mean and a product."""
    random = np.random.default_rng(seed)
    constants: dict[str, np.ndarray] = {
        "w1": random.normal(0, 0.3, (8, 3, 3, 3)),
        "b1": random.normal(0, 0.2, 8),
        "w2": random.normal(0, 0.4, (8, 1, 3, 3)),
        "w3": random.normal(0, 0.4, (16, 8, 1, 1)),
        "w4": random.normal(0, 0.5, (16, CLASSES)),
        "b4": random.normal(0, 0.1, CLASSES),
        "scale": random.uniform(0.5, 2, 8),
        "shift": random.normal(0, 0.2, 8),
        "mean": random.normal(0, 0.1, 8),
        "variance": random.uniform(0.5, 2, 8),
    }
    constants["w3"][3] *= 9  # a channel that takes most of the range of a scale for all
    constants = {name: values.astype(np.float32) for name, values in constants.items()}
    constants["shape"] = np.array([0, -1], np.int64)
    nodes = [
        node("Conv", ["image", "w1", "b1"], "a", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["a", "scale", "shift", "mean", "variance"], "n"),
        node("Relu", ["n"], "r"),
        node("Conv", ["r", "w2"], "d", group=8, strides=[2, 2], pads=[1, 1, 1, 1]),
        node("Conv", ["d", "w3"], "c"),
        node("Relu", ["c"], "s"),
        node("GlobalAveragePool", ["s"], "p"),
        node("Reshape", ["p", "shape"], "f"),
        node("Gemm", ["f", "w4", "b4"], "scores"),
    ]
    return model(nodes, {"image": ("float32", ["n", *SHAPE])}, {"scores": "float32"}, constants)


def samples(count: int, seed: int = 2) -> np.ndarray:
    """So many images, each around a level of its own, as float32 of shape (count, 3, 12, 10)."""
    random = np.random.default_rng(seed)
    levels = random.normal(0, 1, (count, 3, 1, 1))
    return (levels + random.normal(0, 0.5, (count, *SHAPE))).astype(np.float32)


def labels(images: np.ndarray) -> np.ndarray:
    """Return the class that the float network finds for each image."""
    return np.array([run(network(), {"image": one[np.newaxis]})[0].argmax() for one in images])

"""Judge a quantized model: signal to noise by layer, agreement with the float model, and accuracy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.network.graph import Array
from neonlab.network.quantize.float_model import FloatModel, runner

#: Of how many classes the right one may be any, beside the first.
TOP = 5


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Count the `samples` that have the right class first, and among the first five; None for five classes or fewer."""

    samples: int
    first: int
    among_five: int | None

    @staticmethod
    def of(scores: Array, labels: Array) -> Accuracy:
        """Return it for scores of shape (samples, classes) and right classes of shape (samples,).

        Of classes with equal scores the lowest counts as first.
        """
        order = np.argsort(-scores.astype(np.float64), axis=1, kind="stable")
        hits = order == labels[:, None]
        five = int(hits[:, :TOP].any(axis=1).sum()) if scores.shape[1] > TOP else None
        return Accuracy(len(labels), int(hits[:, 0].sum()), five)


def scores_of(outputs: Sequence[Mapping[str, Array]], name: str) -> Array:
    """Return the output `name` of each sample as a row: float64 or integers of shape (samples, classes)."""
    return np.stack([one[name].reshape(-1) for one in outputs])


def agreement(scores: Array, others: Array) -> float:
    """Return the share of rows whose greatest score has the same index."""
    return float((scores.argmax(axis=1) == others.argmax(axis=1)).mean())


def decibels(signal: float, noise: float) -> float:
    """Return 10·log10(signal/noise); infinity without noise, and minus infinity without a signal."""
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal else -math.inf


def ratios(
    model: FloatModel, proto: Any, samples: Sequence[Mapping[str, Array]], floats: Sequence[Mapping[str, Array]]
) -> dict[str, float]:
    """Return the ratio of signal to noise in dB of each tensor that `proto` quantizes, and of the outputs.

    Signal is the square of the float model's values in `floats`, noise that of the difference.  Signals and noises of
    all samples are added up before they are divided.
    """
    pairs = _pairs(model, proto)
    run = runner(proto, list(pairs.values()))
    sums = {name: np.zeros(2) for name in pairs}
    for sample, exact in zip(samples, floats, strict=True):
        found = run(sample)
        for name, made in pairs.items():
            value = exact[name].astype(np.float64)
            sums[name] += np.square(value).sum(), np.square(value - found[made]).sum()
    return {name: decibels(*map(float, held)) for name, held in sums.items()}


def _pairs(model: FloatModel, proto: Any) -> dict[str, str]:
    """Return the names of tensors of the float model, each with the name of what stands for it in `proto`."""
    makers = {node.output[0]: node for node in proto.graph.node}
    known = {*model.observed} - {*model.inputs}
    found = {}
    for node in proto.graph.node:
        if node.op_type != "DequantizeLinear" or node.input[0] not in makers:
            continue
        name = makers[node.input[0]].input[0]
        if name in known:
            found[name] = node.output[0]
    return found | {name: name for name in model.outputs}

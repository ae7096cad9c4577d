"""Quantize a float network in several ways, and tell what each costs.

The first half of the samples calibrates: ranges are chosen on it, and so is the scheme that is kept.  The other half
judges: every figure comes from samples that nothing was adjusted to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from neonlab.errors import InputError
from neonlab.network.graph import Array
from neonlab.network.quantize.convert import Scheme, quantized
from neonlab.network.quantize.float_model import FloatModel, runner
from neonlab.network.quantize.judge import Accuracy, agreement, ratios, scores_of
from neonlab.network.quantize.ranges import METHODS, observe

#: Samples by which signal and noise are compared, at most; of more it takes some evenly spaced.
_MOST_COMPARED = 32


@dataclass(frozen=True, slots=True)
class Trial:
    """One scheme: signal to noise in dB, of the first output, and by layer; and what it does to the classes.

    `chosen_by` is the ratio of the output for the samples that calibrate.
    """

    scheme: Scheme
    chosen_by: float
    output: float
    layers: Mapping[str, float]
    agreement: float
    accuracy: Accuracy | None


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Hold what was tried: how many samples calibrated and judged, the float model's accuracy, and all trials.

    `kept` is the trial with the greatest ratio for the samples that calibrate, and `model` its model.
    """

    name: str
    calibrated: int
    judged: int
    accuracy: Accuracy | None
    trials: tuple[Trial, ...]
    kept: Trial
    model: bytes = field(repr=False)


def steps_of(samples: int, schemes: int) -> int:
    """Return how often `study` calls `done`."""
    return 2 * _calibrating(samples) + schemes


def _calibrating(samples: int) -> int:
    return samples // 2


def judging(samples: Sequence[Mapping[str, Array]]) -> Sequence[Mapping[str, Array]]:
    """Return the samples that judge: the second half."""
    return samples[_calibrating(len(samples)) :]


def study(
    model: FloatModel,
    samples: Sequence[Mapping[str, Array]],
    labels: Array | None,
    schemes: Sequence[Scheme],
    done: Callable[[int], object],
) -> Study:
    """Try each of the schemes.  Raises InputError for labels that the first output has no class for."""
    many = _calibrating(len(samples))
    calibrating, judges = samples[:many], samples[many:]
    run = runner(model.proto, [name for name in model.observed if name not in model.inputs])
    seen = observe(run, model.observed, calibrating, done)
    output = model.outputs[0]
    whole = runner(model.proto, list(model.outputs))
    scores = scores_of([whole(sample) for sample in judges], output)
    held = labels[many:] if labels is not None else None
    if labels is not None and labels.max() >= scores.shape[1]:
        raise InputError(f"the label {labels.max()}: the output `{output}` has {scores.shape[1]} classes")
    some, others = (_some(part) for part in (calibrating, judges))
    exact, exact_others = ([{**run(sample), **whole(sample)} for sample in part] for part in (some, others))
    trials, best = [], (-math.inf, b"")
    ranges = {
        method: {name: METHODS[method](one) for name, one in seen.items()} for method in {s.method for s in schemes}
    }
    for scheme in schemes:
        proto = quantized(model, ranges[scheme.method], scheme)
        chosen_by = ratios(model, proto, some, exact)[output]
        layers = ratios(model, proto, others, exact_others)
        made = runner(proto, [output])
        found = scores_of([made(sample) for sample in judges], output)
        accuracy = Accuracy.of(found, held) if held is not None else None
        trials.append(Trial(scheme, chosen_by, layers[output], layers, agreement(scores, found), accuracy))
        if not best[1] or chosen_by > best[0]:
            best = chosen_by, _bytes_of(proto)
        done(1)
    kept = max(trials, key=lambda trial: trial.chosen_by)
    accuracy = Accuracy.of(scores, held) if held is not None else None
    return Study(model.name, many, len(judges), accuracy, tuple(trials), kept, best[1])


def _some(samples: Sequence[Mapping[str, Array]]) -> Sequence[Mapping[str, Array]]:
    if len(samples) <= _MOST_COMPARED:
        return samples
    return [samples[int(i)] for i in np.linspace(0, len(samples) - 1, _MOST_COMPARED)]


def _bytes_of(proto: Any) -> bytes:
    return bytes(proto.SerializeToString(deterministic=True))

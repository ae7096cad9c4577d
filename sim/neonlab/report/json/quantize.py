"""Define what `neonlab quantize --json` prints."""

from __future__ import annotations

import math
from typing import Any

from neonlab.network.quantize.convert import GRANULARITIES, LIMITS
from neonlab.network.quantize.emulate import Emulated
from neonlab.network.quantize.judge import Accuracy
from neonlab.network.quantize.ranges import METHODS
from neonlab.network.quantize.study import Study, Trial
from neonlab.report.json.parts import BOOLEAN, INTEGER, NUMBER, STRING, described, list_of, nullable, object_of
from neonlab.report.json.verdict import ISA

_ACCURACY = nullable(
    object_of(
        samples=INTEGER,
        first=described(INTEGER, "samples whose right class has the greatest score"),
        among_five=described(nullable(INTEGER), "whose right class is among the five greatest; null for five or fewer"),
    )
)
_RATIO = described(nullable(NUMBER), "signal to noise in dB; null where either is zero")
_SCHEME = {
    "method": described({"enum": list(METHODS)}, "how ranges of activations are chosen"),
    "per": described({"enum": list(GRANULARITIES)}, "what has a scale of weights of its own"),
    "limit": described({"enum": list(LIMITS)}, "the greatest |weight|"),
}
#: The properties of the document.
QUANTIZE = {
    "network": STRING,
    "calibrated": described(INTEGER, "samples that ranges were chosen by"),
    "judged": described(INTEGER, "samples that all other figures come from"),
    "accuracy": described(_ACCURACY, "of the float model"),
    "schemes": list_of(
        object_of(
            **_SCHEME,
            kept=described(BOOLEAN, "whether it has the greatest ratio for the samples that calibrated"),
            ratio=_RATIO,
            agreement=described(NUMBER, "of the samples with the float model's class"),
            accuracy=_ACCURACY,
            tensors=list_of(object_of(name=STRING, ratio=_RATIO)),
        )
    ),
    "written": described(nullable(STRING), "the file that the model was written to"),
    "emulated": nullable(
        object_of(
            isa=ISA,
            layers=described(INTEGER, "that kernels compute"),
            nodes=INTEGER,
            values=described(INTEGER, "that kernels computed, all of them compared with the reference"),
            wrong=described(INTEGER, "of these values"),
            reference=_ACCURACY,
            kernels=_ACCURACY,
        )
    ),
    "not_emulated": described(nullable(STRING), "why no kernels ran"),
}


def quantize_json(
    study: Study,
    written: str,
    emulated: Emulated | None,
    refusal: str,
    accuracies: tuple[Accuracy | None, Accuracy | None],
) -> dict[str, Any]:
    """Return the properties of the document; `accuracies` are those of the reference and of the kernels."""
    return {
        "network": study.name,
        "calibrated": study.calibrated,
        "judged": study.judged,
        "accuracy": _accuracy(study.accuracy),
        "schemes": [_trial(trial, trial is study.kept) for trial in study.trials],
        "written": written or None,
        "emulated": None
        if emulated is None
        else {
            "isa": emulated.isa.value,
            "layers": emulated.layers,
            "nodes": emulated.nodes,
            "values": emulated.values,
            "wrong": emulated.wrong,
            "reference": _accuracy(accuracies[0]),
            "kernels": _accuracy(accuracies[1]),
        },
        "not_emulated": refusal or None,
    }


def _accuracy(held: Accuracy | None) -> dict[str, Any] | None:
    if held is None:
        return None
    return {"samples": held.samples, "first": held.first, "among_five": held.among_five}


def _ratio(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def _trial(trial: Trial, kept: bool) -> dict[str, Any]:
    return {
        "method": trial.scheme.method,
        "per": trial.scheme.per,
        "limit": trial.scheme.limit,
        "kept": kept,
        "ratio": _ratio(trial.output),
        "agreement": round(trial.agreement, 6),
        "accuracy": _accuracy(trial.accuracy),
        "tensors": [{"name": name, "ratio": _ratio(value)} for name, value in trial.layers.items()],
    }

"""Say the figures of a quantized network in words that the terminal and the Markdown share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from neonlab.contract.options import ARCHITECTURES
from neonlab.network.quantize.emulate import Emulated
from neonlab.network.quantize.judge import TOP, Accuracy
from neonlab.network.quantize.study import Study, Trial

Row = tuple[str, ...]


def decibel_text(ratio: float) -> str:
    """Return a ratio in dB with one decimal; `exact` where there is no noise."""
    return "exact" if ratio == math.inf else "no signal" if ratio == -math.inf else f"{ratio:.1f}"


def accuracy_cells(accuracy: Accuracy | None) -> Row:
    """Return the shares of right classes, first and among five; "" for what is not known."""
    if accuracy is None:
        return "", ""
    five = f"{accuracy.among_five / accuracy.samples:.1%}" if accuracy.among_five is not None else ""
    return f"{accuracy.first / accuracy.samples:.1%}", five


def head_line(study: Study) -> str:
    """Return what was done with how many samples."""
    return f"{study.name}: {study.calibrated:,} samples calibrated, the {study.judged:,} others judge"


def trial_rows(study: Study) -> Iterator[Row]:
    """Yield a table: heads, the float model, and a row for each scheme."""
    yield "ranges", "weights per", "to", "dB", "agrees", "top-1", f"top-{TOP}"
    yield "float", "", "", "", "", *accuracy_cells(study.accuracy)
    for trial in study.trials:
        one = trial.scheme
        figures = decibel_text(trial.output), f"{trial.agreement:.1%}", *accuracy_cells(trial.accuracy)
        yield one.method, one.per, f"±{one.limit}", *figures


def layer_rows(study: Study) -> Iterator[Row]:
    """Yield a table: heads, and a row for each tensor with its ratio by each method, with the weights that are kept."""
    kept = study.kept.scheme
    shown: Sequence[Trial] = [
        trial for trial in study.trials if (trial.scheme.per, trial.scheme.limit) == (kept.per, kept.limit)
    ]
    yield "tensor", *(trial.scheme.method for trial in shown)
    for name in study.kept.layers:
        yield name, *(decibel_text(trial.layers[name]) if name in trial.layers else "" for trial in shown)


def layers_title(study: Study) -> str:
    """Return what `layer_rows` shows."""
    kept = study.kept.scheme
    return f"Signal to noise of each tensor in dB, weights per {kept.per} to ±{kept.limit}"


def kept_line(study: Study, written: str) -> str:
    """Return which scheme is kept, why, and where it was written."""
    where = f"written to {written}" if written else "not written: -o FILE.onnx writes it"
    why = "of the greatest ratio for the samples that calibrated" if len(study.trials) > 1 else "the only one asked for"
    return f"kept: {study.kept.scheme.title}, {why}; {where}"


def emulated_lines(found: Emulated, reference: Accuracy | None, kernels: Accuracy | None) -> Iterator[str]:
    """Yield what the reference and the emulated kernels made of the samples."""
    result = "all exact" if not found.wrong else f"{found.wrong:,} WRONG"
    on = f"{found.layers} of {found.nodes} layers on emulated {ARCHITECTURES[found.isa]} kernels"
    yield f"{on}, {len(found.kernels):,} samples: {found.values:,} values compared with neonlab.int8: {result}"
    if reference is not None and kernels is not None:
        words = "int8 reference", "emulated kernels"
        for word, accuracy in zip(words, (reference, kernels), strict=True):
            first, five = accuracy_cells(accuracy)
            yield f"{word:<17} top-1 {first}" + (f", top-{TOP} {five}" if five else "")

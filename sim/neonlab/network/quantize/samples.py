"""Read the samples that a network is calibrated and judged with, and their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.network.graph import Array
from neonlab.network.inputs import by_name, read_inputs

Sample = Mapping[str, Array]
#: Bytes of a file of labels, at most.
_MOST_BYTES = 1 << 26


def read_samples(path: Path, ranks: Mapping[str, int]) -> list[Sample]:
    """Return the samples in a file or a folder: for each the arrays of the network's inputs, by name.

    `ranks` are the dimensions of the network's inputs.  A folder has an .npz file for each sample, taken in the order
    of names.  A single .npz file has an array for each input, whose first axis counts samples: the axis of the batch,
    or one before it.  Raises InputError for arrays that do not fit the inputs, and for fewer than two samples.
    """
    if path.is_dir():
        files = sorted(path.glob("*.npz"))
        if not files:
            raise InputError(f"{path}: no .npz file in this folder")
        samples: list[Sample] = [_named(one, read_inputs(one), ranks) for one in files]
        for file, sample in zip(files, samples, strict=True):
            for name, values in sample.items():
                if values.ndim != ranks[name]:
                    raise InputError(f"{file}: `{name}` has {values.ndim} dimensions; the network takes {ranks[name]}")
    else:
        samples = _split(path, _named(path, read_inputs(path), ranks), ranks)
    if len(samples) < 2:
        raise InputError(f"{path}: {len(samples)} sample; give at least two: some to calibrate with, others to judge")
    _check_alike(path, samples)
    return samples


def _named(path: Path, held: Mapping[str, Array], ranks: Mapping[str, int]) -> Sample:
    found = by_name(held, list(ranks), f"{path}: ")
    for name, values in found.items():
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise InputError(f"{path}: `{name}` holds infinity or NaN")
    return found


def _split(path: Path, held: Sample, ranks: Mapping[str, int]) -> list[Sample]:
    counts = {name: len(values) if values.ndim else 0 for name, values in held.items()}
    if len(set(counts.values())) != 1:
        told = ", ".join(f"`{name}` has {count}" for name, count in counts.items())
        raise InputError(f"{path}: the first axis counts samples, and the arrays disagree: {told}")
    for name, values in held.items():
        if values.ndim not in (ranks[name], ranks[name] + 1):
            raise InputError(
                f"{path}: `{name}` has the shape {list(values.shape)}; the network takes {ranks[name]} dimensions, of "
                "which the first counts samples, or one more before them"
            )
    number = next(iter(counts.values()))
    return [{name: v[i] if v.ndim > ranks[name] else v[i : i + 1] for name, v in held.items()} for i in range(number)]


def _check_alike(path: Path, samples: Sequence[Sample]) -> None:
    for name, values in samples[0].items():
        for number, sample in enumerate(samples):
            if sample[name].shape != values.shape or sample[name].dtype != values.dtype:
                raise InputError(
                    f"{path}: `{name}` of sample {number} is {sample[name].dtype} {list(sample[name].shape)}, of "
                    f"sample 0 {values.dtype} {list(values.shape)}"
                )


def read_labels(path: Path, samples: int) -> Array:
    """Return the right class of each of so many samples, as int64 of shape (samples,): whole numbers in a text file.

    Raises InputError for a file of other things, or of more or fewer numbers.
    """
    try:
        words = read_input(path, _MOST_BYTES).decode("utf-8").split()
        labels = np.array([int(word) for word in words], np.int64)
    except (UnicodeDecodeError, ValueError, OverflowError) as error:
        raise InputError(f"{path}: give the class of each sample as a whole number, one a line: {error}") from None
    if len(labels) != samples:
        raise InputError(f"{path}: {len(labels):,} labels for {samples:,} samples")
    if samples and labels.min() < 0:
        raise InputError(f"{path}: the label {labels.min()}; classes are counted from 0")
    return labels

"""Samples and labels are read, or refused in one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.network.quantize.samples import read_labels, read_samples

IMAGES = np.arange(4 * 2 * 3, dtype=np.float32).reshape(4, 2, 3)


@pytest.mark.parametrize("rank", [2, 3], ids=["an axis before the input's", "the axis of the batch"])
def test_the_first_axis_of_a_file_counts_samples(tmp_path: Path, rank: int) -> None:
    np.savez(tmp_path / "all.npz", x=IMAGES)
    found = read_samples(tmp_path / "all.npz", {"x": rank})
    assert [one["x"].shape for one in found] == [(2, 3) if rank == 2 else (1, 2, 3)] * 4
    assert all(np.array_equal(one["x"].reshape(2, 3), image) for one, image in zip(found, IMAGES, strict=True))


def test_a_folder_has_a_file_for_each_sample_in_the_order_of_names(tmp_path: Path) -> None:
    for number, image in enumerate(IMAGES):
        np.savez(tmp_path / f"{9 - number}.npz", image)
    found = read_samples(tmp_path, {"x": 2})
    assert [one["x"][0, 0] for one in found] == [18, 12, 6, 0]


@pytest.mark.parametrize(
    ("arrays", "ranks", "said"),
    [
        ({"x": IMAGES[:1]}, {"x": 2}, "1 sample; give at least two"),
        ({"x": IMAGES, "y": IMAGES[:3]}, {"x": 2, "y": 2}, "the arrays disagree: `x` has 4, `y` has 3"),
        ({"x": IMAGES}, {"y": 2, "z": 2}, "the network takes `y`, `z`; missing or superfluous: `x`, `y`, `z`"),
        ({"x": IMAGES}, {"x": 4}, "`x` has the shape [4, 2, 3]; the network takes 4 dimensions"),
        ({"x": np.where(IMAGES == 5, np.inf, IMAGES)}, {"x": 2}, "`x` holds infinity or NaN"),
        ({"x": np.float32(1)}, {"x": 0}, "0 sample"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, arrays: dict[str, Any], ranks: dict[str, int], said: str) -> None:
    np.savez(tmp_path / "all.npz", **arrays)
    with pytest.raises(InputError) as refused:
        read_samples(tmp_path / "all.npz", ranks)
    assert said in str(refused.value)


def test_samples_of_several_shapes_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", IMAGES[0])
    np.savez(tmp_path / "b.npz", IMAGES[0, :1])
    with pytest.raises(InputError, match=r"`x` of sample 1 is float32 \[1, 3\], of sample 0 float32 \[2, 3\]"):
        read_samples(tmp_path, {"x": 2})


@pytest.mark.parametrize(
    ("text", "said"),
    [("1 2 3", "3 labels for 2 samples"), ("1 cat", "as a whole number"), ("1 -1", "counted from 0"),
     (f"1 {2**70}", "as a whole number"), ("1.5 2", "as a whole number")],
)  # fmt: skip
def test_labels_that_are_none_are_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "labels.txt"
    file.write_text(text)
    with pytest.raises(InputError) as refused:
        read_labels(file, 2)
    assert said in str(refused.value)
    file.write_text("3\n0\n")
    assert read_labels(file, 2).tolist() == [3, 0]

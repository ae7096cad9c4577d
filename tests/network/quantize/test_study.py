"""A float network in 8 bits: its weights, its figures, and its results on emulated kernels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.network.onnx_models import run
from tests.network.quantize.float_models import labels, network, samples
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.caller import Caller
from neonlab.lab.repository.library import Kernel, open_library
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.passes.every import apply_passes
from neonlab.network.quantize import emulate as module
from neonlab.network.quantize.convert import GRANULARITIES, LIMITS, schemes
from neonlab.network.quantize.float_model import FloatModel, prepare, read_float
from neonlab.network.quantize.judge import Accuracy, scores_of
from neonlab.network.quantize.study import Study, judging, steps_of, study
from neonlab.verify.cases.case import Array

ROOT = Path(__file__).resolve().parents[3]
IMAGES = samples(24)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> FloatModel:
    require_module("onnxruntime")
    path = tmp_path_factory.mktemp("models") / "small.onnx"
    path.write_bytes(network())
    return prepare(path, read_float(path, path.read_bytes()), inputs()[0])


def inputs() -> list[dict[str, np.ndarray]]:
    return [{"image": one[np.newaxis]} for one in IMAGES]


@pytest.fixture(scope="module")
def whole(prepared: FloatModel) -> Study:
    calls: list[int] = []
    every = schemes(None, None, None)
    found = study(prepared, inputs(), labels(IMAGES), every, calls.append)
    assert len(calls) == steps_of(len(IMAGES), len(every))
    return found


def test_the_float_model_is_unchanged_but_for_the_order_of_roundings(prepared: FloatModel) -> None:
    for image in inputs()[:3]:
        wanted, got = run(network(), image)[0], run(prepared.proto.SerializeToString(), image)[0]
        assert np.allclose(wanted, got, atol=1e-5)
    assert not any(one.op_type == "BatchNormalization" for one in prepared.proto.graph.node)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("per", GRANULARITIES)
def test_weights_keep_to_their_limit_and_reach_it(prepared: FloatModel, per: str, limit: int) -> None:
    onnx = require_module("onnx")
    found = study(prepared, inputs(), None, schemes("min-max", per, limit), lambda _: None)
    held = [onnx.numpy_helper.to_array(one) for one in onnx.load_from_string(found.model).graph.initializer]
    weights = [one for one in held if one.dtype == np.int8 and one.ndim == 4]
    assert len(weights) == 3
    for one in weights:
        most = np.abs(one.astype(int)).reshape(len(one), -1).max(axis=1)
        assert (most == limit).all() if per == "channel" else most.max() == limit


def test_figures_are_those_of_samples_that_nothing_was_adjusted_to(whole: Study) -> None:
    right = labels(IMAGES)
    assert (whole.calibrated, whole.judged) == (12, 12) and whole.accuracy == Accuracy(12, 12, 12)
    data, others = whole.model, inputs()[12:]
    scores = np.concatenate([run(data, image)[0] for image in others])
    exact = np.concatenate([run(network(), image)[0] for image in others]).astype(np.float64)
    kept = whole.kept
    assert kept.accuracy is not None and kept.accuracy.first == (scores.argmax(axis=1) == right[12:]).sum()
    assert kept.agreement == (scores.argmax(axis=1) == exact.argmax(axis=1)).mean()
    ratio = 10 * np.log10(np.square(exact).sum() / np.square(exact - scores).sum())
    assert abs(kept.output - ratio) < 0.01


def test_scales_for_each_channel_and_all_of_the_range_cost_least(whole: Study) -> None:
    assert len(whole.trials) == 16 and whole.kept.chosen_by == max(one.chosen_by for one in whole.trials)

    def ratio(per: str, limit: int) -> float:
        """Return that of the first convolution, whose inputs have the same noise in all."""
        trials = [one for one in whole.trials if (one.scheme.per, one.scheme.limit) == (per, limit)]
        return float(np.mean([next(iter(one.layers.values())) for one in trials]))

    assert ratio("channel", 127) > ratio("channel", 63) > ratio("tensor", 63)
    assert ratio("channel", 127) > ratio("tensor", 127) > ratio("tensor", 63)
    for trial in whole.trials:
        assert len(trial.layers) >= 6 and min(trial.layers.values()) > 5


@pytest.mark.slow
@pytest.mark.parametrize("isa", [Isa.A32, Isa.A64], ids=["armv7", "armv8"])
def test_emulated_kernels_give_the_bits_of_onnx_runtime(whole: Study, isa: Isa) -> None:
    graph = apply_passes(read_onnx("small", whole.model, {})).graph
    others = judging(inputs())
    found = module.emulate(graph, open_library(ROOT), isa, others, lambda _: None)
    assert found.wrong == 0 and found.values > 12 * 1000 and found.layers >= 5
    for image, got in zip(others, found.kernels, strict=True):
        assert np.array_equal(got["scores"], run(whole.model, image)[0])


def test_a_kernel_that_is_wrong_is_noticed(whole: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slipping(Caller):
        def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
            found = super().__call__(kernel, arguments)
            if "conv" in kernel.name:
                values = next(iter(found.values()))
                values[5] ^= 1 << (12 if values.dtype == np.int32 else 6)
            return found

    monkeypatch.setattr(module, "Caller", Slipping)
    graph = apply_passes(read_onnx("small", whole.model, {})).graph
    assert module.emulate(graph, open_library(ROOT), Isa.A64, judging(inputs()), lambda _: None).wrong >= 1


def test_accuracy_counts_the_first_and_the_first_five() -> None:
    scores = np.array([[9, 1, 2, 3, 4, 5], [0, 9, 8, 7, 6, 5], [1, 1, 1, 1, 1, 1]])
    assert Accuracy.of(scores, np.array([0, 0, 5])) == Accuracy(3, 1, 1)
    assert Accuracy.of(scores[:, :3], np.array([0, 1, 1])) == Accuracy(3, 2, None)
    assert scores_of([{"y": scores[:1]}, {"y": scores[1:2]}], "y").shape == (2, 6)


def test_a_label_without_a_class_is_refused(prepared: FloatModel) -> None:
    with pytest.raises(InputError, match="the label 7: the output `scores` has 7 classes"):
        study(prepared, inputs(), np.full(24, 7), schemes("min-max", "channel", 127), lambda _: None)

"""`neonlab network` from the command line: its table, its JSON and Markdown, its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.cli.test_commands import neonlab
from tests.network.onnx_models import classifier
from tests.network.tflite_models import network

from neonlab.report.json.documents import schemas


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "small.tflite"
    path.write_bytes(network()[0])
    return path


def test_a_network_is_run_and_its_layers_are_shown(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "small.md"
    shown = neonlab("network", str(model), "--mhz", "1200", "--into", str(page), "--inferences", "2")
    assert shown.returncode == 0, shown.stderr
    assert "small: 10 layers" in shown.stdout and "armv8 on cortex-a53, 2 inferences" in shown.stdout
    assert "values of kernels compared with neonlab.int8: all exact" in shown.stdout
    assert "80 % band" in shown.stdout and "at 1200 MHz" in shown.stdout and "Improve armv8/" in shown.stdout
    assert "No kernel computes 1 SOFTMAX: on this computer, 0.0% of the MACs" in shown.stdout
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# small: armv8 on cortex-a53\n") and text.count("| exact |") >= 8


def test_the_document_follows_its_schema(tmp_path: Path) -> None:
    path, inputs = tmp_path / "small.onnx", tmp_path / "x.npz"
    data, image = classifier("uint8")
    path.write_bytes(data)
    np.savez(inputs, input=image)
    words = ("network", str(path), "--isa", "armv7", "--input", str(inputs), "--json", "--unwatched")
    found = neonlab(*words)
    assert found.returncode == 0, found.stderr
    document = json.loads(found.stdout)
    jsonschema.validate(document, schemas()["network"])
    assert document["isa"] == "a32" and document["core"] == "cortex-a7" and document["wrong"] == 0
    assert document["host_macs"] == 0 and document["cycles"] > document["multiply_floor"] > 0
    assert sum(layer["cycles"] for layer in document["layers"]) == document["cycles"]
    conv = next(layer for layer in document["layers"] if layer["operator"] == "QLinearConv")
    assert (
        len(conv["tried"]) > 2 and conv["cycles"] <= min(one["cycles"] for one in conv["tried"]) + conv["moved_bytes"]
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("absent.tflite",), "absent.tflite"),
        (("LICENSE",), "the lab reads models with the suffixes .tflite, .onnx"),
        (("{model}", "--core", "cortex-a99"), "no core `cortex-a99`"),
        (("{model}", "--core", "cortex-a7", "--isa", "armv8"), "cortex-a7"),
        (("{model}", "--mhz", "0"), "give the clock in MHz"),
        (("{model}", "--arithmetic", "fast"), "reference or xnnpack, not fast"),
        (("{model}", "--input", "LICENSE"), "no .npz file of arrays"),
    ],
)
def test_bad_input_ends_with_status_2_and_one_message(model: Path, words: tuple[str, ...], said: str) -> None:
    shown = neonlab("network", *(word.format(model=model) for word in words))
    assert shown.returncode == 2 and said in shown.stderr.replace("\n", " ") and "Traceback" not in shown.stderr

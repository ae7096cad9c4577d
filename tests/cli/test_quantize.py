"""`neonlab quantize` from the command line: its tables, its JSON and Markdown, its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from tests.cli.test_commands import neonlab
from tests.network.onnx_models import classifier
from tests.network.packages import models_of
from tests.network.quantize.float_models import labels, network, samples
from tests.tools import require_module

from neonlab.report.json.documents import schemas


@pytest.fixture
def given(tmp_path: Path) -> dict[str, Path]:
    """A float model, samples for it, and their labels."""
    require_module("onnxruntime")
    found = {name: tmp_path / file for name, file in (("model", "small.onnx"), ("data", "x.npz"), ("labels", "y.txt"))}
    images = samples(16)
    found["model"].write_bytes(network())
    np.savez(found["data"], image=images)
    found["labels"].write_text("\n".join(map(str, labels(images))))
    return found


@pytest.mark.slow
def test_a_float_network_is_quantized_and_its_result_runs_exactly(given: dict[str, Path], tmp_path: Path) -> None:
    made, page = tmp_path / "small8.onnx", tmp_path / "small8.md"
    words = [str(given["model"]), "--data", str(given["data"]), "--labels", str(given["labels"])]
    shown = neonlab("quantize", *words, "-o", str(made), "--into", str(page))
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == "small: 8 samples calibrated, the 8 others judge"
    assert lines[3].split() == ["float", "100.0%", "100.0%"]
    for method in ("min-max", "ema", "percentile", "kl"):
        assert sum(line.startswith(method) for line in lines) == 4
    assert f"written to {made}" in shown.stdout.replace("\n", " ")
    assert "values compared with neonlab.int8: all exact" in shown.stdout.replace("\n", " ")
    reference, kernels = (next(line for line in lines if line.startswith(word)) for word in ("int8 ref", "emulated k"))
    assert reference.split("top-1")[1] == kernels.split("top-1")[1]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# small in 8 bits\n") and text.count("| kl | channel |") == 2
    found = neonlab("network", str(made), "--json", "--unwatched")
    assert found.returncode == 0 and json.loads(found.stdout)["wrong"] == 0


@pytest.mark.slow
def test_the_document_follows_its_schema_and_is_the_same_again(given: dict[str, Path]) -> None:
    words = ("quantize", str(given["model"]), "--data", str(given["data"]), "--weights", "63", "--per", "channel")
    shown = neonlab(*words, "--isa", "armv7", "--json")
    assert shown.returncode == 0, shown.stderr
    document = json.loads(shown.stdout)
    jsonschema.validate(document, schemas()["quantize"])
    assert [one["limit"] for one in document["schemes"]] == [63] * 4 and document["accuracy"] is None
    assert sum(one["kept"] for one in document["schemes"]) == 1 and document["written"] is None
    assert document["emulated"]["isa"] == "a32" and document["emulated"]["wrong"] == 0
    assert neonlab(*words, "--isa", "armv7", "--json").stdout == shown.stdout


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("absent.onnx", "--data", "{data}"), "absent.onnx"),
        (("{data}", "--data", "{data}"), "not an ONNX model"),
        (("{model}",), "--data"),
        (("{model}", "--data", "{labels}"), "no .npz file of arrays"),
        (("{model}", "--data", "{data}", "--method", "median"), "--method median: give one of min-max, ema"),
        (("{model}", "--data", "{data}", "--per", "pixel"), "--per pixel: give one of channel, tensor"),
        (("{model}", "--data", "{data}", "--into", "table.html"), "give a name that ends in .md"),
        (("{model}", "--data", "{data}", "--weights", "128"), "--weights 128: give one of 127, 63"),
        (("{model}", "--data", "{data}", "--labels", "{data}"), "the class of each sample as a whole number"),
        (("{quantized}", "--data", "{data}"), "is quantized already, as QuantizeLinear shows"),
        (("{model}", "--data", "{double}"), "input `image` is float32, its samples are float64"),
        (("{model}", "--data", "{wide}"), "input `image` has the shape ['any', 3, 12, 10], its samples have"),
    ],
)
def test_bad_input_ends_with_status_2_and_one_message(
    given: dict[str, Path], tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    files = {**given, "quantized": tmp_path / "quantized.onnx", "wide": tmp_path / "wide.npz"}
    files["double"] = tmp_path / "double.npz"
    np.savez(files["double"], np.zeros((4, 3, 12, 10)))
    files["quantized"].write_bytes(classifier()[0])
    np.savez(files["wide"], np.zeros((4, 3, 12, 11), np.float32))
    shown = neonlab("quantize", *(word.format(**files) for word in words))
    assert shown.returncode == 2 and said in " ".join(shown.stderr.split()) and "Traceback" not in shown.stderr


@pytest.mark.thorough("a small network of the same operators proves the same")
def test_a_trained_classifier_keeps_its_accuracy(tmp_path: Path) -> None:
    """Lines of text, upright and upside down: the classifier of rapidocr tells one from the other."""
    source = models_of("rapidocr_onnxruntime") / "ch_ppocr_mobile_v2.0_cls_infer.onnx"
    images, turned = zip(*(_line_of_text(number) for number in range(80)), strict=True)
    np.savez(tmp_path / "lines.npz", x=np.stack(images))
    (tmp_path / "turned.txt").write_text("\n".join(map(str, turned)))
    words = [str(source), "--data", str(tmp_path / "lines.npz"), "--labels", str(tmp_path / "turned.txt")]
    shown = neonlab("quantize", *words, "--per", "channel", "--weights", "127", "--json")
    assert shown.returncode == 0, shown.stderr
    document = json.loads(shown.stdout)
    assert document["accuracy"]["first"] >= 38 and document["emulated"]["wrong"] == 0
    assert document["emulated"]["reference"] == document["emulated"]["kernels"]
    assert document["emulated"]["kernels"]["first"] >= 38
    assert all(one["accuracy"]["first"] >= 36 for one in document["schemes"])


@pytest.mark.thorough("its operators are tried one by one in tests/network/reference")
def test_a_trained_detector_runs_on_kernels_but_for_its_transposed_convolutions(tmp_path: Path) -> None:
    source = models_of("rapidocr_onnxruntime") / "ch_PP-OCRv4_det_infer.onnx"
    images = np.random.default_rng(1).uniform(-1, 1, (2, 3, 64, 64)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=images)
    words = ("--data", str(tmp_path / "x.npz"), "--method", "percentile", "--per", "channel", "--weights", "127")
    made = tmp_path / "detector.onnx"
    shown = neonlab("quantize", str(source), *words, "-o", str(made), "--json")
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)["emulated"]
    assert found["wrong"] == 0 and found["layers"] > 100
    shown = neonlab("network", str(made), "--json", "--unwatched")
    document = json.loads(shown.stdout)
    assert shown.returncode == 0 and document["wrong"] == 0 and document["host_macs"] < 0.1 * document["macs"]
    host = {one["operator"] for one in document["layers"] if one["way"] == "host" and one["macs"]}
    assert host <= {"ConvTranspose", "Conv"}


def _line_of_text(seed: int) -> tuple[np.ndarray, int]:
    """An image as the classifier takes it, float32 of shape (3, 48, 192), and 1 where it is upside down."""
    pil = [require_module(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFont")]
    random = np.random.default_rng(seed)
    image = pil[0].new("L", (192, 48), int(random.integers(150, 256)))
    words = "".join(random.choice(list("ABCDEFGHKLMNPRTabcdeghkprty 0123456789"), int(random.integers(6, 14))))
    font = pil[2].load_default(size=int(random.integers(20, 34)))
    at = int(random.integers(2, 12)), int(random.integers(2, 10))
    pil[1].Draw(image).text(at, words, fill=int(random.integers(0, 90)), font=font)
    grey = np.asarray(image, np.float32) + random.normal(0, 6, (48, 192))
    turned = seed % 2
    grey = grey[::-1, ::-1] if turned else grey
    return np.repeat((np.clip(grey, 0, 255) / 127.5 - 1)[np.newaxis], 3, axis=0).astype(np.float32), turned

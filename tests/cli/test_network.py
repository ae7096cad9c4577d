"""`neonlab network` from the command line: its table, its JSON and Markdown, its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from tests.cli.test_commands import neonlab
from tests.network.onnx_models import classifier, node
from tests.network.onnx_models import model as model_of
from tests.network.tflite_models import network

from neonlab.report.json.documents import schemas


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "small.tflite"
    path.write_bytes(network()[0])
    return path


@pytest.mark.slow
def test_a_network_is_run_and_its_layers_are_shown(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "small.md"
    shown = neonlab("network", str(model), "--mhz", "1200", "--into", str(page), "--inferences", "2")
    assert shown.returncode == 0, shown.stderr
    assert "small: 10 layers" in shown.stdout and "armv8 on cortex-a53, 2 inferences" in shown.stdout
    assert "values of kernels compared with neonlab.int8: all exact" in shown.stdout
    assert "80 % band" in shown.stdout and "at 1200 MHz" in shown.stdout and "Improve armv8/" in shown.stdout
    assert "No kernel computes" not in shown.stdout
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# small: armv8 on cortex-a53\n") and text.count("| exact |") >= 8


@pytest.mark.slow
def test_what_no_kernel_computes_is_named_with_its_share(tmp_path: Path) -> None:
    path = tmp_path / "erf.onnx"
    path.write_bytes(model_of([node("Erf", ["x"], "y")], {"x": ("float32", [1, 8])}, {"y": "float32"}, {}))
    shown = neonlab("network", str(path))
    assert shown.returncode == 0, shown.stderr
    assert "No kernel computes 1 Erf: on this computer, none of the MACs" in shown.stdout


@pytest.mark.slow
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


@pytest.mark.thorough("it starts a cluster of processes; another test has shards of smaller commands")
def test_shards_and_a_cluster_find_what_one_machine_does(model: Path, tmp_path: Path) -> None:
    words = ("network", str(model), "--core", "cortex-a53", "--unwatched")
    one = neonlab(*words)
    assert one.returncode == 0, one.stderr
    parts = [
        neonlab(*words, "--shard", f"{number}/2", "--shards", str(tmp_path / "parts"), "--no-cache")
        for number in (1, 2)
    ]
    counts = [int(re.search(r": (\d+) results in", part.stdout)[1]) for part in parts]  # type: ignore[index]
    assert min(counts) > 0.3 * sum(counts), counts
    both = neonlab("merge", str(tmp_path / "parts"))
    assert (both.stdout, both.returncode) == (one.stdout, 0), both.stderr
    there = neonlab(*words, "--cluster", "local:2", "--no-cache")
    assert (there.stdout, there.returncode) == (one.stdout, 0), there.stderr


@pytest.mark.slow
def test_what_calls_cost_is_kept_for_the_same_data(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEONLAB_CACHE", str(tmp_path / "kept"))
    monkeypatch.delenv("NEONLAB_QUIET", raising=False)
    words = ("network", str(model), "--core", "cortex-a53", "--json", "--unwatched")
    runs = [neonlab(*words, *more) for more in ((), (), ("--no-cache",), ("--seed", "2"))]
    first, second, anew, other = runs
    assert first.stdout == second.stdout == anew.stdout and "from the cache" not in first.stderr + anew.stderr
    told = re.search(r"(\d+) of (\d+) costs of calls from the cache", second.stderr)
    assert told is not None
    assert told[1] == told[2] and int(told[1]) > 10
    # Other data may cost other instructions; what packs weights has the same.
    held = re.search(r"(\d+) of (\d+) costs", other.stderr)
    assert held is None or int(held[1]) < int(held[2]) / 2


@pytest.mark.slow
def test_a_run_is_compared_with_an_earlier_one(model: Path, tmp_path: Path) -> None:
    def document(name: str, *words: str) -> tuple[Path, dict[str, Any]]:
        file = tmp_path / name
        shown = neonlab("network", str(model), "--json", "--unwatched", *words)
        assert shown.returncode == 0, shown.stderr
        file.write_text(shown.stdout)
        found = json.loads(shown.stdout)
        jsonschema.validate(found, schemas()["network"])
        return file, found

    old, before = document("old.json", "--core", "cortex-a53")
    assert before["against"] is None
    _, same = document("same.json", "--core", "cortex-a53", "--against", str(old))
    assert same["against"]["layers"] == [] and same["against"]["before"] == same["against"]["after"] == before["cycles"]
    _, other = document("other.json", "--core", "cortex-a72", "--against", str(old))
    assert other["against"]["before"] == before["cycles"] and other["against"]["after"] == other["cycles"]
    assert other["against"]["told"] is None and len(other["against"]["layers"]) > 5
    for one in before["layers"]:  # a revision whose first layer was a little dearer, and whose second took much more
        one["cycles"] = {0: one["cycles"] * 1.002 // 1, 1: one["cycles"] * 3}.get(
            before["layers"].index(one), one["cycles"]
        )
    old.write_text(json.dumps(before))
    _, changed = document("changed.json", "--core", "cortex-a53", "--against", str(old))
    told = {one["layer"]: one["told"] for one in changed["against"]["layers"]}
    assert list(told.values()) == [False, True]
    shown = neonlab("network", str(model), "--unwatched", "--core", "cortex-a53", "--against", str(old))
    assert f"Against {old}: armv8 on cortex-a53" in shown.stdout.replace("\n", " ")
    assert shown.stdout.count("no difference that this model can tell") == 1


@pytest.mark.slow(keep=1)
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
        (("{model}", "--into", "table.txt"), "give a name that ends in .html or .md"),
        (("{model}", "--against", "LICENSE"), "not what `neonlab network --json` prints"),
        (("{model}", "--against", "reports/cores.json"), "not what `neonlab network --json` prints"),
    ],
)
def test_bad_input_ends_with_status_2_and_one_message(model: Path, words: tuple[str, ...], said: str) -> None:
    shown = neonlab("network", *(word.format(model=model) for word in words))
    assert shown.returncode == 2 and said in shown.stderr.replace("\n", " ") and "Traceback" not in shown.stderr

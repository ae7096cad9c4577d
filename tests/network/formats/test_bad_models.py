"""Bad models end in one message, whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.int8.frameworks.litert import Operator, Tensor, build
from tests.network.onnx_models import classifier, model, node
from tests.network.tflite_models import network
from tests.tools import require_module

from neonlab.errors import InputError
from neonlab.network.formats.onnx import read_onnx
from neonlab.network.formats.tflite import read_tflite
from neonlab.network.inputs import read_inputs
from neonlab.network.open import open_network
from neonlab.network.reference.inference import drawn, feed


def image(shape: tuple[int, ...], dtype: str = "int8") -> Tensor:
    return Tensor(shape, dtype, [0.1] if dtype != "float32" else (), [0] if dtype != "float32" else ())


def relu(shape: tuple[int, ...] = (1, 4), name: str = "RELU") -> bytes:
    return build([image(shape), image(shape)], [Operator(name, [0], [1], {})], [0], [1])


TFLITE: dict[str, tuple[Callable[[], bytes], str]] = {
    "custom": (lambda: relu(name="CUSTOM"), "1 node that the lab cannot run: SomebodysOwn `0 Somebody"),
    "unknown": (lambda: relu(name="RFFT2D"), "RFFT2D `0 RFFT2D`: an operator that the lab does not have"),
    "huge": (lambda: relu((1 << 20, 1 << 20)), "1,099,511,627,776 elements"),
    "no size": (lambda: relu((1, 0)), "every size must be 1 or more"),
    "no output": (
        lambda: build([image((1, 4)), image((1, 4))], [Operator("RELU", [0], [1], {})], [0], []),
        "the network has no outputs",
    ),
    "nothing computes it": (
        lambda: build([image((1, 4))] * 3, [Operator("RELU", [2], [1], {})], [0], [1]),
        "takes tensor `t2`|`t0 #2`|nothing computes",
    ),
    "cycle": (
        lambda: build([image((1, 4))] * 3, [Operator("RELU", [1], [2], {}), Operator("RELU", [2], [1], {})], [0], [1]),
        "in a cycle: `",
    ),
    "floats": (
        lambda: build([image((1, 4), "float32"), image((1, 4))], [Operator("RELU", [0], [1], {})], [0], [1]),
        "is float32, not int8 or uint8 with a scale: quantize the model",
    ),
    "wrong rank": (
        lambda: build(
            [image((4, 4)), Tensor.constant(np.zeros((2, 1, 1, 4), np.int8), [0.1]), image((4, 2))],
            [Operator("CONV_2D", [0, 1], [2], {"table": "Conv2DOptions", "strideH": 1, "strideW": 1})], [0], [2],
        ),
        "has 2 dimensions, not 4",
    ),
    "stride 0": (
        lambda: build(
            [image((1, 4, 4, 4)), Tensor.constant(np.zeros((2, 1, 1, 4), np.int8), [0.1]), image((1, 4, 4, 2))],
            [Operator("CONV_2D", [0, 1], [2], {"table": "Conv2DOptions"})], [0], [2],
        ),
        "strides and dilations start at 1|division",
    ),
    "no model": (lambda: b"12345678 is no model", "not a TFLite model"),
    "nothing": (lambda: b"", "not a TFLite model"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TFLITE)
def test_a_bad_tflite_is_refused_in_words(kind: str) -> None:
    make, words = TFLITE[kind]
    with pytest.raises(InputError, match=words) as found:
        read_tflite("bad.tflite", make())
    assert str(found.value).startswith("bad.tflite: ") and "\n" not in str(found.value)


def test_every_operator_that_is_not_there_is_named_at_once() -> None:
    operators = [Operator("WHILE", [0], [1], {}), Operator("RELU", [1], [2], {}), Operator("RFFT2D", [2], [3], {})]
    data = build([image((1, 4))] * 4, operators, [0], [3])
    with pytest.raises(InputError, match=r"2 nodes that the lab cannot run: WHILE `0 WHILE`: .*; RFFT2D `2 RFFT2D`: "):
        read_tflite("bad.tflite", data)


@pytest.mark.parametrize("kind", ["tflite", "onnx"])
def test_damaged_files_end_in_a_message_or_in_a_graph(kind: str) -> None:
    """Truncated at every length, and with bytes changed: nothing but InputError comes out, and nothing hangs."""
    random = np.random.default_rng(7)
    data = network()[0] if kind == "tflite" else classifier()[0]

    def read(damaged: bytes) -> object:
        return read_tflite("bad", damaged) if kind == "tflite" else read_onnx("bad", damaged, {})

    cuts = [data[:length] for length in random.integers(0, len(data), 120)]
    for _ in range(250):
        changed = np.frombuffer(data, np.uint8).copy()
        places = random.integers(0, min(len(data), 6000 if random.integers(2) else len(data)), random.integers(1, 8))
        changed[places] = random.integers(0, 256, places.size)
        cuts.append(changed.tobytes())
    refused = 0
    for one in cuts:
        try:
            read(one)
        except InputError:
            refused += 1
    assert refused > 100


def constants() -> dict[str, Any]:
    return {"s": np.float32(0.1), "z": np.int8(0)}


ONNX: dict[str, tuple[Callable[[], bytes], str]] = {
    "custom": (
        lambda: model([node("Mine", ["x"], "y", "org.me")], {"x": ("float32", [1, 4])}, {"y": "float32"}, {}),
        "org.me.Mine `y_node`: a custom operator",
    ),
    "cycle": (
        lambda: model(
            [node("Relu", ["b"], "a"), node("Relu", ["a"], "b")], {"x": ("float32", [1, 4])}, {"b": "float32"}, {}
        ),
        "takes `b`, which no node before it computes",
    ),
    "huge": (
        lambda: model([node("Relu", ["x"], "y")], {"x": ("float32", [1 << 20, 1 << 20])}, {"y": "float32"}, {}),
        "1,099,511,627,776 elements",
    ),
    "large together": (
        lambda: model(
            [node("Expand", ["x", "to"], "a0"), *(node("Neg", [f"a{at}"], f"a{at + 1}") for at in range(4))],
            {"x": ("float32", [1, 1])}, {"a4": "float32"}, {"to": np.array([1 << 14, 1 << 14])},
        ),
        "its tensors have 5,368,7.* bytes together; the lab, which keeps all, goes up to 4,294,967,296",
    ),
    "large constants": (
        lambda: model(
            [*(node("ConstantOfShape", ["to"], f"c{at}") for at in range(5)),
             node("Sum", ["x", *(f"c{at}" for at in range(5))], "y")],
            {"x": ("float32", [1])}, {"y": "float32"}, {"to": np.array([1 << 28])},
        ),
        "its tensors have .* bytes together",
    ),
    "parts that do not fit": (
        lambda: model(
            [node("Concat", ["x", "w"], "y", axis=0)], {"x": ("float32", [1, 3, 8, 8]), "w": ("float32", [1, 3, 7, 8])},
            {"y": "float32"}, {},
        ),
        r"Concat `y_node`: parts of \[1, 3, 8, 8\] and \[1, 3, 7, 8\]",
    ),
    "names of several lines": (
        lambda: model(
            [node("My\nown", ["x"], "y\n\x1b[31m", "org\nme")],
            {"x": ("float32", [1, 4])},
            {"y\n\x1b[31m": "float32"},
            {},
        ),
        r"org\\nme.My\\nown `y\\n\\x1b\[31m_node`: a custom operator",
    ),
    "open sizes": (
        lambda: model([node("Relu", ["x"], "y")], {"x": ("float32", ["n", 3, "h", 8])}, {"y": "float32"}, {}),
        "has sizes that the caller chooses, .*: give an array with --input",
    ),
    "a size of 0": (  # ONNX Runtime runs it on tensors without elements alone
        lambda: model([node("Relu", ["x"], "y")], {"x": ("float32", [0, 4])}, {"y": "float32"}, {}),
        r"tensor `x` has the shape \[0, 4\]: every size must be 1 or more",
    ),
    "far too much padding": (
        lambda: model(
            [node("MaxPool", ["x"], "y", kernel_shape=[2, 2], pads=[1, 1, 1, 1 << 20])],
            {"x": ("int8", [1, 3, 8, 8])}, {"y": "int8"}, {},
        ),
        "MaxPool `y_node`: strides of 1x1, dilations of 1x1 and padding of 1x1x1x1048576: strides .* padding is 0 to",
    ),
    "wrong rank": (
        lambda: model(
            [node("QuantizeLinear", ["x", "s", "z"], "q"), node("MaxPool", ["q"], "y", kernel_shape=[2, 2])],
            {"x": ("float32", [1, 4])}, {"y": "int8"}, constants(),
        ),
        "has 2 dimensions, not 4",
    ),
    "no inputs": (
        lambda: model([node("HardSigmoid", [], "y")], {"x": ("float32", [1, 4])}, {"y": "float32"}, {}),
        "HardSigmoid `y_node`: ",
    ),
    "weights of another rank": (
        lambda: model(
            [node("QuantizeLinear", ["x", "s", "z"], "q"),
             node("QLinearConv", ["q", "s", "z", "w", "s", "z", "s", "z"], "y")],
            {"x": ("float32", [1, 2, 9])}, {"y": "int8"}, {**constants(), "w": np.ones(6, np.int8)},
        ),
        r"QLinearConv `y_node`: ",
    ),
    "scale 0": (
        lambda: model(
            [node("QuantizeLinear", ["x", "s", "z"], "y")], {"x": ("float32", [1, 4])}, {"y": "int8"},
            {**constants(), "s": np.float32(0)},
        ),
        "a scale that is no float32 above 0",
    ),
    "no model": (lambda: b"no model at all, but text", "not an ONNX model"),
    "nothing": (lambda: b"", "not an ONNX model: it has no nodes"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ONNX)
def test_a_bad_onnx_is_refused_in_words(kind: str) -> None:
    make, words = ONNX[kind]
    with pytest.raises(InputError, match=words) as found:
        read_onnx("bad.onnx", make(), {})
    assert str(found.value).startswith("bad.onnx: ") and "\n" not in str(found.value)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("../secret.bin", "outside of the model's folder"),
        ("/etc/hostname", "outside of the model's folder"),
        ("short\0.bin", "outside of the model's folder"),
        (".", "constant `c` is in `.`, which names no file"),
        ("absent.bin", "cannot be read|no such file"),
        ("short.bin", "lies beyond the end of short.bin"),
    ],
)
def test_data_beside_a_model_are_read_from_its_folder_alone(tmp_path: Path, location: str, words: str) -> None:
    onnx = require_module("onnx")
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(bytes(16))
    (folder / "short.bin").write_bytes(bytes(8))
    held = onnx.load_from_string(
        model(
            [node("Add", ["x", "c"], "y")], {"x": ("float32", [1, 4])}, {"y": "float32"}, {"c": np.ones(4, np.float32)}
        )
    )
    constant = held.graph.initializer[0]
    constant.ClearField("raw_data")
    constant.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "0"), ("length", "16")):
        entry = constant.external_data.add()
        entry.key, entry.value = key, value
    path = folder / "model.onnx"
    path.write_bytes(held.SerializeToString())
    with pytest.raises(InputError, match=words):
        open_network(path)
    (folder / "good.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    constant.external_data[0].value = "good.bin"
    path.write_bytes(held.SerializeToString())
    graph = open_network(path)
    assert [t.data.tolist() for t in graph.tensors.values() if t.data is not None] == [[0.0, 1.0, 2.0, 3.0]]


def test_other_suffixes_arithmetics_and_inputs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(network()[0])
    with pytest.raises(InputError, match=r"reads models with the suffixes \.tflite, \.onnx"):
        open_network(tmp_path / "net.pt")
    with pytest.raises(InputError, match=r"no such file|cannot be read"):
        open_network(tmp_path / "absent.tflite")
    with pytest.raises(InputError, match="reference or xnnpack, not fast"):
        open_network(path, "fast")
    graph = open_network(path)
    with pytest.raises(InputError, match=r"is int16 \[1, 14, 12, 4\]; the network takes int8"):
        feed(graph, {"t0": drawn(graph, 1)["t0"].astype(np.int16)})
    with pytest.raises(InputError, match="missing or superfluous: `a`, `b`, `t0`"):
        feed(graph, {"a": np.zeros(1), "b": np.zeros(1)})
    (tmp_path / "bad.npz").write_bytes(b"PK no archive")
    with pytest.raises(InputError, match=r"no .npz file of arrays"):
        read_inputs(tmp_path / "bad.npz")
    np.savez(tmp_path / "objects.npz", x=np.array([{}], object))
    with pytest.raises(InputError, match=r"no .npz file of arrays"):
        read_inputs(tmp_path / "objects.npz")

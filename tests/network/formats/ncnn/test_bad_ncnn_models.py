"""Bad ncnn models end in one message, whatever is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.network.ncnn_models import Writer, fire, two_convolutions

from neonlab.errors import InputError
from neonlab.network.formats.ncnn.read import read_ncnn
from neonlab.network.open import open_network
from neonlab.network.reference.inference import drawn, feed


def lines(*layers: str, counts: str = "") -> bytes:
    """A .param of these layers, after an input of 8x8x4 called x; `counts` in place of the right ones."""
    every = ("Input x 0 1 x 0=8 1=8 2=4", *layers)
    blobs = sum(int(line.split()[3]) for line in every)
    return "\n".join(["7767517", counts or f"{len(every)} {blobs}", *every]).encode()


def conv(more: str, weights: int = 16) -> tuple[bytes, bytes]:
    """One convolution of 4 channels to 4, and a .bin of that many int8 weights and scales."""
    data = np.uint32(0x000D4B38).tobytes() + bytes(weights) + np.ones(4, np.float32).tobytes()
    return lines(f"Convolution c 1 1 x y 0=4 1=1 6={weights} 8=2 {more}"), data + np.float32(1).tobytes()


BAD: dict[str, tuple[Callable[[], tuple[bytes, bytes]], str]] = {
    "nothing": (lambda: (b"", b""), "not the text of an ncnn model"),
    "another text": (lambda: (b"<xml>", b""), "not the text of an ncnn model"),
    "binary": (lambda: ((7767517).to_bytes(4, "little") + bytes(40), b""), "a binary .param"),
    "no counts": (lambda: (b"7767517\nmany layers\n", b""), "second line is not the numbers"),
    "no layers": (lambda: (b"7767517\n0 0\n", b""), "0 layers"),
    "too many layers": (lambda: (b"7767517\n99999999 4\n", b""), "99999999 layers; the lab goes from 1 to"),
    "wrong layers": (lambda: (lines(counts="2 1"), b""), "says 2 layers and 1 blobs; it has 1 and 1: is it cut off"),
    "wrong blobs": (lambda: (lines("ReLU r 1 1 x y", counts="2 9"), b""), "says 2 layers and 9 blobs"),
    "cut layer": (lambda: (lines() + b"\nReLU r 1", b""), "layer `ReLU r`: no numbers of blobs"),
    "fewer blobs": (lambda: (lines("ReLU r 1 3 x y", counts="2 4"), b""), "takes 1 blobs and makes 3"),
    "negative blobs": (lambda: (lines("ReLU r -1 1 y", counts="2 2"), b""), "takes -1 blobs"),
    "no parameter": (lambda: (lines("ReLU r 1 1 x y slope"), b""), "`slope` is no parameter"),
    "no number": (lambda: (lines("ReLU r 1 1 x y 0=.x."), b""), "parameter `0=.x.` is no number"),
    "not finite": (lambda: (lines("ReLU r 1 1 x y 0=1e999"), b""), "parameter `0=1e999` is no number"),
    "far parameter": (lambda: (lines("ReLU r 1 1 x y 40=1"), b""), "a parameter 40; ncnn has 0 to 31"),
    "cut array": (lambda: (lines("Eltwise e 1 1 x y -23301=9,1,2"), b""), "says 9 numbers and has 2"),
    "wrong kind": (lambda: (lines('ReLU r 1 1 x y 0="abc"'), b""), "ReLU `r`: parameter 0 is 'abc', not a number"),
    "two makers": (lambda: (lines("ReLU r 1 1 x y", "ReLU s 1 1 x y"), b""), "`r` and `s` both compute `y`"),
    "no maker": (lambda: (lines("ReLU r 1 1 z y"), b""), "layer `r` takes blob `z`, which nothing computes"),
    "cycle": (
        lambda: (lines("ReLU r 1 1 b a", "ReLU s 1 1 a b"), b""),
        "layers need each other's results, in a cycle: `[rs]` -> `[rs]` -> `[rs]`",
    ),
    "huge": (lambda: (lines().replace(b"0=8 1=8", b"0=1048576 1=262144"), b""), "1,099,511,627,776 elements"),
    "negative size": (lambda: (lines().replace(b"0=8", b"0=-8"), b""), "every size must be 1 or more"),
    "huge weights": (lambda: (conv("6=2000000000")[0], b""), "2,000,000,000 weights; the lab goes from 1 to"),
    "huge reshape": (lambda: (lines("Reshape r 1 1 x y 0=1048576 1=1048576"), b""), r"to \[1048576, 1048576\]"),
    "open sizes": (lambda: (lines().replace(b"0=8 1=8 2=4", b""), b""), "`x` has sizes that the caller chooses"),
    "cut image": (lambda: conv("11=3 3=2 4=-234 6=48", 48), "SAME padding of 1 rows and -1 columns, which cuts the"),
    "makes nothing": (
        lambda: (conv("")[0].replace(b"1 1 x y", b"1 0 x").replace(b"2 2", b"2 1"), conv("")[1]),
        "Convolution `c`: makes no blob",
    ),
    "many terms": (
        lambda: (lines(f"Eltwise e 60000 1 {'x ' * 60000}y 0=7"), b""),
        r"Eltwise `e`: kind 7 of the shapes \[1, 8, 8, 4\]$",
    ),
    "wrong rank": (
        lambda: (lines("Flatten f 1 1 x y", "Pooling p 1 1 y z 0=0 1=2"), b""),
        r"`y` is float32 \[256\], and no image",
    ),
    "stride 0": (lambda: conv("3=0"), "strides and dilations start at 1|division"),
    "kernel too large": (lambda: conv("1=2 6=64 2=9", 64), "does not fit an image"),
    "weights too few": (lambda: conv("1=3"), "16 weights; 3x3 of 4 channels to 4 are 144"),
    "padded by a number": (lambda: conv("4=1 18=3.5"), "padding with 3.5"),
    "activation": (lambda: conv("9=17"), "activation 17"),
    "activation without a slope": (lambda: conv("9=2"), "activation 2 with 0 parameters"),
    "dynamic": (lambda: conv("19=1"), "with weights that another layer computes"),
    "pool of nothing": (lambda: (lines("Pooling p 1 1 x y 0=1 1=2 2=2 3=5"), b""), "a window without a pixel"),
    "left over": (lambda: (conv("")[0], conv("")[1] + b"1234"), "4 bytes more than the layers of the .param take"),
    "cut off": (lambda: (conv("")[0], conv("")[1][:-1]), "ends in the weights of layer `c`: 4 bytes at 36 of 39"),
    "scale 0": (
        lambda: (conv("")[0], conv("")[1][:-4] + np.float32(0).tobytes()),
        "Convolution `c`: a scale of the input that is not above 0",
    ),
    "infinite scale": (
        lambda: (conv("")[0], conv("")[1][:-8] + np.array([np.inf, 1], np.float32).tobytes()),
        "a scale of the weights that is not above 0, or beyond",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_model_is_refused_in_words(kind: str) -> None:
    text, weights = BAD[kind][0]()
    with pytest.raises(InputError, match=BAD[kind][1]) as found:
        read_ncnn("bad.param", text, weights, {}, "bad.bin")
    assert str(found.value).startswith("bad.") and "\n" not in str(found.value)


def test_every_layer_that_is_not_there_is_named_at_once() -> None:
    text = lines("LSTM a 1 1 x y", "ReLU r 1 1 y z", "Mine b 1 1 z w", "MemoryData c 0 1 v 0=4")
    with pytest.raises(
        InputError, match=r"3 nodes that the lab cannot run: LSTM `a`: .*; Mine `b`: .*; MemoryData `c`: "
    ):
        read_ncnn("bad.param", text, b"", {})


def test_every_layer_that_cannot_be_taken_is_named_at_once() -> None:
    text = lines("Pooling a 1 1 x y 0=7", "ReLU r 1 1 y z", "Padding b 1 1 x w 0=-1", "BinaryOp c 1 1 x v 0=99 1=1")
    with pytest.raises(InputError, match=r"3 nodes .*: Pooling `a`: .*; Padding `b`: .*; BinaryOp `c`: "):
        read_ncnn("bad.param", text, b"", {})


def test_weights_that_are_not_there_are_named(tmp_path: Path) -> None:
    path = two_convolutions(1).write(tmp_path)
    path.with_suffix(".bin").unlink()
    with pytest.raises(InputError, match=r"its weights are not beside it: .*model.bin: no such file"):
        open_network(path)


@pytest.mark.parametrize("make", [two_convolutions, fire])
def test_damaged_files_end_in_a_message_or_in_a_graph(make: Callable[[int], Writer]) -> None:
    """Truncated at any length, and with bytes changed: nothing but InputError comes out, and nothing hangs."""
    random, writer = np.random.default_rng(7), make(7)
    text, weights = writer.text, writer.weights
    pairs = [(text[:length], weights) for length in random.integers(0, len(text) - 1, 100)]
    pairs += [(text, weights[:length]) for length in random.integers(0, len(weights), 50)]
    for _ in range(300):
        changed = np.frombuffer(text, np.uint8).copy()
        places = random.integers(0, len(text), random.integers(1, 6))
        changed[places] = random.choice(np.frombuffer(b"0123456789-=., \nabex\xff", np.uint8), places.size)
        pairs.append((changed.tobytes(), weights))
    refused = 0
    for one, held in pairs:
        try:
            read_ncnn("bad.param", one, held, {})
        except InputError:
            refused += 1
    assert refused > 150


def test_sizes_that_the_model_leaves_are_those_of_the_array() -> None:
    text = lines("ReLU r 1 1 x y").replace(b" 0=8 1=8 2=4", b"")
    for shape in ((4, 8, 6), (1, 4, 8, 6)):
        graph = read_ncnn("model.param", text, b"", {"x": shape})
        assert graph.tensor("x").shape == (1, 8, 6, 4)
        assert feed(graph, {"x": np.zeros(shape, np.float32)})["x"].shape == (1, 8, 6, 4)
        assert drawn(graph, 1)["x"].shape == (4, 8, 6)
    with pytest.raises(InputError, match=r"input `x` is \[4, 8, 8\], and the array given is \[4, 8, 6\]"):
        read_ncnn("model.param", lines("ReLU r 1 1 x y"), b"", {"x": (4, 8, 6)})

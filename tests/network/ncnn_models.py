"""Write ncnn models with int8 weights and scales, and run them with the package `ncnn`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tests.tools import require_module

Array = np.ndarray
_INT8_TAG, _HALF_TAG = np.uint32(0x000D4B38), np.uint32(0x01306B47)
#: Runs of the package as its plain C++ goes, where it has a choice: no packing, no floats of 16 bits, no Winograd.
PLAIN = ("packing_layout", "fp16_storage", "fp16_arithmetic", "fp16_packed", "bf16_storage", "winograd_convolution")


@dataclass
class Writer:
    """The lines of a .param and the bytes of a .bin, layer by layer."""

    seed: int
    lines: list[str] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    blobs: int = 0

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def layer(self, kind: str, name: str, bottoms: Sequence[str], tops: Sequence[str], parameters: str = "") -> None:
        """Add a layer without weights."""
        self.blobs += len(tops)
        words = (kind, name, str(len(bottoms)), str(len(tops)), *bottoms, *tops, parameters)
        self.lines.append(" ".join(words))

    def input(self, name: str, width: int, height: int, channels: int) -> None:
        """Add an input."""
        self.layer("Input", name, (), (name,), f"0={width} 1={height} 2={channels}")

    def weighted(
        self, kind: str, name: str, bottom: str, top: str, weights: int, fan_in: int, parameters: Mapping[int, float],
        scales: Sequence[float] = (24.0, 12.0), kept: str = "int8",
    ) -> None:  # fmt: skip
        """Add a layer with random weights; parameter 8 says whether with scales, of the input and the output.

        `kept` says how its weights are in the .bin, where it has scales: int8, or floats, which are quantized by these.
        """
        held = dict(parameters)
        self.layer(kind, name, (bottom,), (top,), " ".join(f"{key}={value}" for key, value in held.items()))
        outs, term = int(held[0]), int(held.get(8, 0))
        if term and kept == "int8":
            self._put(_INT8_TAG, self.random.integers(-127, 128, weights).astype(np.int8))
        elif kept == "float16":
            self._put(_HALF_TAG, self.random.normal(0, 0.5 / np.sqrt(fan_in), weights).astype(np.float16))
        elif kept == "table":
            self._put(np.uint32(1), self.random.normal(0, 0.5 / np.sqrt(fan_in), 256).astype(np.float32))
            self._put(self.random.integers(0, 256, weights).astype(np.uint8))
        else:
            self._put(np.uint32(0), self.random.normal(0, 1 / np.sqrt(fan_in), weights).astype(np.float32))
        if held.get(1 if kind == "InnerProduct" else 5):
            self._put(self.random.normal(0, 1, outs).astype(np.float32))
        if not term:
            return
        count = outs
        if kind == "ConvolutionDepthWise":
            count = int(held[7]) if term in (1, 101) else 1
        # Sums of random products then have about the size of the input.
        of_weights = 74 * np.sqrt(fan_in) * self.random.uniform(0.5, 1.5, count)
        self._put(of_weights.astype(np.float32), np.float32(scales[0]))
        if term > 100:
            self._put(np.float32(scales[1]))

    def _put(self, *arrays: Array | np.generic) -> None:
        for one in arrays:
            data = np.asarray(one).tobytes()
            self.parts.append(data + b"\0" * (-len(data) % 4))

    @property
    def text(self) -> bytes:
        """Return the .param."""
        return "\n".join(["7767517", f"{len(self.lines)} {self.blobs}", *self.lines, ""]).encode()

    @property
    def weights(self) -> bytes:
        """Return the .bin."""
        return b"".join(self.parts)

    def write(self, folder: Path, name: str = "model") -> Path:
        """Write both files, and return the path of the .param."""
        path = folder / f"{name}.param"
        path.write_bytes(self.text)
        path.with_suffix(".bin").write_bytes(self.weights)
        return path


def two_convolutions(seed: int, activation: str = "9=1", requantized: bool = True) -> Writer:
    """Return a convolution with an activation, whose int8 goes into another one, and out as floats."""
    writer = Writer(seed)
    writer.input("data", 14, 11, 8)
    key, _, value = activation.partition(" ")
    first = {0: 16, 1: 3, 4: 1, 5: 1, 6: 16 * 8 * 9, 8: 102 if requantized else 2}
    writer.weighted("Convolution", "one", "data", "a", 16 * 8 * 9, 72, first)
    writer.lines[-1] += f" {key} {value}".rstrip()
    writer.weighted("Convolution", "two", "a", "b", 12 * 16, 16, {0: 12, 1: 1, 5: 1, 6: 12 * 16, 8: 2, 9: 1}, (12.0,))
    return writer


def run_package(path: Path, image: Array, outputs: Sequence[str], given: str = "data") -> list[Array]:
    """Return blobs that the package computes, by their names."""
    ncnn = require_module("ncnn")
    net = ncnn.Net()
    net.opt.num_threads = 1
    for switch in PLAIN:
        setattr(net.opt, f"use_{switch}", False)
    assert net.load_param(str(path)) == 0 and net.load_model(str(path.with_suffix(".bin"))) == 0
    extractor = net.create_extractor()
    # A Mat points into the array, and layers that work in place would write there.
    assert extractor.input(given, ncnn.Mat(np.ascontiguousarray(image)).clone()) == 0
    found = []
    for name in outputs:
        status, out = extractor.extract(name, 1)  # 1: as the layer leaves it
        assert status == 0
        found.append(np.array(out))
    return found


def fire(seed: int) -> Writer:
    """Return what SqueezeNet has: pools that reach beyond the image, a branch and a concatenation, a global mean."""
    writer = Writer(seed)
    writer.input("data", 27, 27, 3)
    conv(writer, "stem", "data", "s", (3, 16, 3), "3=2", 2)
    writer.layer("Pooling", "pool", ["s"], ["p"], "0=0 1=3 2=2")
    conv(writer, "squeeze", "p", "q", (16, 8, 1), "", 102)
    writer.layer("Split", "split", ["q"], ["q0", "q1"])
    conv(writer, "expand1", "q0", "e0", (8, 16, 1), "", 2)
    conv(writer, "expand3", "q1", "e1", (8, 16, 3), "4=1", 2)
    writer.layer("Concat", "joined", ["e0", "e1"], ["e"])
    writer.layer("Dropout", "drop", ["e"], ["d"])
    conv(writer, "classes", "d", "c", (32, 10, 1), "4=1", 2)
    writer.layer("Pooling", "mean", ["c"], ["m"], "0=1 4=1")
    writer.layer("Softmax", "softmax", ["m"], ["out"])
    return writer


def residual(seed: int) -> Writer:
    """Return what a ResNet has: a sum of two branches, relus of their own, and a last layer of floats."""
    writer = Writer(seed)
    writer.input("data", 16, 16, 3)
    conv(writer, "stem", "data", "s", (3, 16, 7), "3=2 4=3", 2)
    writer.layer("Split", "split", ["s"], ["s0", "s1"])
    conv(writer, "left", "s0", "l", (16, 16, 1), "9=0", 2)
    conv(writer, "right1", "s1", "r", (16, 16, 3), "4=1", 102)
    conv(writer, "right2", "r", "t", (16, 16, 3), "4=1 9=0", 2)
    writer.layer("Eltwise", "sum", ["l", "t"], ["u"], "0=1")
    writer.layer("ReLU", "relu", ["u"], ["v"])
    writer.layer("Pooling", "mean", ["v"], ["m"], "0=1 1=4 2=4")
    writer.weighted("InnerProduct", "classes", "m", "c", 10 * 64, 64, {0: 10, 1: 1, 2: 640})
    writer.layer("Softmax", "softmax", ["c"], ["out"], "0=0")
    return writer


def separable(seed: int) -> Writer:
    """Return what a MobileNet v1 has: depthwise convolutions in int8, and a last layer of int8."""
    writer = Writer(seed)
    writer.input("data", 16, 16, 3)
    conv(writer, "stem", "data", "s", (3, 16, 3), "3=2 4=1", 102)
    for number, stride in enumerate((1, 2)):
        taps = {0: 16, 1: 3, 3: stride, 4: 1, 5: 1, 6: 144, 7: 16, 8: 101, 9: 1}
        source = "s" if not number else f"p{number - 1}"
        writer.weighted("ConvolutionDepthWise", f"dw{number}", source, f"d{number}", 144, 9, taps)
        conv(writer, f"pw{number}", f"d{number}", f"p{number}", (16, 16, 1), "", 102 if not number else 2)
    writer.layer("Pooling", "mean", ["p1"], ["m"], "0=1 4=1")
    writer.weighted("InnerProduct", "classes", "m", "c", 160, 16, {0: 10, 1: 1, 2: 160, 8: 2})
    writer.layer("Softmax", "softmax", ["c"], ["out"], "0=0")
    return writer


def conv(writer: Writer, name: str, bottom: str, top: str, sizes: tuple[int, int, int], more: str, term: int) -> None:
    """Add a convolution with a relu; `sizes` are channels in and out and the kernel's, `more` other parameters."""
    ins, outs, kernel = sizes
    count = ins * outs * kernel * kernel
    parameters: dict[int, float] = {0: outs, 1: kernel, 5: 1, 6: count, 8: term, 9: 1}
    parameters |= {int(key): int(value) for key, value in (one.split("=") for one in more.split())}
    writer.weighted("Convolution", name, bottom, top, count, ins * kernel * kernel, parameters)


NETWORKS = {"fire": fire, "residual": residual, "separable": separable, "two": two_convolutions}

"""Compute pools by kernels: of a window of their own or any, clamped behind it, and of uint8 between two tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from neonlab.lab.repository.library import Kernel
from neonlab.network.graph import Array, Graph, Node, Tensor
from neonlab.network.run.shelf import Shelf
from neonlab.network.run.steps import Calling, Step, fits
from neonlab.network.run.ways.max_pools import max_pools

#: int8 of the bytes whose order is that of uint8: the highest bit is the other one.
_TURNED = (np.arange(256) ^ 128).astype(np.uint8).view(np.int8)


def pools(shelf: Shelf, graph: Graph, node: Node) -> Iterator[Step]:
    """Yield every way to compute a pool whose values keep their scale."""
    image, output = graph.tensor(node.inputs[0]), graph.tensor(node.outputs[0])
    if output.dtype not in ("int8", "uint8") or image.dtype != output.dtype:
        return
    whole = np.iinfo(output.dtype)
    clamp = node.attributes.get("lowest", whole.min), node.attributes.get("highest", whole.max)
    clamped = clamp != (whole.min, whole.max)
    if image.quantization != output.quantization:
        return
    if output.dtype == "int8":
        found = _unclamped(shelf, image, output, node)
        yield from _clamped(shelf, found, output.size, clamp) if clamped else found
    elif node.operator == "max_pool" and not clamped:
        steps = _unclamped(shelf, replace(image, dtype="int8"), replace(output, dtype="int8"), node)
        yield from _turned(shelf, steps, image.size, output.size)


def _clamped(shelf: Shelf, steps: Iterator[Step], size: int, clamp: tuple[int, int]) -> Iterator[Step]:
    """Yield the steps with a clip behind each."""
    limits = np.array(clamp, np.int8)
    clips = [kernel for kernel in shelf.find("clip", "s8s8") if fits(kernel.contract, {"count": size})]
    for step in steps:
        for clip in clips:

            def compute(calling: Calling, inputs: Sequence[Array], step: Step = step, clip: Kernel = clip) -> Array:
                values = np.ascontiguousarray(step.compute(calling, inputs))
                return calling(clip, {"input": values, "count": size, "limits": limits})["output"]

            yield Step((*step.kernels, clip), compute, step.moved)


def _turned(shelf: Shelf, steps: Iterator[Step], taken: int, size: int) -> Iterator[Step]:
    """Yield the steps on int8 with tables before and behind that turn the highest bit."""
    tables = [
        kernel
        for kernel in shelf.find("lut", "s8s8")
        if all(fits(kernel.contract, {"count": n}) for n in (taken, size))
    ]
    for step in steps:
        for lut in tables:

            def compute(calling: Calling, inputs: Sequence[Array], step: Step = step, lut: Kernel = lut) -> Array:
                given = np.ascontiguousarray(inputs[0])
                values = calling(lut, {"input": given.view(np.int8), "count": taken, "table": _TURNED})["output"]
                found = np.ascontiguousarray(step.compute(calling, [values.reshape(given.shape)]))
                return calling(lut, {"input": found, "count": size, "table": _TURNED})["output"].view(np.uint8)

            yield Step((*dict.fromkeys((lut, *step.kernels)),), compute, step.moved)


def _unclamped(shelf: Shelf, image: Tensor, output: Tensor, node: Node) -> Iterator[Step]:
    """Yield kernels of one image of the window, for max pools else those that pixels are copied for."""
    if len(output.shape) == 1:  # of ncnn: the greatest of all pixels of each channel
        output = replace(output, shape=(1, 1, 1, *output.shape))
    found = list(_direct(shelf, image, output, node)) if image.shape[0] == 1 else []
    yield from found
    if node.operator == "max_pool" and not found:
        yield from max_pools(shelf, image, output, node)


def _direct(shelf: Shelf, image: Tensor, output: Tensor, node: Node) -> Iterator[Step]:
    """Yield the kernels of a window of their own."""
    window, taps = node.attributes["window"], node.attributes["kernel"]
    if node.operator == "average_pool" and node.attributes["arithmetic"] != "tflite":
        return
    if taps == image.shape[1:3] and output.shape[1:3] == (1, 1) and node.operator == "average_pool":
        yield from _global(shelf, image)
    operator = "maxpool" if node.operator == "max_pool" else "avgpool"
    if window.stride[0] != window.stride[1] or window.dilation != (1, 1):
        return
    (top, _), (left, _) = window.padding
    height, width, channels = output.shape[1:]
    bottom, right = (
        max(0, (size - 1) * window.stride[0] + tap - before - length)
        for size, tap, before, length in zip((height, width), taps, (top, left), image.shape[1:3], strict=True)
    )
    for kernel in shelf.find(operator, "s8s8", layout="hwc", window=taps, stride=window.stride[0]):
        numbers = {"height": height, "width": width, "channels": channels}
        numbers |= {"input_pitch": image.shape[2] * channels, "output_pitch": width * channels}
        beyond = {"top": top, "left": left, "bottom": bottom, "right": right}
        if "top" in kernel.contract.by_name:
            numbers |= beyond
        elif any(beyond.values()):
            continue
        if fits(kernel.contract, numbers):
            rows = (height - 1) * window.stride[0] + taps[0] - top - bottom

            def compute(
                calling: Calling,
                inputs: Sequence[Array],
                kernel: Kernel = kernel,
                numbers: dict[str, int] = numbers,
                rows: int = rows,
            ) -> Array:
                return calling(kernel, {"input": inputs[0].reshape(image.shape[1:])[:rows], **numbers})["output"]

            yield Step((kernel,), compute)


def _global(shelf: Shelf, image: Tensor) -> Iterator[Step]:
    pixels, channels = image.shape[1] * image.shape[2], image.shape[3]
    numbers = {"pixels": pixels, "channels": channels, "pitch": channels}
    for kernel in shelf.find("globalpool", "s8s8"):
        if fits(kernel.contract, numbers):

            def compute(calling: Calling, inputs: Sequence[Array], kernel: Kernel = kernel) -> Array:
                return calling(kernel, {"input": inputs[0], **numbers})["output"]

            yield Step((kernel,), compute)

"""Run layers by the package `ncnn`, in a process of its own: parameters that a file has damaged may end it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from neonlab.network.reference.frameworks.frames import answer_all


class Layers:
    """The layers that were sent, each in a network of its own, and what it took and made last."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}
        self._last: dict[int, tuple[list[bytes], dict[str, Any]]] = {}

    def prepare(
        self, key: int, text: str, names: Sequence[str], shapes: Sequence[Sequence[int]] | None, outputs: Sequence[str]
    ) -> list[Any]:
        """Hold a layer; return [dtype, shape] of each output for inputs of zeros, none without shapes."""
        import ncnn  # type: ignore[import-not-found, import-untyped, unused-ignore]

        network = ncnn.Net()
        network.opt.num_threads = 1
        for option in ("use_vulkan_compute", "use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic",
                       "use_bf16_storage", "use_packing_layout"):  # fmt: skip
            setattr(network.opt, option, False)
        if network.load_param_mem(text):
            raise ValueError("ncnn has no such layer, or not with these parameters")
        with tempfile.NamedTemporaryFile(suffix=".bin") as empty:
            if network.load_model(empty.name):
                raise ValueError("has weights, and the lab does not know which")
        self._held[key] = network
        if shapes is None:
            return []
        made = self._made(key, names, [np.zeros(shape, np.float32) for shape in shapes], outputs)
        return [[made[name].dtype.name, made[name].shape] for name in outputs]

    def run(
        self, key: int, inputs: Sequence[Sequence[Any]], parts: list[bytes], output: str, most: int
    ) -> np.ndarray[Any, Any]:
        """Return the blob called `output`; `inputs` are [name, dtype, shape] of the arrays in `parts`."""
        last, made = self._last.get(key, (None, {}))
        if last != parts or output not in made:
            arrays = [
                np.frombuffer(part, dtype).reshape(shape) for (_, dtype, shape), part in zip(inputs, parts, strict=True)
            ]
            made = self._made(key, [name for name, _, _ in inputs], arrays, [output])
            self._last[key] = parts, made
        found = np.asarray(made[output])
        if found.size > most:
            raise ValueError(f"puts out {found.size:,} elements; the lab goes up to {most:,}")
        return found

    def _made(
        self, key: int, names: Sequence[str], arrays: Sequence[np.ndarray[Any, Any]], outputs: Sequence[str]
    ) -> dict[str, np.ndarray[Any, Any]]:
        import ncnn

        extractor = self._held[key].create_extractor()
        for name, values in zip(names, arrays, strict=True):
            # A Mat of an array points into it; layers write in place, and want it aligned as ncnn allocates.
            extractor.input(name, ncnn.Mat(values).clone())
        found = {}
        for name in outputs:
            status, blob = extractor.extract(name)
            if status or blob.empty():
                raise ValueError("makes nothing of such blobs, or data decide the size of what it makes")
            found[name] = np.array(blob)
        return found


def main() -> None:
    """Answer frames until there are no more."""
    layers = Layers()

    def answer(header: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        if header["do"] == "prepare":
            found = layers.prepare(
                header["key"], parts[0].decode(), header["inputs"], header["shapes"], header["outputs"]
            )
            return {"outputs": found}, []
        values = layers.run(header["key"], header["inputs"], parts, header["output"], header["most"])
        return {"dtype": values.dtype.name, "shape": values.shape}, [values.tobytes()]

    answer_all(answer)


if __name__ == "__main__":
    main()

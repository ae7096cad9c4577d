"""Run models of one operator by LiteRT, in a process of its own: operators that a file has damaged may end it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from neonlab.network.reference.frameworks.frames import answer_all


class Models:
    """The models that were sent, each with its interpreter, and what it took last."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Any, bytes]] = {}
        self._last: dict[int, list[bytes]] = {}

    def prepare(self, key: int, arithmetic: str, model: bytes, outputs: Sequence[int]) -> list[Any]:
        """Hold a model; return [dtype, shape] of each output, the shape None where data decide it."""
        from ai_edge_litert import interpreter  # type: ignore[import-untyped]

        kinds = interpreter.OpResolverType
        kernels = {"reference": kinds.BUILTIN_REF, "optimized": kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES}
        one = interpreter.Interpreter(
            model_content=model,
            num_threads=1,  # a sum of floats depends on how it is shared out
            experimental_op_resolver_type=kernels.get(arithmetic, kinds.AUTO),
        )
        one.allocate_tensors()
        self._held[key] = one, model
        return [self._promised(one, number) for number in outputs]

    @staticmethod
    def _promised(one: Any, number: int) -> list[Any]:
        details = next(details for details in one.get_tensor_details() if details["index"] == number)
        try:
            one.get_tensor(number)
        except ValueError:
            # Nothing is allocated for an output whose size the operator finds out when it runs.
            return [np.dtype(details["dtype"]).name, None]
        return [np.dtype(details["dtype"]).name, [int(size) for size in details["shape"]]]

    def run(self, key: int, inputs: Sequence[Sequence[Any]], parts: list[bytes], output: int, most: int) -> Any:
        """Return the tensor numbered `output`; `inputs` are [number, dtype, shape] of the arrays in `parts`."""
        one, _ = self._held[key]
        if self._last.get(key) != parts:
            # Another output of the same inference is there already.
            self._last.pop(key, None)
            for (number, dtype, shape), part in zip(inputs, parts, strict=True):
                one.set_tensor(number, np.frombuffer(part, dtype).reshape(shape))
            one.invoke()
            self._last[key] = parts
        found = np.asarray(one.get_tensor(output), order="C")
        if found.size > most:
            raise ValueError(f"puts out {found.size:,} elements; the lab goes up to {most:,}")
        return found


def main() -> None:
    """Answer frames until there are no more."""
    models = Models()

    def answer(header: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
        if header["do"] == "prepare":
            found = models.prepare(header["key"], header["arithmetic"], parts[0], header["outputs"])
            return {"outputs": found}, []
        values = models.run(header["key"], header["inputs"], parts, header["output"], header["most"])
        return {"dtype": values.dtype.name, "shape": values.shape}, [values.tobytes()]

    answer_all(answer)


if __name__ == "__main__":
    main()

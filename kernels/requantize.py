"""Requantization of int32 sums to 8 or 16 bits, a scale for each column, by schemes of `neonlab.int8.requantize`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.arrays import Output
from neonlab.int8.fixed_point import Multiplier
from neonlab.int8.requantize import ncnn_requantize, scheme_named

from ._fixed_point import FIXED_POINT
from ._output import draw_range, output_of

_DIMENSIONS = ("rows", "cols")
_LEAST, _MOST = 1 << 30, (1 << 31) - 1

#: The word in a kernel's name, for each scheme of `neonlab.int8.requantize`.  The results are the same.
KERNEL_OF_SCHEME: Mapping[str, str] = {
    "ruy": "ruy",
    "ruy-neon": "ruy",
    "tflite-single": "ruy",
    "tvm-upward": "ruy",
    "gemmlowp": "gemmlowp",
    "qnnpack-q31": "gemmlowp",
    "tvm-arm": "tvm",
    "tvm-tonearest": "precise",
    "qnnpack-precise": "precise",
    "qnnpack-fp32": "fp32",
    "qnnpack-magic": "fp32",
    "onnxruntime": "fp32",
    "ncnn": "ncnn",
}


class Requantize(Operator):
    """A requantization of rows of sums.  The parameters of each column are filled up to a multiple of 4."""

    name = "requantize"
    dimensions = _DIMENSIONS
    # Sums of MobileNet v1's pointwise layers at 224 (Howard et al. 2017, table 1): a row is a pixel.
    layers: Mapping[str, Shape] = {
        f"mobilenet_v1 {size}x{size}x{channels}": Shape(_DIMENSIONS, (size * size, channels))
        for size, channels in ((112, 64), (28, 256), (14, 512), (7, 1024))
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("requantize_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"rows": shape["rows"], "cols": shape["cols"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        filled = -(-shape["cols"] // 4) * 4
        found = {
            argument.name: data.array(argument, shape.sizes if argument.name == "input" else (filled,))
            for argument in contract.arguments
            if argument.read is not None and argument.name != "range"
        }
        if data.pattern == "random":
            self._bring_to_output(contract, found, data)
        return {**found, "range": draw_range(contract, data)}

    def _bring_to_output(self, contract: Contract, found: dict[str, Array], data: DataSource) -> None:
        """Draw sums of one size and scales that bring them to that of the output.

        Many of the sums are ties, with scales that are powers of two.
        """
        size, random = int(data.random.integers(4, 31)), data.random
        if "shifts" in found and not random.integers(6):
            self._bring_next_to_far_ties(contract, found, data)
            return
        filled = found["bias"].size
        for name in ("input", "bias"):
            argument = contract.argument(name)
            low, high = argument.value_range or (0, 0)
            most = min(2.0 ** (size - (name == "bias")), high)
            found[name] = data.draw(found[name].shape, argument.dtype, max(-most, low), most)
        more = 8 if contract.argument("output").dtype == np.int16 else 0
        # Now and then far beyond the output, and beyond int16, which sums are narrowed to on the way.
        powers = random.integers(5, 10, filled) + 8 * (random.random(filled) < 0.2) + more - size
        if "shifts" in found:
            found["shifts"] = np.clip(powers, -31, 7).astype(np.int32)
            kinds = random.random(filled)
            found["multipliers"][kinds < 0.5] = _LEAST
            found["multipliers"][kinds < 0.1] = _MOST
            reals = np.ldexp(found["multipliers"].astype(np.float64), found["shifts"] - 31)
            self._bring_next_to_ties(contract, found, reals, data)
            return
        mantissa = np.where(random.random(filled) < 0.5, 1, random.uniform(0.5, 1, filled))
        scales = (np.ldexp(mantissa, powers)).astype(np.float32)
        if "scales" in found:
            found["scales"] = scales
            self._bring_next_to_ties(contract, found, scales.astype(np.float64), data)
            return
        # ncnn's first scale gives reals, the second steps of the output.
        found["scales_out"] = np.float32(2.0) ** random.integers(-3, 6, filled).astype(np.float32)
        found["scales_in"] = scales / found["scales_out"]
        bias = np.rint(random.uniform(-64, 64, filled)) / (2 * found["scales_out"])
        found["bias"] = np.where(random.random(filled) < 0.5, bias, found["bias"] * np.float32(2.0**-size))
        found["bias"] = found["bias"].astype(np.float32)
        # Some columns of -1, 0 and 1 times the number next to a tie, which a half added would round to the tie.
        near = random.random(filled) < 0.2
        found["scales_in"][near] = np.nextafter(np.float32(random.integers(0, 100) + 0.5), np.float32(0))
        found["scales_out"][near], found["bias"][near] = 1, 0
        cols = found["input"].shape[-1]
        found["input"][:, near[:cols]] = np.clip(found["input"][:, near[:cols]], -1, 1)

    def _bring_next_to_far_ties(self, contract: Contract, found: dict[str, Array], data: DataSource) -> None:
        """Draw sums of 2^30 and more in size, of the sign of their bias, whose last unit decides the result."""
        random, filled, bits = data.random, found["bias"].size, 8 * contract.argument("output").dtype.itemsize
        found["shifts"] = np.full(filled, bits - 32, np.int32)
        found["multipliers"] = (2**31 - 1 - random.integers(0, 1 << 20, filled)).astype(np.int32)
        sign = random.choice([-1, 1], filled)
        found["bias"] = (sign * random.integers(7 << 26, 1 << 29, filled)).astype(np.int32)
        cols, shape, unit = found["input"].shape[-1], found["input"].shape, 1 << (bits - 2)
        ties = sign[:cols] * (random.integers(unit, unit * 3 // 2 - unit // 16, shape) + 0.5)
        sums = np.floor(ties / np.ldexp(found["multipliers"][:cols].astype(np.float64), bits - 63))
        low, high = contract.argument("input").value_range or (-(1 << 31), (1 << 31) - 1)
        sums += random.integers(0, 2, shape) - found["bias"][:cols]
        found["input"] = np.clip(sums, low, high).astype(np.int32)

    @staticmethod
    def _bring_next_to_ties(contract: Contract, found: dict[str, Array], scales: Array, data: DataSource) -> None:
        """Set half of the sums to a midpoint of two steps of the output, or to the last or first number beside it."""
        shape, random = found["input"].shape, data.random
        cols, most = shape[-1], 1 << 8 * contract.argument("output").dtype.itemsize
        steps = random.integers(-most, most, shape) // 2 + 0.5
        sums = np.floor(steps / scales[:cols]) + random.integers(0, 2, shape) - found["bias"][:cols]
        low, high = contract.argument("input").value_range or (-(1 << 31), (1 << 31) - 1)
        sums = np.where(random.random(shape) < 0.5, np.clip(sums, low, high), found["input"])
        found["input"] = sums.astype(found["input"].dtype)

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        output = output_of(contract, inputs["range"])
        return {"output": Expected(self._requantized(contract, shape["cols"], inputs, output), ("row", "column"))}

    def _requantized(self, contract: Contract, cols: int, inputs: Mapping[str, Array], output: Output) -> Array:
        word = contract.name.rpartition("_")[2]
        sums = inputs["input"].reshape(-1, cols)
        of = {name: array[:cols] for name, array in inputs.items() if name not in ("input", "range")}
        if word == "ncnn":
            return ncnn_requantize(sums, of["scales_in"], of["scales_out"], of["bias"], output)
        sums = sums + of["bias"]
        if word == "fp32":
            return scheme_named("qnnpack-fp32").requantize(sums, of["scales"], output)
        scaled = FIXED_POINT[word](sums, Multiplier(of["multipliers"], of["shifts"]))
        return output.place(scaled.astype(np.int64))


OPERATOR = Requantize()

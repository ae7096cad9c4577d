"""Addition of 8-bit tensors of different scales as TFLite, TVM, TensorFlow (to int32) and nnlib do it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.arrays import Int64s, Output, wide
from neonlab.int8.fixed_point import Multiplier, multiply_once_rounded, multiply_twice_rounded
from neonlab.int8.ranged_addition import GuessedAddition, add_once_guessed

from ._output import draw_range, output_of

_DIMENSIONS = ("count",)
_LEFT_SHIFT = 20
#: TFLite's multiplier of the input of the larger scale: a half.
HALF = Multiplier(np.array([1 << 30], np.int32), np.array([0], np.int32))


def tflite_sum(a: Int64s, b: Int64s, of_b: Multiplier, of_output: Multiplier, output: Output) -> Array:
    """`neonlab.int8.addition.add_tflite` of differences from the zero points, with its multipliers; a's is a half."""
    scaled = [wide(multiply_twice_rounded(x << _LEFT_SHIFT, m)) for x, m in ((a, HALF), (b, of_b))]
    return output.place(wide(multiply_twice_rounded(scaled[0] + scaled[1], of_output)))


def tvm_sum(a: Int64s, b: Int64s, of_a: Multiplier, of_b: Multiplier, output: Output) -> Array:
    """`neonlab.int8.addition.add_tvm` of differences from the zero points, with its multipliers."""
    return output.place(wide(multiply_once_rounded(a, of_a)) + wide(multiply_once_rounded(b, of_b)))


class Add(Operator):
    """Two runs of the same length; how they are scaled, the last word of the kernel's name says."""

    name = "add"
    dimensions = _DIMENSIONS
    # The shortcuts of MobileNet v2 at 224 (Sandler et al. 2018, table 2): the largest and the smallest.
    layers: Mapping[str, Shape] = {
        "mobilenet_v2 56x56x24": Shape(_DIMENSIONS, (56 * 56 * 24,)),
        "mobilenet_v2 14x14x96": Shape(_DIMENSIONS, (14 * 14 * 96,)),
        "mobilenet_v2 7x7x160": Shape(_DIMENSIONS, (7 * 7 * 160,)),
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("add_")

    def tails(self) -> Iterable[Shape]:
        return (Shape(_DIMENSIONS, (count,)) for count in (*range(1, 50), 63, 64, 65, 127, 200))

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"count": shape["count"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        lengths = {"a": shape["count"], "b": shape["count"], "points": 2, "way": 4}
        found = {
            argument.name: data.array(argument, (lengths.get(argument.name, 2),))
            for argument in contract.arguments
            if argument.read is not None
        }
        random = data.random if data.pattern == "random" else None
        if "points" in found:
            found["points"] = np.concatenate([found["points"], draw_range(contract, data, "points")])
        if random and "multipliers" in found:
            # Of the sums of two differences, times 2^19, to int8; or of inputs of about the output's scale.
            size = (-19, -14) if contract.name.endswith("_gemmlowp") else (-2, 3)
            found["shifts"] = np.array([random.integers(-4, 1), random.integers(*size)], np.int32)
            found["multipliers"][random.random(2) < 0.5] = 1 << 30
            if contract.name.endswith("_gemmlowp") and random.integers(2):
                # a's half is on a tie of the output where a is odd, and b is 1.5 units of the sum below zero or at it:
                # where b's own tie goes decides the sum's.
                right = int(random.integers(20, 23))
                found["shifts"] = np.array([-right, -19], np.int32)
                found["multipliers"][:] = 1 << 30
                near = found["points"][1] - random.choice([0, 3 << (right - 20)], shape.sizes)
                found["b"] = np.clip(near, -128, 127).astype(np.int8)
            elif contract.name.endswith("_gemmlowp") and random.integers(2):
                # b takes a away but for a few of the sum's smallest units, and the output counts in these: every
                # rounding on the way shows, where otherwise it is a millionth of a step.
                right = int(random.integers(4))
                found["shifts"] = np.array([-right, 0], np.int32)
                found["multipliers"][0] = (1 << 30) + random.integers(1 << 13)
                difference = random.integers(-(127 >> right), (127 >> right) + 1, shape.sizes)
                found["a"] = np.clip(found["points"][0] + difference, -128, 127).astype(np.int8)
                found["b"] = np.clip(found["points"][1] - (difference << right), -128, 127).astype(np.int8)
        if random and "way" in found:  # a's range 1 to 20 times b's, an output of about all of the sum's
            alpha, kappa = random.integers(128, 2560), random.integers(-2000, 2000)
            width = 2 * alpha + 256
            recip = min(int(255 * 32768 / width * random.uniform(0.6, 1.5)), 32512)
            middle = (kappa + 128) * recip // 32768 - 128
            found["way"] = np.array([alpha, kappa, recip, middle + random.integers(-20, 20)], np.int16)
        return found

    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        a, b = inputs["a"], inputs["b"]
        if "way" in inputs:
            values, least, most = add_once_guessed(a, b, GuessedAddition(*(int(n) for n in inputs["way"])))
            extremes = np.array([least, most], np.int16)
            return {"output": Expected(values, ("element",)), "extremes": Expected(extremes, ("end",))}
        if "steps" in inputs:
            steps = wide(inputs["steps"])
            total = wide(inputs["starts"]).sum() + wide(a) * steps[0] + wide(b) * steps[1]
            return {"output": Expected(total.astype(np.int32), ("element",))}
        left, right = (Multiplier(inputs["multipliers"][at : at + 1], inputs["shifts"][at : at + 1]) for at in range(2))
        output = output_of(contract, inputs["points"][2:])
        scaled_sum = tflite_sum if contract.name.endswith("_gemmlowp") else tvm_sum
        found = scaled_sum(wide(a) - inputs["points"][0], wide(b) - inputs["points"][1], left, right, output)
        return {"output": Expected(found, ("element",))}


OPERATOR = Add()

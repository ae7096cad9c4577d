"""Addition of 8-bit tensors of different scales.

As TFLite, TVM, XNNPACK, QNNPACK, ONNX Runtime, TensorFlow (to int32) and nnlib compute it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab import Array, Contract, DataSource, Expected, Operator, Shape
from neonlab.int8.addition import Operand, add_onnxruntime
from neonlab.int8.arrays import Int64s, Output, wide
from neonlab.int8.fixed_point import Multiplier, multiply_once_rounded, multiply_twice_rounded
from neonlab.int8.ranged_addition import GuessedAddition, add_once_guessed

from ._output import draw_range, output_of

_DIMENSIONS = ("count",)
_LEFT_SHIFT = 20
#: TFLite's multiplier of the input of the larger scale: a half.
HALF = Multiplier(np.array([1 << 30], np.int32), np.array([0], np.int32))


def tflite_sum(a: Int64s, b: Int64s, of_b: Multiplier, of_output: Multiplier, output: Output) -> Array:
    """Compute `neonlab.int8.addition.add_tflite` of differences from the zero points.

    It takes the multipliers themselves; that of a is a half.
    """
    scaled = [wide(multiply_twice_rounded(x << _LEFT_SHIFT, m)) for x, m in ((a, HALF), (b, of_b))]
    return output.place(wide(multiply_twice_rounded(scaled[0] + scaled[1], of_output)))


def tvm_sum(a: Int64s, b: Int64s, of_a: Multiplier, of_b: Multiplier, output: Output) -> Array:
    """Compute `neonlab.int8.addition.add_tvm` of differences from the zero points, with the multipliers themselves."""
    return output.place(wide(multiply_once_rounded(a, of_a)) + wide(multiply_once_rounded(b, of_b)))


def products_sum(a: Int64s, b: Int64s, multipliers: Array, right: int, output: Output, *, away: bool) -> Array:
    """Compute `neonlab.int8.addition.add_xnnpack`, or with `away` `add_qnnpack`, of differences from the zero points.

    It takes the multipliers themselves, and the shift to the right, 1 or more.
    """
    total = a * int(multipliers[0]) + b * int(multipliers[1])
    return output.place((total - (away & (total < 0)) + (1 << (right - 1))) >> right)


class Add(Operator):
    """The addition of two runs of the same length.  The last word of the kernel's name gives the way of scaling."""

    name = "add"
    dimensions = _DIMENSIONS
    further_data = 14  # four roundings, which show in few elements each
    # The shortcuts of MobileNet v2 at 224 (Sandler et al. 2018, table 2): the largest and the smallest.
    layers: Mapping[str, Shape] = {
        "mobilenet_v2 56x56x24": Shape(_DIMENSIONS, (56 * 56 * 24,)),
        "mobilenet_v2 14x14x96": Shape(_DIMENSIONS, (14 * 14 * 96,)),
        "mobilenet_v2 7x7x160": Shape(_DIMENSIONS, (7 * 7 * 160,)),
    }

    def claims(self, contract: Contract) -> bool:
        return contract.name.startswith("add_")

    def integers(self, shape: Shape) -> Mapping[str, int]:
        return {"count": shape["count"]}

    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        lengths = {"a": shape["count"], "b": shape["count"], "points": 2, "way": 4, "shift": 1}
        found = {
            argument.name: (data.array if argument.name in ("a", "b") else data.values)(
                argument, (lengths.get(argument.name, 2),)
            )
            for argument in contract.arguments
            if argument.read is not None
        }
        random = data.random if data.pattern == "random" else None
        if "points" in found:
            found["points"] = np.concatenate([found["points"], draw_range(contract, data, "points")])
        if random and "shift" in found:
            self._scale_products(found, random)
        elif random and "scales" in found:
            # Of quarters, so that sums lie on ties, or any; sums fit int8 where operands do not have like signs.
            quarters = bool(random.integers(2))
            drawn = random.integers(1, 8, 2) / 4 if quarters else 2.0 ** random.uniform(-4, 1, 2)
            found["scales"] = drawn.astype(np.float32)
        elif random and "multipliers" in found:
            # Of the sums of two differences, times 2^19, to int8; or of inputs of about the output's scale.
            size = (-19, -14) if contract.name.endswith("_gemmlowp") else (-2, 3)
            found["shifts"] = np.array([random.integers(-4, 1), random.integers(*size)], np.int32)
            found["multipliers"][random.random(2) < 0.5] = 1 << 30
            if contract.name.endswith("_gemmlowp") and random.integers(5):
                self._bring_sums_to_ties(found, random)
            elif contract.name.endswith("_tvm") and random.integers(2):
                self._bring_next_to_ties(found, random)
        if random and "way" in found:  # a's range 1 to 20 times b's, an output of about all of the sum's
            alpha, kappa = random.integers(128, 2560), random.integers(-2000, 2000)
            width = 2 * alpha + 256
            recip = min(int(255 * 32768 / width * random.uniform(0.6, 1.5)), 32512)
            middle = (kappa + 128) * recip // 32768 - 128
            found["way"] = np.array([alpha, kappa, recip, middle + random.integers(-20, 20)], np.int16)
        if data.pattern == "lowest" and "way" in found:
            found["way"][0] = -found["way"][0]  # the widest range: all sums the lowest there are
        return found

    @staticmethod
    def _scale_products(found: dict[str, Array], random: np.random.Generator) -> None:
        """Set a shift and multipliers: quarters of a step, so that sums lie on ties; next to ties; or any.

        Next to ties one input is a few of the smallest units, the other halves of a step, and of either sign.
        """
        right, mode = int(random.integers(6, 24)), int(random.integers(3))
        most = min(2 << right, 1 << 22)
        multipliers = random.integers(1, 8, 2) << min(right - 2, 19) if mode else random.integers(0, most + 1, 2)
        if mode == 2:
            right, small = (23 if random.integers(2) else right), int(random.integers(2))
            multipliers = np.full(2, 1 << (right - 1))
            multipliers[small] = 1
            few = found["points"][small] + random.integers(-8, 9, found["a"].shape)
            found["ab"[small]] = np.clip(few, -128, 127).astype(np.int8)
        if mode == 1 and not random.integers(3):
            # Sums beyond 2^30, one unit from a tie: b's products are a unit more or less than whole halves of a step.
            right, difference, sign = 23, 2 * int(random.integers(64, 128)) + 1, int(random.choice([-1, 1]))
            multipliers = np.array([1 << 22, pow(difference * int(random.choice([-1, 1])), -1, 1 << 22)])
            least = -128 if sign > 0 else 127
            found["points"][:3] = least
            found["a"] = random.choice([-1 - least, -1 - least - sign], found["a"].shape).astype(np.int8)
            found["b"][:] = least + sign * difference
        found["shift"], found["multipliers"] = np.array([-right], np.int32), multipliers.astype(np.int32)

    @staticmethod
    def _bring_sums_to_ties(found: dict[str, Array], random: np.random.Generator) -> None:
        """Set scales and inputs for which one of gemmlowp's four roundings decides the result.

        With others a rounding changes a sum by about a millionth of a step.  Zero points at opposite ends, in some
        cases, make differences large.
        """
        points, shape = found["points"], found["a"].shape
        if random.integers(2):
            points[:2] = random.permutation([-128, 127]) if random.integers(2) else random.choice([-128, 127])
        mode = random.integers(3)
        if mode == 0:
            # a's half is on a tie of the output where a is odd, and b is 1.5 units of the sum below zero or at it:
            # where b's own tie goes decides the sum's.
            right = int(random.integers(20, 23))
            found["shifts"] = np.array([-right, -19], np.int32)
            found["multipliers"][:] = 1 << 30
            near = points[1] - random.choice([0, 3 << (right - 20)], shape)
        elif mode == 1:
            # b cancels a to within a few of the sum's smallest units, and the output counts in these.
            right, half = int(random.integers(4)), int(random.integers(2))
            found["shifts"] = np.array([half - 1 - right, 0], np.int32)
            few = int(random.integers(1 << 11))
            found["multipliers"][0] = (1 << 30) + 4 * few if half else (1 << 31) - 1 - few
            if not half:
                points[:2] = random.permutation([-128, 127])
            difference = random.integers(-(255 >> right), (255 >> right) + 1, shape)
            found["a"] = np.clip(points[0] + difference, -128, 127).astype(np.int8)
            near = points[1] - ((found["a"] - points[0].astype(np.int64)) << right)
        else:
            # Half of a sum of whole steps, less the smallest unit: the last number before a tie, if the sum is odd.
            found["shifts"] = np.array([0, -20], np.int32)
            found["multipliers"][:] = 1 << 30, (1 << 31) - 8
            near = found["b"].astype(np.int64)
        found["b"] = np.clip(near, -128, 127).astype(np.int8)

    @staticmethod
    def _bring_next_to_ties(found: dict[str, Array], random: np.random.Generator) -> None:
        """Set multipliers that bring one difference of each input to the last number before a tie.

        The difference of the other sign lies next to the tie on the far side.  Half of the elements have these
        differences.
        """
        for at, name in enumerate("ab"):
            shift, difference = int(random.integers(-3, 2)), 2 * int(random.integers(8, 32)) + 1
            ties = np.arange(1, 4 * difference, 2) * 2.0 ** (30 - shift) / difference
            tie = random.choice(ties[(ties > 1 << 30) & (ties < (1 << 31) - 1)])
            found["multipliers"][at] = np.floor(tie) if random.integers(2) else np.ceil(tie)
            found["shifts"][at] = shift
            found["points"][at] = random.integers(-64, 64)
            near = found["points"][at] + difference * random.choice([-1, 1], found[name].shape)
            found[name] = np.where(random.random(near.size) < 0.5, near, found[name]).astype(np.int8)

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
        points, output = inputs["points"], output_of(contract, inputs["points"][2:])
        if "scales" in inputs:
            first, second = (Operand(side, inputs["scales"][at], int(points[at])) for at, side in enumerate((a, b)))
            return {"output": Expected(add_onnxruntime(first, second, 1.0, output), ("element",))}
        if "shift" in inputs:
            places, away = -int(inputs["shift"][0]), contract.name.endswith("_qnnpack")
            differences = wide(a) - points[0], wide(b) - points[1]
            sums = products_sum(*differences, inputs["multipliers"], places, output, away=away)
            return {"output": Expected(sums, ("element",))}
        left, right = (Multiplier(inputs["multipliers"][at : at + 1], inputs["shifts"][at : at + 1]) for at in range(2))
        scaled_sum = tflite_sum if contract.name.endswith("_gemmlowp") else tvm_sum
        found = scaled_sum(wide(a) - points[0], wide(b) - points[1], left, right, output)
        return {"output": Expected(found, ("element",))}


OPERATOR = Add()

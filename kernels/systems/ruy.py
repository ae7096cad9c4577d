"""The six worked examples that come with ruy's `Mul`, from unpacked matrices to the printed result.

ruy multiplies lhs (rows are channels) by rhs.  In the kernels columns are channels: lhs is passed as b and rhs as a,
and the product is transposed, which is how ruy's examples store it.
"""

from __future__ import annotations

import numpy as np

from neonlab import Array, Calls, Outcome, System

from .._packing import pack_panels

_LHS, _RHS = np.array([[1, 2], [3, 4]]), np.array([[1, 3], [2, 4]])
#: The multipliers of the per-channel examples, 3/4 and 5/32.  Kernels want mantissas of 31 bits, which 3 * 2^28 with
#: the exponent 1 is not: 3 * 2^29 with the exponent 0 is the same number.
_PER_CHANNEL = {"multipliers": np.array([3 << 29, 5 << 28], np.int32), "shifts": np.array([0, -2], np.int32)}


class Example(System):
    """One of the examples: `printed` is the result that ruy's example program prints."""

    system = "ruy"

    def __init__(self, title: str, kernel: str, printed: Array, **arguments: Array) -> None:
        self.title, self._kernel, self._printed, self._arguments = title, kernel, printed, arguments

    def run(self, calls: Calls) -> Outcome:
        """Pack both sides by kernels where they have 8 bits, and multiply."""
        given = dict(self._arguments)
        contract = calls.kernel(self._kernel).contract
        for name in ("a", "b"):
            given[name] = _packed(calls, given[name], contract.argument(name).layout)
        rows, cols, depth = len(self._arguments["a"]), len(self._arguments["b"]), self._arguments["a"].shape[1]
        product = calls(self._kernel, rows=rows, cols=cols, depth=depth, c_pitch=cols, **given)["c"]
        return Outcome(product.reshape(rows, cols).T, self._printed)


def _packed(calls: Calls, rows: Array, layout: str) -> Array:
    """Pack rows by the kernel for the layout where there is one, else by `pack_panels`."""
    width, depth = ("".join(filter(str.isdigit, part)) for part in layout.split("_"))
    if rows.dtype != np.int8 or depth == "1":
        return pack_panels(rows, layout)
    name = f"pack_s8s8_rows_{width}x{depth}"
    return calls(name, source=rows, rows=len(rows), depth=rows.shape[1], pitch=rows.shape[1])["packed"]


class SixteenBits(Example):
    """int8 times int16: the kernel's sums, requantized by a separate kernel, because ruy's output has 16 bits."""

    def run(self, calls: Calls) -> Outcome:
        """Multiply, then scale each channel."""
        parameters = {name: self._arguments[name] for name in ("bias", "multipliers", "shifts", "range")}
        sides = {name: self._arguments[name] for name in ("a", "b")}
        # Of this kernel a, the rows, are the weights of 8 bits: they come as channels, and leave as rows.
        sums = Example("", self._kernel, self._printed, **sides).run(calls).got
        rows, cols = sums.shape
        found = calls(
            "requantize_s32s16_rows_@_ruy", input=sums, rows=rows, cols=cols, input_pitch=4 * cols,
            output_pitch=2 * cols, **parameters,
        )["output"]  # fmt: skip
        return Outcome(found.reshape(rows, cols).T, self._printed)


def _of(dtype: str, *rows: list[int]) -> Array:
    return np.array(rows, dtype)


_SMALL = {"a": _RHS.T.astype(np.int8), "b": _LHS.astype(np.int8)}
_FLOATS = {"a": _RHS.T.astype(np.float32), "b": _LHS.astype(np.float32)}
_INT8 = np.array([0, -128, 127], np.int16)

SYSTEMS = (
    Example(
        "Mul, float", "matmul_f32f32_packed_@", _of("float32", [5, 11], [11, 25]),
        **_FLOATS, bias=np.zeros(2, np.float32), limits=np.array([-1e30, 1e30], np.float32),
    ),
    Example(
        "Mul, float with bias addition and clamp", "matmul_f32f32_packed_@", _of("float32", [6, 12], [11, 15]),
        **_FLOATS, bias=np.array([1, 0], np.float32), limits=np.array([0, 15], np.float32),
    ),
    Example(
        "Mul, uint8 quantized with asymmetric zero points", "matmul_u8u8_packed_@_bylane_zp_ruy",
        _of("uint8", [131, 130], [126, 129]),
        a=_of("uint8", [129, 130], [131, 132]), b=_of("uint8", [124, 125], [126, 127]),
        bias=np.zeros(2, np.int32), multipliers=np.full(2, 1 << 30, np.int32), shifts=np.zeros(2, np.int32),
        points=np.array([132, 125, 129, 0, 255], np.int16),
    ),
    Example(
        "Mul, int8 quantized with per-channel multipliers", "matmul_s8s8_packed_@_ruy", _of("int8", [4, 8], [2, 4]),
        **_SMALL, bias=np.zeros(2, np.int32), range=_INT8, **_PER_CHANNEL,
    ),
    Example(
        "Mul, returning raw int32 accumulators", "matmul_s8s32_packed_@", _of("int32", [5, 11], [11, 25]), **_SMALL,
    ),
    SixteenBits(
        "Mul, int8 times int16 quantized with per-channel multipliers", "matmul_s8s16s32_packed_@_bylane",
        _of("int16", [3750, 8250], [1719, 3906]), a=_LHS.astype(np.int8), b=(_RHS.T * 1000).astype(np.int16),
        bias=np.zeros(2, np.int32), range=np.array([0, -32768, 32767], np.int16), **_PER_CHANNEL,
    ),
)  # fmt: skip

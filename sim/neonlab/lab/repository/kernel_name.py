"""Define the grammar of kernel names, which tell what a kernel computes, on what, and how; parse and print them.

    name     = operator "_" types "_" layout "_" tile [ "_" level ] { "_" variant }
    operator = word, followed by its window and a stride of 2 or more, if any:  matmul  conv1x1  dwconv3x3s2
    types    = element types of the inputs, equal ones once, then that of the output:  s8s32  u8u8  s8s16s32  f32s8
    layout   = layout of the inputs:  chw  hwc  packed  rows  cols  flat  pointers
    tile     = results of one pass of the hot loop, outermost dimension first:  8x12  4x4  16
    level    = the extension it needs beyond NEON:  dotprod  i8mm  fp16
    variant  = other differences from similar kernels:  left4  gemmlowp  zp

The words are those below.  A name with any other word is rejected, so that equal kernels have equal names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from neonlab.errors import InputError

#: Operators without a window.
PLAIN_OPERATORS: Mapping[str, str] = {
    "matmul": "matrix multiplication",
    "gemv": "fully connected layer of one input",
    "pack": "packing of an operand of matmul",
    "quantize": "quantization",
    "dequantize": "dequantization",
    "requantize": "requantization",
    "add": "addition",
    "mul": "multiplication element by element",
    "relu": "rectified linear unit",
    "clip": "clipping to a range",
    "lut": "look-up table",
    "pad": "padding",
    "range": "lowest and highest value",
    "concat": "concatenation",
    "globalpool": "average of each channel",
    "resize": "resize to the nearest pixels",
    "softmax": "softmax of each row",
    "minifloat": "rounding to floats of fewer bits",
    "powers": "rounding to powers of two",
    "terms": "terms of zero points, taken off sums of products",
}
#: Operators that slide a window over an image.
WINDOW_OPERATORS: Mapping[str, str] = {
    "conv": "convolution",
    "dwconv": "depthwise convolution",
    "maxpool": "max pooling",
    "avgpool": "average pooling",
}
TYPES: Mapping[str, str] = {
    "s8": "int8",
    "u8": "uint8",
    "s16": "int16",
    "u16": "uint16",
    "s32": "int32",
    "u32": "uint32",
    "f16": "float16",
    "f32": "float32",
}
LAYOUTS: Mapping[str, str] = {
    "chw": "channel by channel",
    "hwc": "pixel by pixel",
    "packed": "in panels made for the kernel",
    "rows": "row by row",
    "cols": "column by column",
    "flat": "in one run of elements",
    "pointers": "wherever a table of pointers leads",
}
LEVELS: Mapping[str, str] = {
    "dotprod": "dot products (sdot, udot)",
    "i8mm": "matrix multiplies (smmla)",
    "fp16": "half-precision arithmetic",
}
VARIANTS: Mapping[str, str] = {
    "left4": "4 pixels left over by the tile",
    "ic3": "for 3 input channels",
    "ic32": "for up to 32 input channels",
    "ic64": "for up to 64 input channels",
    "sums16": "partial sums stored as int16",
    "w7": "for weights of 7 bits",
    "powers": "for weights that are 0 or powers of two, by shifts",
    "inorder": "software-pipelined for in-order cores",
    "bylane": "multiplies by one lane of a vector",
    "zp": "with zero points",
    "sums": "with the sums that zero points need",
    "accumulate": "added to what the output holds",
    "nnlib": "requantized as in Hexagon's nnlib",
    "gemmlowp": "requantized as in gemmlowp and TFLite, rounded twice",
    "ruy": "requantized as in ruy, rounded once",
    "fp32": "scaled in float32 as in QNNPACK and ONNX Runtime, ties to even",
    "fp64": "scaled in float64 as in the softmax of ONNX Runtime, rounded once, ties to even",
    "tvm": "requantized as TVM does it on ARM, rounded twice, ties upward",
    "xnnpack": "a sum of two products rounded once, ties upward, as in XNNPACK",
    "qnnpack": "a sum of two products rounded once, ties away from zero, as in QNNPACK",
    "precise": "requantized as in QNNPACK's precise scheme, rounded once, ties away from zero",
    "ncnn": "scaled in float32 as in ncnn, ties away from zero",
    "stochastic": "rounded up as likely as the fraction is large, as in Ristretto",
    "lut": "the results looked up in a table",
}

#: The variants that say how 32-bit results are scaled and rounded: kernels of two of them differ in their results.
SCHEMES = ("ruy", "gemmlowp", "fp32", "fp64", "tvm", "precise", "ncnn", "nnlib", "stochastic", "xnnpack",
           "qnnpack")  # fmt: skip

_OPERATOR = re.compile(r"([a-z]+)(?:(\d+)x(\d+))?(?:s(\d+))?", re.ASCII)
_TYPE = re.compile(r"[suf](?:8|16|32)", re.ASCII)
_TILE = re.compile(r"[1-9]\d{0,3}(?:x[1-9]\d{0,3})*", re.ASCII)


class KernelNameError(InputError):
    """The text is not a name of the grammar."""


@dataclass(frozen=True, slots=True)
class KernelName:
    """The parts of a name.

    `window` is (height, width), None for an operator without one.  `inputs` holds the element types of the inputs,
    equal ones once.  `tile` holds the sizes that one pass of the hot loop computes.  `level` is empty for plain NEON.
    """

    operator: str
    inputs: tuple[str, ...]
    output: str
    layout: str
    tile: tuple[int, ...]
    window: tuple[int, int] | None = None
    stride: int = 1
    level: str = ""
    variants: tuple[str, ...] = ()

    @staticmethod
    def parse(name: str) -> KernelName:
        """Parse `name`.  Raises KernelNameError, which names the wrong part and the allowed words."""
        parts = name.split("_")
        if len(parts) < 4:
            raise KernelNameError(
                f"kernel name `{name}` has {len(parts)} of the parts operator_types_layout_tile, such as "
                "conv1x1_s8s32_hwc_4x4"
            )
        operator, window, stride = _operator(name, parts[0])
        inputs, output = _types(name, parts[1])
        layout = _word(name, "layout", parts[2], LAYOUTS)
        if not _TILE.fullmatch(parts[3]):
            raise KernelNameError(f"kernel name `{name}`: tile `{parts[3]}` is not of the form 8x12 or 16")
        tile = tuple(map(int, parts[3].split("x")))
        rest = parts[4:]
        level = rest.pop(0) if rest and rest[0] in LEVELS else ""
        known = VARIANTS if level else {**LEVELS, **VARIANTS}
        variants = tuple(_word(name, "level or variant", part, known) for part in rest)
        if len(set(variants)) < len(variants):
            raise KernelNameError(f"kernel name `{name}` repeats a variant")
        if any(variant in LEVELS for variant in variants):
            raise KernelNameError(f"kernel name `{name}`: the level must follow the tile")
        return KernelName(operator, inputs, output, layout, tile, window, stride, level, variants)

    def __str__(self) -> str:
        window = "" if self.window is None else f"{self.window[0]}x{self.window[1]}"
        stride = "" if self.stride == 1 else f"s{self.stride}"
        parts = [self.operator + window + stride, "".join(self.inputs) + self.output, self.layout]
        parts.append("x".join(map(str, self.tile)))
        return "_".join([*parts, *([self.level] if self.level else []), *self.variants])

    def in_words(self) -> str:
        """Return the name in words: `convolution 1x1, int8 -> int32, pixel by pixel, 4 x 4 at a time`."""
        title = {**PLAIN_OPERATORS, **WINDOW_OPERATORS}[self.operator]
        if self.window is not None:
            title += f" {self.window[0]}x{self.window[1]}"
        if self.stride != 1:
            title += f" of stride {self.stride}"
        types = f"{' x '.join(TYPES[kind] for kind in self.inputs)} -> {TYPES[self.output]}"
        tile = f"{' x '.join(map(str, self.tile))} at a time"
        level = [LEVELS[self.level]] if self.level else []
        return ", ".join([title, types, LAYOUTS[self.layout], tile, *level, *(VARIANTS[v] for v in self.variants)])


def _word(name: str, what: str, word: str, known: Iterable[str]) -> str:
    if word in known:
        return word
    near = difflib.get_close_matches(word, list(known), 1)
    meant = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(known)}"
    raise KernelNameError(f"kernel name `{name}`: `{word}` is not a known {what}; {meant}")


def _operator(name: str, text: str) -> tuple[str, tuple[int, int] | None, int]:
    match = _OPERATOR.fullmatch(text)
    if match is None:
        raise KernelNameError(f"kernel name `{name}`: `{text}` is not an operator such as matmul, conv1x1 or conv3x3s2")
    word, height, width, stride = match.groups()
    _word(name, "operator", word, {**PLAIN_OPERATORS, **WINDOW_OPERATORS})
    if (height is not None) != (word in WINDOW_OPERATORS):
        raise KernelNameError(f"kernel name `{name}`: {word} has {'no' if height is not None else 'a'} window")
    if stride is not None and (height is None or int(stride) < 2):
        raise KernelNameError(f"kernel name `{name}`: a stride follows a window and is 2 or more: conv3x3s2")
    window = None if height is None or width is None else (int(height), int(width))
    canonical = word + ("" if window is None else f"{window[0]}x{window[1]}") + (f"s{int(stride)}" if stride else "")
    if canonical != text or (window is not None and 0 in window):
        raise KernelNameError(f"kernel name `{name}`: `{text}` has a number that starts with 0")
    return word, window, int(stride or 1)


def _types(name: str, text: str) -> tuple[tuple[str, ...], str]:
    kinds = tuple(_TYPE.findall(text))
    if "".join(kinds) != text or len(kinds) < 2 or any(kind not in TYPES for kind in kinds):
        raise KernelNameError(
            f"kernel name `{name}`: `{text}` does not name the types of inputs and output, such as s8s32; known types "
            f"are {', '.join(TYPES)}"
        )
    *inputs, output = kinds
    if len(set(inputs)) < len(inputs):
        raise KernelNameError(f"kernel name `{name}`: name inputs of the same type once, in `{text}`")
    return tuple(inputs), output

"""Read the text of ncnn's .param: layers, their blobs, and their parameters.

The package `ncnn` reads it too, but shows neither parameters nor weights of the layers of a `Net`.  It stops at the
first layer type that it does not know, and writes beyond its own arrays where the counts of a file are too small.  So
the lab reads the text itself.

Source of the format: ncnn src/net.cpp, `Net::load_param`, and src/paramdict.cpp, `ParamDict::load_param`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from neonlab.errors import InputError
from neonlab.network.formats.draft import Refusal
from neonlab.network.graph import MOST_NODES

#: The first number of the text, and of the binary form that the lab does not read.
_MAGIC = "7767517"
_BINARY = (7767517).to_bytes(4, "little")
#: An old array, `-23330=...`, has this number less its own.
_OLD_ARRAY = -23300
_MOST_PARAMETERS = 32
#: The shapes of a layer's blobs, which ncnn's tools write down.
_SHAPES = ("30=", "-23330=")

Number = int | float
Value = Number | tuple[Number, ...] | str


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A line of a .param: type, name, the blobs that go in and come out, parameters by their number and as text."""

    kind: str
    name: str
    bottoms: tuple[str, ...]
    tops: tuple[str, ...]
    parameters: Mapping[int, Value]
    text: str = ""

    def whole(self, number: int, default: int = 0) -> int:
        """Return a parameter that is a whole number.  Raises Refusal for another one."""
        value = self.parameters.get(number, default)
        if not isinstance(value, int):
            raise Refusal(f"parameter {number} is {value!r}, not a whole number")
        return value

    def real(self, number: int, default: float = 0.0) -> float:
        """Return a parameter that is a number.  Raises Refusal for another one."""
        value = self.parameters.get(number, default)
        if not isinstance(value, int | float):
            raise Refusal(f"parameter {number} is {value!r}, not a number")
        return float(value)

    def reals(self, number: int) -> tuple[float, ...]:
        """Return a parameter that is an array; without it, none.  Raises Refusal for another one."""
        value = self.parameters.get(number, ())
        if isinstance(value, str):
            raise Refusal(f"parameter {number} is {value!r}, not an array")
        return tuple(map(float, value)) if isinstance(value, tuple) else (float(value),)


def read_layers(path: str, data: bytes) -> tuple[Layer, ...]:
    """Return the layers of a .param in the order of the file, which is that of their weights in the .bin.

    Raises InputError for a text that is none, for counts that are not those of its lines, for a blob that two layers
    compute, and for one that none does.
    """
    if data.startswith(_BINARY):
        raise InputError(f"{path}: a binary .param; give the text that it was made of")
    lines = [line.split() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines or lines[0] != [_MAGIC]:
        raise InputError(f"{path}: not the text of an ncnn model: its first line is not {_MAGIC}")
    counts = _counts(path, lines[1] if len(lines) > 1 else [])
    layers = tuple(_layer(path, words) for words in lines[2:])
    blobs = sum(len(layer.tops) for layer in layers)
    if (len(layers), blobs) != counts:
        raise InputError(
            f"{path}: its second line says {counts[0]} layers and {counts[1]} blobs; it has {len(layers)} and {blobs}: "
            "is it cut off?"
        )
    _check_blobs(path, layers)
    return layers


def in_order(path: str, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    """Return layers in an order of execution: each after those whose blobs it takes.

    Raises InputError for a cycle.
    """
    makers = {name: number for number, layer in enumerate(layers) for name in layer.tops}
    needs = {number: sorted({makers[name] for name in layer.bottoms}) for number, layer in enumerate(layers)}
    if all(need < number for number, others in needs.items() for need in others):
        return layers
    try:
        return tuple(layers[number] for number in TopologicalSorter(needs).static_order())
    except CycleError as error:
        names = " -> ".join(f"`{layers[number].name}`" for number in error.args[1])
        raise InputError(f"{path}: layers need each other's results, in a cycle: {names}") from None


def _counts(path: str, words: list[str]) -> tuple[int, int]:
    try:
        layers, blobs = (int(word) for word in words)
    except ValueError:
        raise InputError(f"{path}: its second line is not the numbers of layers and blobs") from None
    if not 0 < layers <= MOST_NODES:
        raise InputError(f"{path}: {layers} layers; the lab goes from 1 to {MOST_NODES}")
    return layers, blobs


def _layer(path: str, words: list[str]) -> Layer:
    told = f"{path}: layer `{' '.join(words[:2])}`"
    try:
        bottoms, tops = int(words[2]), int(words[3])
    except (IndexError, ValueError):
        raise InputError(f"{told}: no numbers of blobs after its type and name") from None
    end = 4 + bottoms + tops
    if bottoms < 0 or tops < 0 or len(words) < end or any("=" in word for word in words[4:end]):
        raise InputError(f"{told}: takes {bottoms} blobs and makes {tops}, and names fewer")
    parameters: dict[int, Value] = {}
    for word in words[end:]:
        number, value = _parameter(told, word)
        parameters[number] = value
    inputs, outputs = tuple(words[4 : 4 + bottoms]), tuple(words[4 + bottoms : end])
    text = " ".join(word for word in words[end:] if not word.startswith(_SHAPES))
    return Layer(words[0], words[1], inputs, outputs, parameters, text)


def _parameter(told: str, word: str) -> tuple[int, Value]:
    key, equals, text = word.partition("=")
    if not equals or not re.fullmatch(r"-?\d{1,6}", key):
        raise InputError(f"{told}: `{word}` is no parameter, which is NUMBER=VALUE")
    number, old = int(key), int(key) <= _OLD_ARRAY
    if old:
        number = _OLD_ARRAY - number
    if not 0 <= number < _MOST_PARAMETERS:
        raise InputError(f"{told}: a parameter {number}; ncnn has 0 to {_MOST_PARAMETERS - 1}")
    if text[:1] == '"' or text[:1].isalpha():
        return number, text.strip('"')
    try:
        values = tuple(_number(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{told}: parameter `{word}` is no number") from None
    if not old:
        return number, values if len(values) > 1 else values[0]
    if values[0] != len(values) - 1:
        raise InputError(f"{told}: parameter {number} says {values[0]} numbers and has {len(values) - 1}")
    return number, values[1:]


def _number(text: str) -> Number:
    if re.fullmatch(r"[+-]?\d{1,10}", text):
        return int(text)
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _check_blobs(path: str, layers: tuple[Layer, ...]) -> None:
    made: dict[str, str] = {}
    for layer in layers:
        for name in layer.tops:
            if name in made:
                raise InputError(f"{path}: layers `{made[name]}` and `{layer.name}` both compute `{name}`")
            made[name] = layer.name
    for layer in layers:
        for name in layer.bottoms:
            if name not in made:
                raise InputError(f"{path}: layer `{layer.name}` takes blob `{name}`, which nothing computes")

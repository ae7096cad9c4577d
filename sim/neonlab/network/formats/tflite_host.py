"""Leave operators of TFLite that the lab has no arithmetic of its own for to LiteRT, one at a time, on the host.

An operator whose inputs are all known becomes constants at once, and so does the shape of a tensor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neonlab.errors import InputError
from neonlab.network.formats.draft import Refusal
from neonlab.network.formats.tflite_alone import alone_of, constant_of, taken_by, variables_of
from neonlab.network.formats.tflite_file import FileOperator
from neonlab.network.formats.tflite_macs import NOT_COUNTED, count_macs
from neonlab.network.formats.tflite_operators import Place
from neonlab.network.graph import DTYPES, Array, State, Tensor, check_shape
from neonlab.network.reference.frameworks.litert import LiteRtRefusal, OneOperator
from neonlab.network.reference.frameworks.process import Promised

#: Custom operators that LiteRT brings, without products.
_CUSTOM = ("TFLite_Detection_PostProcess",)
#: Operators that draw numbers.
_RANDOM = ("MULTINOMIAL", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM", "STABLEHLO_RNG_BIT_GENERATOR")
#: Operators that run other subgraphs.
_CONTROL = ("CALL", "DELEGATE", "IF", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE", "STABLEHLO_WHILE", "WHILE")
#: Operators with inputs that may be left out, and the first of these: biases, and parts of recurrent layers.
_OPTIONAL = {
    "CONV_2D": 2, "CONV_3D": 2, "CONV_3D_TRANSPOSE": 3, "DEPTHWISE_CONV_2D": 2, "FULLY_CONNECTED": 2, "LSTM": 1,
    "SVDF": 3, "TRANSPOSE_CONV": 3, "UNIDIRECTIONAL_SEQUENCE_LSTM": 1,
}  # fmt: skip
_EIGHT = ("int8", "uint8")


def why_never(operator: FileOperator) -> str:
    """Return why operators of this name are left to nobody; "" where it depends on the operator."""
    name = operator.name
    if operator.custom:
        return "" if name in _CUSTOM else "a custom operator"
    if name in _RANDOM:
        return "puts out random numbers"
    if name in _CONTROL:
        return "runs another subgraph"
    unknown = name.startswith(("STABLEHLO_", "HASHTABLE", "operator ")) or name in NOT_COUNTED
    return "an operator that the lab does not have" if unknown else ""


def fold(place: Place, operator: FileOperator) -> bool:
    """Compute an operator whose inputs are constants, or that asks for a shape; tell whether it was one."""
    try:
        found = _folded(place, operator)
    except (Refusal, LiteRtRefusal, InputError):
        return False
    for number, values in zip(operator.outputs if found else (), found, strict=True):
        values = values.copy()
        values.flags.writeable = False
        _replace(place, number, values.shape, values)
    return bool(found)


def _folded(place: Place, operator: FileOperator) -> list[Array]:
    """Return the outputs; none where data decide them.  Raises Refusal and LiteRtRefusal where they are not known."""
    if not operator.inputs or not operator.outputs or min(operator.inputs[0], *operator.outputs) < 0:
        return []
    known = place.draft.tensors.get(place.names[operator.inputs[0]])
    dtypes = [place.graph.tensors[number].dtype for number in operator.outputs]
    if operator.name in ("SHAPE", "RANK") and known is not None and len(dtypes) == 1 and dtypes[0] in DTYPES:
        told = known.shape if operator.name == "SHAPE" else len(known.shape)
        found = [np.array(told, dtypes[0])]
    elif why_never(operator) or taken_by(place, operator):
        return []
    else:
        _check(place, operator)
        alone = alone_of(place, operator)
        found = [alone.run(number, ()) for number in range(len(operator.outputs))]
    for number, values, dtype in zip(operator.outputs, found, dtypes, strict=True):
        if values.dtype.name != dtype or dtype not in DTYPES or constant_of(place, number) is not None:
            raise Refusal("no constant")
        check_shape("", "", values.shape)
    return found


def on_host(place: Place, name: str, operator: FileOperator) -> None:
    """Add a node for each output, which LiteRT computes.

    What the operator keeps itself becomes a state.  Raises Refusal for one that LiteRT cannot compute, or that the lab
    cannot count.
    """
    never = why_never(operator)
    if never:
        raise Refusal(never)
    if not operator.outputs or min(operator.outputs) < 0:
        raise Refusal("lacks an output")
    _check(place, operator)
    alone = alone_of(place, operator)
    try:
        promised = alone.promised()
    except LiteRtRefusal as error:
        raise Refusal(str(error)) from None
    taken = [place.tensor(number).name for number in taken_by(place, operator)]
    shapes = [_promise(place, number, one) for number, one in zip(operator.outputs, promised, strict=False)]
    inputs = [_shape(place, number) if number >= 0 else () for number in operator.inputs]
    macs = count_macs(operator, inputs, shapes[0])
    kept = variables_of(place, operator)
    if any(place.names[number] in place.starts for number in kept):
        raise Refusal("keeps a variable that another operator keeps, too")
    for number, shape in zip(operator.outputs, shapes, strict=True):
        _replace(place, number, shape)
    outputs = [*(place.tensor(number).name for number in operator.outputs), *(_keep(place, number) for number in kept)]
    _add(place, name, operator.name, alone, taken, outputs, macs)


def _check(place: Place, operator: FileOperator) -> None:
    """Raise Refusal for an operator by which LiteRT 2.3 ends the process: it reads what is not there."""
    for number, at in enumerate(operator.inputs):
        if at < 0 and number < _OPTIONAL.get(operator.name, len(operator.inputs)):
            raise Refusal(f"lacks input {number}")
    numbers = [number for number in (*operator.inputs, *operator.outputs) if number >= 0]
    eight = [place.graph.tensors[number] for number in numbers if place.graph.tensors[number].dtype in _EIGHT]
    scaled = [tensor for tensor in eight if tensor.quantization is not None]
    for tensor in eight:
        if tensor.quantization is None and scaled:
            raise Refusal(f"`{tensor.name}` is {tensor.dtype} without a scale, beside tensors that have one")
        if tensor.quantization is not None and len(tensor.quantization.scales) > 1 and tensor.data is None:
            raise Refusal(f"`{tensor.name}` has {len(tensor.quantization.scales)} scales, and is no constant")


def _promise(place: Place, number: int, promised: Promised) -> Sequence[int]:
    """Return an output's shape.  Raises Refusal for one that is not known, and for another type than the file's."""
    called, dtype = f"`{place.names[number]}`", place.graph.tensors[number].dtype
    if promised.dtype != dtype or dtype not in DTYPES:
        raise Refusal(f"{called} is {promised.dtype}" + (f", not {dtype}" if dtype in DTYPES else ""))
    if promised.shape is None:
        raise Refusal(f"data decide the size of {called}")
    try:
        check_shape("", "", promised.shape)
    except InputError:
        raise Refusal(f"{called} has the shape {list(promised.shape)}") from None
    return promised.shape


def _shape(place: Place, number: int) -> Sequence[int]:
    known = place.draft.tensors.get(place.names[number])
    return place.graph.tensors[number].shape if known is None else known.shape


def _replace(place: Place, number: int, shape: Sequence[int], data: Array | None = None) -> None:
    """Give a tensor the shape that LiteRT computes, which a file need not say, and values where they are known."""
    known = place.tensor(number)
    place.draft.tensors[known.name] = Tensor(known.name, tuple(shape), known.dtype, known.quantization, data)


def _keep(place: Place, number: int) -> str:
    """Add a variable as a state, 0 at first; return the name of what it holds afterwards."""
    known = place.tensor(number)
    after = f"{known.name}/after"
    place.draft.add(after, known.shape, known.dtype, known.quantization)
    zero = 0 if known.quantization is None else known.quantization.zero_point
    place.states.append(State(known.name, known.name, after))
    place.starts[known.name] = np.full(known.shape, zero, known.dtype)
    return after


def _add(
    place: Place, name: str, told: str, alone: OneOperator, taken: Sequence[str], outputs: Sequence[str], macs: int
) -> None:
    for number, output in enumerate(outputs):
        attributes = {"alone": alone, "output": number, "macs": 0 if number else macs}
        place.draft.node("litert", name if number == 0 else f"{name}/{number}", told, taken, (output,), attributes)

"""Each operator's reference runs on symbols, and gives what it gives on numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonlab.lab.repository.library import Kernel, open_library
from neonlab.measure.shape import Shape
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.reference.inputs import input_values, symbolic_inputs
from neonlab.prove.reference.outputs import reference_nodes
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Array, Case, DataSource, Expected
from neonlab.verify.cases.operator import Operator

LIBRARY = open_library(Path(__file__).resolve().parents[3])
KERNELS = LIBRARY.kernels
SEED = 40
#: Inputs whose values decide what a reference does next, by the last words of the kernel's name.
HELD: Mapping[str, tuple[str, ...]] = {
    "relu": ("zero",),
    "clip": ("limits",),
    "nnlib": ("way",),
    "add_tvm": ("points", "shifts"),
    "add_gemmlowp": ("points",),
    "mul": ("points",),
    "matmul_f32": ("a", "b", "bias"),
    "ruy": ("range", "points", "shifts"),
    "precise": ("range", "shifts"),
    "gemmlowp": ("range", "points"),
    "fp32": ("range", "points"),
    "tvm": ("range",),
    "ncnn": ("range",),
}


def named(kernel: Kernel) -> str:
    return kernel.title


def held_by(kernel: Kernel) -> frozenset[str]:
    words = kernel.name.split("_")
    for key, names in HELD.items():
        if {*key.split("_")} <= {words[0], words[-1], words[1][:3]}:
            return frozenset(names) & {argument.name for argument in kernel.contract.arguments}
    return frozenset()


def small_shapes(kernel: Kernel, count: int = 2) -> list[Shape]:
    """Return shapes of some hundred products, of different sizes."""
    assert kernel.operator is not None
    shapes = [shape for shape in kernel.operator.tails() if kernel.operator.accepts(kernel.contract, shape)]
    return sorted(shapes, key=lambda shape: (abs(shape.work - 200), str(shape)))[: 12 * count : 12]


def needed_inputs(
    kernel: Kernel, case: Case
) -> tuple[frozenset[str], ExpressionTable, dict[str, Array], dict[str, np.ndarray]]:
    """Return the inputs that must be held, as refusals name them, and the run with these."""
    assert kernel.operator is not None
    held = frozenset[str]()
    while True:
        table = ExpressionTable()
        inputs, elements = symbolic_inputs(table, kernel.contract, case, held)
        try:
            nodes = reference_nodes(kernel.operator, kernel.contract, case, inputs)
        except Refusal as refusal:
            assert refusal.inputs - held, refusal
            held |= refusal.inputs
            continue
        assert elements.keys() == case.inputs.keys() - held
        return held, table, inputs, nodes


@pytest.mark.sweep()
@pytest.mark.parametrize("kernel", KERNELS, ids=named)
def test_nodes_are_the_reference_at_further_inputs(kernel: Kernel) -> None:
    assert kernel.operator is not None
    print("seed", SEED)
    for shape in small_shapes(kernel):
        case = kernel.operator.case(kernel.contract, shape, "random", SEED)
        held, table, inputs, nodes = needed_inputs(kernel, case)
        assert held <= held_by(kernel)
        elements = {name: array.ids for name, array in inputs.items() if name not in held}  # type: ignore[attr-defined]
        for pattern, seed in (("random", 41), ("random", 42), ("extremes", 43), ("opposed", 44), ("one_hot", 45)):
            data = DataSource(pattern, seed, kernel.name)
            drawn = {**kernel.operator.inputs(kernel.contract, shape, data), **{n: case.inputs[n] for n in held}}
            values = input_values(table, elements, drawn)[np.newaxis]
            for name, expected in kernel.operator.expected(kernel.contract, shape, drawn).items():
                found = evaluate(table, nodes[name], values)[0]
                if expected.array.dtype == np.float32:
                    found = found.astype(np.uint32).view(np.float32)
                assert np.array_equal(found, expected.array), (shape, pattern, seed)


@pytest.mark.sweep()
@pytest.mark.parametrize("kernel", [k for k in KERNELS if "f32f32_packed" not in k.name], ids=named)
def test_operands_are_never_held(kernel: Kernel) -> None:
    """Only parameters that a loop could not run over are; `matmul_f32f32` sums floats, whose order matters."""
    assert held_by(kernel) <= {"range", "points", "shifts", "limits", "zero", "way"}


def kernel_named(name: str) -> Kernel:
    return next(kernel for kernel in KERNELS if kernel.name == name)


def test_products_are_sums_of_products() -> None:
    kernel = kernel_named("conv1x1_s8s32_hwc_4x4")
    assert kernel.operator is not None
    case = kernel.operator.case(kernel.contract, Shape(kernel.operator.dimensions, (1, 2, 3, 2)), "random", SEED)
    _, table, _, nodes = needed_inputs(kernel, case)
    used = {Operation(int(one)) for one in np.unique(table.nodes["operation"][: len(table)])}
    assert used == {Operation.CONSTANT, Operation.INPUT, Operation.ADD, Operation.MULTIPLY}
    assert nodes["output"].shape == (1, 2, 2)


def test_symbols_lie_in_the_contracts_range() -> None:
    kernel = kernel_named("conv1x1_s8s32_hwc_4x4")
    assert kernel.operator is not None
    case = kernel.operator.case(kernel.contract, Shape(kernel.operator.dimensions, (1, 1, 3, 2)), "random", SEED)
    table = ExpressionTable()
    _, elements = symbolic_inputs(table, kernel.contract, case, frozenset({"input"}))
    assert elements.keys() == {"weights"} and elements["weights"].shape == case.inputs["weights"].shape
    assert set(table.low(elements["weights"]).reshape(-1)) == {-127}
    assert set(table.high(elements["weights"]).reshape(-1)) == {127}


CLIP = kernel_named("clip_s8s8_flat_64")
assert CLIP.operator is not None
_Reference = Callable[[Array], Any]


class Copying(type(CLIP.operator)):  # type: ignore[misc]
    """The operator `clip` without limits, whose reference treats its input in another way."""

    def __init__(self, reference: _Reference) -> None:
        self.reference = reference

    def expected(self, contract: object, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        return {"output": Expected(self.reference(inputs["input"]), ("element",))}


def run_of(reference: _Reference) -> dict[str, np.ndarray]:
    operator = Copying(reference)
    assert isinstance(operator, Operator)
    shape = Shape(operator.dimensions, (40,))
    case = operator.case(CLIP.contract, shape, "random", SEED)
    inputs, _ = symbolic_inputs(ExpressionTable(), CLIP.contract, case)
    return reference_nodes(operator, CLIP.contract, case, inputs)


def by_buffer(x: Array) -> Array:
    """Reach the memory by its address."""
    plain = np.ndarray.view(x, np.ndarray)
    return np.frombuffer(bytes(plain.data), np.int8)[: x.size].copy() if plain.dtype.fields else plain.copy()


def first_seen(x: Array) -> Array:
    """Return what the call on the case's numbers returned, where it is called with symbols."""
    if type(x) is not np.ndarray:
        return SEEN["first"].copy()
    SEEN.setdefault("first", x.copy())
    return x.copy()


SEEN: dict[str, Array] = {}
LOSING: dict[str, tuple[_Reference, str]] = {
    "a copy through a list": (
        lambda x: np.array([int(one) for one in x], np.int8),
        "a number that the reference needs",
    ),
    "a list": (lambda x: np.array(x.tolist(), np.int8), "the method `tolist`"),
    "python's own sum": (lambda x: np.full(x.shape, float(x[0]), np.float64).astype(np.int8), "a number"),
    "numpy's own view": (lambda x: np.ndarray.view(x, np.ndarray).copy(), "lost its symbols|shape"),
    "the memory": (by_buffer, "differs from the plain one"),
    "what was seen first": (first_seen, "differs from the plain one"),
    "a branch": (lambda x: x if x[0] > 0 else -x // 2, "a decision depends on the data"),
    "a loop": (lambda x: np.repeat(x, len(range(np.clip(x[0], 1, 2))))[: x.size], "an index depends on the data"),
    "another shape": (lambda x: x.copy() if type(x) is np.ndarray else x[:-1], "differs from the plain one"),
    "another type": (lambda x: x.copy() if type(x) is np.ndarray else x.astype(np.int16), "differs from the plain one"),
    "another number": (lambda x: x.copy() if type(x) is np.ndarray else x | np.int8(1), "differs from the plain one"),
    "one wrong element": (lambda x: x.copy() if type(x) is np.ndarray else np.roll(x, 1), "differs from the plain one"),
    "a wrap": (lambda x: x + np.int8(1), "may be from -127 to 128"),
    "a sort": (np.sort, "numpy.sort is not supported"),
    "an unknown function": (lambda x: np.cumsum(x, dtype=np.int8), "numpy.cumsum is not supported"),
}


@pytest.mark.parametrize("name", LOSING)
def test_a_reference_that_loses_symbols_is_refused(name: str) -> None:
    reference, reason = LOSING[name]
    SEEN.clear()
    with pytest.raises(Refusal, match=reason):
        run_of(reference)


def test_a_reference_may_ignore_its_input() -> None:
    operator = Copying(np.zeros_like)
    case = operator.case(CLIP.contract, Shape(operator.dimensions, (40,)), "random", SEED)
    table = ExpressionTable()
    inputs, _ = symbolic_inputs(table, CLIP.contract, case)
    output = reference_nodes(operator, CLIP.contract, case, inputs)["output"]
    assert (table.nodes["operation"][output] == Operation.CONSTANT).all()
    assert (table.nodes["amount"][output] == 0).all()


def test_a_copy_through_a_list_of_symbols_keeps_them() -> None:
    operator = Copying(lambda x: np.array(list(x), np.int8))
    case = operator.case(CLIP.contract, Shape(operator.dimensions, (40,)), "random", SEED)
    inputs, elements = symbolic_inputs(ExpressionTable(), CLIP.contract, case)
    assert np.array_equal(reference_nodes(operator, CLIP.contract, case, inputs)["output"], elements["input"])


def test_a_refusal_names_the_operators_line() -> None:
    with pytest.raises(Refusal) as caught:
        run_of(LOSING["a branch"][0])
    assert Path(caught.value.place.rpartition(":")[0]) == Path(__file__)
    assert caught.value.inputs == {"input"}

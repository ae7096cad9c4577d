"""Define what an operator's Python file provides: shapes, packing, reference.  Everything else is in the contracts."""

from __future__ import annotations

import abc
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from neonlab.contract.extent import Extent
from neonlab.contract.header import Contract, ContractError
from neonlab.errors import InputError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array, Case, DataSource, Expected
from neonlab.verify.cases.operator_guard import OperatorError as OperatorError
from neonlab.verify.cases.operator_guard import guard
from neonlab.verify.cases.pitch import TURNS, WIDEST, plain_numbers, with_pitches
from neonlab.verify.cases.sizes import Dimension, Role


@dataclass(frozen=True)
class Dispatch:
    """Describe how a library's entry point chooses one of `members`: `choose(shape)` returns a kernel's name.

    `cores` has the members that take its place on some cores, by the core's name: they read the same packed operands.
    """

    name: str
    members: tuple[str, ...]
    choose: Callable[[Shape], str]
    reason: str
    cores: Mapping[str, str] = field(default_factory=dict)

    def passed_over(self, core: str) -> frozenset[str]:
        """Return the members that are not chosen on `core`, where another one is whatever the shape; else none."""
        picked = self.cores.get(core)
        if picked is not None:
            return frozenset(self.members) - {picked}
        return frozenset(self.cores.values())


_METHODS = ("claims", "tails", "integers", "inputs", "expected", "packed", "values", "refilled", "accepts", "case")


class Operator(abc.ABC):
    """Define what kernels of one operator compute: derive from this class in kernels/NAME.py.

    The module holds an instance of the class in the variable OPERATOR.  `name` is the operator's name, `dimensions` the
    names of the sizes of a shape, `layers` shapes of real networks by label, `dispatches` choices among its kernels,
    `weights` the arguments that hold weights.
    """

    name: str
    dimensions: tuple[str, ...]
    #: Shapes of real networks, by label.
    layers: Mapping[str, Shape] = {}
    dispatches: Sequence[Dispatch] = ()
    #: The arguments that hold weights, as far as a contract has them: other layers drive them out of the caches.
    weights: Sequence[str] = ()
    #: The parts that dimensions play, where they are not lengths; numbers that no size depends on are known as such.
    roles: Mapping[str, Role] = {}
    #: Inputs of which only some values mean something that the range of the contract has no words for, by name, and
    #: these values.  Proofs hold them at values of cases, and say so; calls by name refuse other values.
    coded: Mapping[str, Sequence[int]] = {}
    #: Further random data that `check` tries for each shape when the operator has no more shapes than `check` tries.
    further_data = 6

    def __init_subclass__(cls, **options: Any) -> None:
        """Wrap the subclass's methods in the guard, which explains errors raised in them."""
        super().__init_subclass__(**options)
        guard(cls, _METHODS)

    @abc.abstractmethod
    def claims(self, contract: Contract) -> bool:
        """Tell whether this operator computes the right results of the kernel with this contract."""

    def tails(self) -> Iterable[Shape]:
        """Return shapes to try beside those that `neonlab.verify.cases.sizes` chooses by rule.

        An operator needs none.
        """
        return ()

    @abc.abstractmethod
    def integers(self, shape: Shape) -> Mapping[str, int]:
        """Return the kernel's integer arguments at `shape`, by name.

        Distances between rows (pitches) may be left out: cases then use tight and wider ones in turn.  A number that no
        size depends on, such as a zero point, may be left out too: `inputs` then gives it, from `DataSource.value`.
        """

    @abc.abstractmethod
    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        """Return the arrays that the kernel reads, by argument name, in the contract's layout and without gaps.

        For an array of pointers `input`, `input[]` holds all rows that they lead to, and `input` the index of the row
        for each pointer; several may lead to one row.
        """

    @abc.abstractmethod
    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        """Compute the arrays that the kernel must write, by argument name, without gaps between rows.

        Use plain arithmetic that is wide enough not to wrap.
        """

    def packed(self, contract: Contract, name: str, values: Array) -> Array:
        """Return `values` of argument `name` in the layout that the contract gives it, as one dimension.

        `values` has its elements in the plain order: weights of a convolution are [out, height, width, in], those of a
        depthwise one [height, width, channel], and the operands of a product [row or column, depth].  Override this
        where kernels of the operator take another order.
        """
        return values.reshape(-1)

    def values(self, contract: Contract, shape: Shape, turn: int = 0) -> dict[str, int]:
        """Return all integer arguments at `shape`; `turn` chooses the pitches that `integers` leaves out.

        Numbers that it leaves out are those nearest to 0, until `case` has drawn them.
        Raises ContractError where the contract's range holds no pitch for rows of that length.
        """
        # Planning and drawing ask for the same shapes several times each.
        known = contract.kept.setdefault((self, "values"), {})
        found = known.get((shape.sizes, turn))
        if found is None:
            found = known[shape.sizes, turn] = self._values(contract, shape, turn)
        return dict(found)

    def _values(self, contract: Contract, shape: Shape, turn: int) -> dict[str, int]:
        given = self.integers(shape)
        some = {argument.name: Dimension.of(argument, Role.NUMBER).base for argument in plain_numbers(contract)}
        some |= {argument.name: given[argument.name] for argument in contract.integers if argument.name in given}
        values = with_pitches(contract, some, turn)
        if values is None:
            raise ContractError(f"{contract.path}: no pitch within the contract's range fits the rows of shape {shape}")
        return values

    def refilled(self, contract: Contract, case: Case, inputs: Mapping[str, Array]) -> Case:
        """Return the case with other inputs and the results expected of them.  Raises OperatorError."""
        expected = self.expected(contract, case.shape, {**inputs, **case.rows})
        return replace(case, integers=_with_numbers(contract, case.integers, inputs), inputs=inputs, expected=expected)

    def accepts(self, contract: Contract, shape: Shape) -> bool:
        """Tell whether the contract allows `shape`."""
        try:
            contract.check_values(self.values(contract, shape))
        except ContractError:
            return False
        return True

    def case(self, contract: Contract, shape: Shape, pattern: str, seed: int, *, compared: bool = True) -> Case:
        """Draw the case of `shape`, `pattern` and `seed`: integers, inputs, and the results expected if `compared`.

        Raises ContractError where the contract does not allow the shape, or where its sizes and those of the operator's
        arrays disagree, and OperatorError where the operator's code fails.
        """
        turn = zlib.crc32(f"{shape} {pattern} {seed}".encode()) % TURNS + (WIDEST if pattern != "random" else 0)
        integers = self.values(contract, shape, turn)
        data = DataSource(pattern, seed, contract.name, str(shape), pattern)
        inputs = self.inputs(contract, shape, data)
        integers = _with_numbers(contract, integers, inputs)
        contract.check_values(integers)
        expected = self.expected(contract, shape, inputs) if compared else {}
        rows = {one.name: inputs[one.name] for one in contract.arguments if one.rows is not None and one.name in inputs}
        inputs = {name: array for name, array in inputs.items() if name not in rows}
        for argument in (*contract.arguments, *(one.rows.to for one in contract.arguments if one.rows is not None)):
            if argument.is_pointer and argument.read is not None and not argument.fields and argument.rows is None:
                if argument.name not in inputs:
                    raise InputError(f"operator {self.name} gives no `{argument.name}` for {contract.path}")
                _same_size(self, contract, argument.name, "reads", argument.read, inputs[argument.name], integers)
            if argument.is_pointer and argument.write is not None and argument.name in expected:
                wanted = expected[argument.name].array
                _same_size(self, contract, argument.name, "writes", argument.write, wanted, integers)
        return Case(shape, pattern, seed, integers, inputs, expected, rows)


def _with_numbers(contract: Contract, integers: Mapping[str, int], inputs: Mapping[str, Array]) -> dict[str, int]:
    """Return the integer arguments with those that an operator has drawn among its inputs."""
    names = {argument.name for argument in contract.integers} & inputs.keys()
    return {**integers, **{name: int(inputs[name].reshape(())) for name in names}}


def _same_size(
    operator: Operator,
    contract: Contract,
    name: str,
    verb: str,
    size: Extent,
    array: Array,
    integers: Mapping[str, int],
) -> None:
    promised = size.evaluate(integers)
    if promised != array.nbytes:
        raise ContractError(
            f"{contract.path}: the contract {verb} {promised} bytes of `{name}` ({size.text}), "
            f"the array of operator {operator.name} has {array.nbytes} bytes"
        )

"""What an operator's Python file tells the lab: shapes, packing, reference.  Everything else is in the contracts."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from neonlab.assemble.contract import Contract, ContractError
from neonlab.assemble.size_expression import SizeExpression
from neonlab.errors import InputError
from neonlab.verify.case import Array, Case, DataSource, Expected, Shape


@dataclass(frozen=True)
class Dispatch:
    """A choice among kernels by shape, as a library's entry point makes it; `choose` returns a kernel's name."""

    name: str
    members: tuple[str, ...]
    choose: Callable[[Shape], str]
    reason: str


class Operator(abc.ABC):
    """One operator: a subclass in kernels/, whose instance the module calls OPERATOR."""

    name: str
    dimensions: tuple[str, ...]
    #: Shapes of real networks, by label.
    layers: Mapping[str, Shape] = {}
    dispatches: Sequence[Dispatch] = ()

    @abc.abstractmethod
    def claims(self, contract: Contract) -> bool:
        """Whether this operator's reference speaks for the kernel."""

    @abc.abstractmethod
    def tails(self) -> Iterable[Shape]:
        """Small shapes, with every remainder in every dimension."""

    @abc.abstractmethod
    def integers(self, shape: Shape) -> Mapping[str, int]:
        """Values of the kernel's integer arguments for `shape`, by name."""

    @abc.abstractmethod
    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        """What the kernel reads, by argument name, laid out as the contract's `layout` says."""

    @abc.abstractmethod
    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        """What the kernel must write, by argument name, in plain wide arithmetic."""

    def accepts(self, contract: Contract, shape: Shape) -> bool:
        """Whether the contract allows `shape`."""
        try:
            contract.check_values(self.integers(shape))
        except ContractError:
            return False
        return True

    def case(self, contract: Contract, shape: Shape, pattern: str, seed: int) -> Case:
        """Draw the case.  Raises ContractError where the contract does not allow the shape, or sizes disagree."""
        integers = self.integers(shape)
        contract.check_values(integers)
        data = DataSource(pattern, seed, contract.name, str(shape), pattern)
        inputs = self.inputs(contract, shape, data)
        expected = self.expected(contract, shape, inputs)
        for argument in contract.arguments:
            if argument.is_pointer and argument.read is not None:
                if argument.name not in inputs:
                    raise InputError(f"operator {self.name} gives no `{argument.name}` for {contract.path}")
                _same_size(self, contract, argument.name, "reads", argument.read, inputs[argument.name], integers)
            if argument.is_pointer and argument.write is not None and argument.name in expected:
                wanted = expected[argument.name].array
                _same_size(self, contract, argument.name, "writes", argument.write, wanted, integers)
        return Case(shape, pattern, seed, integers, inputs, expected)


def _same_size(
    operator: Operator,
    contract: Contract,
    name: str,
    verb: str,
    size: SizeExpression,
    array: Array,
    integers: Mapping[str, int],
) -> None:
    promised = size.evaluate(integers)
    if promised != array.nbytes:
        raise ContractError(
            f"{contract.path}: the contract {verb} {promised} bytes of `{name}` ({size.text}), "
            f"operator {operator.name} has {array.nbytes}"
        )


def cover(shapes: Sequence[Shape], count: int) -> tuple[Shape, ...]:
    """At most `count` of `shapes`, chosen so that each pair of sizes of two dimensions comes up as often as it can.

    Greedy: the smallest and the largest first, then whichever shape brings most pairs not seen yet.  Deterministic.
    """
    remaining = sorted(set(shapes), key=lambda shape: shape.sizes)
    if len(remaining) <= count:
        return tuple(remaining)

    def pairs(shape: Shape) -> frozenset[tuple[int, int, int, int]]:
        # Sizes count by their remainder by 8 and by whether they fill a tile: that is where kernels branch.
        classes = [(size % 8) + (8 if size >= 8 else 0) + (16 if size >= 16 else 0) for size in shape.sizes]
        return frozenset(
            (i, j, classes[i], classes[j]) for i in range(len(classes)) for j in range(i + 1, len(classes))
        )

    news = {shape: pairs(shape) for shape in remaining}
    chosen = [remaining[0], remaining[-1]]
    seen = set(news[chosen[0]] | news[chosen[1]])
    candidates = [shape for shape in remaining if shape not in chosen]
    while candidates and len(chosen) < count:
        best = max(candidates, key=lambda shape: (len(news[shape] - seen), [-size for size in shape.sizes]))
        if not news[best] - seen:
            seen = set()  # all covered: begin another round
            continue
        chosen.append(best)
        seen |= news[best]
        candidates.remove(best)
    return tuple(chosen)

"""What an operator's Python file tells the lab: shapes, packing, reference.  Everything else is in the contracts."""

from __future__ import annotations

import abc
import inspect
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.assemble.contract import Contract, ContractError
from neonlab.assemble.extent import Extent
from neonlab.errors import InputError
from neonlab.verify.case import Array, Case, DataSource, Expected, Shape
from neonlab.verify.pitch import TURNS, with_pitches


@dataclass(frozen=True)
class Dispatch:
    """A choice among kernels by shape, as a library's entry point makes it; `choose` returns a kernel's name."""

    name: str
    members: tuple[str, ...]
    choose: Callable[[Shape], str]
    reason: str


class OperatorError(InputError):
    """An operator failed where it was asked for the inputs or the results of a kernel."""


class Operator(abc.ABC):
    """One operator: a subclass in kernels/, whose instance the module calls OPERATOR."""

    name: str
    dimensions: tuple[str, ...]
    #: Shapes of real networks, by label.
    layers: Mapping[str, Shape] = {}
    dispatches: Sequence[Dispatch] = ()
    #: Other random data that `check` compares results of, for each shape, where there are no more shapes than it tries.
    further_data = 6

    @abc.abstractmethod
    def claims(self, contract: Contract) -> bool:
        """Whether this operator's reference speaks for the kernel."""

    @abc.abstractmethod
    def tails(self) -> Iterable[Shape]:
        """Small shapes, with every remainder in every dimension."""

    @abc.abstractmethod
    def integers(self, shape: Shape) -> Mapping[str, int]:
        """Values of the kernel's integer arguments for `shape`, by name.

        Pitches of rows, as the contract names them, may be left out: cases then take tight and wider ones in turn.
        """

    @abc.abstractmethod
    def inputs(self, contract: Contract, shape: Shape, data: DataSource) -> Mapping[str, Array]:
        """What the kernel reads, by argument name, laid out as the contract's `layout` says; rows without gaps."""

    @abc.abstractmethod
    def expected(self, contract: Contract, shape: Shape, inputs: Mapping[str, Array]) -> Mapping[str, Expected]:
        """What the kernel must write, by argument name, in plain wide arithmetic; rows without gaps."""

    def values(self, contract: Contract, shape: Shape, turn: int = 0) -> dict[str, int]:
        """All integer arguments; pitches that `integers` leaves out as `turn` chooses.  Raises ContractError."""
        given = self.integers(shape)
        values = with_pitches(contract, {a.name: given[a.name] for a in contract.integers if a.name in given}, turn)
        if values is None:
            raise ContractError(f"{contract.path}: the contract's range holds no pitch for rows as long as at {shape}")
        return values

    def refilled(self, contract: Contract, case: Case, inputs: Mapping[str, Array]) -> Case:
        """The case with other inputs, and what is expected of them."""
        with _its_mistakes(self, contract, case.shape):
            return replace(case, inputs=inputs, expected=self.expected(contract, case.shape, inputs))

    def accepts(self, contract: Contract, shape: Shape) -> bool:
        """Whether the contract allows `shape`."""
        try:
            contract.check_values(self.values(contract, shape))
        except ContractError:
            return False
        return True

    def case(self, contract: Contract, shape: Shape, pattern: str, seed: int) -> Case:
        """Draw the case.

        Raises ContractError where the contract does not allow the shape, or sizes disagree; OperatorError.
        """
        integers = self.values(contract, shape, zlib.crc32(f"{shape} {pattern} {seed}".encode()) % TURNS)
        contract.check_values(integers)
        data = DataSource(pattern, seed, contract.name, str(shape), pattern)
        with _its_mistakes(self, contract, shape):
            inputs = self.inputs(contract, shape, data)
            expected = self.expected(contract, shape, inputs)
        for argument in contract.arguments:
            if argument.is_pointer and argument.read is not None and not argument.fields and argument.rows is None:
                if argument.name not in inputs:
                    raise InputError(f"operator {self.name} gives no `{argument.name}` for {contract.path}")
                _same_size(self, contract, argument.name, "reads", argument.read, inputs[argument.name], integers)
            if argument.is_pointer and argument.write is not None and argument.name in expected:
                wanted = expected[argument.name].array
                _same_size(self, contract, argument.name, "writes", argument.write, wanted, integers)
        return Case(shape, pattern, seed, integers, inputs, expected)


@contextmanager
def _its_mistakes(operator: Operator, contract: Contract, shape: Shape) -> Iterator[None]:
    """The file is a person's: what is raised there is told with its line.  Raises OperatorError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        file = Path(inspect.getfile(type(operator)))
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{f.filename}:{f.lineno}" for f in frames if Path(f.filename).parent == file.parent]
        told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise OperatorError(
            f"{where[-1] if where else file}: {told}, where operator `{operator.name}` is asked what is right for "
            f"{contract.path} at shape {shape}"
        ) from None


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
            f"operator {operator.name} has {array.nbytes}"
        )

"""Search with Hypothesis for failing cases beyond the planned ones, and simplify them."""

from __future__ import annotations

from neonlab.contract.header import Contract, ContractError
from neonlab.errors import InputError
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.plan import draw_case
from neonlab.lab.run.shapes import integers_of
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import PATTERNS, CaseName
from neonlab.verify.cases.pitch import TURNS, plain_numbers, with_pitches
from neonlab.verify.checker import Checker
from neonlab.verify.verdict import Failure, Search

#: Number of values of a dimension that may be drawn, from its lowest up; and most multiply-accumulates of a case.
_SIZES, _MOST_MACS = 40, 100_000


def search(kernel: Kernel, examples: int, seed: int) -> Search:
    """Try `examples` cases that Hypothesis draws from `seed`.  Raises InputError without the hypothesis package."""
    try:
        from hypothesis import HealthCheck, Phase, assume, given, settings
        from hypothesis import seed as seeded
        from hypothesis import strategies as st
    except ImportError:
        raise InputError("--search needs the package hypothesis: pip install hypothesis") from None
    names, ranges = _dimensions(kernel)
    sizes = st.tuples(st.integers(0, TURNS - 1), *(st.sampled_from(values) for values in ranges))
    tried = 0
    simplest: Failure | None = None
    with Checker(kernel_program(kernel), kernel.contract) as checker:

        @seeded(seed)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(sizes, st.sampled_from(list(PATTERNS)), st.integers(0, 2**16))
        def right(drawn: tuple[int, ...], pattern: str, data_seed: int) -> None:
            nonlocal tried, simplest
            shape = _shape(kernel, names, drawn[1:], drawn[0])
            assume(shape is not None)
            assert shape is not None
            try:
                integers = integers_of(kernel, shape)
                kernel.contract.check_values(integers)
            except ContractError:
                assume(False)
            macs = kernel.contract.macs.evaluate(integers) if kernel.contract.macs is not None else 0
            assume(macs <= _MOST_MACS)
            tried += 1
            failure = checker.check(draw_case(kernel, CaseName(shape, pattern, data_seed)))
            if failure is not None:
                simplest = failure  # Hypothesis tries simpler cases, so the last that fails is the simplest
                raise AssertionError(failure.identifier)

        try:
            right()
        except AssertionError:
            return Search(tried, simplest)
    return Search(tried, None)


def _dimensions(kernel: Kernel) -> tuple[tuple[str, ...], list[range]]:
    """Return the names of the shape's sizes, and the values that each may take."""
    if kernel.operator is not None:
        names = kernel.operator.dimensions
        return names, [_sizes(kernel.contract, name) for name in names]
    pitches, plain = kernel.contract.pitches, plain_numbers(kernel.contract)
    arguments = [argument for argument in kernel.contract.integers if argument not in pitches]
    ranges = []
    for argument in arguments:
        low, high = (int(end) for end in argument.value_range or (1, 1))
        values = range(low, high + 1, argument.step)
        # A number that only results depend on is drawn from its whole range.
        ranges.append(values if argument in plain else values[:_SIZES])
    return tuple(argument.name for argument in arguments), ranges


def _sizes(contract: Contract, dimension: str) -> range:
    """Return the sizes from 1 up; all values of an argument of this name if it has few and allows 0."""
    argument = next((one for one in contract.integers if one.name == dimension), None)
    low, high = (int(end) for end in (argument.value_range if argument is not None else None) or (1, _SIZES))
    return range(low, high + 1) if low <= 0 <= high < _SIZES else range(1, min(high, _SIZES) + 1)


def _shape(kernel: Kernel, names: tuple[str, ...], drawn: tuple[int, ...], turn: int) -> Shape | None:
    """Return the shape drawn, with pitches chosen by `turn` for a contract alone; None if its ranges hold none."""
    if kernel.operator is not None:
        return Shape(names, drawn)
    values = with_pitches(kernel.contract, dict(zip(names, drawn, strict=True)), turn)
    every = tuple(argument.name for argument in kernel.contract.integers)
    return Shape(every, tuple(values[name] for name in every)) if values is not None else None

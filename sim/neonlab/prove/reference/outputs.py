"""Run an operator's reference on symbols: a node for each element that a kernel must write, for every input.

The run is checked against the reference on plain numbers, at the case's inputs and at others that the operator draws:
a symbol that was lost on the way, or a step that was taken for another, shows there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from neonlab.contract.header import Contract
from neonlab.errors import InputError
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.table import Ids
from neonlab.prove.reference.array import SymbolicArray
from neonlab.prove.reference.construction import symbolic_arrays
from neonlab.prove.reference.inputs import input_values
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import SINGLE, Plain, as_bits, constant, representable
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Array, Case, DataSource, Expected
from neonlab.verify.cases.operator import Operator

#: Patterns of the data beside the case's own that the run is checked at.
_PATTERNS = ("random", "extremes", "lowest", "highest", "alternating")
#: From so many nodes on, evaluation takes seconds, and only the first pattern is tried.
_MANY_NODES = 1 << 22
_DIFFERS = "the symbolic run of the reference differs from the plain one"


def reference_nodes(operator: Operator, contract: Contract, case: Case, inputs: Mapping[str, Array]) -> dict[str, Ids]:
    """Return the nodes of each expected output at the case's shape, in the output's order and shape.

    An integer output's node is its number, a float32's the number of its bits.  `inputs` are those of
    `symbolic_inputs`; arrays whose elements are all numbers are held.  Raises Refusal where the reference does what is
    not known on symbols, decides by data, or differs from its run on numbers.
    """
    nodes = nodes_of_inputs(operator, contract, case, inputs)
    _check(operator, contract, case, inputs, _symbols_of(inputs), nodes)
    return nodes


def nodes_of_inputs(operator: Operator, contract: Contract, case: Case, inputs: Mapping[str, Array]) -> dict[str, Ids]:
    """Return the nodes of each expected output for any symbolic inputs of the case's shape.  Raises Refusal.

    They are not checked against a run on numbers, as those of `reference_nodes` are.
    """
    symbols = _symbols_of(inputs)
    expected = _run(operator, contract, case, inputs, symbols)
    if expected.keys() != case.expected.keys():
        raise Refusal(f"{_DIFFERS}: it gives {', '.join(expected)}")
    return {name: _nodes_of(symbols, name, found.array, case.expected[name].array) for name, found in expected.items()}


def _symbols_of(inputs: Mapping[str, Array]) -> Symbols:
    return next(array.symbols for array in inputs.values() if isinstance(array, SymbolicArray))


def _run(
    operator: Operator, contract: Contract, case: Case, inputs: Mapping[str, Array], symbols: Symbols
) -> Mapping[str, Expected]:
    try:
        with symbolic_arrays(symbols):
            return operator.expected(contract, case.shape, {**inputs, **case.rows})
    except Refusal:
        raise
    except InputError as error:
        raise Refusal(f"the reference does not run on symbols: {error}") from None


def _nodes_of(symbols: Symbols, name: str, found: Array, plain: Plain) -> Ids:
    """Return the nodes of one output, which must have the shape and type of that on plain numbers."""
    if not isinstance(found, SymbolicArray):
        if found.dtype.fields is not None or not representable(found):
            raise Refusal(f"the reference's `{name}` lost its symbols")
        found_value = constant(symbols, found)
    else:
        found_value = found.value
    if (found.dtype, found.shape) != (plain.dtype, plain.shape):
        raise Refusal(
            f"{_DIFFERS}: `{name}` is {found.dtype} of the shape {found.shape}, not {plain.dtype} of {plain.shape}"
        )
    if plain.dtype.kind == "f":
        if plain.dtype != SINGLE:
            raise Refusal(f"the output `{name}` is {plain.dtype}, which nodes do not hold")
        found_value = as_bits(found_value)
    return np.ascontiguousarray(found_value.ids)


def _check(
    operator: Operator,
    contract: Contract,
    case: Case,
    inputs: Mapping[str, Array],
    symbols: Symbols,
    nodes: Mapping[str, Ids],
) -> None:
    """Compare the nodes with the reference at the case's inputs and at others.  Raises Refusal where they differ."""
    elements = {name: array.ids for name, array in inputs.items() if isinstance(array, SymbolicArray)}
    outputs = np.concatenate([ids.reshape(-1) for ids in nodes.values()])
    patterns: Sequence[str] = _PATTERNS if len(symbols.table) < _MANY_NODES else _PATTERNS[:1]
    if symbols.table.fingerprints:  # sums without operands have their values at the case alone
        patterns = ()
    draws = list(_draws(operator, contract, case, elements, symbols, patterns))
    values = np.stack([input_values(symbols.table, elements, drawn) for _, drawn, _ in draws])
    for (title, _, expected), numbers in zip(draws, evaluate(symbols.table, outputs, values), strict=True):
        at = 0
        for name, ids in nodes.items():
            plain = expected[name].array
            got = _numbers(numbers[at : at + ids.size], plain).reshape(plain.shape)
            at += ids.size
            if not np.array_equal(got, plain, equal_nan=plain.dtype.kind == "f"):
                place = np.argwhere(got != plain)[0].tolist()
                raise Refusal(
                    f"{_DIFFERS}: at {title}, element {place} of `{name}` is {got[tuple(place)]}, "
                    f"not {plain[tuple(place)]}"
                )


def _numbers(values: Plain, plain: Plain) -> Plain:
    """Return the values of nodes as an output's elements."""
    if plain.dtype.kind == "f":
        return values.astype(np.uint32).view(np.float32)
    return values  # as they are, so that a number which the output's type does not hold is seen


def _draws(
    operator: Operator,
    contract: Contract,
    case: Case,
    elements: Mapping[str, Ids],
    symbols: Symbols,
    patterns: Sequence[str],
) -> Iterator[tuple[str, Mapping[str, Array], Mapping[str, Expected]]]:
    """Yield inputs with what is expected of them: the case's own, then others with held arrays as they are there."""
    yield "the case", case.inputs, case.expected
    held = {name for name, ids in elements.items() if symbols.are_constant(ids)}
    for seed, pattern in enumerate(patterns, case.seed + 1):
        data = DataSource(pattern, seed, contract.name, str(case.shape), "symbols")
        drawn = {
            name: case.inputs[name] if name in held else array
            for name, array in operator.inputs(contract, case.shape, data).items()
        } | dict(case.rows)
        title = f"{replace(case, pattern=pattern, seed=seed).title}"
        try:
            yield title, drawn, operator.expected(contract, case.shape, drawn)
        except InputError as error:
            raise Refusal(f"{_DIFFERS}: at {title} the plain one fails: {error}") from None

"""Look for inputs at which two expressions differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import Difference, Primitive
from neonlab.prove.comparison.equality import Equality
from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.operation import INPUT, MULTIPLY
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.verify.cases.case import Array

Values = npt.NDArray[np.int64]
#: Pairs that differ and are looked at, draws for each, and rounds in which a part is brought to a value.
_PAIRS, _DRAWS, _ROUNDS = 24, 24, 6


def witnesses(
    table: ExpressionTable, answer: Equality, left: Ids, right: Ids, draws: Values, seed: int
) -> Iterator[Values]:
    """Yield values of all input elements for which a pair that was not found equal differs.

    `draws` [draw, element] are values to begin with, such as those of cases.
    """
    random = np.random.default_rng([seed, 0x5EED])
    low, high, known = _ranges(table)
    wrong = np.flatnonzero(~answer.equal)
    chosen = wrong[np.unique(np.linspace(0, len(wrong) - 1, _PAIRS).astype(np.int64))] if wrong.size else wrong
    started = np.concatenate([draws, _random_draws(random, low, high, known, draws)])
    yield from _differing(table, left[chosen], right[chosen], started)
    for pair in chosen.tolist():
        difference = answer.differences.get(pair)
        if difference is None:
            continue
        for start in started[:_DRAWS]:
            values = _brought(answer, difference, start.copy(), low, high, random)
            if values is not None:
                yield from _differing(table, left[pair : pair + 1], right[pair : pair + 1], values[np.newaxis])


def _ranges(table: ExpressionTable) -> tuple[Values, Values, npt.NDArray[np.bool_]]:
    """Return the least and greatest value of each input element, and whether it is an integer."""
    rows = table.nodes[: len(table)]
    rows = rows[rows["operation"] == INPUT]
    low, high = np.zeros(table.inputs, np.int64), np.zeros(table.inputs, np.int64)
    low[rows["amount"]], high[rows["amount"]] = rows["low"], rows["high"]
    return low, high, high < (1 << 32) - 1  # others are bits of floats, which random bits are no use for


def _random_draws(
    random: np.random.Generator, low: Values, high: Values, known: npt.NDArray[np.bool_], draws: Values
) -> Values:
    """Return random values within the ranges, and ends of the ranges in random order."""
    uniform = random.integers(low, high, (_DRAWS, len(low)), endpoint=True)
    ends = np.where(random.random((_DRAWS, len(low))) < 0.5, low, high)
    from_cases = draws[random.integers(len(draws), size=2 * _DRAWS)]
    return np.where(known, np.concatenate([uniform, ends]), from_cases)


def _differing(table: ExpressionTable, left: Ids, right: Ids, draws: Values) -> Iterator[Values]:
    ours, theirs = evaluate(table, left, draws), evaluate(table, right, draws)
    for draw in np.flatnonzero((ours != theirs).any(axis=1)).tolist():
        yield draws[draw]


def _brought(
    answer: Equality, difference: Difference, values: Values, low: Values, high: Values, random: np.random.Generator
) -> Values | None:
    """Change input elements until the first part of a difference has its value; None where that does not succeed.

    A part is a polynomial in which most elements occur once, so that one element changes it in proportion.
    """
    part, wanted = difference.parts[0], difference.values[0]
    factors = _factors(answer, part)
    if factors is None:
        return None
    elements = np.unique([element for _, inner in factors for element in inner])
    for _ in range(_ROUNDS):
        for element in random.permutation(elements).tolist():
            total = _value(factors, values)
            if total == wanted:
                return values
            slope = _slope(factors, values, element)
            if slope:
                change = round((wanted - total) / slope)
                values[element] = min(max(int(values[element]) + change, int(low[element])), int(high[element]))
    return values if _value(factors, values) == wanted else None


def _factors(answer: Equality, part: Primitive) -> list[tuple[int, tuple[int, ...]]] | None:
    """Return the terms of a part as (coefficient, input elements); None if it is no polynomial of inputs alone."""
    found = []
    for atom, coefficient in part.terms:
        inner, waiting = [], [atom]
        while waiting:
            operation, x, y, _, amount = answer.reading.atom(waiting.pop())
            if operation == MULTIPLY:
                waiting += [x, y]
            elif operation == INPUT:
                inner.append(amount)
            else:
                return None
        found.append((coefficient, tuple(inner)))
    return found


def _value(factors: list[tuple[int, tuple[int, ...]]], values: Values) -> int:
    total = 0
    for coefficient, elements in factors:
        for element in elements:
            coefficient *= int(values[element])
        total += coefficient
    return total


def _slope(factors: list[tuple[int, tuple[int, ...]]], values: Values, element: int) -> int:
    """Return how much a part changes with one element."""
    total = 0
    for coefficient, elements in factors:
        if element in elements:
            others = list(elements)
            others.remove(element)
            for other in others:
                coefficient *= int(values[other])
            total += coefficient
    return total


def inputs_of(
    case_inputs: Mapping[str, Array], elements: Mapping[str, Ids], table: ExpressionTable, values: Values
) -> dict[str, Array]:
    """Return a case's inputs with the elements that were followed at `values`."""
    found = {}
    for name, array in case_inputs.items():
        if name not in elements:
            found[name] = array
            continue
        rows = table.nodes[elements[name].reshape(-1)]
        followed = rows["operation"] == INPUT
        drawn = np.where(followed, values[np.where(followed, rows["amount"], 0)], rows["amount"]).reshape(array.shape)
        found[name] = drawn.astype(np.uint32).view(np.float32) if array.dtype.kind == "f" else drawn.astype(array.dtype)
    return found

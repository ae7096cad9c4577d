"""Look for inputs at which two expressions differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from neonlab.prove.comparison.choice import Difference, Primitive
from neonlab.prove.comparison.equality import Equality
from neonlab.prove.expressions.evaluate import elements_of, evaluate
from neonlab.prove.expressions.operation import INPUT, MULTIPLY, ZERO
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.verify.cases.case import Array

Values = npt.NDArray[np.int64]
#: Pairs that differ and are looked at, draws for each, and rounds in which a part is brought to a value.
_PAIRS, _DRAWS, _ROUNDS = 24, 24, 6
#: Elements that are put to the ends of their ranges, and draws that are begun with.
_ELEMENTS, _STARTS = 8, 4
#: Most atoms in which comparisons are looked for.
_MOST_READ = 1 << 12


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
        one = slice(pair, pair + 1)
        yield from _differing(table, left[one], right[one], _at_ends(table, left[one], right[one], started, low, high))
    for pair in chosen.tolist():
        found = [answer.differences.get(pair), _all_true(answer, pair)]
        for difference, start in ((one, start) for one in found if one is not None for start in started[:_DRAWS]):
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


def _all_true(answer: Equality, pair: int) -> Difference | None:
    """Return values for which everything that one side alone compares with a number equals it; None if nothing is.

    A kernel that is wrong for a few values compares with them.
    """
    left, right = (_compared(answer, int(forms[pair])) for forms in (answer.left, answer.right))
    chosen = dict(left ^ right)
    return Difference(tuple(chosen), tuple(chosen.values())) if 0 < len(chosen) <= _ELEMENTS else None


def _compared(answer: Equality, form: int) -> set[tuple[Primitive, int]]:
    """Return the parts that a form compares with numbers, and these."""
    reading, found, seen = answer.reading, set[tuple[Primitive, int]](), set[int]()
    waiting = [part for part in (reading.form(form)[0],) if part is not None]
    while waiting and len(seen) < _MOST_READ:
        for atom, _ in waiting.pop().terms:
            if atom in seen:
                continue
            seen.add(atom)
            operation, x, *_ = reading.atom(atom)
            part, factor, constant = reading.form(x) if operation == ZERO else (None, 1, 0)
            if part is not None and constant % factor == 0:
                found.add((part, -constant // factor))
            waiting += reading.operands(atom)
    return found


def _at_ends(table: ExpressionTable, left: Ids, right: Ids, started: Values, low: Values, high: Values) -> Values:
    """Return draws with one element each at an end of its range, of those that only one of two nodes depends on.

    An extreme that leaves one of many elements out is seldom another one in a draw.
    """
    ends = np.stack([low, high])
    known = high < (1 << 32) - 1
    for span in table.spans:
        bits = np.array([span.low, span.high], np.float32).view(np.uint32)
        ends[:, span.first : span.end], known[span.first : span.end] = bits[:, np.newaxis], True
    alone = np.setxor1d(elements_of(table, left), elements_of(table, right))
    alone = alone[known[alone]]
    some = alone[np.unique(np.linspace(0, len(alone) - 1, _ELEMENTS).astype(np.int64))] if alone.size else alone
    which, end, start = np.meshgrid(some, np.arange(2), np.arange(min(_STARTS, len(started))), indexing="ij")
    draws = started[start.reshape(-1)]
    draws[np.arange(len(draws)), which.reshape(-1)] = ends[end.reshape(-1), which.reshape(-1)]
    return draws


def _differing(table: ExpressionTable, left: Ids, right: Ids, draws: Values) -> Iterator[Values]:
    ours, theirs = evaluate(table, left, draws), evaluate(table, right, draws)
    for draw in np.flatnonzero((ours != theirs).any(axis=1)).tolist():
        yield draws[draw]


def _brought(
    answer: Equality, difference: Difference, values: Values, low: Values, high: Values, random: np.random.Generator
) -> Values | None:
    """Change input elements until the parts of a difference have their values; None where that does not succeed.

    A part is a polynomial in which most elements occur once, so that one element changes it in proportion.
    """
    parts = [_factors(answer, part) for part in difference.parts]
    goals = [(factors, wanted) for factors, wanted in zip(parts, difference.values, strict=True) if factors is not None]
    if len(goals) < len(parts):
        return None
    for factors, wanted in goals:
        _bring(factors, wanted, values, low, high, random)
    return values if all(_value(factors, values) == wanted for factors, wanted in goals) else None


def _bring(
    factors: list[tuple[int, tuple[int, ...]]],
    wanted: int,
    values: Values,
    low: Values,
    high: Values,
    random: np.random.Generator,
) -> None:
    """Change input elements until a part has a value, or for a few rounds."""
    elements = np.unique([element for _, inner in factors for element in inner])
    for _ in range(_ROUNDS):
        for element in random.permutation(elements).tolist():
            total = _value(factors, values)
            if total == wanted:
                return
            slope = _slope(factors, values, element)
            if slope:
                change = round((wanted - total) / slope)
                values[element] = min(max(int(values[element]) + change, int(low[element])), int(high[element]))


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

"""Pitches: the distances between rows that a contract leaves to its caller.

An integer argument that a contract names as the `pitch` of rows, and in no size, says nothing about how much there is
to do, only about where it lies.  Every case is given one: tight, so that rows follow one another, one step more, a few
more, many more, and backwards where the contract allows a negative one.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping

from neonlab.assemble.contract import Argument, Contract
from neonlab.assemble.extent import Extent
from neonlab.assemble.size_expression import SizeExpression

#: Steps of the contract by which a pitch exceeds the tight one, in turn.
_SLACK = (0, 1, 3, 17)
_CHOICES = 2 * len(_SLACK)
#: Turns after which the choices repeat; several pitches meet in every combination on the way.
TURNS = _CHOICES**2


def pitch_arguments(contract: Contract) -> tuple[Argument, ...]:
    """The integer arguments that are pitches and nothing else, innermost first."""
    depths: dict[str, int] = {}
    for extent in _extents(contract):
        for depth, pitch in enumerate(reversed(extent.pitches)):
            for name in pitch.names:
                depths[name] = max(depth, depths.get(name, 0))
    sizes = _names(size for extent in _extents(contract) for size in (extent.size, *extent.rows))
    sizes |= _names(argument.rows.count for argument in contract.pointers if argument.rows is not None)
    found = [argument for argument in contract.integers if argument.name in depths and argument.name not in sizes]
    return tuple(sorted(found, key=lambda argument: depths[argument.name]))


def plain_numbers(contract: Contract) -> tuple[Argument, ...]:
    """The integer arguments that neither a size nor a pitch depends on: a zero point, a shift."""
    return tuple(argument for argument in contract.integers if argument.name not in contract.sized)


def with_pitches(contract: Contract, values: Mapping[str, int], turn: int) -> dict[str, int] | None:
    """`values` with those pitches that they lack, chosen by `turn`; None where the contract's range holds none."""
    complete = dict(values)
    for number, argument in enumerate(pitch_arguments(contract)):
        if argument.name not in complete:
            pitch = _pitch(contract, argument, complete, turn + number * (1 + turn // _CHOICES))
            if pitch is None:
                return None
            complete[argument.name] = pitch
    return complete


def _pitch(contract: Contract, argument: Argument, values: Mapping[str, int], turn: int) -> int | None:
    low, high = (int(end) for end in argument.value_range or (0, 0))
    first = low + -(-max(0, -low) // argument.step) * argument.step
    forwards = range(first, high + 1, argument.step)
    backwards = range(first - argument.step, low - 1, -argument.step)
    if forwards and forwards[0] == 0:
        forwards = forwards[1:] or forwards
    others = {other.name: 1 for other in pitch_arguments(contract) if other.name not in values}

    def fits(pitch: int) -> bool:
        return all(
            _fits(extent, {**others, **values, argument.name: pitch}, argument.name) for extent in _extents(contract)
        )

    slack = _SLACK[turn % len(_SLACK)]
    sides = [backwards, forwards] if turn // len(_SLACK) % 2 else [forwards, backwards]
    return next((pitch for side in sides if (pitch := _beyond(side, fits, slack)) is not None), None)


def _beyond(side: range, fits: Callable[[int], bool], slack: int) -> int | None:
    """The first of `side` that fits, or as many after it as `slack` says and there are."""
    tight = bisect.bisect_left(side, True, key=fits)
    return side[min(tight + slack, len(side) - 1)] if tight < len(side) else None


def _fits(extent: Extent, values: Mapping[str, int], name: str) -> bool:
    """Whether the rows that are `name` apart do not share bytes."""
    inner = extent.size.evaluate(values)
    for rows, pitch in zip(reversed(extent.rows), reversed(extent.pitches), strict=True):
        distance = abs(pitch.evaluate(values))
        if name in pitch.names:
            return distance >= inner
        inner += max(0, rows.evaluate(values) - 1) * distance
    return True


def _extents(contract: Contract) -> list[Extent]:
    return [extent for a in contract.pointers for extent in (a.read, a.write) if extent is not None]


def _names(expressions: Iterable[SizeExpression]) -> frozenset[str]:
    return frozenset(name for expression in expressions for name in expression.names)

"""Choose pitches: the distances between rows that a contract leaves to its caller.

An integer argument that a contract names as the `pitch` of rows, and in no size, changes only where data lies, not how
much of it there is.  Every case gets one: tight, so that rows follow one another, one step more, a few more, many more,
and backwards where the contract allows a negative one.  Where there are few rows, one in four is wider than 16 bits
hold, and of two rows half of those wider than 20.  Other data than random also have pitches wider than 24 bits hold.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Mapping, Sequence

from neonlab.contract.extent import Extent
from neonlab.contract.header import Argument, Contract
from neonlab.contract.size_expression import SizeExpression

#: Steps of the contract's range by which a pitch exceeds the tight one, in turn.
_SLACK = (0, 1, 3, 17)
_CHOICES = 2 * len(_SLACK)
#: Wide pitches in bytes, each with the most bytes of a buffer that has it; which choice among how many is wide: none at
#: which all pitches are tight.
_WIDE = (((1 << 16) + 64, 1 << 18), ((1 << 20) + 64, 5 << 18), ((1 << 24) + 64, 65 << 18))
_IS_WIDE, _OF = 1, 4
#: Turns after which the choices repeat; several pitches meet in every combination on the way.
TURNS = _CHOICES**2
#: From this turn on, they repeat with the widest pitch too.  Proofs follow each byte of a buffer, so they do without.
WIDEST = TURNS


def plain_numbers(contract: Contract) -> tuple[Argument, ...]:
    """Return the integer arguments that no size and no pitch depends on, such as a zero point or a shift."""
    return tuple(argument for argument in contract.integers if argument.name not in contract.sized)


def with_pitches(contract: Contract, values: Mapping[str, int], turn: int) -> dict[str, int] | None:
    """Return `values` with the missing pitches, chosen by `turn`; None where the contract's range holds none."""
    complete = dict(values)
    widths = len(_WIDE) if turn >= WIDEST else len(_WIDE) - 1
    turn %= TURNS
    for number, argument in enumerate(contract.pitches):
        if argument.name not in complete:
            pitch = _pitch(contract, argument, complete, turn + number * (1 + turn // _CHOICES), widths)
            if pitch is None:
                return None
            complete[argument.name] = pitch
    return complete


def _pitch(contract: Contract, argument: Argument, values: Mapping[str, int], turn: int, widths: int) -> int | None:
    """Return a pitch of rows; it is kept for other values that it does not depend on, of which planning tries many."""
    known = contract.kept.setdefault(("pitch", argument.name), {})
    extents = known.get("extents")
    if extents is None:
        extents = [extent for extent in contract.extents if any(argument.name in one.names for one in extent.pitches)]
        known["extents"] = extents
        known["names"] = tuple(sorted(frozenset().union(*(extent.names for extent in extents))))
    names = known["names"]
    wide = 1 + turn % widths if turn // _CHOICES % _OF == _IS_WIDE else 0
    key = (turn % _CHOICES, wide, *[values.get(name) for name in names])
    if key not in known:
        known[key] = _chosen(contract, argument, extents, values, turn, wide)
    found: int | None = known[key]
    return found


def _chosen(
    contract: Contract, argument: Argument, extents: Sequence[Extent], values: Mapping[str, int], turn: int, wide: int
) -> int | None:
    """Return a pitch of the rows of `extents`, which depend on it."""
    low, high = (int(end) for end in argument.value_range or (0, 0))
    first = low + -(-max(0, -low) // argument.step) * argument.step
    forwards = range(first, high + 1, argument.step)
    backwards = range(first - argument.step, low - 1, -argument.step)
    if forwards and forwards[0] == 0:
        forwards = forwards[1:] or forwards
    others = {other.name: 1 for other in contract.pitches if other.name not in values}
    known = {**others, **values}
    apart = [found for extent in extents if (found := _apart(extent, known, argument.name)) is not None]

    def fits(pitch: int) -> bool:
        known[argument.name] = pitch
        return all(abs(distance.evaluate(known)) >= inner for distance, inner in apart)

    slack = _SLACK[turn % len(_SLACK)]
    sides = [backwards, forwards] if turn // len(_SLACK) % 2 else [forwards, backwards]
    likely = max((inner for _, inner in apart), default=0)
    near = next((pitch for side in sides if (pitch := _beyond(side, fits, slack, likely)) is not None), None)
    return _widened(contract, known, argument, near, _WIDE[wide - 1 :: -1]) if wide and near is not None else near


def _widened(
    contract: Contract, values: dict[str, int], argument: Argument, pitch: int, widths: Sequence[tuple[int, int]]
) -> int:
    """Return a pitch of the same sign that is wider than `pitch`, as far as buffers stay small; else `pitch` itself."""
    low, high = (int(end) for end in argument.value_range or (0, 0))
    extents = [extent for extent in contract.extents if argument.name in extent.names]
    for least, most_bytes in widths:
        steps = -(-(least - abs(pitch)) // argument.step)
        most = (high - pitch if pitch > 0 else pitch - low) // argument.step
        if min(steps, most) <= 0:
            continue
        wider = pitch + min(steps, most) * (argument.step if pitch > 0 else -argument.step)
        values[argument.name] = wider
        if all(top - bottom <= most_bytes for bottom, top in (extent.ends(values) for extent in extents)):
            return wider
    return pitch


def _beyond(side: range, fits: Callable[[int], bool], slack: int, likely: int) -> int | None:
    """Return the first of `side` that fits, or the one `slack` steps further, at most the last; None if none fits.

    The first that fits is often `likely`, or its negative, so that is tried before a binary search.
    """
    tight = -((side.start - (likely if side.step > 0 else -likely)) // side.step)
    if not (0 <= tight < len(side) and fits(side[tight]) and not (tight and fits(side[tight - 1]))):
        end = 1
        while end < len(side) and not fits(side[end - 1]):
            end *= 2
        tight = bisect.bisect_left(side, True, end // 2, min(end, len(side)), key=fits)
    return side[min(tight + slack, len(side) - 1)] if tight < len(side) else None


def _apart(extent: Extent, values: Mapping[str, int], name: str) -> tuple[SizeExpression, int] | None:
    """Return the pitch of the rows that are `name` apart, and its least bytes without overlap; None if no rows are."""
    inner = extent.size.evaluate(values)
    for rows, pitch in zip(reversed(extent.rows), reversed(extent.pitches), strict=True):
        if name in pitch.names:
            return pitch, inner
        inner += max(0, rows.evaluate(values) - 1) * abs(pitch.evaluate(values))
    return None

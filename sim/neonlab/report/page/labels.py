"""Place the numbers of points and lines in a chart so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LETTER, _HEIGHT = 6.5, 11.0  # pixels
#: Places to try beside a point, as (1 right or -1 left of it, pixels up), the nearest first.
_AROUND = tuple((side, up * _HEIGHT / 2) for up in (0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6) for side in (1, -1))
_AWAY = 7.0  # pixels from the middle of a point


@dataclass(frozen=True, slots=True)
class Label:
    """A text that starts at `x` on the base line `y`."""

    x: float
    y: float
    text: str


def beside_points(points: Sequence[tuple[float, float]], texts: Sequence[str]) -> list[Label]:
    """Return a label beside each point, the first ones nearest; labels overlap only if there is no room."""
    boxes = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    found = []
    for (x, y), text in zip(points, texts, strict=True):
        tried = [_box(x, y, text, side, up) for side, up in _AROUND]
        chosen = next((box for box in tried if not any(_meet(box, other) for other in boxes)), tried[0])
        boxes.append(chosen)
        found.append(Label(chosen[0], chosen[3] - 2, text))
    return found


def _box(x: float, y: float, text: str, side: int, up: float) -> tuple[float, float, float, float]:
    width = _LETTER * len(text)
    left = x + _AWAY if side > 0 else x - _AWAY - width
    return left, y - up - _HEIGHT / 2, left + width, y - up + _HEIGHT / 2


def _meet(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def below_one_another(
    x: float, wanted: Sequence[float], texts: Sequence[str], top: float, bottom: float
) -> list[Label]:
    """Return a label at `x` for each wanted height, as near to it as the others allow, between `top` and `bottom`."""
    order = sorted(range(len(wanted)), key=lambda at: (wanted[at], at))
    apart = min(_HEIGHT, (bottom - top) / max(1, len(wanted) - 1))
    places: list[float] = []
    for at in order:
        places.append(max(wanted[at], places[-1] + apart) if places else max(wanted[at], top))
    limit = bottom
    for number in reversed(range(len(places))):
        places[number] = min(places[number], limit)
        limit = places[number] - apart
    found = {at: Label(x, place + 4, texts[at]) for at, place in zip(order, places, strict=True)}
    return [found[at] for at in range(len(wanted))]

"""Compute the points of the two charts, which templates draw: a roofline, and cycles over layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log2, log10

from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.profile import Profile
from neonlab.report.page.gather import CurvePoint
from neonlab.report.page.labels import Label, below_one_another, beside_points

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 34, 14, 52


@dataclass(frozen=True, slots=True)
class Mark:
    """A point in pixels, with the figures that it stands for."""

    x: float
    y: float
    title: str
    note: str
    own: bool
    label: Label | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of an axis in pixels, with its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One variant over layers: SVG polyline points, and the marks on it."""

    title: str
    points: str
    marks: tuple[Mark, ...]
    own: bool
    label: Label


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart in pixels of `WIDTH` by `HEIGHT`; `roof` is SVG polyline points."""

    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    x_label: str
    y_label: str
    marks: tuple[Mark, ...] = ()
    curves: tuple[Curve, ...] = ()
    roof: str = ""
    roof_note: str = ""


def intensity(profile: Profile, core: ModelledCore) -> float:
    """Return MACs per byte fetched from beyond the first level."""
    assert profile.caches is not None
    return profile.macs / (core.chip.memory.l1d.line * max(1, profile.caches.events["L1D_CACHE_REFILL"]))


def roofline(variants: Mapping[str, Profile], own: str, core: ModelledCore, numbers: Mapping[str, int]) -> Chart | None:
    """Return MACs per cycle against MACs per byte fetched from beyond the first level; None if there are no points.

    Points carry the `numbers` of their variants; a variant without declared MACs has none.  The roof is the core's
    peak, and the maximum rate of its second level: a line every `l2_interval` cycles.
    """
    memory = core.chip.memory
    line, interval = memory.l1d.line, memory.latency.l2_interval
    points = []
    for title, profile in variants.items():
        if not profile.macs or profile.cycles is None or profile.caches is None:
            continue
        points.append((title, intensity(profile, core), profile.macs_per_cycle, profile.cycles.peak))
    if not points:
        return None
    peak = max(point[3] for point in points)
    slope = line / interval
    ridge = peak / slope
    low_x, high_x = _powers([x for _, x, _, _ in points] + [ridge / 2, ridge * 2])
    low_y, high_y = _powers([y for _, _, y, _ in points] + [peak])
    points.sort(key=lambda point: (point[0] != own, point[0]))
    places = [(_x(x, low_x, high_x), _y(y, low_y, high_y)) for _, x, y, _ in points]
    labels = beside_points(places, [str(numbers[title]) for title, *_ in points])
    marks = tuple(
        Mark(*place, title, f"{y:.2f} MACs per cycle, {x:.3g} MACs a byte fetched", title == own, label)
        for (title, x, y, _), place, label in zip(points, places, labels, strict=True)
    )
    start = max(2.0**low_x, 2.0**low_y / slope)
    corners = [(start, start * slope), (ridge, peak), (2.0**high_x, peak)]
    roof = " ".join(f"{_x(x, low_x, high_x):.1f},{_y(y, low_y, high_y):.1f}" for x, y in corners)
    return Chart(
        x_ticks=tuple(Tick(_x(2.0**e, low_x, high_x), _short(2.0**e)) for e in range(low_x, high_x + 1)),
        y_ticks=tuple(Tick(_y(2.0**e, low_y, high_y), _short(2.0**e)) for e in range(low_y, high_y + 1)),
        x_label="MACs for each byte fetched from beyond L1D (log scale)",
        y_label="MACs per cycle",
        marks=marks,
        roof=roof,
        roof_note=f"peak {peak:g} MACs per cycle; {line} bytes every {interval} cycles from L2",
    )


def cycles_over_layers(
    curves: Mapping[str, Sequence[CurvePoint]], own: str, numbers: Mapping[str, int]
) -> Chart | None:
    """Return MACs per cycle (or cycles, without MACs) of each variant by layer; None for fewer than two layers.

    Lines carry the `numbers` of their variants.  Layers are spaced evenly in order of work, since sizes differ by
    orders of magnitude and readers look for a layer.
    """
    shapes = {point.shape: point for points in curves.values() for point in points}
    order = sorted(shapes, key=lambda shape: (shapes[shape].work, str(shape)))
    if len(order) < 2:
        return None
    values = {title: [(point.shape, _height(point)) for point in points] for title, points in curves.items()}
    top = max(value for points in values.values() for _, value in points)
    step = _round_step(top / 4)
    highest = step * ceil(top / step)
    across = (WIDTH - LEFT - RIGHT) / (len(order) - 1)
    place = {shape: LEFT + across * at for at, shape in enumerate(order)}

    def up(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest

    titles = sorted(values, key=lambda title: (title == own, title))
    ends = [up(values[title][-1][1]) for title in titles]
    labels = below_one_another(WIDTH - RIGHT + 8, ends, [str(numbers[title]) for title in titles], TOP, HEIGHT - BOTTOM)
    drawn = []
    for title, label in zip(titles, labels, strict=True):
        points = values[title]
        marks = tuple(
            Mark(place[shape], up(value), title, f"{shape}: {_figure(value, point.macs)}", title == own)
            for (shape, value), point in zip(points, curves[title], strict=True)
        )
        drawn.append(Curve(title, " ".join(f"{mark.x:.1f},{mark.y:.1f}" for mark in marks), marks, title == own, label))
    return Chart(
        x_ticks=tuple(Tick(place[shape], str(shape)) for shape in order),
        y_ticks=tuple(Tick(up(step * at), _decimal(step * at)) for at in range(round(highest / step) + 1)),
        x_label="layer, from least work to most",
        y_label="MACs per cycle" if any(point.macs for point in shapes.values()) else "cycles",
        curves=tuple(drawn),
    )


def _round_step(about: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is not above `about`."""
    if about <= 0:
        return 1.0
    power = 10.0 ** floor(log10(about))
    return next(digit * power for digit in (5, 2, 1) if digit * power <= about or digit == 1)


def _height(point: CurvePoint) -> float:
    return point.macs / point.cycles if point.macs and point.cycles else float(point.cycles)


def _figure(value: float, macs: int) -> str:
    return f"{value:.2f} MACs per cycle" if macs else f"{value:,.0f} cycles"


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """Return the exponents of two powers of two that enclose the values."""
    low, high = floor(log2(min(values))), ceil(log2(max(values)))
    return low, max(high, low + 1)


def _x(value: float, low: int, high: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (log2(value) - low) / (high - low)


def _y(value: float, low: int, high: int) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (log2(value) - low) / (high - low)


def _short(value: float) -> str:
    return f"1/{round(1 / value)}" if 0 < value < 1 else _decimal(value)


def _decimal(value: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"

"""Write the figures of instruction forms for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.form_table.asked import AskedForm
from neonlab.measure.form_table.figures import FormFigures, figures_of

_WIDTH = 80
_LEAST = 24  # columns for how it is known


def form_rows(asked: Sequence[AskedForm], cores: Sequence[ModelledCore]) -> list[tuple[AskedForm, list[FormFigures]]]:
    """Return the figures of each form on each core, in the order asked."""
    return [(one, [figures_of(one.form, core, one.instruction) for core in cores]) for one in asked]


def form_lines(rows: Sequence[tuple[AskedForm, Sequence[FormFigures]]]) -> Iterator[str]:
    """Yield a table for each form, 80 columns wide, then the sources by number."""
    numbers: dict[str, int] = {}
    for asked, figures in rows:
        yield asked.form if not asked.text else f"{asked.form}   {asked.text}"
        able = [one for one in figures if not one.refusal]
        ports = max((len(one.ports) for one in able), default=5)
        if able:
            yield f"  {'core':<12}{'latency':>8}{'addr.':>6}{'acc.':>6}{'rate':>6}  {'ports':<{ports}}  known as"
        for one in able:
            number = numbers.setdefault(one.source, len(numbers) + 1)
            yield from _row(one, f"{one.known} [{number}]", ports)
        refused = "; ".join(one.refusal for one in figures if one.refusal)
        yield from textwrap.wrap(refused, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        yield ""
    yield from textwrap.wrap(
        "latency: cycles to a dependent instruction of the kind; addr.: to an address, where longer; acc.: to one that "
        "accumulates into the result. rate: instructions a cycle. ports: A/B is either, A B is both, A×2 is for 2 "
        "cycles.",
        _WIDTH,
    )
    for source, number in numbers.items():
        yield from textwrap.wrap(f"[{number}] {source}", _WIDTH, subsequent_indent="    ")


def _row(one: FormFigures, known: str, ports: int) -> Iterator[str]:
    cycles = "".join(
        f"{'' if cycles is None else format(cycles, '.4g'):>{width}}"
        for cycles, width in ((one.latency, 8), (one.to_address, 6), (one.accumulator, 6), (one.rate, 6))
    )
    start = f"  {one.core:<12}{cycles}  {one.ports:<{ports}}  "
    if len(start) + _LEAST > _WIDTH:
        yield start.rstrip()
        start = " " * (_WIDTH - 2 * _LEAST)
    yield from textwrap.wrap(known, _WIDTH, initial_indent=start, subsequent_indent=" " * len(start))

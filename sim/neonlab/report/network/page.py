"""Write a run of a network as one HTML file that needs no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neonlab.contract.options import ARCHITECTURES
from neonlab.network.run.network import LayerRun, NetworkRun
from neonlab.report.band_words import band_text, basis_line
from neonlab.report.network.words import (
    band_of_run,
    difference_text,
    host_text,
    improvement_text,
    limit_of,
    milliseconds,
    near_text,
    shape_text,
    share,
    verdict_of,
)
from neonlab.report.page.environment import environment


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to compute a layer that was tried: the names of its kernels, instructions, cycles, and whether taken."""

    kernels: str
    instructions: int
    cycles: int
    taken: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A layer as the page shows it."""

    layer: LayerRun
    output: str
    verdict: str
    kernels: str
    band: str
    ms: str
    share: float
    limit: str
    difference: str
    ways: tuple[_Way, ...]


def network_page(run: NetworkRun, mhz: float | None, notes: Sequence[str], against: Sequence[str] = ()) -> str:
    """Return the whole page; `notes` say what the passes did, `against` are the lines on an earlier run."""
    band, best = band_of_run(run), run.improvement()
    cycles = run.cost.cycles
    template = environment().get_template("network.html.j2")
    return template.render(
        run=run,
        isa=ARCHITECTURES[run.isa],
        band=band_text(band, cycles) if band is not None and cycles else "",
        basis=basis_line(run.core.name) if run.core is not None else "",
        ms=f"{milliseconds(cycles, mhz):.3f}" if mhz is not None else "",
        mhz=f"{mhz:g}" if mhz is not None else "",
        improvement=improvement_text(run, best) if best is not None else "",
        host=host_text(run),
        near=near_text(run),
        notes=notes,
        against=against,
        rows=list(_rows(run, mhz)),
        kernels=[(title, cost, cost.cycles / cycles if cycles else 0.0) for title, cost in run.by_kernel().items()],
    )


def _rows(run: NetworkRun, mhz: float | None) -> Iterator[_Row]:
    band = band_of_run(run)
    for layer in run.layers:
        cycles = layer.cost.cycles
        yield _Row(
            layer,
            shape_text(layer.shape),
            verdict_of(layer),
            _names(layer.kernels),
            band_text(band, cycles) if band is not None and cycles else "",
            f"{milliseconds(cycles, mhz):.3f}" if mhz is not None else "",
            share(run, layer),
            limit_of(layer),
            difference_text(layer.difference) if layer.difference is not None else "",
            tuple(
                _Way(_names(kernels), cost.instructions, cost.cycles, kernels == layer.kernels)
                for kernels, cost in sorted(layer.tried, key=lambda one: (one[1].cycles, one[1].instructions))
            ),
        )


def _names(titles: Sequence[str]) -> str:
    return ", ".join(title.partition("/")[2] for title in titles)

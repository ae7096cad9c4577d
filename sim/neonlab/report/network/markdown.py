"""Write a run of a network as Markdown: its sums, and a table with a row for each layer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neonlab.contract.options import ARCHITECTURES
from neonlab.network.run.network import NetworkRun
from neonlab.report.band_words import band_text, basis_line
from neonlab.report.cells import markdown_row
from neonlab.report.network.words import (
    band_of_run,
    compared_text,
    difference_text,
    host_text,
    improvement_text,
    layers_text,
    limit_of,
    milliseconds,
    near_text,
    shape_text,
    share,
    verdict_of,
)


def network_markdown(run: NetworkRun, mhz: float | None, notes: Sequence[str]) -> str:
    """Return the text of the page; `notes` say what the passes did."""
    core = f" on {run.core.name}" if run.core is not None else ""
    lines = [
        f"# {run.graph.name}: {ARCHITECTURES[run.isa]}{core}",
        "",
        *_sums(run, mhz),
        *(f"- Pass: {note}." for note in notes),
        "",
        *_table(run, mhz),
    ]
    return "\n".join((*lines, "", *_kernels(run))) + "\n"


def _sums(run: NetworkRun, mhz: float | None) -> Iterator[str]:
    cost = run.cost
    yield f"- {layers_text(run)}, {run.macs:,} MACs."
    yield f"- {compared_text(run)}."
    yield f"- {cost.instructions:,} instructions; {cost.loaded:,} bytes loaded, {cost.stored:,} stored."
    if run.core is not None:
        at = f", {milliseconds(cost.cycles, mhz):.3f} ms at {mhz:g} MHz" if mhz is not None else ""
        yield f"- {cost.cycles:,} cycles{at}, the estimate of a model; {basis_line(run.core.name)}."
        band = band_of_run(run)
        if band is not None:
            yield f"- 80 % band: {band_text(band, cost.cycles)} cycles."
    yield f"- {run.peak.activations:,} bytes of activations at most, in `{run.peak.node}`."
    yield f"- {run.peak.constants:,} bytes of weights and other constants."
    if host := host_text(run):
        yield f"- {host}."
    if near := near_text(run):
        yield f"- {near}."
    improvement = run.improvement()
    if improvement is not None:
        yield f"- {improvement_text(run, improvement)}."


def _table(run: NetworkRun, mhz: float | None) -> Iterator[str]:
    band = band_of_run(run)
    heads = ["layer", "output", "MACs", "kernels", "result", "instructions", "bytes", "cycles", "80 % band"]
    heads += ["ms"] if mhz is not None else []
    heads += ["share", "limited by"]
    texts = ("layer", "output", "kernels", "result", "80 % band", "limited by")
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "|".join("---" if head in texts else "---:" for head in heads) + "|"
    for layer in run.layers:
        cost = layer.cost
        kernels = ", ".join(f"`{title.partition('/')[2]}`" for title in layer.kernels)
        result = verdict_of(layer) if layer.difference is None else difference_text(layer.difference)
        cells = [layer.node.name, shape_text(layer.shape), f"{layer.macs:,}", kernels, result]
        cells += [f"{cost.instructions:,}", f"{cost.loaded + cost.stored:,}", f"{cost.cycles:,}"]
        cells += [band_text(band, cost.cycles) if band is not None and cost.cycles else ""]
        cells += [f"{milliseconds(cost.cycles, mhz):.3f}"] if mhz is not None else []
        cells += [f"{share(run, layer):.1%}", limit_of(layer)]
        yield markdown_row(cells)


def _kernels(run: NetworkRun) -> Iterator[str]:
    yield "| kernel | instructions | cycles | share |"
    yield "|---|---:|---:|---:|"
    for title, cost in run.by_kernel().items():
        part = cost.cycles / run.cost.cycles if run.cost.cycles else 0.0
        yield f"| `{title}` | {cost.instructions:,} | {cost.cycles:,} | {part:.1%} |"

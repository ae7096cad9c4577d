"""Print a run of a network to a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from neonlab.contract.options import ARCHITECTURES
from neonlab.network.run.network import LayerRun, NetworkRun
from neonlab.report.band_words import band_text, basis_line
from neonlab.report.cells import end_of
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

_KERNELS = 5


def print_network(out: Console, run: NetworkRun, mhz: float | None, notes: Sequence[str]) -> None:
    """Print what the passes did (`notes`), each layer with its kernels, the sums, and what to improve first."""
    for line in (*_head(run), *(f"  {note}" for note in notes), "", *_layers(run, mhz), "", *_sums(run, mhz)):
        out.print(line, markup=False, highlight=False)


def _head(run: NetworkRun) -> Iterator[str]:
    core = f" on {run.core.name}" if run.core is not None else ""
    many = f", {run.inferences} inferences" if run.inferences > 1 else ""
    yield f"{run.graph.name}: {layers_text(run)}, {run.macs:,} MACs, {ARCHITECTURES[run.isa]}{core}{many}"


def _layers(run: NetworkRun, mhz: float | None) -> Iterator[str]:
    time = "ms" if mhz is not None else ""
    yield f"{'layer':<24} {'output':<13} {'instr.':>9} {'bytes':>9} {'cycles':>9} {time:>6}  share"
    for layer in run.layers:
        if layer.way == "view":
            continue
        name = end_of(layer.node.name, 24)
        cost = layer.cost
        ms = f"{milliseconds(cost.cycles, mhz):.3f}" if mhz is not None else ""
        figures = f"{cost.instructions:>9,} {cost.loaded + cost.stored:>9,} {cost.cycles:>9,} {ms:>6}"
        yield f"{name:<24} {shape_text(layer.shape):<13} {figures} {share(run, layer):>6.1%}"
        yield from _below(layer)


def _below(layer: LayerRun) -> Iterator[str]:
    kernels = ", ".join(title.partition("/")[2] for title in layer.kernels)
    limit = limit_of(layer)
    more = f"; {limit}" if limit else ""
    yield f"  {verdict_of(layer)}" + (f": {kernels}{more}" if kernels else "")
    if layer.moved:
        yield f"  the host gathers {layer.moved:,} bytes"
    if layer.difference is not None:
        yield f"  {difference_text(layer.difference)}"


def _sums(run: NetworkRun, mhz: float | None) -> Iterator[str]:
    cost, views = run.cost, sum(layer.way == "view" for layer in run.layers)
    yield compared_text(run)
    yield f"instructions  {cost.instructions:,}; bytes loaded {cost.loaded:,}, stored {cost.stored:,}"
    if run.core is not None:
        yield f"cycles        {cost.cycles:,} (estimate of a model; {basis_line(run.core.name)})"
        band = band_of_run(run)
        if band is not None:
            low, high = band.around(cost.cycles)
            times = f", {milliseconds(low, mhz):.3g}–{milliseconds(high, mhz):.3g} ms" if mhz is not None else ""
            yield f"80 % band     {band_text(band, cost.cycles)}{times}"
        if mhz is not None:
            yield f"milliseconds  {milliseconds(cost.cycles, mhz):.3f} at {mhz:g} MHz"
    yield f"memory        {run.peak.activations:,} bytes of activations at most, in {run.peak.node}"
    yield f"              {run.peak.constants:,} bytes of weights and other constants"
    if views:
        yield f"{views} layers are views of other tensors, and cost nothing"
    if host := host_text(run):
        yield host
    if near := near_text(run):
        yield near
    for title, found in list(run.by_kernel().items())[:_KERNELS]:
        part = found.cycles / cost.cycles if cost.cycles else 0.0
        yield f"  {part:>6.1%}  {title}"
    improvement = run.improvement()
    if improvement is not None:
        yield improvement_text(run, improvement)

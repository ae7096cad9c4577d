"""Say what a run of a network found, in the words that terminal, Markdown and JSON share."""

from __future__ import annotations

from neonlab.measure.cores.bands import Band, band_of
from neonlab.network.run.network import Difference, Improvement, LayerRun, NetworkRun

#: Who computes a model in its own format.
_FRAMEWORKS = {"onnx": "ONNX Runtime", "tflite": "LiteRT", "ncnn": "ncnn"}
#: Bounds of the model, as a reader calls them.
_LIMITS = {"ports": "ports", "dispatch": "issue width", "dependencies": "dependences", "memory": "memory"}


def band_of_run(run: NetworkRun) -> Band | None:
    """Return the band of the core's estimates; None without a core, and where none is recorded."""
    return None if run.core is None else band_of(run.core.name)


def milliseconds(cycles: float, mhz: float) -> float:
    """Return the time of cycles at a clock."""
    return cycles / mhz / 1000


def layers_text(run: NetworkRun) -> str:
    """Return how many layers a network has: `1 layer`, `12 layers`."""
    return f"{len(run.layers)} layer{'' if len(run.layers) == 1 else 's'}"


def share(run: NetworkRun, layer: LayerRun) -> float:
    """Return a layer's share of the cycles, or without a core of the instructions."""
    if run.core is not None:
        return layer.cost.cycles / run.cost.cycles if run.cost.cycles else 0.0
    return layer.cost.instructions / run.cost.instructions if run.cost.instructions else 0.0


def verdict_of(layer: LayerRun) -> str:
    """Return `exact`, `near`, `WRONG`, or what computed the layer where no kernel did.

    `near` and `host floats` are the reference's own values, which may differ a little from the framework's.
    """
    if layer.way != "kernels":
        return "host floats" if layer.way == "host" and layer.near else layer.way
    if layer.difference is not None:
        return "WRONG"
    return "near" if layer.near else "exact"


def difference_text(found: Difference) -> str:
    """Return where a tensor first differs."""
    where = "x".join(map(str, found.index))
    return (
        f"{found.wrong:,} of {found.total:,} values differ, first at {where} of inference {found.inference + 1}: "
        f"{found.got}, wanted {found.expected}"
    )


def limit_of(layer: LayerRun) -> str:
    """Return what limits most of the layer's cycles; empty where nothing is known."""
    limits = layer.cost.limits
    return _LIMITS[max(limits, key=lambda name: (limits[name], name))] if limits else ""


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape as text: `1x14x14x64`."""
    return "x".join(map(str, shape)) or "1"


def improvement_text(run: NetworkRun, found: Improvement) -> str:
    """Return which kernel to improve first, and what that would bring."""
    total = run.cost.cycles
    saved = total - found.cycles + found.least
    least = "its multiplies and its memory alone need" if found.by_multiplies else "its instructions need at least"
    return (
        f"Improve {found.kernel} first: it takes {found.cycles:,} cycles, {found.cycles / total:.0%} of all; "
        f"{least} {found.least:,.0f}, with which the network would take {saved:,.0f} (−{1 - saved / total:.0%})"
    )


def compared_text(run: NetworkRun) -> str:
    """Return how many values of kernels were compared, and how many of them are wrong."""
    if not run.values:
        floats = not any(tensor.dtype in ("int8", "uint8") for tensor in run.graph.tensors.values())
        advice = "; `neonlab quantize` makes 8-bit layers of floats" if floats else ""
        return f"No layer runs on a kernel, so nothing was compared{advice}"
    framework = _FRAMEWORKS[run.graph.format]
    equal = "all exact" if not run.near else f"all equal, of which {run.near:,} are near {framework}'s"
    found = equal if not run.wrong else f"{run.wrong:,} WRONG"
    return f"{run.values:,} values of kernels compared with neonlab.int8: {found}"


def near_text(run: NetworkRun) -> str:
    """Return which layers the framework may round in another way; empty if there are none."""
    counts = [(word, sum(verdict_of(layer) == word for layer in run.layers)) for word in ("near", "host floats")]
    told = " and ".join(f"{number} {word}" for word, number in counts if number)
    if not told:
        return ""
    return (
        f"Layers that are {told}: {_FRAMEWORKS[run.graph.format]} adds floats up in an order of its own, "
        "so a float may differ in the last place, and an 8-bit value beside a midpoint by 1"
    )


def host_text(run: NetworkRun) -> str:
    """Return what this computer computes, with its share of the multiply-accumulates; empty if it computes nothing."""
    told = [layer.node.told for layer in run.layers if layer.way == "host"]
    if not told:
        return ""
    counted = ", ".join(f"{told.count(name)} {name}" for name in dict.fromkeys(told))
    part = f"{run.host_macs / run.macs:.1%}" if run.macs else "none"
    return f"No kernel computes {counted}: on this computer, {part} of the MACs, not in the sums"

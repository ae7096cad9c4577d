"""Compare a run of a network with an earlier one: another revision, another core, the other instruction set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.host.input_file import read_input
from neonlab.lab.compare.figures import Change
from neonlab.network.run.network import NetworkRun

#: Bytes of a document, at most.
_MOST_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class EarlierLayer:
    """A layer of an earlier run."""

    instructions: int
    cycles: int
    kernels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """Hold what `neonlab network --json` printed: its file, its target, and its layers by name."""

    path: str
    network: str
    isa: str
    core: str | None
    inferences: int
    layers: Mapping[str, EarlierLayer]


@dataclass(frozen=True, slots=True)
class LayerChange:
    """A layer that both runs have: its figure before and after, and whether its kernels are the same."""

    layer: str
    change: Change
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Changes from an earlier run: of cycles if both have them, else of instructions.

    `same_core` tells whether cycles come from one model; only then a difference may be within its errors of ratios.
    `changed` are the layers that differ in kernels or in the figure; `total` is of all layers of each run, and `only`
    has the layers that just one of them has.
    """

    earlier: EarlierRun
    figure: str
    same_core: bool
    total: Change
    changed: tuple[LayerChange, ...]
    only: tuple[str, ...]


def read_earlier(path: Path) -> EarlierRun:
    """Return the run in a file.  Raises InputError for a file that `neonlab network --json` did not print."""
    try:
        document = json.loads(read_input(path, _MOST_BYTES))
        if document["command"] != "network":
            raise KeyError("network")
        layers = {str(one["layer"]): _layer(one) for one in document["layers"]}
        core = document["core"]
        named = str(document["network"]), str(document["isa"]), None if core is None else str(core)
        return EarlierRun(str(path), *named, int(document["inferences"]), layers)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path}: not what `neonlab network --json` prints") from None


def _layer(held: Mapping[str, Any]) -> EarlierLayer:
    return EarlierLayer(int(held["instructions"]), int(held["cycles"]), tuple(str(one) for one in held["kernels"]))


def compare_with(run: NetworkRun, earlier: EarlierRun) -> Comparison:
    """Return the changes from the earlier run to this one.

    Raises InputError for runs of other networks, and of other numbers of inferences.
    """
    names = {layer.node.name for layer in run.layers}
    if not names & earlier.layers.keys():
        raise InputError(f"{earlier.path}: is of `{earlier.network}`, which has no layer of `{run.graph.name}`")
    if run.inferences != earlier.inferences:
        raise InputError(f"{earlier.path}: has {earlier.inferences} inferences, this run {run.inferences}")
    both = run.core is not None and earlier.core is not None
    same_core = run.core is not None and run.core.name == earlier.core
    figure = "cycles" if both else "instructions"
    # A change that names a core is held to the errors of its ratios.
    name = f"cycles {earlier.core}" if same_core else figure
    changed = []
    for layer in run.layers:
        before = earlier.layers.get(layer.node.name)
        if before is None:
            continue
        change = Change(name, getattr(before, figure), getattr(layer.cost, figure))
        if change.difference or before.kernels != layer.kernels:
            changed.append(LayerChange(layer.node.name, change, before.kernels, layer.kernels))
    total = Change(name, sum(getattr(one, figure) for one in earlier.layers.values()), getattr(run.cost, figure))
    only = tuple(sorted(names ^ earlier.layers.keys()))
    return Comparison(earlier, figure, same_core, total, tuple(changed), only)

"""Define what `neonlab network --json` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonlab.network.run.cost import Cost
from neonlab.network.run.earlier import Comparison
from neonlab.network.run.network import LayerRun, NetworkRun
from neonlab.report.json.against import AGAINST, comparison_json
from neonlab.report.json.parts import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    band_of_estimate,
    described,
    list_of,
    nullable,
    object_of,
)
from neonlab.report.json.verdict import ISA
from neonlab.report.network.words import band_of_run, milliseconds, share, verdict_of

_COST = {
    "instructions": described(INTEGER, "executed, exactly"),
    "loaded_bytes": INTEGER,
    "stored_bytes": INTEGER,
    "cycles": described(INTEGER, "an estimate of the core's model"),
    "multiply_floor": described(NUMBER, "cycles that the multiplies need at least, or the lines from memory"),
    "bound": described(NUMBER, "cycles of the largest lower bound of the model for the same instructions"),
}
#: The properties of the document.
NETWORK = {
    "network": described(STRING, "the file's name without its suffix"),
    "format": {"enum": ["tflite", "onnx", "ncnn"]},
    "isa": ISA,
    "core": described(nullable(STRING), "the core that kernels were chosen for"),
    "mhz": nullable(NUMBER),
    "inferences": INTEGER,
    "watched": described(BOOLEAN, "whether every access and register was checked"),
    "passes": described(list_of(STRING), "what each pass over the graph did"),
    "macs": INTEGER,
    "host_macs": described(INTEGER, "of layers that no kernel computes"),
    "values": described(INTEGER, "that kernels computed, all of them compared with the reference"),
    "wrong": described(INTEGER, "of these values"),
    "near": described(INTEGER, "of these values, in layers that the framework adds up as floats"),
    **_COST,
    "band": described(nullable(band_of_estimate(INTEGER)), "the range of 80 % of measured functions around the cycles"),
    "milliseconds": described(nullable(NUMBER), "of the cycles at --mhz"),
    "peak_activation_bytes": described(INTEGER, "most bytes of activations and states at one time"),
    "peak_layer": described(STRING, "while this layer runs"),
    "constant_bytes": INTEGER,
    "improve_first": described(
        nullable(
            object_of(
                kernel=STRING,
                cycles=INTEGER,
                least=described(NUMBER, "cycles that it needs at least"),
                by_multiplies=described(BOOLEAN, "whether that is the floor of its multiplies"),
            )
        ),
        "the kernel by which most could be gained",
    ),
    "against": described(AGAINST, "changes from the run of --against"),
    "layers": list_of(
        object_of(
            layer=STRING,
            operator=described(STRING, "in the file"),
            output=list_of(INTEGER),
            macs=INTEGER,
            way=described({"enum": ["kernels", "host", "view"]}, "what computed it; a view costs nothing"),
            result=described(
                {"enum": ["exact", "near", "WRONG", "host", "host floats", "view"]},
                "of near and host floats the framework may round a value in another way than the reference",
            ),
            kernels=list_of(STRING),
            moved_bytes=described(INTEGER, "that the host copied between the kernels"),
            difference=nullable(
                object_of(
                    inference=described(INTEGER, "from 0"),
                    index=list_of(INTEGER),
                    got=STRING,
                    expected=STRING,
                    wrong=INTEGER,
                    total=INTEGER,
                )
            ),
            share=described(NUMBER, "of the network's cycles"),
            milliseconds=nullable(NUMBER),
            tried=described(
                list_of(object_of(kernels=list_of(STRING), instructions=INTEGER, cycles=INTEGER)),
                "every way that there was",
            ),
            **_COST,
        )
    ),
}


def network_json(
    run: NetworkRun, mhz: float | None, notes: Sequence[str], against: Comparison | None = None
) -> dict[str, Any]:
    """Return the properties of the document; `notes` say what the passes did, `against` how an earlier run differs."""
    band, best = band_of_run(run), run.improvement()
    return {
        "network": run.graph.name,
        "format": run.graph.format,
        "isa": run.isa.value,
        "core": None if run.core is None else run.core.name,
        "mhz": mhz,
        "inferences": run.inferences,
        "watched": run.watched,
        "passes": list(notes),
        "macs": run.macs,
        "host_macs": run.host_macs,
        "values": run.values,
        "wrong": run.wrong,
        "near": run.near,
        **_cost_json(run.cost),
        "band": None if band is None else band.to_json(run.cost.cycles),
        "milliseconds": None if mhz is None else round(milliseconds(run.cost.cycles, mhz), 6),
        "peak_activation_bytes": run.peak.activations,
        "peak_layer": run.peak.node,
        "constant_bytes": run.peak.constants,
        "improve_first": None
        if best is None
        else {
            "kernel": best.kernel,
            "cycles": best.cycles,
            "least": round(best.least, 2),
            "by_multiplies": best.by_multiplies,
        },
        "against": comparison_json(against),
        "layers": [_layer_json(run, layer, mhz) for layer in run.layers],
    }


def _cost_json(cost: Cost) -> dict[str, Any]:
    return {
        "instructions": cost.instructions,
        "loaded_bytes": cost.loaded,
        "stored_bytes": cost.stored,
        "cycles": cost.cycles,
        "multiply_floor": round(cost.floor, 2),
        "bound": round(cost.bound, 2),
    }


def _layer_json(run: NetworkRun, layer: LayerRun, mhz: float | None) -> dict[str, Any]:
    found = layer.difference
    return {
        "layer": layer.node.name,
        "operator": layer.node.told,
        "output": list(layer.shape),
        "macs": layer.macs,
        "way": layer.way,
        "result": verdict_of(layer),
        "kernels": list(layer.kernels),
        "moved_bytes": layer.moved,
        "difference": None
        if found is None
        else {
            "inference": found.inference,
            "index": list(found.index),
            "got": found.got,
            "expected": found.expected,
            "wrong": found.wrong,
            "total": found.total,
        },
        "share": round(share(run, layer), 6),
        "milliseconds": None if mhz is None else round(milliseconds(layer.cost.cycles, mhz), 6),
        "tried": [
            {"kernels": list(kernels), "instructions": cost.instructions, "cycles": cost.cycles}
            for kernels, cost in layer.tried
        ],
        **_cost_json(layer.cost),
    }

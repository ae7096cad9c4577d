"""Define what `neonlab board import --json` and `neonlab board run --json` print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from neonlab.measure.cores.bands import band_of
from neonlab.report.json.parts import INTEGER, NUMBER, STRING, band_of_estimate, described, list_of, nullable, object_of
from neonlab.report.json.verdict import ISA

if TYPE_CHECKING:
    from neonlab.lab.board.beside_model import BesideModel
    from neonlab.lab.board.result import BoardResult

_TIMING = object_of(
    shape=STRING,
    calls=described(INTEGER, "calls of one measurement; 0 where the calls failed"),
    repetitions=described(INTEGER, "measurements that the medians are of"),
    measured=described(
        nullable(NUMBER), "cycles of a call without the caller's loop; null where the board cannot count them"
    ),
    with_caller=described(nullable(NUMBER), "median of the cycles of a call with the caller's loop"),
    lowest=described(nullable(NUMBER), "lowest of the same"),
    empty=described(nullable(NUMBER), "cycles of the caller's loop with an empty function"),
    ns=described(nullable(NUMBER), "nanoseconds of a call without the caller's loop"),
    modelled=described(nullable(NUMBER), "cycles that the model of the core has for one of many calls back to back"),
    band=described(nullable(band_of_estimate(INTEGER)), "range of the modelled cycles; null where there is none"),
    ratio=described(nullable(NUMBER), "modelled over measured"),
    reason=described(STRING, "why one of the figures is null"),
)
#: The properties of the document.
BOARD = {
    "result": described(STRING, "the file's name"),
    "isa": ISA,
    "core": described(nullable(STRING), "the core whose model stands beside; null if there is none"),
    "counter": described({"enum": ["perf_event", "pmccntr", "clock"]}, "how cycles were counted"),
    "hz": described(nullable(NUMBER), "the frequency by which nanoseconds became cycles; null where not used"),
    "machine": object_of(
        cpu=described(INTEGER, "number of the CPU that ran; -1 if it was not held"),
        midr=described(nullable(STRING), "Main ID Register of the core, hexadecimal"),
        governor=described(nullable(STRING), "that sets the frequency"),
        frequency_khz=nullable(STRING),
        system=STRING,
        release=STRING,
        architecture=STRING,
    ),
    "compiler": described(STRING, "that built the bench"),
    "kernels": list_of(
        object_of(
            kernel=STRING,
            digest=described(STRING, "SHA-256 of the code and data that ran"),
            verdict={"enum": ["exact", "ran", "unchecked", "WRONG"]},
            cases=described(INTEGER, "cases exported"),
            tried=described(INTEGER, "cases run; fewer after several failures"),
            failures=list_of(object_of(case=STRING, what=STRING)),
            left_out=described(
                list_of(object_of(case=STRING, reason=STRING)), "cases of `check` that the export does not have"
            ),
            timings=list_of(_TIMING),
        )
    ),
    "appended": described(nullable(INTEGER), "functions appended to the table of --into; null without it"),
}


def board_json(result: BoardResult, rows: Sequence[BesideModel], core: str, appended: int | None) -> dict[str, Any]:
    """Return the properties of the document."""
    machine = result.machine
    return {
        "result": result.name,
        "isa": result.isa.value,
        "core": core or None,
        "counter": result.counter,
        "hz": result.hz,
        "machine": {
            "cpu": machine.cpu,
            "midr": None if machine.midr is None else f"{machine.midr:#010x}",
            "governor": machine.governor,
            "frequency_khz": machine.frequency_khz,
            "system": machine.system,
            "release": machine.release,
            "architecture": machine.architecture,
        },
        "compiler": result.compiler,
        "kernels": [
            {
                "kernel": kernel.title,
                "digest": kernel.digest,
                "verdict": kernel.verdict,
                "cases": kernel.cases,
                "tried": kernel.tried,
                "failures": [{"case": case, "what": what} for case, what in kernel.failures],
                "left_out": [{"case": case, "reason": reason} for case, reason in kernel.left_out],
                "timings": [_timing_json(row, core) for row in rows if row.kernel is kernel],
            }
            for kernel in result.kernels
        ],
        "appended": appended,
    }


def _timing_json(row: BesideModel, core: str) -> dict[str, Any]:
    timing, band = row.timing, band_of(core)
    return {
        "shape": timing.shape,
        "calls": timing.calls,
        "repetitions": timing.repetitions,
        "measured": timing.measured,
        "with_caller": timing.cycles,
        "lowest": timing.lowest,
        "empty": timing.empty,
        "ns": timing.time,
        "modelled": row.modelled,
        "band": None if band is None or row.modelled is None else band.to_json(row.modelled),
        "ratio": row.ratio,
        "reason": timing.reason or row.reason,
    }

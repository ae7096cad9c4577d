"""Read the measured errors of each core's pipeline model from `tables/errors.toml`.

Only functions that no model was adjusted to show a model's error.  Figures that a table was filled from, and functions
that revealed gaps of a model, agree better than new ones would.  They are recorded too, as calibration.
"""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.measure.cores.caches import ALIASES
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.cores.table_hash import hash_of_all, tables_hash

PATH = Path(__file__).parent / "tables" / "errors.toml"
UNSEEN, SILICON, LLVM_MCA, CALIBRATION, LEFT_OUT = "unseen", "silicon", "llvm-mca", "calibration", "left-out"
#: Groups of cores whose errors are recorded together: those that issue in order, and those that do not.
IN_ORDER, OUT_OF_ORDER = "in order", "out of order"
NONE_MEASURED = "no function outside its calibration was measured"
STALE = "measured before the last change of the model"
_PAIRS = "pairs"


@dataclass(frozen=True, slots=True)
class ModelError:
    """Figures of the model compared with other figures.

    `against` names the others: UNSEEN (whole functions measured on silicon that adjusted no model: the model's
    error), CALIBRATION (whole functions that did), LEFT_OUT (whole functions that showed which rules a model lacked;
    to judge a family of them, the numbers of these rules were chosen on the others), SILICON (instruction forms,
    which the core's table was filled from) or LLVM_MCA (another model, which is not a measure of truth). `median` is
    the median of the absolute relative error. `bias` is the median of the signed error, below 0 where the model has
    fewer cycles than were measured. `within` of the `figures` are within 5 %, None where this was not counted.
    `held_out` is `within` for a table from which each form was removed before its figures were computed. `origin`
    says where the figures are from. `tables` is the hash of the tables that they belong to.
    """

    against: str
    figures: int
    within: int | None
    median: float
    held_out: int | None = None
    bias: float | None = None
    tables: str = ""
    origin: str = ""

    @property
    def share(self) -> float:
        """The share of the figures within 5 %."""
        return (self.within or 0) / self.figures if self.figures else 0.0

    def sentence(self) -> str:
        """Return these figures in words."""
        several = "s" if self.figures != 1 else ""
        text = {
            UNSEEN: f"median error {self.median:.1%}{_bias_text(self.bias)} on {self.figures} function{several} "
            "not used to adjust the model",
            SILICON: f"its table was filled from {self.figures} latencies and rates measured on silicon",
            LLVM_MCA: f"{self.share:.1%} of {self.figures} loops within 5 % of llvm-mca, another model",
            CALIBRATION: f"{self.figures} other function{several} adjusted it",
            LEFT_OUT: f"median error {self.median:.1%}{_bias_text(self.bias)} on {self.figures} function{several}, "
            "each left out with its family when numbers of the model were chosen",
        }
        return text[self.against]


@dataclass(frozen=True, slots=True)
class PairError:
    """The error of ratios between two versions of a function, measured on versions that adjusted no model.

    `median` is the median of the absolute relative error.  Of `decided` pairs that differ by `least` or more on
    silicon, the model names the faster one right in `right`.
    """

    median: float
    decided: int
    right: int
    least: float
    tables: str
    origin: str

    def sentence(self) -> str:
        """Return these figures in words."""
        stale = f"; {STALE}" if self.tables != hash_of_all(pipeline_names()) else ""
        return (
            f"ratios of a function's cycles before and after a change: median error {self.median:.1%}; "
            f"the faster one right in {self.right} of {self.decided} pairs that differ by {self.least:.0%} or more"
            f"{stale}"
        )


def _bias_text(bias: float | None) -> str:
    if bias is None:
        return ""
    return f", bias {bias:+.1%}"


@functools.cache
def _table() -> Mapping[str, Any]:
    if not PATH.is_file():
        return {}
    with PATH.open("rb") as file:
        return tomllib.load(file)


@functools.cache
def _recorded() -> Mapping[str, tuple[ModelError, ...]]:
    return {
        core: tuple(
            ModelError(against, **{"within": None, **figures})
            for against, figures in found.items()
        )
        for core, found in _table().items()
        if core != _PAIRS
    }  # fmt: skip


def read_again() -> None:
    """Clear the cached records, so that the file is read again."""
    _table.cache_clear()
    _recorded.cache_clear()


def errors_of(core: str) -> tuple[ModelError, ...]:
    """Return the records of a core, the model's error first; none where nothing is recorded.

    An alias of a core shares what the tables were filled from, but not UNSEEN nor LEFT_OUT, which were measured on one
    of the two.
    """
    same = {ALIASES.get(core, core), *(alias for alias, name in ALIASES.items() if name == core)} - {core}
    found = {error.against: error for error in _recorded().get(core, ())}
    for other in sorted(same):
        for error in _recorded().get(other, ()):
            if error.against not in (UNSEEN, LEFT_OUT):
                found.setdefault(error.against, error)
    order = (UNSEEN, LEFT_OUT, SILICON, CALIBRATION, LLVM_MCA)
    return tuple(found[against] for against in order if against in found)


def pair_error() -> PairError | None:
    """Return the error of ratios, which is smaller than that of totals; None where none is recorded."""
    return PairError(**_table()[_PAIRS]) if _PAIRS in _table() else None


def is_stale(core: str, error: ModelError) -> bool:
    """Return whether the tables of `core` have changed since the error was measured.

    `core` may be IN_ORDER or OUT_OF_ORDER, for all such cores.
    """
    return bool(error.tables) and error.tables != current_tables(core)


def current_tables(core: str) -> str:
    """Return the hash of the tables of a core, or of all cores that are IN_ORDER or OUT_OF_ORDER."""
    if core in (IN_ORDER, OUT_OF_ORDER):
        wanted = core == IN_ORDER
        return hash_of_all(tuple(name for name in pipeline_names() if load_pipeline(name).in_order is wanted))
    return tables_hash(core)


def error_sentence(core: str) -> str:
    """Return the text to print beside every estimate: the model's error, or that it was not measured."""
    found = {error.against: error for error in errors_of(core)}
    unseen = found.get(UNSEEN)
    if unseen is None:
        texts = [NONE_MEASURED]
        texts += [found[against].sentence() for against in (CALIBRATION, SILICON, LLVM_MCA) if against in found]
    else:
        stale, left_out = is_stale(core, unseen), found.get(LEFT_OUT)
        texts = [unseen.sentence(), *([STALE] if stale else [])]
        if stale and left_out is not None and not is_stale(core, left_out):
            texts.append(f"since then {left_out.sentence()}")
        texts += [found[SILICON].sentence()] if SILICON in found else []
    return "; ".join(texts)


def errors_text(errors: Mapping[str, Mapping[str, ModelError]], pairs: PairError | None = None) -> str:
    """Return the text of `errors.toml`."""
    lines = ["# Written by `neonlab cores --record`; see core_errors.py for the meaning."]
    for core in sorted(errors):
        for against in sorted(errors[core]):
            error = errors[core][against]
            name = json.dumps(core) if " " in core else core
            lines += ["", f"[{name}.{against}]", f"figures = {error.figures}"]
            lines += [f"within = {error.within}"] if error.within is not None else []
            lines += [f"median = {error.median:.4f}"]
            lines += [f"bias = {error.bias:.4f}"] if error.bias is not None else []
            lines += [f"held_out = {error.held_out}"] if error.held_out is not None else []
            lines += [f'tables = "{error.tables}"'] if error.tables else []
            lines += [f"origin = {json.dumps(error.origin, ensure_ascii=False)}"] if error.origin else []
    if pairs is not None:
        lines += ["", f"[{_PAIRS}]", f"median = {pairs.median:.4f}", f"decided = {pairs.decided}"]
        lines += [f"right = {pairs.right}", f"least = {pairs.least:.4f}", f'tables = "{pairs.tables}"']
        lines += [f"origin = {json.dumps(pairs.origin, ensure_ascii=False)}"]
    return "\n".join(lines) + "\n"


def recorded() -> dict[str, dict[str, ModelError]]:
    """Return all records, as new dictionaries that may be changed and written."""
    return {core: {error.against: error for error in found} for core, found in _recorded().items()}

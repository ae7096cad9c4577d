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
from types import MappingProxyType
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
_PAIRS, _RATIOS = "pairs", "ratios"


@dataclass(frozen=True, slots=True)
class ModelError:
    """Figures of the model compared with other figures.

    `against` names the others: UNSEEN (whole functions measured on silicon that adjusted no model: the model's
    error), CALIBRATION (whole functions that did), LEFT_OUT (whole functions that showed which rules a model lacked;
    to judge a family of them, the numbers of these rules were chosen on the others), SILICON (instruction forms,
    which the core's table was filled from) or LLVM_MCA (another model, which is not a measure of truth). `median` is
    the median of the absolute relative error. `bias` is the median of the signed error, below 0 where the model has
    fewer cycles than were measured. `p90` is the 90th percentile of the absolute relative error, `low` and `high` are
    the 10th and the 90th percentile of modelled / measured, None where they were not recorded. `families` is the number
    of families of functions, None where it is unknown. `within` of the `figures` are within 5 %, None where this was
    not counted.
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
    p90: float | None = None
    low: float | None = None
    high: float | None = None
    families: int | None = None

    @property
    def share(self) -> float:
        """The share of the figures within 5 %."""
        return (self.within or 0) / self.figures if self.figures else 0.0

    def sentence(self) -> str:
        """Return these figures in words."""
        several = "s" if self.figures != 1 else ""
        text = {
            UNSEEN: f"median error {self.median:.1%}{_more_text(self)} on {self.figures} function{several} "
            "not used to adjust the model",
            SILICON: f"its table was filled from {self.figures} latencies and rates measured on silicon",
            LLVM_MCA: f"{self.share:.1%} of {self.figures} loops within 5 % of llvm-mca, another model",
            CALIBRATION: f"{self.figures} other function{several} adjusted it",
            LEFT_OUT: f"median error {self.median:.1%}{_more_text(self)} on {self.figures} function{several}, "
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


@dataclass(frozen=True, slots=True)
class RatioError:
    """The error of ratios between two versions of a function, on functions left out with their family.

    An error is the modelled ratio divided by the measured one.  `median` is the median of its distance from 1, `low`
    and `high` are the 10th and 90th percentile, on `pairs` pairs.  Of `decided` pairs that differ by `least` or more on
    silicon, the model names the faster one right in `right`.
    """

    pairs: int
    median: float
    low: float
    high: float
    decided: int
    right: int
    least: float
    origin: str

    def sentence(self, kind: str) -> str:
        """Return these figures in words; `kind` is IN_ORDER or OUT_OF_ORDER."""
        return (
            f"ratios before and after a change, {kind}, each function left out with its family: median error "
            f"{self.median:.1%} on {self.pairs} pairs, 80 % of them {self.low - 1:+.1%} to {self.high - 1:+.1%}; the "
            f"faster one right in {self.right} of {self.decided} pairs that differ by {self.least:.0%} or more"
        )


def _more_text(error: ModelError) -> str:
    more = "" if error.p90 is None else f", 90th percentile {error.p90:.1%}"
    return more if error.bias is None else f"{more}, bias {error.bias:+.1%}"


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
        if core not in (_PAIRS, _RATIOS)
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


def ratio_error(kind: str) -> RatioError | None:
    """Return the error of ratios on cores that are IN_ORDER or OUT_OF_ORDER; None where none is recorded."""
    found = _table().get(_RATIOS, {})
    return RatioError(**found[kind]) if kind in found else None


def is_stale(core: str, error: ModelError) -> bool:
    """Return whether the tables of `core` have changed since the error was measured.

    `core` may be IN_ORDER or OUT_OF_ORDER, for all such cores; of functions left out, for those that had some.
    """
    if core in (IN_ORDER, OUT_OF_ORDER) and error.against == LEFT_OUT:
        wanted = core == IN_ORDER
        cores = [name for name in pipeline_names() if load_pipeline(name).in_order is wanted]
        rows = [(name, one) for name in cores for one in _recorded().get(name, ()) if one.against == LEFT_OUT]
        return any(is_stale(name, one) for name, one in rows)
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
    unseen, left_out = found.get(UNSEEN), found.get(LEFT_OUT)
    if unseen is None:
        texts = [NONE_MEASURED] if left_out is None else [left_out.sentence()]
        texts += [STALE] if left_out is not None and is_stale(core, left_out) else []
        texts += [found[against].sentence() for against in (CALIBRATION, SILICON, LLVM_MCA) if against in found]
    else:
        stale = is_stale(core, unseen)
        texts = [unseen.sentence(), *([STALE] if stale else [])]
        if stale and left_out is not None and not is_stale(core, left_out):
            texts.append(f"since then {left_out.sentence()}")
        texts += [found[SILICON].sentence()] if SILICON in found else []
    return "; ".join(texts)


def errors_text(
    errors: Mapping[str, Mapping[str, ModelError]],
    pairs: PairError | None = None,
    ratios: Mapping[str, RatioError] = MappingProxyType({}),
) -> str:
    """Return the text of `errors.toml`; `ratios` are by kind of core."""
    lines = ["# Written by `neonlab cores --record`; errors.py above this folder has the meaning."]
    for core in sorted(errors):
        for against in sorted(errors[core]):
            error = errors[core][against]
            name = json.dumps(core) if " " in core else core
            lines += ["", f"[{name}.{against}]", f"figures = {error.figures}"]
            lines += [f"within = {error.within}"] if error.within is not None else []
            lines += [f"median = {error.median:.4f}"]
            lines += [f"bias = {error.bias:.4f}"] if error.bias is not None else []
            for key in ("p90", "low", "high"):
                figure = getattr(error, key)
                lines += [f"{key} = {figure:.4f}"] if figure is not None else []
            lines += [f"families = {error.families}"] if error.families is not None else []
            lines += [f"held_out = {error.held_out}"] if error.held_out is not None else []
            lines += [f'tables = "{error.tables}"'] if error.tables else []
            lines += [f"origin = {json.dumps(error.origin, ensure_ascii=False)}"] if error.origin else []
    if pairs is not None:
        lines += ["", f"[{_PAIRS}]", f"median = {pairs.median:.4f}", f"decided = {pairs.decided}"]
        lines += [f"right = {pairs.right}", f"least = {pairs.least:.4f}", f'tables = "{pairs.tables}"']
        lines += [f"origin = {json.dumps(pairs.origin, ensure_ascii=False)}"]
    for kind in sorted(ratios):
        one = ratios[kind]
        lines += ["", f"[{_RATIOS}.{json.dumps(kind)}]", f"pairs = {one.pairs}", f"median = {one.median:.4f}"]
        lines += [f"low = {one.low:.4f}", f"high = {one.high:.4f}", f"decided = {one.decided}", f"right = {one.right}"]
        lines += [f"least = {one.least:.4f}", f"origin = {json.dumps(one.origin, ensure_ascii=False)}"]
    return "\n".join(lines) + "\n"


def recorded_ratios() -> dict[str, RatioError]:
    """Return the errors of ratios by kind of core, as a new dictionary that may be changed and written."""
    found = {kind: ratio_error(kind) for kind in (IN_ORDER, OUT_OF_ORDER)}
    return {kind: error for kind, error in found.items() if error is not None}


def recorded() -> dict[str, dict[str, ModelError]]:
    """Return all records, as new dictionaries that may be changed and written."""
    return {core: {error.against: error for error in found} for core, found in _recorded().items()}

"""Write the cores and their models' errors for the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import statistics
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neonlab import __version__
from neonlab.measure.cores.bands import SHARE, band_of
from neonlab.measure.cores.caches import CacheShape
from neonlab.measure.cores.errors import (
    IN_ORDER,
    LEFT_OUT,
    OUT_OF_ORDER,
    SILICON,
    UNSEEN,
    ModelError,
    RatioError,
    error_sentence,
    errors_of,
    is_stale,
    pair_error,
    recorded_ratios,
)
from neonlab.measure.silicon.core_summary import CoreSummary
from neonlab.measure.silicon.reasons import reason_of
from neonlab.measure.silicon.truth import KINDS, TableComparison, Truth
from neonlab.report.band_words import UNKNOWN, factors


def _size(cache: CacheShape) -> str:
    return f"{cache.size >> 20} MB" if cache.size >= 1 << 20 else f"{cache.size >> 10} KB"


def summary_json(summary: CoreSummary) -> dict[str, Any]:
    """Return one core of `neonlab cores --json`."""
    memory = summary.core.memory
    return {
        "core": summary.core.name,
        "title": summary.core.title,
        "in_order": summary.pipeline.in_order,
        "width": summary.pipeline.width,
        "window": summary.pipeline.window,
        "ports": list(summary.pipeline.ports),
        "peak_macs_per_cycle": summary.peak,
        "peak_instruction": summary.peak_instruction,
        "caches": {
            level: {"size": cache.size, "ways": cache.ways, "line": cache.line}
            for level, cache in (("l1i", memory.l1i), ("l1d", memory.l1d), ("l2", memory.l2))
        },
        "errors": [error_json(error, summary.core.name) for error in errors_of(summary.core.name)],
        "band": _band_json(summary.core.name),
        "sources": list(summary.pipeline.sources),
    }


def error_json(error: ModelError, core: str) -> dict[str, Any]:
    """Return the recorded error of one comparison of a core."""
    return {
        "against": error.against,
        "figures": error.figures,
        "within_5_percent": error.within,
        "held_out_within_5_percent": error.held_out,
        "median_error": error.median,
        "p90_error": error.p90,
        "bias": error.bias,
        "low": error.low,
        "high": error.high,
        "families": error.families,
        "measured_before_last_change": is_stale(core, error),
        "origin": error.origin,
    }


def _band_json(core: str) -> dict[str, Any] | None:
    band = band_of(core)
    if band is None:
        return None
    low, high = band.around(1.0)
    return {"share": SHARE, "low": round(low, 4), "high": round(high, 4), "functions": band.figures, "of": band.of}


def summary_table(chosen: Sequence[CoreSummary], *, together: bool = False) -> Iterator[str]:
    """Yield lines of at most 80 columns; with `together` also the errors of several cores."""
    yield "core           issues                MACs/cycle      L1D     L1I      L2"
    for one in chosen:
        memory = one.core.memory
        yield (
            f"{one.core.name:<14} {one.kind:<21} {one.peak:>4.4g} {one.peak_instruction:<8}"
            f"{_size(memory.l1d):>7} {_size(memory.l1i):>7} {_size(memory.l2):>7}"
        )
        model = f"model: {error_sentence(one.core.name)}"
        yield from textwrap.wrap(model, 80, initial_indent="    ", subsequent_indent="      ")
        yield from textwrap.wrap(_band(one.core.name), 80, initial_indent="    ", subsequent_indent="      ")
    for line in _together() if together else ():
        yield from textwrap.wrap(line, 80, subsequent_indent="  ")


def _band(core: str) -> str:
    band = band_of(core)
    return UNKNOWN if band is None else f"80 % band: {factors(band)} times an estimate, by the errors on {band.basis()}"


def _together() -> Iterator[str]:
    """Yield the errors of all in-order cores, of all out-of-order cores, and of ratios."""
    for kind in (IN_ORDER, OUT_OF_ORDER):
        if errors_of(kind):
            yield f"all {kind}: {error_sentence(kind)}"
    pairs = pair_error()
    if pairs is not None:
        yield pairs.sentence()
    for kind, error in recorded_ratios().items():
        yield error.sentence(kind)


def model_error(truth: Truth) -> ModelError:
    """Return the error to record for a comparison with silicon."""
    within, figures = truth.within()
    median = statistics.median(abs(one.error) for one in truth.comparisons) if truth.comparisons else 0.0
    held = sum(abs(one.error) <= 0.05 for one in truth.held_out) if truth.held_out else None
    return ModelError(SILICON, figures, within, round(median, 4), held)


def row_json(found: TableComparison) -> dict[str, Any]:
    """Return one figure outside 5 %."""
    return {
        "form": found.form,
        "kind": found.kind,
        "what": found.what,
        "measured": found.measured,
        "modelled": round(found.modelled, 3),
        "reason": reason_of(found),
    }


def comparison_json(truth: Truth) -> dict[str, Any]:
    """Return one core of `neonlab cores --against --json`."""
    counts = [
        {"kind": kind, "what": what, "within": truth.within(kind, what)[0], "figures": truth.within(kind, what)[1]}
        for kind in KINDS
        for what in ("latency", "rate")
    ]
    return {
        "core": truth.core,
        "error": error_json(model_error(truth), truth.core),
        "counts": counts,
        "outside": [row_json(found) for found in truth.outside()],
        "left_out": [{"form": form, "reason": reason} for form, reason in truth.left_out.items()],
    }


def _counts(truth: Truth) -> Iterator[tuple[str, str]]:
    for kind in (*KINDS, ""):
        cells = []
        for what in ("latency", "rate", ""):
            within, figures = truth.within(kind, what)
            cells.append(f"{within} of {figures}" + (f" ({within / figures:.1%})" if figures and not what else ""))
        yield kind or "all", "|".join(cells)


def comparison_lines(truths: Sequence[Truth]) -> Iterator[str]:
    """Yield the lines for the terminal: counts, then every figure outside 5 % by reason, then the rows left out."""
    for truth in truths:
        error = model_error(truth)
        yield f"{truth.core}: {error.within} of {error.figures} figures within 5 % ({error.share:.1%})"
        if error.held_out is not None:
            share = error.held_out / error.figures
            yield f"  with the form itself removed from the core's table: {error.held_out} ({share:.1%})"
        for kind, cells in _counts(truth):
            latency, rate, both = cells.split("|")
            yield f"  {kind:<10}  latency {latency:>13}   rate {rate:>13}   {both}"
        for reason, found in _by_reason(truth):
            yield f"  outside, {len(found)}: {reason}"
            for one in found:
                yield f"    {one.what:<7} {one.measured:>6.2f} measured {one.modelled:>6.2f} modelled  {one.form}"
        for reason, forms in _left_out(truth):
            yield f"  left out, {len(forms)} rows: {reason}"
            for form in forms:
                yield f"    {form}"


def difference_lines(found: Mapping[str, ModelError]) -> Iterator[str]:
    """Yield the lines for the terminal about comparisons with llvm-mca."""
    for core, error in found.items():
        yield f"{core}: {error.within} of {error.figures} loops within 5 % of llvm-mca ({error.share:.1%})"
        yield f"  the median difference is {error.median:.1%}; llvm-mca is another model, not a measurement"


def _by_reason(truth: Truth) -> list[tuple[str, list[TableComparison]]]:
    groups: dict[str, list[TableComparison]] = {}
    for found in truth.outside():
        groups.setdefault(reason_of(found), []).append(found)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def _left_out(truth: Truth) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for form, reason in truth.left_out.items():
        groups.setdefault(reason, []).append(form)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def left_out_json(errors: Mapping[str, ModelError], ratios: Mapping[str, RatioError]) -> dict[str, Any]:
    """Return `left_out` of `neonlab cores --left-out --json`."""
    return {
        "errors": [{"title": title, "error": error_json(error, title)} for title, error in errors.items()],
        "ratios": [
            {
                "title": kind,
                "pairs": one.pairs,
                "median_error": one.median,
                "low": one.low,
                "high": one.high,
                "decided": one.decided,
                "right": one.right,
                "least": one.least,
            }
            for kind, one in ratios.items()
        ],
    }


def left_out_lines(errors: Mapping[str, ModelError], ratios: Mapping[str, RatioError]) -> Iterator[str]:
    """Yield the lines for the terminal, in at most 80 columns: a row by core, then the errors of ratios of pairs.

    The last column has the 10th and 90th percentile of modelled / measured.
    """
    yield f"{'':<14}functions  families  median  90th p.    bias  80 % of ratios"
    for title, one in errors.items():
        p90, bias = one.p90 or 0.0, one.bias or 0.0
        band = "too few" if one.low is None or one.high is None else f"{one.low:.2f}–{one.high:.2f}"
        yield f"{title:<14}{one.figures:>9} {one.families or 0:>9} {one.median:>7.1%} {p90:>8.1%} {bias:>+7.1%}  {band}"
    for kind, ratio in ratios.items():
        yield from textwrap.wrap(ratio.sentence(kind), 80, subsequent_indent="  ")


def json_document(cores: Sequence[CoreSummary], truths: Sequence[Truth]) -> str:
    """Return the text of reports/cores.json."""
    document = {
        "command": "cores",
        "neonlab": __version__,
        "cores": [summary_json(summary) for summary in cores],
        "comparisons": [comparison_json(truth) for truth in truths],
    }
    return json.dumps(document, indent=1) + "\n"


_ABOUT = """\
# Cores, and how good their models are

Written by `neonlab cores --against FILE.csv --into reports`. Each row of the table of measured timings becomes the
programs that measured it: a dependent chain and an independent stream. The model runs these programs, and its figures
are compared with the measured ones. A figure counts as right if it is within 5 %. All stores of the table go to one
address, which delays some of them; the model has this delay for these programs, and for no other code.

The tables of the cores compared below were filled from the same figures. That the model reproduces them shows that the
forms, the ports and the programs fit together; it does not measure the model's error. The last column says more. *Held
out*: each form is removed from the core's table before its figures are computed, so that the nearest other form
provides them. Where no other form can replace it, its figures are lost.

A model's error is measured on whole functions that were not used to adjust the model, and is printed with every
estimate. *Median error* is the median of the error's size; the *90th percentile* is of the same. *Bias* is the median
of the signed error: below 0, the model has fewer cycles than were measured. Functions marked `c` in functions.md
adjusted the models: they are calibration, and do not measure the error.

A difference from llvm-mca compares one model with another, and measures the error of neither. It is taken on the same
programs or, for cores that run A32 only, on the innermost loops of the kernels for ARMv7.
"""


_ERROR_KINDS = """\
*New*: functions that had adjusted no model when they were measured. *Left out*: functions that showed which rules the
models lacked; to judge a family of them, the numbers of these rules were chosen on the other families. A mark `†` says
that the core's tables have changed since. No figure: not recorded. *80 % band*: an estimate times these factors is
printed as its range. It comes from functions left out where there are nine or more of two families or more, else from
all such cores together.
"""


def _error_table(cores: Sequence[str]) -> Iterator[str]:
    """Yield the errors on functions not used to adjust the models, in Markdown."""
    yield from ("## Errors of the models, on functions not used to adjust them", "", _ERROR_KINDS)
    yield "| core | new | median | 90th p. | bias | left out | median | 90th p. | bias | 80 % band | of |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    origins = []
    for core in (*cores, IN_ORDER, OUT_OF_ORDER):
        found = {error.against: error for error in errors_of(core)}
        cells = [cell for against in (UNSEEN, LEFT_OUT) for cell in _error_cells(core, found.get(against))]
        band = band_of(core)
        cells += ["", ""] if band is None else [factors(band), "" if band.of == core else f"all {band.of}"]
        yield f"| {core} | {' | '.join(cells)} |"
        origins += [found[against].origin for against in (UNSEEN, LEFT_OUT) if against in found]
    pairs = pair_error()
    if pairs is not None:
        yield from ("", f"For {pairs.sentence()}.")
        origins.append(pairs.origin)
    for kind, error in recorded_ratios().items():
        yield from ("", f"For {error.sentence(kind)}.")
        origins.append(error.origin)
    for origin in dict.fromkeys(origins):
        yield from ("", f"Origin: {origin}.")


def _error_cells(core: str, error: ModelError | None) -> list[str]:
    if error is None:
        return ["none", "", "", ""]
    p90 = "" if error.p90 is None else f"{error.p90:.1%}"
    bias = "" if error.bias is None else f"{error.bias:+.1%}"
    return [f"{error.figures}{' †' if is_stale(core, error) else ''}", f"{error.median:.1%}", p90, bias]


def markdown_document(cores: Sequence[CoreSummary], truths: Sequence[Truth]) -> str:
    """Return the text of reports/cores.md."""
    lines = [_ABOUT, "## The cores", "", "| core | issues | int8 MACs a cycle | L1D | L1I | L2 | model |"]
    lines.append("|---|---|---:|---:|---:|---:|---|")
    for one in cores:
        memory = one.core.memory
        lines.append(
            f"| {one.core.name} | {one.kind} | {one.peak:.4g} ({one.peak_instruction}) | {_size(memory.l1d)} "
            f"| {_size(memory.l1i)} | {_size(memory.l2)} | {error_sentence(one.core.name)} |"
        )
    lines += ["", *_error_table([one.core.name for one in cores])]
    lines += ["", "## Against forms measured on silicon: what the tables were filled from", ""]
    lines += ["| core | kind | latency | rate | all | held out |", "|---|---|---:|---:|---:|---:|"]
    for truth in truths:
        held = model_error(truth).held_out
        for kind, cells in _counts(truth):
            last = "" if kind != "all" or held is None else f"{held} ({held / len(truth.held_out):.1%})"
            lines.append(f"| {truth.core} | {kind} | {cells.replace('|', ' | ')} | {last} |")
    for truth in truths:
        lines += ["", f"### {truth.core}: figures outside 5 %", ""]
        for reason, found in _by_reason(truth):
            lines += [f"{len(found)} because: {reason}.", ""]
            lines += ["| form | what | measured | modelled |", "|---|---|---:|---:|"]
            lines += [f"| {one.form} | {one.what} | {one.measured:.2f} | {one.modelled:.2f} |" for one in found]
            lines.append("")
    if truths:
        lines += ["## Rows that do not test the model", ""]
        lines += ["These rows are left out before the comparison, for the reasons below.", ""]
        for reason, forms in _left_out(max(truths, key=lambda truth: len(truth.left_out))):
            lines += [f"- {reason} ({len(forms)}): {'; '.join(f'`{form}`' for form in forms)}"]
    return "\n".join(lines).rstrip() + "\n"

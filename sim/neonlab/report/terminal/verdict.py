"""Print verdicts and profiles to a terminal of 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from neonlab.report.terminal.cycles import print_cycles
from neonlab.report.terminal.loop import print_loops
from neonlab.report.terminal.memory import print_caches, print_traffic
from neonlab.report.verdict_words import STYLES, accepted_lines, remark_of, word_of
from neonlab.verify.coverage import NotRun
from neonlab.verify.verdict import Explanation, Failure, Mismatch, Status, Verdict

if TYPE_CHECKING:
    # Only for annotations: printing a verdict needs no emulator.
    from neonlab.measure.counts import Counts
    from neonlab.measure.profile import Profile

_HOT_LINES = 10
_NOT_RUN_LINES = 5
_WORD = 6  # fewest characters of the column of words


def print_verdicts(out: Console, verdicts: Sequence[Verdict]) -> None:
    """Print a line per verdict, the reasons of failures, the code that no case ran, and a total."""
    width = max(len(verdict.kernel) for verdict in verdicts)
    word_width = max(_WORD, *(len(word_of(verdict)) + 1 for verdict in verdicts))
    for verdict in verdicts:
        style = STYLES[verdict.status]
        line = Text()
        line.append(f"{word_of(verdict):<{word_width}}", style)
        line.append(f"{verdict.kernel:<{width}}  {verdict.cases:>5} case{'' if verdict.cases == 1 else 's'}")
        if not verdict.faultless:
            line.append(f", {verdict.failed} failed", style)
        else:
            line.append(f", {verdict.ranges.words}" if verdict.ranges and verdict.ranges.words else "")
            line.append(f"; {remark_of(verdict)}" if remark_of(verdict) else "")
        out.print(line)
        if verdict.advice and verdict.faultless:
            out.print(f"      {shown_path(verdict.advice)}", markup=False)
        for told in accepted_lines(verdict):
            out.print(Text(f"      {told}", "yellow"))
        if verdict.compiler:
            out.print(f"      compiled by {verdict.compiler}", markup=False)
        if verdict.unseen is not None:
            print_not_run(out, verdict.unseen)
        for failure in verdict.failures:
            print_failure(out, f"{verdict.kernel} {verdict.options}".rstrip(), failure)
    cases = sum(verdict.cases for verdict in verdicts)
    kernels = f"{len(verdicts)} kernel{'s' if len(verdicts) != 1 else ''}, {cases} case{'s' if cases != 1 else ''}"
    out.print(f"{kernels}: {_total(verdicts)} (seed {verdicts[0].seed})", markup=False)


def _total(verdicts: Sequence[Verdict]) -> str:
    """Return `all passed`, or the number of failures; then the number of passes that say less."""
    counts = Counter(verdict.status for verdict in verdicts)
    told = {Status.WRONG: "failed", Status.UNCHECKED: "unchecked"}
    bad = [f"{counts[status]} {word}" for status, word in told.items() if counts[status]]
    less = {Status.IN_PART: "in part", Status.RAN: "not compared"}
    told_less = [f"{counts[status]} {word}" for status, word in less.items() if counts[status]]
    return ", ".join([*(bad or ["all passed"]), *told_less])


def print_not_run(out: Console, not_run: NotRun) -> None:
    """Print the lines of code that no case ran."""
    out.print(Text(f"      {not_run}; these are unchecked:", "yellow"))
    for line in not_run.lines[:_NOT_RUN_LINES]:
        out.print(f"        {shown_path(line)}", markup=False)
    more = len(not_run.lines) - _NOT_RUN_LINES
    if more > 0:
        out.print(f"        and {more} more", markup=False)


def print_failures(out: Console, failures: Sequence[tuple[str, Failure]]) -> None:
    """Print the failures of kernels that were to be profiled."""
    for kernel, failure in failures:
        out.print(Text(f"{kernel}: not counted, since it does not run", "bold red"))
        print_failure(out, kernel, failure)


def print_failure(out: Console, kernel: str, failure: Failure) -> None:
    """Print the fault or mismatch of one case, its place, its explanation, and the command that reproduces it."""
    case = f" at shape {failure.shape}, pattern {failure.pattern}, seed {failure.seed}"
    if failure.case is None:
        case = f" in a search of seed {failure.seed}"
    out.print(Text(f"  {failure.identifier}", "bold").append(case, "not bold"))
    if failure.fault is not None:
        fault = failure.fault
        out.print(f"    {fault.message}", markup=False)
        if fault.source is not None:
            where = f"{shown_path(fault.source.path)}:{fault.source.line}"
            out.print(f"    {where}: {(fault.source.expanded or fault.source.text).strip()}", markup=False)
            _print_trail(out, fault.source.trail)
        if fault.clause:
            out.print(f"    breaks {fault.clause}", markup=False)
    if failure.mismatch is not None:
        _print_mismatch(out, failure.mismatch)
    if failure.explanation is not None:
        _print_explanation(out, failure.explanation)
    if again := failure.again(kernel):
        out.print(f"    again: {shown_path(again)}", markup=False)


def _print_mismatch(out: Console, mismatch: Mismatch) -> None:
    index = ", ".join(f"{axis} {value}" for axis, value in mismatch.index)
    if not index:
        out.print(f"    {mismatch.output}: {mismatch.got}, expected {mismatch.expected}", markup=False)
        return
    out.print(
        f"    {mismatch.output}[{index}] = {mismatch.got}, expected {mismatch.expected}"
        f" ({mismatch.wrong} of {mismatch.total} elements wrong)",
        markup=False,
    )
    if mismatch.writer is None:
        out.print("    never written", markup=False)
    else:
        path, _, line = mismatch.writer.where.rpartition(":")
        out.print(f"    last written at {shown_path(path)}:{line}: {mismatch.writer.source}", markup=False)
        _print_trail(out, mismatch.writer.trail)
    if mismatch.total > 1:
        out.print(f"    {mismatch.map_title}", markup=False)
        for row in mismatch.map:
            out.print(f"      {row}", markup=False)


def _print_explanation(out: Console, explanation: Explanation) -> None:
    values = f": {explanation.got}, expected {explanation.expected}" if explanation.got is not None else ""
    out.print(f"    smallest case that fails the same way: {explanation.shape}{values}", markup=False)
    for line in (*explanation.inputs, *explanation.text):
        out.print(f"      {line}", markup=False)


def _print_trail(out: Console, trail: Sequence[str]) -> None:
    for step in reversed(trail[-3:]):
        out.print(f"      {shown_path(step)}", markup=False)


def print_profiles(
    out: Console, profiles: Sequence[Profile], *, full: bool = False, timeline: bool = False, flat: bool = False,
    optimized: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:  # fmt: skip
    """Print a screen per profile.

    With a modelled core, `full` prints everything, `timeline` the loop by cycle, `flat` the loop as it executes.
    `optimized` has, by kernel, the cheaper loop that was found before.
    """
    for profile in profiles:
        counts = profile.counts
        brief = profile.loop is not None and not full
        work = f"  {profile.macs:,} MACs" if profile.macs else ""
        out.print(Text(profile.kernel, "bold").append(f"  {profile.shape}{work}", "not bold"))
        if profile.compiler:
            out.print(f"  compiled by {profile.compiler}", markup=False)
        per_mac = f"  {profile.instructions_per_mac:.4f} per MAC" if profile.macs else ""
        out.print(f"  instructions (INST_RETIRED)  {counts.instructions:>15,}{per_mac}", markup=False)
        for name, count in () if brief else counts.by_class.items():
            share = 100 * count / counts.instructions
            out.print(f"    {name:<25}  {count:>15,}  {share:5.1f} %", markup=False)
        for verb, count, rate in (
            ("loaded", counts.loaded_bytes, profile.loaded_per_mac),
            ("stored", counts.stored_bytes, profile.stored_per_mac),
        ):
            per_mac = f"  {rate:.4f} per MAC" if profile.macs else ""
            out.print(f"  bytes {verb:<21}  {count:>15,}{per_mac}", markup=False)
        out.print(f"  NEON registers     {_registers(counts, neon=True)}", markup=False)
        out.print(f"  general registers  {_registers(counts, neon=False)}", markup=False)
        if profile.traffic is not None:
            print_traffic(out, profile.traffic)
        if profile.caches is not None:
            print_caches(out, profile.caches, brief=brief)
        print_cycles(out, profile, brief=brief)
        found = (optimized or {}).get(profile.kernel)
        print_loops(out, profile.kernel, profile.loops, whole=timeline, flat=flat, optimized=found)
        if not brief:
            _print_hot_lines(out, counts)


def _registers(counts: Counts, *, neon: bool) -> str:
    if neon:
        return (
            f"{counts.neon_registers} of {counts.neon_registers_available} used, {counts.peak_live_neon} live at most"
        )
    return (
        f"{counts.general_registers} of {counts.general_registers_available} used, "
        f"{counts.peak_live_general} live at most"
    )


def _print_hot_lines(out: Console, counts: Counts) -> None:
    hot = sorted(counts.lines, key=lambda line: (-line.executions, line.path, line.line))[:_HOT_LINES]
    if not hot:
        return
    out.print("  executions  line", markup=False)
    for line in hot:
        where = f"{Path(line.path).name}:{line.line}"
        out.print(f"  {line.executions:>10,}  {where}  {line.text.strip()}"[:80], markup=False)


def shown_path(path: str) -> str:
    """Return a path, or a text with paths, with the current folder removed from each."""
    return path.replace(f"{Path.cwd()}/", "")

"""Display a session of `neonlab watch` on one screen of 80 columns."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from neonlab.lab.compare.figures import Change, Figures, core_of, label_of
from neonlab.report.band_words import range_text
from neonlab.report.comparison_words import mood_of_change, step_text
from neonlab.report.terminal.proof import print_proof
from neonlab.report.terminal.verdict import print_failure, print_not_run, shown_path
from neonlab.report.verdict_words import STYLES, accepted_lines, remark_of, word_so_far

if TYPE_CHECKING:
    from neonlab.lab.watch.session import Session

_WIDTH = 80
_STYLES = {"good": "green", "bad": "red", "dim": "dim"}


def session_view(session: Session) -> RenderableType:
    """Return the verdict, faults, and figures with their changes."""
    latest = session.latest
    parts: list[RenderableType] = [_heading(session)]
    if latest.problem is not None:
        parts.append(Text(latest.problem.replace(f"{Path.cwd()}/", ""), "red"))
        return Group(*parts)
    parts += [*_verdict(session)]
    if latest.unmeasured:
        parts.append(Text(f"no counts and cycles: {latest.unmeasured}", "yellow"))
    if latest.proof is not None:
        proof, left = latest.proof, latest.unproved
        parts.append(_printed(lambda out: print_proof(out, proof, whole=not left)))
    for name, shape, figures, layer in (
        ("tile", session.tile, latest.tile_figures, False),
        ("layer", session.shape, latest.layer_figures, True),
    ):
        if figures is not None:
            parts.append(_figures(session, f"{name} {shape}", figures, layer=layer))
    return Group(*parts)


def session_text(session: Session) -> str:
    """Return the same as text for a terminal of 80 columns, with its colours."""
    out = io.StringIO()
    Console(file=out, width=_WIDTH, force_terminal=True).print(session_view(session))
    return out.getvalue()


def _heading(session: Session) -> Text:
    text = Text(shown_path(str(session.path)), "bold")
    text.append(f"  save {session.saves}", "not bold")
    if session.latest.seconds:
        text.append(f", {session.latest.seconds:.2f} s", "not bold dim")
    return text


def _verdict(session: Session) -> Iterator[RenderableType]:
    latest = session.latest
    verdict = latest.verdict
    if verdict is None:
        return
    cases = f"{verdict.cases:,} of {latest.planned:,} cases"
    if verdict.faultless:
        more = f", {verdict.ranges.words}" if verdict.ranges is not None and verdict.ranges.words else ""
        remark = f"; {remark_of(verdict)}" if remark_of(verdict) else ""
        word = Text(f"{word_so_far(verdict, latest.planned)}  ", STYLES[verdict.status])
        yield word.append(f"{cases}{more}{remark}", "default")
        for told in accepted_lines(verdict):
            yield Text(f"      {told}", "yellow")
        if verdict.advice:
            yield Text(f"      {shown_path(verdict.advice)}")
        if verdict.not_run is not None:
            not_run = verdict.not_run
            yield _printed(lambda out: print_not_run(out, not_run))
        return
    yield Text("WRONG", "bold red").append(f"  {cases}, {verdict.failed} failed", "not bold")

    def failures(out: Console) -> None:
        for failure in verdict.failures:
            print_failure(out, verdict.kernel, failure)

    yield _printed(failures)


def _printed(print_to: Callable[[Console], None]) -> Text:
    buffer = io.StringIO()
    print_to(Console(file=buffer, width=_WIDTH, highlight=False, soft_wrap=True))
    return Text(buffer.getvalue().rstrip("\n"))


def _figures(session: Session, title: str, figures: Figures, *, layer: bool) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    # If the table is too wide, words and changes wrap; a number is never cut.
    table.add_column(title, overflow="fold")
    table.add_column("now", justify="right", no_wrap=True)
    since = [("since the last save", session.changes(session.saved, layer=layer))]
    if session.committed is not None:
        since.append((f"since {session.commit}", session.changes(session.committed, layer=layer)))
    for heading, _ in since:
        table.add_column(heading, justify="right", overflow="fold")
    for name, count in figures.named().items():
        label = label_of(name)
        table.add_row(f"  {label}", f"{count:,}", *(_change(changes, name) for _, changes in since))
        band = range_text(core_of(name), count)
        if band:
            table.add_row(Text("  80 % band", "dim"), Text(band, "dim"))
    return table


def _change(changes: Sequence[Change], name: str) -> Text:
    found = next((change for change in changes if change.name == name), None)
    if found is None:
        return Text("")
    if not found.difference:
        return Text("=", "dim")
    return Text(step_text(found), _STYLES[mood_of_change(found)])

"""Build the part of the page that looks for a cheaper hot loop, shows what was found, and puts it into the editor."""

from __future__ import annotations

from html import escape

from nicegui import Client, ui

from neonlab.optimize.outcome import Standing
from neonlab.report.optimization_words import optimization_rows
from neonlab.serve.parts import button, coloured
from neonlab.serve.search import Search
from neonlab.serve.studio import Studio

_STATES = {Standing.PROVED: "good", Standing.EXACT: "fair", Standing.UNCHANGED: "dim"}
_LINES = {"+": "good", "-": "bad", "@": "dim"}


class Offer:
    """A button that begins a search, its progress, and the outcome with the change and *Apply*."""

    def __init__(self, studio: Studio, client: Client) -> None:
        self._studio, self._client = studio, client
        self._core = ""
        with ui.element("section").classes("neonlab-offer").props('aria-label="cheaper loop"') as self._place:
            with ui.element("p"):
                self._begin = button("", self._on_begin)
                self._stop = button("Stop", lambda: self._studio.searcher.stop())
            self._told = ui.html("", sanitize=False).props("role=status")
            with ui.element("p"):
                self._apply = button("Apply", self._on_apply)
        self._place.set_visibility(False)
        for one in (self._stop, self._apply):
            one.set_visibility(False)

    def offer(self, core: str) -> None:
        """Offer to search on `core`; nothing where that is ""."""
        self._place.set_visibility(bool(core) or self._studio.search is not None)
        self._begin.set_visibility(bool(core))
        if core and core != self._core:
            self._core = core
            self._begin.clear()
            with self._client, self._begin:
                ui.html(f"Optimize the loop for {escape(core)}", sanitize=False, tag="span")
        if self._studio.search is not None:
            self.show(self._studio.search)

    def show(self, search: Search) -> None:
        """Show how far a search is, or its outcome."""
        self._place.set_visibility(True)
        self._stop.set_visibility(not search.is_over)
        self._begin.props(f"aria-disabled={'false' if search.is_over else 'true'}")
        found = search.outcome
        current = self._studio.is_of_now(search)
        self._apply.set_visibility(found is not None and found.is_better and current)
        head = f"<p><b>{escape(search.text.path.name)}</b> on {escape(search.core)}: "
        if search.problem:
            self._told.content = f'{head}<span class="bad">{escape(search.problem)}</span></p>'
        elif found is None:
            self._told.content = f"{head}{escape(search.words)}</p>"
        else:
            word = f'<b class="{_STATES[found.standing]}">{escape(found.standing.value)}</b></p>'
            said = [*_as_shown(search), *optimization_rows(found)]
            rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in said)
            stale = '<p class="fair">The text has changed since.</p>' if found.is_better and not current else ""
            diff = coloured((_state(row), row) for row in found.diff(search.text.path.name).splitlines())
            change = f"<details><summary>The change</summary><pre>{diff}</pre></details>"
            table = f"<table>{rows}</table>{change * found.is_better}"
            self._told.content = f"{head}{word}{stale}{table}"

    def _on_begin(self) -> None:
        self._studio.begin_search(self._core)

    def _on_apply(self) -> None:
        if self._studio.search is not None:
            self._studio.apply(self._studio.search)
            self.show(self._studio.search)


def _as_shown(search: Search) -> list[tuple[str, str]]:
    """Return a row with the cycles that the page shows of the text, and will show once what was found is applied."""
    if search.shown is None:
        return []
    before, after = search.shown
    told = f"{before:,} cycles now, {after:,} once applied"
    return [("on this page", f"{told}: one call at {search.layer}, caches cold")]


def _state(row: str) -> str:
    return "dim" if row.startswith(("---", "+++")) else _LINES.get(row[:1], "")

"""Build the second pane: another implementation beside the text in the editor, and what comes of both."""

from __future__ import annotations

import io
import json
import re
from html import escape
from typing import Any

from nicegui import Client, run, ui
from nicegui.events import GenericEventArguments
from rich.console import Console

from neonlab.errors import InputError
from neonlab.lab.compare.comparison import Comparison
from neonlab.report.terminal.comparison import print_comparison
from neonlab.report.terminal.verdict import print_failures
from neonlab.serve.beside import KINDS, Compared, Other
from neonlab.serve.buttons import button
from neonlab.serve.script import SCRIPT
from neonlab.serve.studio import Studio
from neonlab.verify.verdict import Verdict

_CHANGED = re.compile(r"  ([-+]) ")
_MOST = 400  # instructions of a loop
_MORE = {"gcc": "-O3", "clang": "-O3", "zig": "-O3", "assembly": "", "revision": "HEAD"}
_ASKED = {"gcc": "flags", "clang": "flags", "zig": "flags", "assembly": "", "revision": "revision"}


class Pane:
    """A field for what is set beside the kernel, a button that compares, and the outcome."""

    def __init__(self, studio: Studio, client: Client) -> None:
        self._studio, self._client = studio, client
        self._core, self._kind, self._more = "", "gcc", _MORE["gcc"]
        self._editor: ui.codemirror | None = None
        with ui.element("details").classes("neonlab-beside").on("toggle", self._on_open):
            ui.html("Set something beside it", sanitize=False, tag="summary")
            with ui.element("p"):
                with ui.element("select").props('aria-label="what to set beside it"') as kind:
                    for name, words in KINDS.items():
                        ui.html(words, sanitize=False, tag="option").props(f"value={name}")
                kind.on("change", self._on_kind, js_handler="(event) => emit(event.target.value)")
                self._field = ui.element("input").props(f'aria-label=flags value="{self._more}" spellcheck=false')
                self._field.on("input", self._on_more, js_handler="(event) => emit(event.target.value)")
                self._begin = button("Compare", self._on_begin)
            self._place = ui.element("div").classes("neonlab-second")
            self._told = ui.html("", sanitize=False).props("role=status")

    def offer(self, core: str) -> None:
        """Compare cycles on `core` from now on; counts alone where that is ""."""
        self._core = core

    def show(self, compared: Compared) -> None:
        """Show how far a comparison is, or what it found."""
        self._begin.props(f"aria-disabled={'false' if compared.is_over else 'true'}")
        if compared.problem:
            self._told.content = f'<p class="bad">{escape(compared.problem)}</p>'
            return
        parts = [f"<p>{escape(compared.words)} …</p>"] if compared.words else []
        if compared.verdict is not None:
            parts.append(f"<p>{_standing(compared)}</p>")
        if compared.comparison is not None:
            parts.append(f'<pre tabindex="0">{_coloured(_printed(compared.comparison, compared.verdict))}</pre>')
        if not self._studio.is_now(compared.text):
            parts.append('<p class="fair">The text has changed since.</p>')
        self._told.content = "".join(parts)

    async def _on_open(self) -> None:
        """Fill in a function to begin with, when the pane is first opened."""
        if self._editor is None:
            try:
                text = await run.io_bound(self._studio.skeleton) or ""
            except InputError as error:
                text = f"/* {error} */\n"
            with self._client, self._place:
                self._editor = ui.codemirror(text, language="C", theme="githubLight").classes("neonlab-second-editor")
            attach = f"(page) => page.attachSecond({self._editor.id})"
            self._client.run_javascript(f"import({json.dumps(SCRIPT)}).then({attach})")

    def _on_kind(self, event: GenericEventArguments) -> None:
        if event.args not in KINDS:
            return
        before, self._kind = self._kind, event.args
        self._more = _MORE[self._kind]
        self._field.props(f'value="{self._more}" aria-label="{_ASKED[self._kind] or "none"}"')
        self._client.run_javascript(f"getHtmlElement({self._field.id}).value = {self._more!r}")
        self._field.set_visibility(bool(_ASKED[self._kind]))
        self._place.set_visibility(self._kind != "revision")
        if self._editor is not None:
            was, now = before == "assembly", self._kind == "assembly"
            if now and not was:
                self._editor.value = self._studio.drafts[self._studio.kernel].text
            self._editor.set_language(None if now else "C")

    def _on_more(self, event: GenericEventArguments) -> None:
        self._more = str(event.args)

    def _on_begin(self) -> None:
        text = str(self._editor.value or "") if self._editor is not None else ""
        self._studio.begin_comparison(Other(self._kind, text, self._more), self._core)


def _standing(compared: Compared) -> str:
    verdict, stem = compared.verdict, compared.text.path.stem
    assert verdict is not None
    name = escape(compared.other.label(stem))
    if verdict.passed:
        return f'<b class="good">exact</b> {name}: {verdict.cases:,} cases'
    first = verdict.failures[0] if verdict.failures else None
    where = f", {escape(first.identifier)} at {escape(str(first.shape))}" if first is not None else ""
    return f'<b class="bad">WRONG</b> {name}{where}'


def _printed(comparison: Comparison, verdict: Verdict | None) -> str:
    out = Console(file=io.StringIO(), width=96, color_system=None, emoji=False, highlight=False)
    print_comparison(out, comparison, most=_MOST)
    further = [(verdict.kernel, one) for one in verdict.failures[:1]] if verdict is not None else []
    print_failures(out, comparison.failures or further)
    shown: Any = out.file
    return str(shown.getvalue())


def _coloured(text: str) -> str:
    rows = []
    for row in text.splitlines():
        changed = _CHANGED.match(row)
        state = {"+": "good", "-": "bad"}[changed[1]] if changed else ""
        rows.append(f'<span class="{state}">{escape(row)}</span>' if state else escape(row))
    return "\n".join(rows)

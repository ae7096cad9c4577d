"""Build the second pane: another implementation beside the text in the editor, and what comes of both."""

from __future__ import annotations

import io
import json
import re
from html import escape

from nicegui import Client, run, ui
from nicegui.events import GenericEventArguments
from rich.console import Console

from neonlab.errors import InputError
from neonlab.lab.compare.comparison import Comparison
from neonlab.report.notebook import not_run_html
from neonlab.report.terminal.comparison import print_comparison
from neonlab.report.terminal.verdict import print_failures
from neonlab.report.verdict_words import mood_of, remark_of, word_of
from neonlab.serve.beside import KINDS, Compared, Other
from neonlab.serve.parts import button, coloured
from neonlab.serve.script import SCRIPT
from neonlab.serve.studio import Studio
from neonlab.verify.verdict import Verdict

_CHANGED = re.compile(r"  ([-+]) ")
_WIDE = 120  # characters, in which the longest instructions stand beside each other whole
_MOST = 400  # instructions of a loop
_FIRST = "gcc"
_WARM = "cycles of one of many calls, which finds caches warm; those above are of one call alone"


class Pane:
    """A field for what is set beside the kernel, a button that compares, and the outcome."""

    def __init__(self, studio: Studio, client: Client) -> None:
        self._studio, self._client = studio, client
        self._core, self._kind, self._more = "", _FIRST, KINDS[_FIRST].usual
        self._opened = False
        self._editor: ui.codemirror | None = None
        with ui.element("details").classes("neonlab-beside").on("toggle", self._on_open):
            ui.html("Set something beside it", sanitize=False, tag="summary")
            with ui.element("p"):
                with ui.element("select").props('aria-label="what to set beside it"') as kind:
                    for name, one in KINDS.items():
                        ui.html(one.words, sanitize=False, tag="option").props(f"value={name}")
                kind.on("change", self._on_kind, js_handler="(event) => emit(event.target.value)")
                self._field = ui.element("input").props("aria-label=flags spellcheck=false")
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
            unseen = compared.verdict.unseen
            parts.append(f"<p>{standing(compared)}</p>{not_run_html(unseen) if unseen is not None else ''}")
        if compared.comparison is not None:
            if self._core:
                parts.append(f'<p class="dim">{_WARM}</p>')
            parts.append(f'<pre tabindex="0">{_printed(compared.comparison, compared.verdict)}</pre>')
        if not self._studio.is_now(compared.text):
            parts.append('<p class="fair">The text has changed since.</p>')
        self._told.content = "".join(parts)

    async def _on_open(self) -> None:
        """Fill in a function to begin with, when the pane is first opened."""
        if not self._opened:
            self._opened = True
            self._fill_field()
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
        kind = KINDS[self._kind]
        self._more = kind.usual
        self._field.props(f'aria-label="{kind.asks or "none"}"')
        self._fill_field()
        self._field.set_visibility(bool(kind.asks))
        self._place.set_visibility(self._kind != "revision")
        if self._editor is not None:
            was, now = before == "assembly", self._kind == "assembly"
            if now and not was:
                self._editor.value = self._studio.drafts[self._studio.kernel].text
            self._editor.set_language(None if now else "C")

    def _fill_field(self) -> None:
        # Not as a property of the element, which would come back whenever anything of the page changes.
        self._client.run_javascript(f"getHtmlElement({self._field.id}).value = {json.dumps(self._more)}")

    def _on_more(self, event: GenericEventArguments) -> None:
        self._more = str(event.args)

    def _on_begin(self) -> None:
        text = str(self._editor.value or "") if self._editor is not None else ""
        self._studio.begin_comparison(Other(self._kind, text, self._more), self._core)


def standing(compared: Compared) -> str:
    """Return the verdict on the other implementation as HTML, in the words that it has everywhere."""
    verdict = compared.verdict
    assert verdict is not None
    name = escape(compared.other.label(compared.text.path.stem))
    told = [f"{verdict.cases:,} cases", *([remark_of(verdict)] if remark_of(verdict) else [])]
    told += [f"{one.identifier} at {one.shape}" for one in verdict.failures[:1]]
    return f'<b class="{mood_of(verdict)}">{word_of(verdict)}</b> {name}: {escape("; ".join(told))}'


def _printed(comparison: Comparison, verdict: Verdict | None) -> str:
    """Return the comparison as the terminal prints it, in colour."""
    file = io.StringIO()
    out = Console(file=file, width=_WIDE, color_system=None, emoji=False, highlight=False)
    print_comparison(out, comparison, most=_MOST, width=_WIDE)
    further = [(verdict.kernel, one) for one in verdict.failures[:1]] if verdict is not None else []
    print_failures(out, comparison.failures or further)
    return coloured((_state(row), row) for row in file.getvalue().splitlines())


def _state(row: str) -> str:
    changed = _CHANGED.match(row)
    return {"+": "good", "-": "bad"}[changed[1]] if changed else ""

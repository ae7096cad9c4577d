"""Build the page: tabs for the variants, the editor, and the results for its text."""

from __future__ import annotations

import asyncio
import difflib
import json
import time
from html import escape
from pathlib import Path
from typing import Any

from nicegui import Client, ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from neonlab.assemble.file_names import ASSEMBLY, INCLUDED
from neonlab.assemble.source import folder_and_name
from neonlab.editor.sight import Sight
from neonlab.errors import InputError
from neonlab.serve.beside import Compared
from neonlab.serve.draft import Standing
from neonlab.serve.offer import Offer
from neonlab.serve.pane import Pane
from neonlab.serve.parts import button
from neonlab.serve.script import SCRIPT
from neonlab.serve.search import Search
from neonlab.serve.studio import Studio

_SHOWN = 60  # most lines of a diff
_COMPILING = "the first time on a machine, native code is compiled, for up to three minutes"
_MOMENT = 0.4  # seconds that new figures may take after the verdict until the last ones are dimmed
_MANY = 6  # variants, beyond which they can be searched
_WORDS = {
    Standing.SAVED: "saved",
    Standing.UNSAVED: "unsaved",
    Standing.CONFLICT: "unsaved; the file has changed",
    Standing.GONE: "the file is gone",
}


class Page:
    """The contents of one browser window; built inside a NiceGUI page function."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._client: Client = ui.context.client
        self._core = ""
        self._editors: dict[Path, ui.codemirror] = {}
        self._told: tuple[Path, Standing, bytes | None] | None = None
        self._good: dict[Path, tuple[float, Sight]] = {}  # the last sight with all figures, and when it was had
        self._later: asyncio.TimerHandle | None = None  # shows that the figures are old, unless new ones come first
        self._retired = False
        self._build()

    def _build(self) -> None:
        with ui.element("main").classes("neonlab-page"):
            with ui.element("header").classes("neonlab-head"):
                self._title = ui.html("", sanitize=False, tag="h1")
                self._word = ui.html("", sanitize=False, tag="span").classes("neonlab-word").props("role=status")
                ui.html("", sanitize=False, tag="span").classes("neonlab-doing")
                self._standing = ui.html("", sanitize=False, tag="span").classes("neonlab-standing")
                self._save = button("Save").props('title="Ctrl-S"').on("click", js_handler="() => neonlabSave()")
            self._build_tabs()
            self._banner = ui.element("section").classes("neonlab-banner").props("role=alert")
            self._banner.set_visibility(False)
            with ui.element("div").classes("neonlab-body"):
                self._place = ui.element("section").classes("neonlab-editors")
                with ui.element("section").classes("neonlab-side"):
                    self._verdict = ui.html("", sanitize=False).classes("neonlab-verdict")
                    self._wait = ui.html("", sanitize=False).classes("neonlab-wait")
                    self._figures = ui.html("", sanitize=False).classes("neonlab-figures")
                    self._build_cores()
                    self._offer = Offer(self._studio, self._client)
                    self._pane = Pane(self._studio, self._client)
                    self._loop = ui.html("", sanitize=False).classes("neonlab-loop")
        ui.on("neonlab-save", self._on_save)
        ui.on("neonlab-open", self._on_open)

    def _build_tabs(self) -> None:
        self._tabs: dict[Path, ui.element] = {}
        self._tab_bar = ui.element("nav").classes("neonlab-tabs").props('aria-label="variants"')
        if len(self._studio.paths) > _MANY:
            self._build_finder()
        for path in dict.fromkeys((*self._studio.paths, *self._studio.drafts)):
            self._add_tab(path)

    def _build_finder(self) -> None:
        """Offer a field that finds a variant by a part of its name, where there are more than one sees at once."""
        named = {path.name: path for path in self._studio.paths}

        def turn(event: GenericEventArguments) -> None:
            asked = str(event.args).strip().lower()
            found = named.get(str(event.args)) or next((named[name] for name in named if asked in name.lower()), None)
            if asked and found is not None:
                self.turn_to(found)
            elif asked:
                self._notify(f"no variant's name has `{asked}` in it")

        with self._tab_bar:
            finder = ui.element("input").props('type=search list=neonlab-variants placeholder="find a variant"')
            finder.props('aria-label="find a variant"').classes("neonlab-finder")
            finder.on("change", turn, js_handler="(event) => { emit(event.target.value); event.target.value = '' }")
            with ui.element("datalist").props("id=neonlab-variants"):
                for name in named:
                    ui.element("option").props(f'value="{escape(name)}"')

    def _add_tab(self, path: Path) -> None:
        included = path not in self._studio.paths
        with self._client, self._tab_bar:
            button = ui.element("button").props("type=button").on("click", lambda: self.turn_to(path))
            with button:
                ui.html(escape(folder_and_name(str(path)) if included else path.name), sanitize=False, tag="span")
        if included:  # next to the kernel that is checked, not after all variants
            before = self._tabs[self._studio.kernel]
            button.move(self._tab_bar, self._tab_bar.default_slot.children.index(before) + 1)
        self._tabs[path] = button
        self._tab_bar.set_visibility(len(self._tabs) > 1)

    def _build_cores(self) -> None:
        with ui.element("label").classes("neonlab-core") as self._core_label:
            ui.html("cycles on ", sanitize=False, tag="span")
            self._core_place = ui.element("select").props('aria-label="core"')
        self._core_place.on("change", self._on_core, js_handler="(event) => emit(event.target.value)")
        self._cores: tuple[str, ...] = ()

    def _offer_cores(self, cores: tuple[str, ...]) -> str:
        """Offer the cores, and return the one whose cycles are shown."""
        chosen = self._core if self._core in cores else next(iter(cores), "")
        if cores and cores != self._cores:
            self._cores = cores
            self._core_place.clear()
            with self._client, self._core_place:
                for core in cores:
                    option = ui.html(escape(core), sanitize=False, tag="option").props(f"value={core}")
                    option.props("selected" if core == chosen else "")
        self._core_label.set_visibility(bool(self._cores))
        return chosen

    async def start(self) -> None:
        """Take over the studio once the browser is connected."""
        await self._client.connected()
        self._studio.take_page(self)
        self._client.on_delete(lambda: self._studio.leave_page(self))
        self.turn_to(self._studio.front)

    def turn_to(self, path: Path) -> None:
        """Bring the editor of `path` to the front."""
        if self._retired:
            return
        try:
            draft = self._studio.turn_to(path)
        except InputError as error:
            self._notify(str(error))
            return
        if path not in self._tabs:
            self._add_tab(path)
        if path not in self._editors:
            with self._client, self._place:
                self._editors[path] = self._editor(path, draft.text)
        for other, editor in self._editors.items():
            editor.set_visibility(other == path)
        for other, tab in self._tabs.items():
            tab.props(f"aria-current={'page' if other == path else 'false'}")
        self._run(f"getHtmlElement({self._tabs[path].id})?.scrollIntoView({{ block: 'nearest', inline: 'nearest' }})")
        self._call("setFront", f"{self._editors[path].id}, {json.dumps(str(path))}")
        kernel = self._studio.kernel
        within = f' <span class="dim">in {escape(kernel.name)}</span>' if path != kernel else ""
        self._title.content = escape(path.name) + within
        self._run(f"document.title = {json.dumps(f'{path.stem} · neonlab')}")
        seen = self._studio.sights.get(kernel)
        text = self._studio.drafts[kernel].text
        self.show(seen or Sight.of_nothing(kernel, text))
        self.follow(path)

    def _editor(self, path: Path, text: str) -> ui.codemirror:
        language: Any = None if path.suffix in (*ASSEMBLY, *INCLUDED) else "C"
        editor = ui.codemirror(text, language=language, theme="githubLight", on_change=lambda e: self._on_type(path, e))
        editor.classes("neonlab-editor")
        is_assembly = json.dumps(language is None)
        self._call("attach", f"{editor.id}, {is_assembly}, {json.dumps(str(path))}")
        return editor

    def _on_type(self, path: Path, event: ValueChangeEventArguments[str]) -> None:
        if not self._retired and event.value != self._studio.drafts[path].text:
            self._studio.type(path, event.value)
            self.follow(path)

    def _on_save(self, event: GenericEventArguments) -> None:
        path = next((path for path, editor in self._editors.items() if editor.id == event.args["id"]), None)
        if path is None or self._retired:
            return
        try:
            self._studio.save(path, str(event.args["text"]))
        except InputError as error:
            self._notify(str(error))

    def _on_open(self, event: GenericEventArguments) -> None:
        """Open a line that is in another file than the front one."""
        path = Path(str(event.args["path"]))
        self.turn_to(path)
        if self._studio.front == path:
            self._call("goTo", str(int(event.args["line"])))

    def _on_core(self, event: GenericEventArguments) -> None:
        if event.args in self._cores:
            self._core = event.args
            seen = self._studio.sights.get(self._studio.kernel)
            if seen is not None:
                self.show(seen)

    def show(self, sight: Sight) -> None:
        """Show the results for the kernel, at the lines of the text in front."""
        path = self._studio.front
        if sight.path != self._studio.kernel or path not in self._editors:
            return
        self._word.content = f'<b class="{sight.state}">{escape(sight.word or "…")}</b>'
        self._verdict.content = sight.verdict
        if sight.complete and sight.figures:
            self._good[sight.path] = time.time(), sight
        if self._later is not None:
            self._later.cancel()
        if sight.word and not sight.figures and not sight.complete:
            self._later = asyncio.get_running_loop().call_later(_MOMENT, self._show_figures, sight)
            self._annotate(sight, None, stale=None)
        else:
            self._show_figures(sight)

    def _show_figures(self, sight: Sight) -> None:
        """Show the figures of `sight`; without any, as of half a word, the last ones stay, dimmed, with their age."""
        had, last = self._good.get(sight.path, (0.0, sight)) if not sight.figures else (0.0, sight)
        age = f'<p class="neonlab-age" data-had="{1000 * had:.0f}"></p>' if last is not sight else ""
        self._figures.content = age + last.figures
        core = self._offer_cores(last.cores)
        self._offer.offer(core)
        self._pane.offer(core)
        self._wait.content = last.waits.get(core, "")
        loop = last.loops.get(core, "")
        if loop or sight.complete:  # the last one stays, marked as stale, until there is another
            self._loop.content = loop
        for part, fresh in (
            (self._figures, not age),
            (self._wait, not age),
            (self._loop, not age and bool(loop or sight.complete)),
        ):
            part.classes(**{"remove" if fresh else "add": "neonlab-stale"})
        self._annotate(sight, core, stale=bool(age))

    def _annotate(self, sight: Sight, core: str | None, *, stale: bool | None) -> None:
        """Mark the lines of the text in front, with their cost on `core`; None leaves cost and dimming as they are."""
        path = self._studio.front
        marks = sight.marks(path)
        if marks is None or path not in self._editors or marks.text != self._studio.drafts[path].text:
            return  # the lines may have moved by now
        remarks = [{"line": r.line, "word": r.word, "sentence": r.sentence} for r in marks.remarks]
        costs = marks.heat.get(core) if core is not None else None
        keep = stale or not sight.complete
        heat = [one.to_json() for one in costs] if costs is not None else None if keep else []
        told = ", ".join(json.dumps(one) for one in (remarks, heat, sight.complete, stale))
        self._call("annotate", f"{self._editors[path].id}, {told}")

    def show_doing(self, words: str) -> None:
        """Tell what is being done, and for how long: the script shows it where it takes more than a moment."""
        first = not any(sight.word for sight in self._studio.sights.values())
        self._call("tellDoing", f"{json.dumps(words)}, {json.dumps(_COMPILING if first and words else '')}")

    def show_search(self, search: Search) -> None:
        """Show how far the search for a cheaper loop is, or what it found."""
        self._offer.show(search)

    def show_comparison(self, compared: Compared) -> None:
        """Show how far a comparison with another implementation is, or what it found."""
        self._pane.show(compared)

    def follow(self, path: Path) -> None:
        """Show the standing of the text, and the text itself if the file's was taken."""
        draft = self._studio.drafts[path]
        if path in self._tabs:
            self._tabs[path].classes(**{"add" if draft.unsaved else "remove": "neonlab-unsaved"})
        if path in self._editors and self._editors[path].value != draft.text:
            self._editors[path].value = draft.text
        if path != self._studio.front or path not in self._editors:
            return
        self._standing.content = _WORDS[draft.standing]
        self._standing.classes(**{"add" if draft.unsaved else "remove": "neonlab-unsaved"})
        if self._told != (path, draft.standing, draft.on_disk):
            self._told = path, draft.standing, draft.on_disk
            self._show_banner(path)

    def _show_banner(self, path: Path) -> None:
        draft = self._studio.drafts[path]
        self._banner.clear()
        self._banner.set_visibility(draft.standing in (Standing.CONFLICT, Standing.GONE))
        with self._client, self._banner:
            if draft.standing is Standing.GONE:
                told = f"<b>{escape(path.name)}</b> is no longer on disk. Saving writes it again."
                ui.html(told, sanitize=False, tag="p")
            elif draft.standing is Standing.CONFLICT:
                told = f"<b>{escape(path.name)}</b> has changed on disk, and this text is not saved."
                ui.html(told, sanitize=False, tag="p")
                self._choice("Load the file's text", lambda: self._studio.take_theirs(path))
                self._choice("Keep this text", lambda: self._studio.keep_mine(path))
                ui.html(_difference(draft), sanitize=False, tag="details")

    def _choice(self, words: str, chosen: Any) -> None:
        def choose() -> None:
            try:
                chosen()
            except InputError as error:
                self._notify(str(error))

        button(words, choose)

    def retire(self) -> None:
        """Make the page read-only, since another window has taken over."""
        self._retired = True
        for editor in self._editors.values():
            editor.disable()
        self._banner.clear()
        self._banner.set_visibility(True)
        with self._client, self._banner:
            ui.html("Another window is editing this file.", sanitize=False, tag="p")
            button("Edit here").on("click", js_handler="() => location.reload()")

    def _notify(self, words: str) -> None:
        with self._client:
            ui.notify(words, type="negative", multi_line=True, close_button=True, timeout=0)

    def _call(self, function: str, arguments: str) -> None:
        self._run(f"import({json.dumps(SCRIPT)}).then((page) => page.{function}({arguments}))")

    def _run(self, code: str) -> None:
        self._client.run_javascript(code)


def _difference(draft: Any) -> str:
    try:
        theirs = draft.theirs()
    except InputError as error:
        return f"<summary>What is on disk</summary><p>{escape(str(error))}</p>"
    lines = difflib.unified_diff(draft.text.split("\n"), theirs.split("\n"), "this text", "the file", n=2, lineterm="")
    shown = list(lines)
    more = [f"… {len(shown) - _SHOWN} more lines"] if len(shown) > _SHOWN else []
    told = "\n".join([*shown[:_SHOWN], *more])
    return f"<summary>What is different</summary><pre>{escape(told)}</pre>"

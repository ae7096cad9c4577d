"""Serve editors by the Language Server Protocol: what is wrong as one types, hover, completion, the cost by line.

`neonlab lsp` runs it on standard input and output.  A text is checked as `neonlab serve` does it, the newest first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

import neonlab
from neonlab.assemble.file_names import ASSEMBLY, INCLUDED
from neonlab.contract.options import NOTHING, Given
from neonlab.editor.assembled import AssembledText
from neonlab.editor.complete import Kind, Offer, offers
from neonlab.editor.desk import Desk, Text
from neonlab.editor.hover import hover
from neonlab.editor.sight import Marks, Sight
from neonlab.errors import InputError
from neonlab.lab.repository.library import find_root
from neonlab.measure.cores.modelled import ModelledCore

_PAUSE = 0.1  # seconds without typing until the text is checked
_SOURCE = "neonlab"
_KINDS = {
    Kind.MNEMONIC: lsp.CompletionItemKind.Keyword,
    Kind.MACRO: lsp.CompletionItemKind.Function,
    Kind.REGISTER: lsp.CompletionItemKind.Variable,
    Kind.LABEL: lsp.CompletionItemKind.Reference,
    Kind.CONSTANT: lsp.CompletionItemKind.Constant,
}


class Editor:
    """Keep what one editor has open, and check the text that was changed last.

    It is a context manager.  The desks are made for each repository when its first file is opened.
    """

    def __init__(
        self, server: LanguageServer, *, cores: Sequence[ModelledCore], shape: str | None, seed: int, given: Given
    ) -> None:
        self._server, self._given = server, given
        self._cores, self._shape, self._seed = tuple(cores), shape, seed
        self._desks: dict[Path, Desk] = {}
        self._texts: dict[str, AssembledText] = {}
        self._measured: dict[str, Marks] = {}  # of the last text of which costs are known
        self._pause: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, *_: object) -> None:
        for desk in self._desks.values():
            desk.__exit__()

    def changed(self, uri: str, pause: float = _PAUSE) -> None:
        """Check the text of a document after a pause in typing."""
        self._loop = asyncio.get_running_loop()
        if self._pause is not None:
            self._pause.cancel()
        self._pause = self._loop.call_later(pause, self._check, uri)

    def closed(self, uri: str) -> None:
        """Forget a document, and take back what was said of it."""
        self._texts.pop(uri, None)
        self._measured.pop(uri, None)
        self._publish(uri, [])

    def hover(self, uri: str, line: int) -> str:
        """Return Markdown for a line (from 1)."""
        told = hover(self._assembled(uri), self._text(uri), line, self._cores)
        return told.markdown if told is not None else ""

    def offers(self, uri: str, line: int, column: int) -> list[Offer]:
        """Return what can complete the word that ends there."""
        text = self._assembled(uri)
        return offers(self._text(uri), line, column, text.path, text.isa, text.folders)

    def costs(self, uri: str) -> list[tuple[int, str, str]]:
        """Return (line from 1, cycles, words), on the first core.

        Where the text is another than the one that was measured last, as with half a word, they are those of the lines
        above and below what has changed, and the words say so.
        """
        seen = self._measured.get(uri)
        if seen is None:
            return []
        now, then = self._text(uri), seen.text
        places = _places(then.split("\n"), now.split("\n"))
        age = "" if now == then else "of an earlier text: "
        told = [one.to_json() for one in next(iter(seen.heat.values()), ())]
        return [
            (place, one["cycles"], f"{age}{one['told']}") for one in told if (place := places(one["line"])) is not None
        ]

    def _text(self, uri: str) -> str:
        return str(self._server.workspace.get_text_document(uri).source).replace("\r\n", "\n")

    def _path(self, uri: str) -> Path | None:
        path = to_fs_path(uri)
        return Path(path).resolve() if path else None

    def _assembled(self, uri: str) -> AssembledText:
        if uri not in self._texts:
            self._texts[uri] = AssembledText(self._path(uri) or Path("untitled"), self._given.isa, self._given.build)
        return self._texts[uri]

    def _check(self, uri: str) -> None:
        path = self._path(uri)
        if path is None or path.suffix not in ASSEMBLY or path.suffix in INCLUDED or not path.is_file():
            return
        try:
            root = find_root(path.parent)
            saved = path.read_text(encoding="utf-8")
        except (InputError, OSError, UnicodeDecodeError) as error:
            self._publish(uri, [_diagnostic(1, "error", str(error))])
            return
        beside = []
        for other, document in self._server.workspace.text_documents.items():
            place = self._path(other)
            if place is not None and place != path and place.suffix in INCLUDED and place.is_file():
                beside.append((place, document.source, place.read_text(encoding="utf-8", errors="replace")))
        self._desk(root).ask(Text(path, self._text(uri), saved, tuple(beside)))

    def _desk(self, root: Path) -> Desk:
        if root not in self._desks:
            self._desks[root] = Desk(
                root, given={}, otherwise=self._given, shape=self._shape, cores=self._cores, seed=self._seed,
                show=self._show,
            )  # fmt: skip
            self._desks[root].__enter__()
        return self._desks[root]

    def _show(self, sight: Sight) -> None:
        """Hand a sight over to the loop; called in a desk's thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, sight)

    def _take(self, sight: Sight) -> None:
        if not sight.word:
            return
        marks = {sight.path: Marks(sight.text, sight.remarks, sight.heat), **sight.beside}
        for path, one in marks.items():
            uri = self._uri(path)
            if any(one.heat.values()):
                self._measured[uri] = one
            self._publish(uri, [_diagnostic(r.line, r.word, r.sentence) for r in one.remarks])
        if sight.complete:
            self._server.workspace_inlay_hint_refresh(None)

    def _uri(self, path: Path) -> str:
        """Return the name that the editor has for a file."""
        for uri in self._server.workspace.text_documents:
            if self._path(uri) == path:
                return str(uri)
        return str(from_fs_path(str(path)))

    def _publish(self, uri: str, diagnostics: list[lsp.Diagnostic]) -> None:
        self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))


def _places(then: Sequence[str], now: Sequence[str]) -> Callable[[int], int | None]:
    """Return where a line (from 1) of a text is in another: those above the first and below the last change."""
    least = min(len(then), len(now))
    above = next((at for at in range(least) if then[at] != now[at]), least)
    below = next((at for at in range(least - above) if then[-1 - at] != now[-1 - at]), least - above)

    def place(line: int) -> int | None:
        if line <= above:
            return line
        return line + len(now) - len(then) if line > len(then) - below else None

    return place


def _diagnostic(line: int, word: str, sentence: str) -> lsp.Diagnostic:
    at = max(line, 1) - 1
    where = lsp.Range(lsp.Position(at, 0), lsp.Position(at, 10_000))
    return lsp.Diagnostic(where, sentence, severity=lsp.DiagnosticSeverity.Error, code=word, source=_SOURCE)


def run(*, cores: Sequence[ModelledCore], shape: str | None, seed: int, given: Given = NOTHING) -> None:
    """Serve one editor on standard input and output until it leaves."""
    server = language_server()
    with Editor(server, cores=cores, shape=shape, seed=seed, given=given) as editor:
        answer(server, editor)
        server.start_io()


def language_server() -> LanguageServer:
    """Return a server that answers nothing yet."""
    return LanguageServer("neonlab", neonlab.__version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)


def answer(server: LanguageServer, editor: Editor) -> None:
    """Let `editor` answer what is asked of `server`."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        editor.changed(params.text_document.uri, 0.0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        editor.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        editor.changed(params.text_document.uri, 0.0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        editor.closed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        told = editor.hover(params.text_document.uri, params.position.line + 1)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, told)) if told else None

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
    def completed(params: lsp.CompletionParams) -> lsp.CompletionList:
        at = params.position
        found = editor.offers(params.text_document.uri, at.line + 1, at.character)
        return lsp.CompletionList(is_incomplete=False, items=[_item(one) for one in found])

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def costs(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        first, last = params.range.start.line + 1, params.range.end.line + 1
        document = server.workspace.get_text_document(params.text_document.uri)
        return [
            _hint(line, len(document.lines[line - 1].rstrip("\r\n")), cycles, told)
            for line, cycles, told in editor.costs(params.text_document.uri)
            if first <= line <= min(last, len(document.lines))
        ]


def _item(one: Offer) -> lsp.CompletionItem:
    return lsp.CompletionItem(one.word, kind=_KINDS[one.kind], detail=one.told or one.kind.value)


def _hint(line: int, column: int, cycles: str, told: str) -> lsp.InlayHint:
    label = f"{cycles} cycle{'s' * (cycles != '1')}"
    return lsp.InlayHint(lsp.Position(line - 1, column), label, tooltip=told, padding_left=True)

"""`neonlab lsp` as an editor has it: a client of pygls, over standard input and output."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from tests.command_line import ADD, SUM, new_repository

WRONG = SUM.replace("sqadd", "sqsub")
STORE = "str     q0, [c], #16"  # the instruction that wrote the wrong results
Diagnostics = list[lsp.Diagnostic]


class Client:
    """A client with one open document; it keeps what the server says."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.own = LanguageClient("tests", "1")
        self.said: list[lsp.PublishDiagnosticsParams] = []
        self.news = asyncio.Event()
        self.refreshed = asyncio.Event()
        self.own.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._hear(params))
        self.own.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(lambda _: self.refreshed.set())

    def _hear(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.said.append(params)
        self.news.set()

    def type(self, text: str, version: int) -> None:
        """Replace the text of the document."""
        document = lsp.VersionedTextDocumentIdentifier(version, self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.own.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    async def until(self, holds: Callable[[Diagnostics], bool]) -> Diagnostics:
        """Wait for diagnostics of which `holds`; a minute, as the first check compiles."""
        async with asyncio.timeout(60):
            while True:
                if self.said and holds(list(self.said[-1].diagnostics)):
                    return list(self.said[-1].diagnostics)
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def served(path: Path, *more: str) -> AsyncIterator[Client]:
    client = Client(path.as_uri())
    await client.own.start_io(sys.executable, "-m", "neonlab", "lsp", "--shape", "64", "--core", "cortex-a55", *more)
    try:
        await client.own.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
        client.own.initialized(lsp.InitializedParams())
        document = lsp.TextDocumentItem(path.as_uri(), "asm", 1, path.read_text())
        client.own.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        yield client
    finally:
        await client.own.shutdown_async(None)
        client.own.exit(None)
        await client.own.stop()


def run(task: Callable[[], Awaitable[Any]]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(task(), 240)

    return asyncio.run(limited())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return new_repository(tmp_path) / "asm" / f"{ADD}.S"


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.split("\n")) if words.strip() in line)


@pytest.mark.slow
def test_a_mistake_that_is_typed_is_told_at_its_line_and_taken_back_once_it_is_mended(path: Path) -> None:
    async def talk() -> None:
        async with served(path) as client:
            await client.until(lambda told: not told)
            half = SUM.replace("sqadd", "sqad")
            for version, (wrong, words, at) in enumerate(((WRONG, "expected", STORE), (half, "sqad", half)), 2):
                text = path.read_text().replace(SUM, wrong, 1)
                client.type(text, 2 * version)
                told = await client.until(bool)
                assert told[0].range.start.line == line_of(text, at), told
                assert words in told[0].message and told[0].source == "neonlab"
                client.type(path.read_text(), 2 * version + 1)
                await client.until(lambda told: not told)

    run(talk)


@pytest.mark.slow
def test_hover_completion_and_costs_are_those_of_the_text_that_is_typed(path: Path) -> None:
    async def talk() -> None:
        async with served(path) as client:
            await asyncio.wait_for(client.refreshed.wait(), 60)
            text = path.read_text()
            line = line_of(text, SUM.splitlines()[0])
            document = lsp.TextDocumentIdentifier(path.as_uri())
            found = await client.own.text_document_hover_async(lsp.HoverParams(document, lsp.Position(line, 6)))
            assert found is not None and isinstance(found.contents, lsp.MarkupContent)
            assert "clamped" in found.contents.value and "**cortex-a55**: latency" in found.contents.value
            client.type(text.replace(SUM, f"    sqa\n{SUM}", 1), 2)
            offered = await client.own.text_document_completion_async(
                lsp.CompletionParams(document, lsp.Position(line, 7))
            )
            assert isinstance(offered, lsp.CompletionList)
            assert {"sqabs", "sqadd"} == {one.label for one in offered.items}
            # half a word does not assemble: the instruction below is known from before
            found = await client.own.text_document_hover_async(lsp.HoverParams(document, lsp.Position(line + 1, 6)))
            assert found is not None and "clamped" in str(found.contents)
            await client.until(lambda told: "sqa" in str(told))
            span = lsp.Range(lsp.Position(0, 0), lsp.Position(len(text.split("\n")) + 1, 0))
            kept = await client.own.text_document_inlay_hint_async(lsp.InlayHintParams(document, span)) or []
            assert {hint.position.line for hint in kept} >= {line - 1, line + 1}, (
                "costs of the lines around half a word"
            )
            assert line not in {hint.position.line for hint in kept}
            assert all(str(hint.tooltip).startswith("of an earlier text: ") for hint in kept)
            client.type(text, 3)
            span = lsp.Range(lsp.Position(0, 0), lsp.Position(len(text.split("\n")), 0))
            hints: Sequence[lsp.InlayHint] | None = None
            async with asyncio.timeout(60):
                while not hints or any(str(one.tooltip).startswith("of an earlier text") for one in hints):
                    client.refreshed.clear()
                    await client.refreshed.wait()
                    hints = await client.own.text_document_inlay_hint_async(lsp.InlayHintParams(document, span))
            assert line in {hint.position.line for hint in hints}
            assert all(re.fullmatch(r"Σ?[\d.]+[kMG]? cycles?", str(hint.label)) for hint in hints)

    run(talk)


@pytest.mark.slow
def test_options_count_for_every_kernel_that_is_opened(path: Path) -> None:
    """Two kernels that need a name of the preprocessor, which only the command line defines."""
    text = path.read_text().replace(SUM, "    OPERATION   v0.16b, v0.16b, v1.16b\n" + SUM.split("\n", 1)[1], 1)
    other = path.with_name("add_s8_other.S")
    other.write_text(text.replace("add_s8_saturated", other.stem))
    path.write_text(text)

    async def talk() -> None:
        async with served(path, "-D", "OPERATION=sqadd") as client:
            await client.until(lambda told: not told)
            client.said.clear()
            client.uri = other.as_uri()
            document = lsp.TextDocumentItem(client.uri, "asm", 1, other.read_text())
            client.own.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
            await client.until(lambda told: not told and client.said[-1].uri == client.uri)

    run(talk)

"""Answer what the page asks about a place in its text: hover and completion."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonlab.contract.options import NOTHING, Given
from neonlab.editor.assembled import AssembledText
from neonlab.editor.complete import offers
from neonlab.editor.hover import hover
from neonlab.measure.cores.modelled import ModelledCore

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

ASKED = "/_neonlab-asked"


class Answers:
    """The texts that were asked about, by file.  Questions come from several threads, and wait for one another."""

    def __init__(self, given: Mapping[Path, Given], cores: Sequence[ModelledCore]) -> None:
        self._given, self._cores = given, tuple(cores)
        self._texts: dict[Path, AssembledText] = {}
        self._turn = threading.Lock()

    def hover(self, path: Path, text: str, line: int) -> dict[str, Any] | None:
        """Return what to show at a line (from 1), or None."""
        with self._turn:
            told = hover(self._text(path), text, line, self._cores)
        return told.to_json() if told is not None else None

    def offers(self, path: Path, text: str, line: int, column: int) -> list[dict[str, str]]:
        """Return what can complete the word that ends there."""
        with self._turn:
            known = self._text(path)
            found = offers(text, line, column, path, known.isa, known.folders)
        return [{"label": one.word, "detail": one.told, "type": one.kind.value} for one in found]

    def _text(self, path: Path) -> AssembledText:
        if path not in self._texts:
            given = self._given.get(path, NOTHING)
            self._texts[path] = AssembledText(path, given.isa, given.build)
        return self._texts[path]


def add_answers(app: Starlette, answers: Answers, held: Callable[[Path], bool]) -> None:
    """Let `app` answer about the files that the page has; about others it answers nothing."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse

    def told(asked: dict[str, Any]) -> Any:
        try:
            path, text, line, column = Path(asked["path"]), asked["text"], int(asked["line"]), asked.get("column")
        except (KeyError, TypeError, ValueError):
            return None
        if not held(path) or not isinstance(text, str):
            return None
        return answers.hover(path, text, line) if column is None else answers.offers(path, text, line, int(column))

    async def answer(request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(told, await request.json()))

    app.add_route(ASKED, answer, methods=["POST"])

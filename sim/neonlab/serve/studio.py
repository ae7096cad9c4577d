"""What the server keeps while pages come and go: the drafts, what was last seen of each, and who shows it now.

`paths` are kernels, of which one is checked.  Files that they include may be opened too; a kernel is checked with the
texts of all of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.serve.desk import Desk, Text
from neonlab.serve.draft import Draft
from neonlab.serve.sight import Sight

_PAUSE = 0.3  # seconds without a key until the text is checked


class Showing(Protocol):
    """A page in a browser."""

    def show(self, sight: Sight) -> None:
        """There is more to see of a text."""

    def follow(self, path: Path) -> None:
        """The draft of `path` changed otherwise than by typing, or stands otherwise to its file."""

    def retire(self) -> None:
        """Another page has taken over."""


class Studio:
    """Lives on the server's event loop but for the desk, whose thread hands sights over to it."""

    def __init__(
        self,
        paths: Sequence[Path],
        root: Path | None,
        *,
        given: Given,
        shape: str | None,
        cores: Sequence[str],
        seed: int,
    ) -> None:
        self.paths = tuple(paths)
        self.drafts: dict[Path, Draft] = {}
        self.sights: dict[Path, Sight] = {}
        self.front = self.kernel = self.paths[0]
        self._root = root if root is not None and root in self.front.parents else self.front.parent
        self._page: Showing | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pause: asyncio.TimerHandle | None = None
        self.desk = Desk(root, given={self.paths[0]: given}, shape=shape, cores=cores, seed=seed, show=self._hand_over)
        self.open(self.front)

    def open(self, path: Path) -> Draft:
        """The draft of `path`.  Raises InputError where the file cannot be edited."""
        if path not in self.drafts:
            self.drafts[path] = Draft(path)
        return self.drafts[path]

    def take_page(self, page: Showing) -> None:
        """`page` shows everything from now on."""
        self._loop = asyncio.get_running_loop()
        if self._page is not None and self._page is not page:
            self._page.retire()
        self._page = page

    def leave_page(self, page: Showing) -> None:
        """`page` was closed."""
        if self._page is page:
            self._page = None

    def turn_to(self, path: Path) -> Draft:
        """Bring `path` to the front and have it checked, or the kernel that includes it.  Raises InputError."""
        if path not in self.paths and self._root not in path.resolve().parents:
            raise InputError(f"{path}: is not a file of the repository")
        draft = self.open(path)
        self.front = path
        if path in self.paths:
            self.kernel = path
        self._check()
        return draft

    def type(self, path: Path, text: str) -> None:
        """The text in the editor of `path` is now `text`; it is checked when nothing was typed for a moment."""
        self.drafts[path].text = text
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(_PAUSE, self._check)

    def save(self, path: Path, text: str) -> bool:
        """Write `text` into the file; False where that would lose what someone else wrote.  Raises InputError."""
        draft = self.drafts[path]
        draft.text = text
        written = draft.save()
        self._check()
        self._follow(path)
        return written

    def take_theirs(self, path: Path) -> None:
        """Give up the text of `path` for what is on disk.  Raises InputError."""
        self.drafts[path].take_theirs()
        self._check()
        self._follow(path)

    def keep_mine(self, path: Path) -> None:
        """Hold on to the text of `path`, whatever is on disk.  Raises InputError."""
        self.drafts[path].keep_mine()
        self._follow(path)

    def heard(self, operators: bool) -> None:
        """Something was saved in a folder of the kernels; called in a thread of its own."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
                self._loop.call_soon_threadsafe(self._look_at_disk, operators)

    def unsaved_texts(self) -> list[Path]:
        """Keep texts that were never saved in files beside nothing; where they lie."""
        kept = []
        for path, draft in self.drafts.items():
            if draft.unsaved:
                place = Path(tempfile.mkdtemp(prefix="neonlab-unsaved-")) / path.name
                place.write_text(draft.text, encoding="utf-8", newline="")
                kept.append(place)
        return kept

    def _look_at_disk(self, operators: bool) -> None:
        for path, draft in self.drafts.items():
            with contextlib.suppress(InputError):  # such a file is as good as another's: the conflict is shown
                draft.look()
            self._follow(path)
        self._check(operators=operators)

    def _follow(self, path: Path) -> None:
        if self._page is not None:
            self._page.follow(path)

    def _check(self, *, operators: bool = False) -> None:
        draft = self.drafts[self.kernel]
        others = [(path, one.text, one.base or "") for path, one in self.drafts.items() if path not in self.paths]
        self.desk.ask(Text(self.kernel, draft.text, draft.base or "", tuple(others)), operators=operators)

    def _hand_over(self, sight: Sight) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take, sight)

    def _take(self, sight: Sight) -> None:
        self.sights[sight.path] = sight
        if self._page is not None:
            self._page.show(sight)

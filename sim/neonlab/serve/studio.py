"""Keep what outlives a page: the drafts, the last sight of each, and the page that shows it now.

`paths` are kernels, of which one is checked.  Files that they include may be opened too; a kernel is checked with the
texts of all of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from neonlab.contract.options import Given
from neonlab.editor.desk import Desk, Text
from neonlab.editor.sight import Sight
from neonlab.errors import InputError
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.serve.beside import Compared, Comparer, Other
from neonlab.serve.draft import Draft
from neonlab.serve.search import Search, Searcher

_Found = TypeVar("_Found")
_PAUSE = 0.03  # seconds without typing until the text is checked


class Showing(Protocol):
    """A page in a browser."""

    def show(self, sight: Sight) -> None:
        """Show a new sight of a text."""

    def follow(self, path: Path) -> None:
        """Follow the draft of `path`, which changed other than by typing, or whose standing changed."""

    def show_doing(self, words: str) -> None:
        """Show what is being done for the text; "" where nothing is."""

    def show_search(self, search: Search) -> None:
        """Show how far the search for a cheaper loop is, or what it found."""

    def show_comparison(self, compared: Compared) -> None:
        """Show how far a comparison with another implementation is, or what it found."""

    def retire(self) -> None:
        """Give way to another page."""


class Studio:
    """The state of the server.  It is used on the event loop only; the desk's thread passes sights to that loop."""

    def __init__(
        self,
        paths: Sequence[Path],
        root: Path | None,
        *,
        given: Given,
        shape: str | None,
        cores: Sequence[ModelledCore],
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
        self.desk = Desk(
            root, given={self.paths[0]: given}, shape=shape, cores=cores, seed=seed, show=self._in_loop(self._take),
            tell=self._in_loop(self._take_doing),
        )  # fmt: skip
        self.searcher = Searcher(root, {self.paths[0]: given}, shape, seed, self._in_loop(self._take_search))
        self.search: Search | None = None
        self.comparer = Comparer(root, {self.paths[0]: given}, shape, seed, self._in_loop(self._take_comparison))
        self.open(self.front)

    def open(self, path: Path) -> Draft:
        """Return the draft of `path`.  Raises InputError if the file cannot be edited."""
        if path not in self.drafts:
            self.drafts[path] = Draft(path)
        return self.drafts[path]

    def take_page(self, page: Showing) -> None:
        """Let `page` show everything from now on."""
        self._loop = asyncio.get_running_loop()
        if self._page is not None and self._page is not page:
            self._page.retire()
        self._page = page

    def leave_page(self, page: Showing) -> None:
        """Forget `page`, which was closed."""
        if self._page is page:
            self._page = None

    def turn_to(self, path: Path) -> Draft:
        """Bring `path` to the front and check it, or the kernel that includes it.  Raises InputError."""
        if path not in self.paths and self._root not in path.resolve().parents:
            raise InputError(f"{path}: is not a file of the repository")
        draft = self.open(path)
        self.front = path
        if path in self.paths:
            self.kernel = path
        self._check()
        return draft

    def type(self, path: Path, text: str) -> None:
        """Record the new text in the editor of `path`; it is checked after a pause in typing."""
        self.drafts[path].text = text
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(_PAUSE, self._check)

    def save(self, path: Path, text: str) -> bool:
        """Write `text` to the file; return False if that would lose another program's change.  Raises InputError."""
        draft = self.drafts[path]
        draft.text = text
        written = draft.save()
        self._check()
        self._follow(path)
        return written

    def take_theirs(self, path: Path) -> None:
        """Replace the text of `path` by that of the file.  Raises InputError."""
        self.drafts[path].take_theirs()
        self._check()
        self._follow(path)

    def keep_mine(self, path: Path) -> None:
        """Keep the text of `path`, whatever the file holds.  Raises InputError."""
        self.drafts[path].keep_mine()
        self._follow(path)

    def begin_search(self, core: str) -> None:
        """Look for a cheaper hot loop of the kernel on `core`, unless a search is under way."""
        self.searcher.begin(self._asked(), core)

    def is_of_now(self, search: Search) -> bool:
        """Tell whether a search was made for the texts as they are."""
        return self.is_now(search.text)

    def is_now(self, text: Text) -> bool:
        """Tell whether this is the text of the kernel as it is."""
        return text.path == self.kernel and text.now == self._asked().now

    def begin_comparison(self, other: Other, core: str) -> None:
        """Compare the kernel with another implementation, on `core`, unless a comparison is under way."""
        self.comparer.begin(self._asked(), other, core)

    def skeleton(self) -> str:
        """Return a C function like the kernel, to be filled in.  Raises InputError."""
        return self.comparer.skeleton(self._asked())

    def apply(self, search: Search) -> None:
        """Put the text that was found into the editor, and check it.  Nothing is saved."""
        if search.outcome is None or not search.outcome.is_better or not self.is_of_now(search):
            return
        path = search.text.path
        self.drafts[path].text = search.outcome.text
        self._check()
        self._follow(path)

    def heard(self, operators: bool) -> None:
        """Handle a save in a folder of the kernels; called in another thread."""
        self._in_loop(self._look_at_disk)(operators)

    def unsaved_texts(self, folder: Path) -> list[Path]:
        """Write texts that were never saved to new folders in this one, and return their paths."""
        kept = []
        for path, draft in self.drafts.items():
            if draft.unsaved:
                place = Path(tempfile.mkdtemp(prefix="neonlab-unsaved-", dir=folder)) / path.name
                place.write_text(draft.text, encoding="utf-8", newline="")
                kept.append(place)
        return kept

    def _look_at_disk(self, operators: bool) -> None:
        for path, draft in self.drafts.items():
            with contextlib.suppress(InputError):  # an unreadable file counts as changed, and the conflict is shown
                draft.look()
            self._follow(path)
        self._check(operators=operators)

    def _follow(self, path: Path) -> None:
        if self._page is not None:
            self._page.follow(path)

    def _check(self, *, operators: bool = False) -> None:
        self.desk.ask(self._asked(), operators=operators)

    def _asked(self) -> Text:
        draft = self.drafts[self.kernel]
        others = [(path, one.text, one.base or "") for path, one in self.drafts.items() if path not in self.paths]
        return Text(self.kernel, draft.text, draft.base or "", tuple(others))

    def _in_loop(self, take: Callable[[_Found], None]) -> Callable[[_Found], None]:
        """Return a function for other threads, which hands what they found to `take` on the event loop."""

        def hand_over(found: _Found) -> None:
            if self._loop is not None:
                with contextlib.suppress(RuntimeError):  # the server has ended in the meantime
                    self._loop.call_soon_threadsafe(take, found)

        return hand_over

    def _take_doing(self, words: str) -> None:
        if self._page is not None:
            self._page.show_doing(words)

    def _take_search(self, search: Search) -> None:
        self.search = search
        if self._page is not None:
            self._page.show_search(search)

    def _take_comparison(self, compared: Compared) -> None:
        if self._page is not None:
            self._page.show_comparison(compared)

    def _take(self, sight: Sight) -> None:
        self.sights[sight.path] = sight
        if self._page is not None:
            self._page.show(sight)

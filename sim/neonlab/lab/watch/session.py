"""Follow one kernel while it is edited: after each save, its verdict and figures, and what changed.

A `Session` is a value with everything to show.  A `Watcher` makes one after another: first what is known within a
fraction of a second, then more.  Displaying them (in a terminal, on a page) and detecting saves is left to the caller.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from neonlab.contract.options import NOTHING, Given
from neonlab.errors import InputError
from neonlab.lab.compare.figures import Change, Figures, changes
from neonlab.lab.repository.revision import Tree, head_of, tree_at
from neonlab.lab.watch.questions import Subject, WatchedFile, subject_of
from neonlab.lab.watch.reading import Reading, StateReader
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.shape import Shape


@dataclass(frozen=True, slots=True)
class Session:
    """Everything to show: the file as it is, as it was saved before with other code, and as it is committed.

    `tile` and `shape`, the layer, are None where the file cannot be tried.  `saved` and `committed` are None if there
    is none; `commit` is the abbreviated revision.
    """

    path: Path
    tile: Shape | None
    shape: Shape | None
    cores: tuple[ModelledCore, ...]
    latest: Reading = field(default_factory=Reading)
    saved: Reading | None = None
    committed: Reading | None = None
    commit: str | None = None
    saves: int = 0

    def changes(self, since: Reading | None, *, layer: bool) -> tuple[Change, ...]:
        """Return the changes since another reading, on the layer or on the tile; empty if either has no figures."""
        if since is None:
            return ()
        before = since.layer_figures if layer else since.tile_figures
        after = self.latest.layer_figures if layer else self.latest.tile_figures
        return changes(before, after) if before is not None and after is not None else ()

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        latest = self.latest
        tile, layer = latest.tile_figures, latest.layer_figures
        return {
            "path": str(self.path),
            "saves": self.saves,
            "problem": latest.problem,
            "verdict": latest.verdict.to_json() if latest.verdict is not None else None,
            "proof": latest.proof.to_json() if latest.proof is not None else None,
            "planned": latest.planned,
            "complete": latest.complete,
            "commit": self.commit,
            "tile": self._figures_json(self.tile, tile, layer=False),
            "layer": self._figures_json(self.shape, layer, layer=True),
        }

    def _figures_json(self, shape: Shape | None, figures: Figures | None, *, layer: bool) -> dict[str, Any]:
        return {
            "shape": str(shape or ""),
            "figures": figures.to_json() if figures is not None else None,
            "since_saved": {c.name: c.difference for c in self.changes(self.saved, layer=layer)},
            "since_committed": {c.name: c.difference for c in self.changes(self.committed, layer=layer)},
        }


class Watcher:
    """Looks at one file whenever it is told to.  It is a context manager.  `keeps` is that of StateReader.

    Raises InputError for a file that is no kernel, or a shape that it does not accept.
    """

    def __init__(
        self,
        path: Path,
        *,
        given: Given = NOTHING,
        shape: Shape | None = None,
        cores: Sequence[ModelledCore] = (),
        seed: int = 1,
        prove: bool = False,
        keeps: bool = False,
    ) -> None:
        self.path = path.resolve()
        self._source = WatchedFile(self.path, given)
        kernel = self._source.open()
        self._subject = subject_of(kernel, shape, cores)
        self._root = kernel.root
        self.session = Session(path, self._subject.tile, self._subject.layer, self._subject.cores)
        self._state = 0
        self._past = Past()
        self._reader = StateReader(seed=seed, prove=prove, keeps=keeps)
        self._forgotten = False

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.__exit__()
        self._past.__exit__()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return the folders where changes may affect the kernel."""
        return folders_of(self.path, self._root)

    def forget_operators(self) -> None:
        """Forget what was imported of Python files, since one has changed."""
        self._reader.restart()
        self._forgotten = True

    def interrupt(self) -> None:
        """Stop the current look, since the file has changed; may be called from another thread."""
        self._reader.interrupt()

    def look(self) -> Iterator[Session]:
        """Yield the session after a save, again and again with more in it; the caller may stop at any time.

        Nothing is yielded if the code is unchanged and all is known about it, and nothing more after `interrupt`.
        """
        self._reader.resume()
        self._state += 1
        before = self.session.latest
        known = None if self._forgotten else before
        self._forgotten = yielded = False
        for reading in self._reader.read(self._subject, self._source, self._state, known):
            if reading is known:
                return
            session = self.session
            if not yielded:
                basis = before if before.tile and before.digest != reading.digest else session.saved
                session = replace(session, saved=basis, saves=session.saves + 1)
                yielded = True
            self.session = replace(session, latest=reading)
            yield self.session
        interrupted = self._reader.interrupted
        if self.session.latest.problem is None and not interrupted and self._past.moved(self.path):
            # States count up from 1; those of the committed file down.
            reading_then = self._past.figures(self._reader, self._subject, self._source, -self._state)
            if self._past.commit is not None:
                self.session = replace(self.session, committed=reading_then, commit=self._past.commit)
                yield self.session


def folders_of(path: Path, root: Path | None) -> tuple[Path, ...]:
    """Return the folders where changes may affect a kernel: its own, and asm/, include/ and kernels/ of `root`."""
    found = [path.parent]
    if root is not None and root in path.parents:
        found += [root / name for name in ("asm", "include", "kernels") if (root / name).is_dir()]
    return tuple(dict.fromkeys(found))


class Past:
    """The committed state of a file's repository.  It is a context manager."""

    def __init__(self) -> None:
        self.commit: str | None = None
        self._folder: ExitStack | None = None
        self._tree: Tree | None = None
        self._dropping: threading.Thread | None = None

    def __enter__(self) -> Past:
        return self

    def __exit__(self, *_: object) -> None:
        self._drop()
        if self._dropping is not None:
            self._dropping.join()

    def _drop(self) -> None:
        """Remove the committed files, thousands in a large repository, while other things go on."""
        folder, self._folder, self._tree = self._folder, None, None
        if folder is not None:
            self._dropping = threading.Thread(target=folder.close, name="drop")
            self._dropping.start()

    def moved(self, path: Path) -> bool:
        """Tell whether git has a commit, and another one than was examined last."""
        head = head_of(path.parent)
        return head is not None and (self.commit is None or not head.startswith(self.commit))

    def figures(self, reader: StateReader, subject: Subject, source: WatchedFile, state: int) -> Reading | None:
        """Return the committed file's figures; None if it did not exist, or cannot be tried.

        `commit` is None afterwards if the reader was interrupted, or git cannot read the commit.
        """
        self.commit = None
        try:
            folder = source.path.parent
            tree = self._at(head_of(folder) or "HEAD", folder, reader)
        except InputError:
            return None
        then = replace(source, path=tree.then(source.path))
        found = reader.figures(subject, then, state) if then.path.is_file() else None
        if not reader.interrupted:
            self.commit = tree.commit
            self._drop()
        return found

    def _at(self, head: str, folder: Path, reader: StateReader) -> Tree:
        """Return the committed files, which stay until there are figures of them.

        Raises InputError where git cannot read them, or the reader is interrupted.
        """
        if self._tree is None or not head.startswith(self._tree.commit):
            self._drop()
            self._folder = ExitStack()
            self._tree = self._folder.enter_context(tree_at(head, folder, given_up=lambda: reader.interrupted))
        return self._tree

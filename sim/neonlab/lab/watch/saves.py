"""Watch files for changes on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from neonlab.assemble.file_names import CODE, INCLUDED

_SUFFIXES = (*CODE, *INCLUDED, ".toml", ".py")
_TOGETHER = 20  # milliseconds within which changes count as one save


@contextmanager
def saves_in(folders: Sequence[Path], heard: Callable[[bool], None]) -> Iterator[None]:
    """Call `heard` after each save in `folders` while the block runs, with True if a Python file was saved.

    It is called in a separate thread.
    """
    from watchfiles import watch

    stop = threading.Event()

    def listen() -> None:
        wanted = lambda _change, path: path.endswith(_SUFFIXES)  # noqa: E731
        for changes in watch(
            *folders, watch_filter=wanted, step=_TOGETHER, debounce=10 * _TOGETHER, stop_event=stop, rust_timeout=500
        ):
            heard(any(path.endswith(".py") for _, path in changes))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(2)

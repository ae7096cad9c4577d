"""Keep entries in an SQLite file: by key, with a checksum each, and with the time of their last use.

SQLite keeps several processes apart, and undoes what a killed one or a full disk left half written.  A file that is
damaged is given up for a new one of the next number; an entry that is damaged is not there.  Nothing here raises for
what the disk does: what cannot be kept is computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.host.closing import Closing

#: Seconds to wait for another process that writes.
_PATIENCE = 10.0
#: Days of use that are told apart: an entry's time of use is not written more often.
_DAY = 86_400.0
#: Keys of one question to the file.
_FEW = 500
_NAME = re.compile(r"results-(\d{1,6})\.sqlite")
_TABLE = """
CREATE TABLE IF NOT EXISTS entries (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, work TEXT NOT NULL, seconds REAL NOT NULL,
    used REAL NOT NULL, checksum BLOB NOT NULL, value BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_work ON entries (work);
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A result as text under its `key`; its `kind`, and what `work` it was and how many `seconds` that took."""

    key: str
    kind: str
    text: str
    work: str = ""
    seconds: float = 0.0


class Store(Closing):
    """The entries in a folder.  It is a context manager, for one thread of one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problem = ""  # why nothing more is kept, in words
        self._refused = False  # nothing can be read either
        self._file: sqlite3.Connection | None = None
        self._number = 0

    def close(self) -> None:
        """Close the file; the next question opens it again."""
        if self._file is not None:
            with contextlib.suppress(sqlite3.Error):
                self._file.close()
        self._file = None

    def texts(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the texts of those keys that are kept, whole; and note that they were used."""
        found: dict[str, str] = {}
        stale = []
        now = time.time()
        for key, used, checksum, value in self._rows("key, used, checksum, value", "key", keys):
            text = _text(key, checksum, value)
            if text is not None:
                found[key] = text
                if not isinstance(used, float) or abs(now - used) > _DAY:
                    stale.append((now, key))
        if stale:
            self._write("UPDATE entries SET used = ? WHERE key = ?", stale)
        return found

    def seconds(self, works: Sequence[str]) -> dict[str, float]:
        """Return how long the named works took when they were last done, as far as that is kept."""
        rows = self._rows("work, seconds, used", "work", works)
        found: dict[str, tuple[float, float]] = {}
        for work, seconds, used in rows:
            if isinstance(seconds, float) and isinstance(used, float):
                found[str(work)] = max(found.get(str(work), (0.0, 0.0)), (used, seconds))
        return {work: seconds for work, (_, seconds) in found.items()}

    def keep(self, entries: Iterable[Entry]) -> bool:
        """Keep the entries, all or none; tell whether they are kept."""
        rows = []
        for one in entries:
            value = zlib.compress(one.text.encode(), 1)
            rows.append((one.key, one.kind, one.work, one.seconds, time.time(), _checksum(one.key, value), value))
        if not rows:
            return True
        return self._write("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return how many entries of each kind there are, and how many bytes these take."""
        question = "SELECT kind, count(*), sum(length(value) + 200) FROM entries GROUP BY kind ORDER BY kind"
        return {str(kind): (int(count), int(size)) for kind, count, size in self._ask(question, ())}

    def clean(self, older_than: float | None, larger_than: int | None) -> int:
        """Remove entries unused for so many seconds, then the longest unused until what is left takes so many bytes.

        Return how many were removed.
        """
        before = sum(count for count, _ in self.sizes().values())
        if older_than is not None:
            self._write("DELETE FROM entries WHERE used < ?", [(time.time() - older_than,)])
        if larger_than is not None:
            kept = 0
            gone = []
            for key, size in self._ask("SELECT key, length(value) + 200 FROM entries ORDER BY used DESC, key", ()):
                kept += size
                if kept > larger_than:
                    gone.append((key,))
            self._write("DELETE FROM entries WHERE key = ?", gone)
        self._ask("VACUUM", ())
        self._remove_given_up()
        return before - sum(count for count, _ in self.sizes().values())

    def bytes_on_disk(self) -> int:
        """Return how many bytes the files of the store take."""
        total = 0
        for path in self.folder.glob("results-*"):
            with contextlib.suppress(OSError):
                total += path.stat().st_size
        return total

    def _rows(self, columns: str, column: str, values: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(values), _FEW):
            few = values[start : start + _FEW]
            marks = ", ".join("?" * len(few))
            yield from self._ask(f"SELECT {columns} FROM entries WHERE {column} IN ({marks})", tuple(few))

    def _ask(self, question: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        """Return the rows of an answer; none where the file cannot be read."""
        for _ in range(2):
            try:
                file = self._open()
                return file.execute(question, values).fetchall() if file is not None else []
            except sqlite3.Error as error:
                if not self._given_up(error):
                    return []
        return []

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> bool:
        for _ in range(0 if self.problem else 2):
            try:
                file = self._open()
                if file is None:
                    return False
                with file:
                    file.execute("BEGIN IMMEDIATE")
                    file.executemany(statement, rows)
                return True
            except sqlite3.Error as error:
                if not self._given_up(error):
                    return False
        return False

    def _open(self) -> sqlite3.Connection | None:
        if self._file is not None or self._refused:
            return self._file
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except (OSError, ValueError) as error:
            self.problem, self._refused = f"{self.folder}: {getattr(error, 'strerror', None) or error}", True
            return None
        self._number = max([self._number, *_numbers(self.folder)])
        path = self.folder / f"results-{self._number}.sqlite"
        self._file = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        self._file.text_factory = lambda data: data.decode("utf-8", "replace")
        # A process that is killed loses nothing so; after a failure of power, checksums tell what is whole.
        self._file.execute("PRAGMA synchronous = OFF")
        self._file.executescript(_TABLE)
        return self._file

    def _given_up(self, error: sqlite3.Error) -> bool:
        """Note why the file does not serve; tell whether it was damaged, and the next number is to be tried."""
        self.close()
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR):
            self._number += 1
            return True
        if code not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            self.problem = f"{self.folder}: {error}"
            self._refused = code == sqlite3.SQLITE_CANTOPEN
        return False

    def _remove_given_up(self) -> None:
        """Remove the files of lower numbers; a process that still has one open goes on with it, and loses it."""
        for path in self.folder.glob("results-*"):
            match = _NAME.match(path.name)
            if match and int(match[1]) < self._number:
                with contextlib.suppress(OSError):
                    path.unlink()


def _numbers(folder: Path) -> list[int]:
    found = [_NAME.fullmatch(path.name) for path in folder.glob("results-*.sqlite")]
    return [int(match[1]) for match in found if match]


def _checksum(key: str, value: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + value).digest()


def _text(key: object, checksum: object, value: object) -> str | None:
    """Return the text of an entry; None unless it is whole, and that of its key."""
    if not (isinstance(key, str) and isinstance(value, bytes) and checksum == _checksum(key, value)):
        return None
    try:
        return zlib.decompress(value).decode()
    except (zlib.error, UnicodeDecodeError):
        return None

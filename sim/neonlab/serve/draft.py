"""Hold the text of one file while it is edited, and follow changes of the file on disk.

The file is authoritative: only `save` writes it, and only while it is unchanged since the text was read.
"""

from __future__ import annotations

import enum
from contextlib import suppress
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.output_file import replace_file


class Standing(enum.Enum):
    """The relation of the text to the file."""

    SAVED = "saved"
    UNSAVED = "unsaved"
    CONFLICT = "conflict"  # unsaved, and the file has changed since
    GONE = "gone"  # the file no longer exists


class Draft:
    """The text of a file, with newlines as editors use them, whichever the file has.

    Raises InputError for a file that cannot be edited.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._bytes = self._read()
        if self._bytes is None:
            raise InputError(f"{path}: no such file")
        self._newline = "\n"
        self.text = self._decoded(self._bytes)
        self.base: str | None = self.text  # text of the file, None if it is not text
        self.on_disk: bytes | None = self._bytes

    @property
    def standing(self) -> Standing:
        """Return the standing as of the last `look`."""
        if self.on_disk is None:
            return Standing.GONE
        if self.text == self.base and self.on_disk == self._bytes:
            return Standing.SAVED
        return Standing.UNSAVED if self.on_disk == self._bytes else Standing.CONFLICT

    @property
    def unsaved(self) -> bool:
        """Tell whether the text differs from the file."""
        return self.text != self.base or self.on_disk is None

    def look(self) -> bool:
        """Read the file again; return True if the text follows it because nothing was unsaved."""
        self.on_disk = self._read()
        if self.on_disk is None or self.on_disk == self._bytes:
            return False
        if self.text == self.base:
            self.take_theirs()
            return True
        with suppress(InputError):
            if self._decoded(self.on_disk) == self.text:  # both changes are the same
                self.take_theirs()
        return False

    def take_theirs(self) -> None:
        """Replace the text by that of the file.  Raises InputError."""
        if self.on_disk is None:
            raise InputError(f"{self.path}: no such file")
        text = self._decoded(self.on_disk)
        self._bytes, self.text, self.base = self.on_disk, text, text

    def keep_mine(self) -> None:
        """Keep the text; the file's contents count as seen and may be overwritten."""
        if self.on_disk is not None:
            self._bytes, self.base = self.on_disk, None
            with suppress(InputError):
                self.base = self._decoded(self.on_disk)

    def theirs(self) -> str:
        """Return the text of the file."""
        return self._decoded(self.on_disk) if self.on_disk is not None else ""

    def save(self) -> bool:
        """Write the text to the file; return False and write nothing if the file has changed since it was read.

        Raises InputError if the text cannot be encoded or the file cannot be written.
        """
        gone = self.on_disk is None
        self.look()
        if self.standing is Standing.CONFLICT or (self.on_disk is None and not gone):
            return False
        try:
            contents = self.text.replace("\n", self._newline).encode()
            replace_file(self.path, contents)
        except UnicodeEncodeError:
            raise InputError(f"{self.path}: contains a lone surrogate, which UTF-8 cannot encode") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        self._bytes = self.on_disk = contents
        self.base = self.text
        return True

    def _read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror}") from None

    def _decoded(self, contents: bytes) -> str:
        try:
            text = contents.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{self.path}: is not UTF-8 text") from None
        newline = "\r\n" if "\r\n" in text else "\n"
        plain = text.replace("\r\n", "\n")
        if "\r" in plain or "\0" in plain or plain.replace("\n", newline) != text:
            raise InputError(f"{self.path}: has mixed line endings or a NUL byte, which the editor would change")
        self._newline = newline
        return plain

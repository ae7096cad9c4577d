"""Reach a board by ssh or adb: copy files to it and run commands on it, within time limits."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from neonlab.errors import InputError

_CONNECT, _COPY = 30.0, 300.0
#: The status of ssh for an error of its own.
_SSH_FAILED = 255
_NO_FOLDER = "cannot make a folder there"


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold what a command on a board printed, and its exit status."""

    status: int
    output: str
    errors: str

    @property
    def last(self) -> str:
        """Return the last line of the errors; empty if there are none."""
        return self.errors.strip().rpartition("\n")[2]

    def must_succeed(self, title: str, what: str) -> None:
        """Raise InputError if the command failed; the message names the board `title`, and `what` went wrong."""
        if self.status:
            raise failed(title, what, self.last)


class Connection(Protocol):
    """A board that is reached in one way."""

    @property
    def title(self) -> str:
        """Return the board as messages name it."""

    @property
    def android(self) -> bool:
        """Tell whether it runs Android."""

    def new_folder(self) -> str:
        """Make an empty folder on the board and return its path.  Raises InputError if the board cannot be reached."""

    def copy(self, file: Path, to: str) -> None:
        """Copy a file of this computer to the path `to`.  Raises InputError."""

    def run(self, command: str, limit: float) -> Answer:
        """Run a command of the shell.  Raises InputError if it does not end within `limit` seconds."""


def connection_to(target: str) -> Connection:
    """Return the connection that `ssh:HOST`, `adb:` or `adb:SERIAL` names.  Raises InputError for other words.

    Nothing is reached yet, but the program must be there.
    """
    kind, colon, name = target.partition(":")
    if not colon or kind not in ("ssh", "adb") or name.startswith("-") or (kind == "ssh" and not name):
        raise InputError(f"`{target}` names no board: give ssh:HOST, adb: or adb:SERIAL")
    program = shutil.which(kind)
    if program is None:
        raise InputError(f"no program `{kind}` on this computer: install it to reach {target}")
    return _Ssh(program, name) if kind == "ssh" else _Adb(program, name)


@dataclass(frozen=True)
class _Ssh:
    program: str
    host: str
    android: bool = False

    @property
    def title(self) -> str:
        return f"ssh:{self.host}"

    def _call(self, command: str, limit: float, given: bytes = b"") -> Answer:
        words = [self.program, "-o", "BatchMode=yes", "-o", f"ConnectTimeout={_CONNECT // 2:.0f}", self.host, command]
        answer = _called(words, self.title, limit, given)
        if answer.status == _SSH_FAILED:
            raise failed(self.title, "cannot be reached", answer.last)
        return answer

    def new_folder(self) -> str:
        answer = self._call("mktemp -d", _CONNECT)
        answer.must_succeed(self.title, _NO_FOLDER)
        folder = answer.output.strip()
        if not folder.startswith("/"):
            raise failed(self.title, _NO_FOLDER, answer.last)
        return folder

    def copy(self, file: Path, to: str) -> None:
        answer = self._call(f"cat > '{to}'", _COPY, file.read_bytes())
        answer.must_succeed(self.title, f"{file.name} cannot be copied there")

    def run(self, command: str, limit: float) -> Answer:
        return self._call(command, limit)


@dataclass(frozen=True)
class _Adb:
    program: str
    serial: str
    android: bool = True

    @property
    def title(self) -> str:
        return f"adb:{self.serial}"

    def _call(self, words: list[str], limit: float) -> Answer:
        return _called([self.program, *(["-s", self.serial] if self.serial else []), *words], self.title, limit)

    def new_folder(self) -> str:
        state = self._call(["get-state"], _CONNECT)
        if state.status or state.output.strip() != "device":
            raise failed(self.title, "cannot be reached", state.last)
        folder = f"/data/local/tmp/neonlab-{secrets.token_hex(6)}"
        self.run(f"mkdir {folder}", _CONNECT).must_succeed(self.title, _NO_FOLDER)
        return folder

    def copy(self, file: Path, to: str) -> None:
        answer = self._call(["push", str(file), to], _COPY)
        answer.must_succeed(self.title, f"{file.name} cannot be copied there")

    def run(self, command: str, limit: float) -> Answer:
        return self._call(["shell", command], limit)


def _called(words: list[str], title: str, limit: float, given: bytes = b"") -> Answer:
    try:
        done = subprocess.run(words, input=given, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"{title}: no answer within {limit:.0f} seconds") from None
    except OSError as error:
        raise InputError(f"{words[0]}: cannot be run: {error.strerror}") from None
    output, errors = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return Answer(done.returncode, output, errors)


def failed(title: str, what: str, reason: str) -> InputError:
    """Return the error for a board on which a step failed."""
    return InputError(f"{title}: {what}: {reason or 'no reason is given'}")

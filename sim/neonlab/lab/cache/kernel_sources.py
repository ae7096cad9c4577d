"""Compute what stands for a kernel in the key of a result: its code, its contract, and the operator that judges it.

Assembly counts by its text and that of every file that it includes: a result names lines.  Where the text does not say
which files these are, and for code of any other kind, the assembled or compiled program counts too.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonlab.assemble.expand.include_path import find_include
from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.options import Build
from neonlab.errors import InputError
from neonlab.host.input_file import is_file
from neonlab.lab.cache.operator_sources import files_of_operator, packages_of
from neonlab.lab.cache.plain import NotPlain, written
from neonlab.lab.repository.library import Kernel, is_member, open_kernel, read_members
from neonlab.sources.program import forget_programs

if TYPE_CHECKING:
    from neonlab.assemble.program import Program

_WORD = re.compile(rb"inc(?:lude|bin)", re.IGNORECASE)
_LITERAL = re.compile(rb'(?:[.#]\s*include\s+(?:"([^"\\\n]+)"|<([^>\n]+)>)|\.incbin\s+"([^"\\\n]+)")', re.IGNORECASE)
_COMMENT = re.compile(rb'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
#: Text that may stand for the name of a directive, or ask what files there are.
_UNCLEAR = re.compile(
    rb"(?<![\w\\)}])\.(?:i|in|inc|incl|inclu|includ|incb|incbi)?\\|inc\w*\s*##|__has_include|#\s*(?:include_next|import)",
    re.IGNORECASE,
)
#: Where a program is placed a second time, so that the places of its relocations count.
_ELSEWHERE = (0x40_0000, 0x1000)
Stamp = tuple[str, int, int, int]


@dataclass(frozen=True, slots=True)
class KernelSources:
    """Say what a kernel's results depend on: the `digest` of all of it, and the `stamps` of the files it came from."""

    digest: str
    stamps: tuple[Stamp, ...]


def sources_of(kernel: Kernel) -> KernelSources | None:
    """Return what results of the kernel depend on; None where that cannot be known.

    That is so of a reference that runs on this computer.  Raises InputError for code that cannot be read or built.
    """
    if kernel.reference is not None and kernel.reference.on_host:
        return None
    reading = _Reading()
    try:
        reading.say(kernel.title, str(kernel.path), kernel.isa, kernel.options, kernel.judged_by, kernel.advice)
        reading.say(kernel.contract, kernel.given, kernel.build, kernel.reference, kernel.code.compiler)
        _read_code(reading, kernel)
        _read_judge(reading, kernel)
    except (NotPlain, OSError, RecursionError):
        return None
    return KernelSources(reading.digest, tuple(reading.stamps))


class _Reading:
    """The digest of all that was said and read so far, and the stamps of the files."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.stamps: dict[Stamp, None] = {}

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    def say(self, *values: Any) -> None:
        """Add values to the digest.  Raises NotPlain."""
        self.add(written(list(values)).encode())

    def add(self, data: bytes) -> None:
        self._digest.update(len(data).to_bytes(8, "little") + data)

    def file(self, path: Path) -> bytes:
        """Add a file's name and contents to the digest, note its state, and return the contents."""
        stamp = _stamp(path)
        data = path.read_bytes()
        self.stamps[stamp] = None
        self.say(str(path))
        self.add(data)
        return data


def _stamp(path: Path) -> Stamp:
    try:
        state = path.stat()
    except OSError:
        return str(path), 0, 0, -1
    return str(path), state.st_mtime_ns, state.st_ctime_ns, state.st_size


def _read_code(reading: _Reading, kernel: Kernel) -> None:
    """Add the kernel's code: the text with all that it includes where that is known from the text, else the program."""
    reading.file(kernel.path)
    for one in kernel.build.link:
        reading.file(Path(one))
    if kernel.path.suffix in ASSEMBLY and not kernel.build.link and _read_text(reading, kernel.path, kernel.build):
        return
    forget_programs()  # an included file may have changed since
    _read_program(reading, kernel.code.program())


def _read_program(reading: _Reading, program: Program) -> None:
    """Add a program as it lies in memory, and once more at another place, where its relocations show."""
    moved = program.linked_at(*_ELSEWHERE) if program.linked_at is not None else None
    for one in (program, moved):
        if one is not None:
            reading.say(one.isa, one.path, one.segments, one.symbols, one.thumb, one.missing, one.lines)


def _read_text(reading: _Reading, path: Path, build: Build) -> bool:
    """Add every file that the assembly at `path` includes; tell whether its text says which these are."""
    waiting, seen = [path], {path}
    while waiting:
        one = waiting.pop()
        text = one.read_bytes() if one == path else reading.file(one)
        names = _names(text)
        if names is None:
            return False
        for included in _included(names, one.parent, build):
            if included not in seen:
                seen.add(included)
                waiting.append(included)
    return True


@functools.lru_cache(maxsize=512)
def _names(text: bytes) -> tuple[tuple[bytes | None, ...], ...] | None:
    """Return what a text includes: in quotes, in brackets, as data; None where the text does not say all of it."""
    rest = _COMMENT.sub(lambda match: match[1] or b" ", _LITERAL.sub(b" ", text))
    if _WORD.search(rest) or _UNCLEAR.search(rest):
        return None
    return tuple(match.groups() for match in _LITERAL.finditer(text))


def _included(names: Iterable[tuple[bytes | None, ...]], folder: Path, build: Build) -> Iterator[Path]:
    for quoted, bracketed, binary in names:
        name = (quoted or bracketed or binary or b"").decode(errors="surrogateescape")
        if binary is not None:
            path: Path | None = folder / name
        else:
            path = find_include(name, folder, [Path(one) for one in build.include], own=quoted is not None)
        if path is not None and is_file(path):
            yield path


def _read_judge(reading: _Reading, kernel: Kernel) -> None:
    """Add what computes right results: the operator's modules, or the C function, as it is compiled for the guest."""
    if kernel.operator is None:
        return
    reading.say(kernel.operator.name, kernel.operator.dimensions)
    if kernel.reference is None:
        for path in files_of_operator(kernel.root, kernel.operator):
            reading.file(path)
        reading.say(packages_of(kernel.root, kernel.operator))
        return
    reading.file(Path(kernel.reference.path) if kernel.reference.path else kernel.path)
    from neonlab.lab.reference.scalar import ScalarReference

    if not isinstance(kernel.operator, ScalarReference):
        raise NotPlain("a reference of an unknown kind")
    forget_programs()
    _read_program(reading, kernel.operator.code_to_follow()[0])


def known_sources(kernel: Kernel) -> KernelSources | None:
    """Return `sources_of`, or None for code that is wrong: a run says what is."""
    try:
        return sources_of(kernel)
    except InputError:
        return None


def still_the_same(kernel: Kernel, before: KernelSources) -> bool:
    """Tell whether the kernel, opened anew, is the one that `before` was read from, and no file was written since."""
    try:
        if kernel.root is not None and kernel.given.says_nothing and is_member(kernel.root, kernel.path):
            opened = read_members(kernel.path)
        else:
            opened = [open_kernel(kernel.path, kernel.given)]
        found = [one for one in opened if (one.name, one.isa) == (kernel.name, kernel.isa)]
        return [(one.contract, one.build, one.reference) for one in found] == [
            (kernel.contract, kernel.build, kernel.reference)
        ] and sources_of(kernel) == before
    except (InputError, OSError):
        return False

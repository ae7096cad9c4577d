"""Sources of the library's kernels for tests that change them: found by name, and made to stand in another folder."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from neonlab.lab.repository.kernel_files import isa_folder, kernel_file, kernel_files

ROOT = Path(__file__).resolve().parents[1]
#: The file of every kernel.
FILES = tuple(kernel_files(ROOT))
_NAMED = re.compile(r'^(#include|extends\s*=)(\s*)"([^"]+)"', re.MULTILINE)
_INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.MULTILINE)


def file_of(title: str) -> Path:
    """Return the file of the kernel `armv8/NAME`."""
    found = kernel_file(ROOT, title)
    assert found is not None, title
    return found


def title_of(path: Path) -> str:
    """Return `armv8/NAME` of the kernel in the file."""
    folder = isa_folder(path)
    assert folder is not None
    return f"{folder.name}/{path.stem}"


def standing_alone(path: Path) -> str:
    """Return the file's text, with the files that it includes and extends named by whole paths."""

    def whole(match: re.Match[str]) -> str:
        return f'{match[1]}{match[2]}"{(path.parent / match[3]).resolve()}"'

    return _NAMED.sub(whole, path.read_text())


def inlined(path: Path) -> str:
    """Return the file's text with the text of what it includes in place, so that a change finds it."""
    text = standing_alone(path)
    while _INCLUDE.search(text):
        text = _INCLUDE.sub(lambda match: standing_alone(Path(match[1])), text)
    return text


def copied(title: str, folder: Path) -> Path:
    """Copy the kernel's instruction set into `folder`, and return the kernel's file there."""
    path = file_of(title)
    isa = isa_folder(path)
    assert isa is not None
    shutil.copytree(isa, folder / isa.name, dirs_exist_ok=True)
    return folder / isa.name / path.relative_to(isa)


def spoil(path: Path, right: str, wrong: str) -> None:
    """Replace `right`, which stands in one file only of those that make the kernel, everywhere in it."""
    files = [path]
    for file in files:  # which grows
        files += [
            place
            for name in _INCLUDE.findall(file.read_text())
            if (place := (file.parent / name).resolve()) not in files
        ]
    [found] = [file for file in files if right in file.read_text()]
    found.write_text(found.read_text().replace(right, wrong))

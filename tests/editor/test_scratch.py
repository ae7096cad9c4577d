"""A scratch copy: the text in the place of the file, all else as it is in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, HEAD, new_repository

from neonlab.editor.scratch import Scratch
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import open_kernel
from neonlab.sources.program import forget_programs


def test_a_text_is_assembled_with_what_the_file_includes_and_the_file_stays(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    (root / "include").mkdir()
    (root / "include" / "outer.h").write_text('#include "inner.h"\n')
    (root / "include" / "inner.h").write_text("#define EXTRA nop; nop\n")
    before = path.read_text()
    text = before.replace("\n    .arch", '\n#include "../../include/outer.h"\n    .arch').replace(
        HEAD, f"    EXTRA\n{HEAD}"
    )
    was = kernel_program(open_kernel(path))
    with Scratch(path, root) as scratch:
        place = scratch.write(text)
        kernel = open_kernel(place)
        assert kernel.operator is not None and kernel.title == ADD
        program = kernel_program(kernel)
        assert len(program.instructions) == len(was.instructions) + 2
        (root / "include" / "inner.h").write_text("#define EXTRA nop\n")
        (root / "asm" / "armv8" / "new.h").write_text("")
        forget_programs()
        assert scratch.write(text) == place and (place.parent / "new.h").exists()
        assert len(kernel_program(open_kernel(place)).instructions) == len(was.instructions) + 1
        (root / "asm" / "armv8" / "new.h").unlink()
        scratch.write(text)
        assert not (place.parent / "new.h").is_symlink()
        assert scratch.real(f"{place}:3: error") == f"{path}:3: error"
    assert path.read_text() == before and not place.exists()


@pytest.mark.parametrize("root", [None, Path("/usr")])
def test_a_file_outside_a_repository_has_its_own_folder(tmp_path: Path, root: Path | None) -> None:
    (tmp_path / "beside.h").write_text("hello")
    path = tmp_path / "file.S"
    with Scratch(path, root) as scratch:
        place = scratch.write("text")
        assert place.read_text() == "text" and (place.parent / "beside.h").read_text() == "hello"
    assert not path.exists()


def test_texts_of_included_files_stand_in_their_places_and_their_neighbours_stay_links(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path, folder = root / "asm" / f"{ADD}.S", root / "asm" / "armv8" / "include"
    folder.mkdir()
    for name in ("one.inc", "two.inc"):
        (folder / name).write_text(name)
    with Scratch(path, root) as scratch:
        place = scratch.write("kernel").parent / "include"
        assert place.is_symlink()
        scratch.write("kernel", {folder / "one.inc": "mine", tmp_path.parent / "outside.inc": "no"})
        assert [(place / name).read_text() for name in ("one.inc", "two.inc")] == ["mine", "two.inc"]
        assert (place / "two.inc").is_symlink() and not place.is_symlink()
        scratch.write("kernel", {folder / "one.inc": "mine", folder / "two.inc": "mine too"})
        assert (place / "two.inc").read_text() == "mine too"
        assert scratch.real(str(place / "one.inc")) == str(folder / "one.inc")
    assert [(folder / name).read_text() for name in ("one.inc", "two.inc")] == ["one.inc", "two.inc"]

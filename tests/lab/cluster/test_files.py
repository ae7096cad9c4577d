"""The files of kernels are packed the same each time, are put where a worker wants them, and nowhere else."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.errors import InputError
from neonlab.lab.cache.kernel_sources import sources_of
from neonlab.lab.cluster.files import digest_of, packed, placed, to_place
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel, open_member, read_members
from neonlab.lab.run.lookup import one_kernel


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "repository")


def archive(*kernels: Kernel) -> bytes:
    known = [(kernel, sources_of(kernel)) for kernel in kernels]
    return packed((kernel, sources) for kernel, sources in known if sources is not None)


def put(data: bytes, folder: Path) -> Path:
    return placed(data, digest_of(data), folder)


def test_a_kernel_opens_from_its_files_alone(root: Path, tmp_path: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    kernel = open_member(root, kernel.path)
    data = archive(kernel)
    place = put(data, tmp_path / "worker")
    assert data == archive(kernel) and place == put(data, tmp_path / "worker")
    assert [one.name for one in (tmp_path / "worker").iterdir()] == [place.name]
    there = open_member(Path(f"{place}{root}"), Path(f"{place}{kernel.path}"))
    assert there.operator is not None and kernel.operator is not None
    assert (there.title, there.operator.name) == (kernel.title, kernel.operator.name)


def test_a_kernel_of_the_library_is_assembled_from_its_files_alone(tmp_path: Path) -> None:
    """It includes files of other folders, by way of the folder above."""
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    place = put(archive(kernel), tmp_path / "worker")
    there = open_kernel(Path(f"{place}{kernel.path}"))
    assert kernel_program(there).segments[0].data == kernel_program(kernel).segments[0].data


def test_a_single_file_brings_what_lies_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "x.S").write_text('#include "deep/y.inc"\n    .text\n    .global x\nx:\n    ret\n')
    (folder / "deep").mkdir()
    (folder / "deep" / "y.inc").write_text("// nothing\n")
    (folder / "x.contract.toml").write_text(
        'prototype = "void (int8_t *a, size_t n)"\nisa = ["armv8.0-a", "neon"]\n[args]\na = { read = "n" }\n'
        "n = { range = [0, 64] }\n"
    )
    kernel = open_kernel(folder / "x.S")
    place = put(archive(kernel), tmp_path / "worker")
    assert open_kernel(Path(f"{place}{folder}/x.S")).name == "x"
    assert Path(f"{place}{folder}/deep/y.inc").is_file()


def test_names_of_files_are_changed_where_they_begin_a_text_and_whole(root: Path, tmp_path: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    place = put(archive(kernel), tmp_path / "worker")
    text = f'["{root}/asm/x.S", "{root}", "{root}x/y", "see {root}/asm", "/etc/passwd"]'
    changed = f'["{place}{root}/asm/x.S", "{place}{root}", "{root}x/y", "see {root}/asm", "/etc/passwd"]'
    assert to_place(text, place) == changed


def test_an_archive_that_would_write_elsewhere_is_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as out:
        out.writestr("/home/../../../out.S", "")
    with pytest.raises(InputError, match="cannot lie there"):
        put(data.getvalue(), tmp_path / "worker")
    assert list((tmp_path / "worker").iterdir()) == [] and not (tmp_path / "out.S").exists()


def test_an_archive_that_is_not_what_was_sent_is_refused(root: Path, tmp_path: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    data = archive(kernel)
    with pytest.raises(InputError, match="did not arrive as they were sent"):
        placed(data[:-1], digest_of(data), tmp_path / "worker")
    assert not (tmp_path / "worker").exists()

"""A shard's file is read back as it was written; one that is damaged, missing, double or foreign is named."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.lab.cache.share import Share
from neonlab.lab.shards.file import Shard, read_shard, read_shards, write_shard
from neonlab.lab.shards.results import merge_here

FIRST = Shard(
    "check", ("--layers", "a b"), Share(1, 2), "/somewhere", "digest", ("neonlab 1",), {"checks._check_chunk": 3},
    {"key": ("checks._check_chunk", '{"()":[]}')},
)  # fmt: skip
SECOND = replace(FIRST, share=Share(2, 2), results={"other": ("checks._check_chunk", "1")})


def test_a_file_is_the_same_each_time_and_is_read_back(tmp_path: Path) -> None:
    path = write_shard(FIRST, tmp_path / "new" / "folder")
    assert path.name == "check-1-of-2.shard" and read_shard(path) == FIRST
    data = path.read_bytes()
    assert write_shard(FIRST, path.parent).read_bytes() == data


def test_shards_are_found_in_folders_and_by_their_files(tmp_path: Path) -> None:
    one, two = write_shard(FIRST, tmp_path / "a"), write_shard(SECOND, tmp_path / "b")
    assert read_shards([tmp_path / "a", two]) == [FIRST, SECOND] == read_shards([one, tmp_path / "b"])


def changed(path: Path) -> None:
    text = gzip.decompress(path.read_bytes()).replace(b"somewhere", b"elsewhere")
    path.write_bytes(gzip.compress(text))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-9]),
        lambda path: path.write_bytes(b"not a shard"),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(gzip.compress(b"[]")),
        lambda path: path.write_bytes(bytes([*path.read_bytes()[:40], 0, *path.read_bytes()[41:]])),
        changed,
    ],
    ids=["cut", "text", "empty", "other JSON", "a byte", "changed and packed again"],
)
def test_a_damaged_file_is_named(damage: Callable[[Path], object], tmp_path: Path) -> None:
    path = write_shard(FIRST, tmp_path)
    damage(path)
    with pytest.raises(InputError, match=r"check-1-of-2\.shard: no whole file of a shard"):
        read_shard(path)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([], r"missing: 2/2"),
        ([replace(SECOND, share=Share(3, 3))], r"cut into 3"),
        ([replace(SECOND, arguments=())], r"`neonlab check` cut into 2, and .* `neonlab check --layers 'a b'`"),
        ([replace(SECOND, command="prove")], r"is a shard of `neonlab prove"),
        ([replace(SECOND, units={"checks._check_chunk": 4})], "different work"),
        ([replace(SECOND, folder="/other")], "different work"),
    ],
)
def test_shards_that_do_not_make_one_command_are_refused(others: list[Shard], said: str, tmp_path: Path) -> None:
    for one in (FIRST, *others):
        write_shard(one, tmp_path)
    with pytest.raises(InputError, match=said):
        read_shards([tmp_path])


def test_a_shard_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    files = [write_shard(FIRST, tmp_path / name) for name in ("a", "b")]
    with pytest.raises(InputError, match="both shard 1/2"):
        read_shards(files)
    with pytest.raises(InputError, match="no file"):
        read_shards([tmp_path])


def test_shards_of_another_lab_or_folder_are_not_merged() -> None:
    with pytest.raises(InputError, match=r"another neonlab than this: neonlab 1, here neonlab "):
        merge_here([FIRST])
    from neonlab.lab.cache.lab_version import lab_digest

    with pytest.raises(InputError, match="run in /somewhere: run merge there"):
        merge_here([replace(FIRST, lab=lab_digest())])

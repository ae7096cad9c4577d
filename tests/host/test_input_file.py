"""What is named as a file and is none: a device without an end, a FIFO without a beginning, a folder, too much."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command_line import neonlab

from neonlab.errors import InputError
from neonlab.host.input_file import MOST_TEXT, is_file, no_file, read_input, read_input_text


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with a FIFO, a folder, links to a device and to nowhere, and files that are too large or no text."""
    os.mkfifo(tmp_path / "fifo.S")
    (tmp_path / "folder.S").mkdir()
    (tmp_path / "device.S").symlink_to("/dev/zero")
    (tmp_path / "nowhere.S").symlink_to("missing")
    (tmp_path / "latin.S").write_bytes("ä".encode("latin-1"))
    with (tmp_path / "large.S").open("wb") as file:
        file.truncate(MOST_TEXT + 1)
    return tmp_path


SAID = {
    "fifo.S": "a FIFO, where a file is expected",
    "folder.S": "a folder, where a file is expected",
    "device.S": "a device, where a file is expected",
    "nowhere.S": "no such file",
    "x" * 5000: "File name too long",
    "a\0b": "embedded null byte",
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_no_file_is_refused_and_said_to_be_what_it_is(name: str, places: Path) -> None:
    path = f"{places}/{name}"
    assert not is_file(path)
    assert SAID[name] in str(no_file(path))
    with pytest.raises(InputError):
        read_input(path)


def test_a_file_is_read_up_to_a_size_and_its_text_as_utf_8(places: Path) -> None:
    with pytest.raises(InputError, match=r"large\.S: larger than 16 MiB"):
        read_input(places / "large.S")
    assert len(read_input(places / "large.S", MOST_TEXT + 1)) == MOST_TEXT + 1
    assert read_input(places / "latin.S") == b"\xe4"
    with pytest.raises(InputError, match=r"latin\.S: not UTF-8 text: .* at byte 0"):
        read_input_text(places / "latin.S")


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    "arguments",
    [
        ("asm", "{}", "--isa", "armv8"),
        ("check", "{}", "--isa", "armv8"),
        ("profile", "{}", "--shape", "1"),
        ("symbols", "{}"),
        ("contract", "{}"),
        ("serve", "{}"),
        ("check", "asm/armv8/clip/clip_s8s8_flat_64.S", "--contract", "{}"),
        ("cores", "--core", "cortex-a53", "--against", "{}"),
        ("mutate", "armv8/clip_s8s8_flat_64", "--reviewed", "{}"),
    ],
    ids=lambda words: " ".join(words),
)
@pytest.mark.parametrize("name", ["fifo.S", "device.S", "folder.S"])
@pytest.mark.sweep(keep=6)
def test_no_command_waits_for_what_is_no_file(name: str, arguments: tuple[str, ...], places: Path) -> None:
    ended = neonlab(*(word.format(places / name) for word in arguments))
    assert ended.returncode == 2
    assert f"{places / name}: {SAID[name]}" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("directive", [".incbin", ".include", "#include"])
@pytest.mark.parametrize("name", ["fifo.S", "device.S"])
def test_no_source_includes_what_is_no_file(name: str, directive: str, places: Path) -> None:
    source = places / "source.S"
    source.write_text(f'{directive} "{name}"\n')
    ended = neonlab("asm", str(source), "--isa", "armv8")
    assert ended.returncode == 2
    assert SAID[name] in ended.stderr
    assert "source.S:1:" in ended.stderr

"""`neonlab asm`: instructions as the words that people read, data as bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_commands import neonlab

# Words from the encodings of the architecture's manual (DDI 0487, DDI 0406), in which add.16b v0, v0, v0 is 0x4e208400.
CODE = {
    "armv8": ("add v0.16b, v0.16b, v0.16b", "4e208400", "ret", "d65f03c0"),
    "armv7": ("vadd.i8 q0, q0, q0", "f2000840", "bx lr", "e12fff1e"),
}


@pytest.fixture
def source(tmp_path: Path, isa: str) -> Path:
    first, _, second, _ = CODE[isa]
    path = tmp_path / "f.S"
    path.write_text(f".text\nf: {first}\n{second}\n.data\n.byte 1, 2, 0xfe\n.word 0x04030201\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("isa", list(CODE))
def test_instructions_are_listed_as_words_and_data_as_bytes(source: Path, isa: str) -> None:
    done = neonlab("asm", str(source), "--isa", isa)
    assert done.returncode == 0, done.stderr
    words = [line[6:].lstrip().split("  ")[0] for line in done.stdout.splitlines() if line.startswith(" ")]
    _, first, _, second = CODE[isa]
    assert words == [first, second, "01", "02", "fe", "01 02 03 04"]


@pytest.mark.slow
@pytest.mark.parametrize("isa", list(CODE))
def test_json_and_the_file_hold_bytes_in_the_order_of_memory(source: Path, isa: str, tmp_path: Path) -> None:
    _, first, _, second = CODE[isa]
    rows = json.loads(neonlab("asm", str(source), "--isa", isa, "--json").stdout)["rows"]
    expected = [bytes.fromhex(word)[::-1] for word in (first, second)]
    assert [bytes.fromhex(row["bytes"]) for row in rows[:2]] == expected
    assert [row["bytes"] for row in rows[2:]] == ["01", "02", "fe", "01020304"]
    written = tmp_path / "f.bin"
    assert neonlab("asm", str(source), "--isa", isa, "-o", str(written)).returncode == 0
    assert written.read_bytes() == b"".join(expected)

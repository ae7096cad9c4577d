"""The statement corpora, and what GNU as and objdump make of statements."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.tools import require

from neonlab.assemble.encode.encoder import EncoderStatement
from neonlab.isa.model.isa import Isa

_CORPUS = Path(__file__).parent / "corpus"
_PREFIX = {Isa.A64: "aarch64-linux-gnu-", Isa.A32: "arm-linux-gnueabihf-"}
_WIDEST = {
    Isa.A64: ("-march=armv8.6-a+fp16+fp16fml+i8mm+bf16+dotprod+rdma+crypto+sha3+crc+lse+rng+flagm+sb+ssbs",),
    Isa.A32: ("-march=armv8.6-a+crypto+fp16+i8mm", "-mfpu=crypto-neon-fp-armv8"),
}
_HERE = re.compile(r"(?<=[ ,])\.([-+]\d+)?$")
BASE = 0x10000


def corpus(isa: Isa) -> list[str]:
    """The statements of tests/corpus, in order; `.+8` is an address relative to the statement's own."""
    lines = (_CORPUS / f"{isa.value}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def placed(texts: Sequence[str]) -> list[EncoderStatement]:
    """The statements one after the other from BASE, relative addresses made absolute."""

    def absolute(text: str, here: int) -> str:
        return _HERE.sub(lambda found: hex(here + int(found[1] or 0)), text)

    return [EncoderStatement(absolute(text, BASE + 4 * i), BASE + 4 * i) for i, text in enumerate(texts)]


def gnu_words(isa: Isa, texts: Sequence[str], folder: Path) -> list[int]:
    """The words that GNU as makes of the statements in one run."""
    source, built, flat = folder / "statements.s", folder / "statements.o", folder / "statements.bin"
    header = ".syntax unified\n.arm\n" if isa is Isa.A32 else ""
    source.write_text(header + "\n".join(texts) + "\n")
    done = subprocess.run(
        [require(f"{_PREFIX[isa]}as"), *_WIDEST[isa], "-o", built, source], capture_output=True, text=True
    )
    assert done.returncode == 0, [line for line in done.stderr.splitlines() if "Warning" not in line]
    subprocess.run([require(f"{_PREFIX[isa]}objcopy"), "-O", "binary", "-j", ".text", built, flat], check=True)
    data = flat.read_bytes()
    assert len(data) == 4 * len(texts)
    return list(struct.unpack(f"<{len(texts)}I", data))


def objdump_texts(isa: Isa, words: Sequence[int], folder: Path, *options: str) -> list[str]:
    """What objdump shows for each word, from address BASE on."""
    flat = folder / "words.bin"
    flat.write_bytes(struct.pack(f"<{len(words)}I", *words))
    machine = "aarch64" if isa is Isa.A64 else "arm"
    command = [require(f"{_PREFIX[isa]}objdump"), "-D", "-z", "-w", "-b", "binary", "-m", machine, *options]
    shown = subprocess.run(
        [*command, f"--adjust-vma={BASE}", str(flat)], capture_output=True, text=True, check=True
    ).stdout
    lines = re.findall(r"^ *[0-9a-f]+:\s+[0-9a-f]{8}\s+(.*)$", shown, re.M)
    assert len(lines) == len(words)
    return [re.split(r"\s*(?://|@|;|<)", line)[0].strip() for line in lines]

"""What GNU as makes of a source: bytes of sections and relocations, to compare ours with."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.tools import require

from neonlab.isa.model.isa import Isa

PREFIX = {Isa.A64: "aarch64-linux-gnu-", Isa.A32: "arm-linux-gnueabihf-"}
FLAGS = {
    Isa.A64: ("-march=armv8.6-a+dotprod+i8mm+fp16",),
    Isa.A32: ("-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"),
}
_RELOCATION = re.compile(r"^([0-9a-f]+) (R_\w+)\s+(\S+)$")


@dataclass(frozen=True)
class GnuObject:
    """Contents by section, and (section, offset, type, symbol, addend) of each relocation."""

    sections: dict[str, bytes]
    relocations: tuple[tuple[str, int, str, str, int], ...]


def assemble(isa: Isa, source: Path, folder: Path, *options: str) -> GnuObject:
    """Runs the cross compiler's driver, so cpp and as, on `source`; `folder` is for what it writes."""
    prefix = PREFIX[isa]
    compiled = folder / "gnu.o"
    done = subprocess.run(
        [require(prefix + "gcc"), *FLAGS[isa], *options, "-c", "-o", compiled, source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    headers = subprocess.run(
        [require(prefix + "objdump"), "-h", compiled], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"^ +\d+ (\S+) +([0-9a-f]+) .*\n +(.*)", headers, re.M)
    sections = {}
    for name, size, flags in names:
        contents = folder / "section.bin"
        contents.write_bytes(b"")
        if int(size, 16) and "CONTENTS" in flags:
            command = [require(prefix + "objcopy"), "-O", "binary", "-j", name, "--set-section-flags", f"{name}=alloc"]
            subprocess.run([*command, compiled, contents], check=True)
        sections[name] = contents.read_bytes()
    return GnuObject(sections, tuple(_relocations(prefix, compiled)))


def _relocations(prefix: str, compiled: Path) -> list[tuple[str, int, str, str, int]]:
    text = subprocess.run([prefix + "objdump", "-r", "-w", compiled], capture_output=True, text=True, check=True).stdout
    found = []
    section = ""
    for line in text.splitlines():
        if line.startswith("RELOCATION RECORDS FOR"):
            section = line.split("[")[1].split("]")[0]
        elif match := _RELOCATION.match(line):
            symbol, sign, addend = re.fullmatch(r"(.+?)(?:([-+])0x([0-9a-f]+))?", match.group(3)).groups()  # type: ignore[union-attr]
            value = int(addend or "0", 16) * (-1 if sign == "-" else 1)
            found.append((section, int(match.group(1), 16), match.group(2), symbol, value))
    return found

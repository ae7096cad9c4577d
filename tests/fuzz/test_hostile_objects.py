"""Damaged object files: whatever is wrong with them, what comes out is one clear error or an image, soon and small.

NEONLAB_FUZZ_SECONDS gives each test longer; the seed of each round is printed.
"""

from __future__ import annotations

import os
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.objects.build import A64, TARGETS, compiled, fresh, run

from neonlab.emulate.machine import Machine
from neonlab.errors import InputError
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.archive import Archive
from neonlab.objects.elf.module import Module
from neonlab.objects.image.memory_image import Image
from neonlab.objects.image.reach import program_of
from neonlab.objects.linker import link_modules
from neonlab.objects.load import elf_module, load_image
from neonlab.objects.loading_bench import made_object
from neonlab.objects.symbol_listing import list_objects

SECONDS = float(os.environ.get("NEONLAB_FUZZ_SECONDS", "8"))
LONGEST = 10.0  # seconds that one file may take
MOST_MEMORY = 2 << 20  # KiB
INTERESTING = (0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0xFFF1, 0xFFF2, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
HUGE = (1 << 60, (1 << 64) - 1, 1 << 63, (1 << 32) + 1)


def samples() -> list[bytes]:
    found = []
    for target in TARGETS.values():
        styles = (("-O2", "-g"), ("-O0",), ("-O2", "-fPIC", "-ffunction-sections"))
        found += [compiled("kernel.c", target, "", flags).read_bytes() for flags in styles]
        shared = fresh("a.so")
        pieces = [compiled(source, target, "", ("-O1", "-fPIC", "-g")) for source in ("kernel.c", "library.c")]
        run(*target.compiler(), "-shared", "-nostdlib", *pieces, "-o", shared)
        found.append(shared.read_bytes())
    return found


def rounds(name: str) -> Iterator[tuple[int, random.Random]]:
    end, seed = time.monotonic() + SECONDS, int(os.environ.get("NEONLAB_FUZZ_SEED", "1"))
    while time.monotonic() < end:
        print(f"{name} seed {seed}")
        yield seed, random.Random(f"{name} {seed}")
        seed += 1


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with a few numbers changed, most of them in its tables, or cut off."""
    made = bytearray(data)
    bits = 64 if made[4] == 2 else 32
    width = bits // 8
    start = int.from_bytes(made[0x28:0x30] if bits == 64 else made[0x20:0x24], "little")
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        where = chance.randrange(4)
        if where == 0:
            at = chance.randrange(64)
        elif where == 1 and start < len(made):
            at = chance.randrange(start, len(made))
        else:
            at = chance.randrange(len(made))
        size = chance.choice((1, 2, 4, width))
        value = chance.choice((*INTERESTING, *HUGE, chance.getrandbits(64)))
        made[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    if chance.random() < 0.1:
        del made[chance.randrange(len(made)) :]
    return bytes(made)


def use(module: Module) -> Image:
    """Everything that is done with an object, as far as it goes."""
    image = link_modules([module])
    for name in list(image.by_name)[:6]:
        try:
            program = program_of(image, [name])
            image.prototype(name)
            assert all(line.line >= 1 for line in program.lines.values())
            Machine(program).close()
        except InputError:
            continue
    return image


def watched(data: bytes) -> None:
    begin = time.monotonic()
    try:
        use(elf_module(data, "damaged.o"))
    except InputError as error:
        assert str(error).count("\n") < 4 and len(str(error)) < 2000
    assert time.monotonic() - begin < LONGEST
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_MEMORY


@pytest.mark.slow
def test_damaged_objects_are_refused_or_used() -> None:
    sound = samples()
    for _, chance in rounds("object"):
        watched(damaged(chance.choice(sound), chance))


@pytest.mark.slow
def test_damaged_debug_information_does_no_harm() -> None:
    """Bytes of .debug_* only: code runs without them."""
    sound = samples()[:1]
    module = elf_module(sound[0], "sound.o")
    debug = [s for s in module.sections.values() if s.name.startswith(".debug_")]
    for _, chance in rounds("debug"):
        made = bytearray(sound[0])
        for _ in range(chance.randint(1, 12)):
            section = chance.choice(debug)
            start = sound[0].find(bytes(section.data))
            made[start + chance.randrange(section.size)] = chance.choice(
                (0, 1, 0x7F, 0x80, 0xFF, chance.getrandbits(8))
            )
        begin = time.monotonic()
        image = link_modules([elf_module(bytes(made), "damaged.o")])
        program = program_of(image, ["dot_neon"])
        image.prototype("dot_neon")
        assert program.instructions
        assert time.monotonic() - begin < LONGEST


@pytest.mark.slow
def test_damaged_archives_are_refused_or_used() -> None:
    out = A64.archive(fresh("a.a"), *(compiled(source, A64) for source in ("kernel.c", "library.c")))
    data = out.read_bytes()
    for _, chance in rounds("archive"):
        made = bytearray(data)
        for _ in range(chance.randint(1, 6)):
            made[chance.randrange(len(made) if chance.random() < 0.3 else 400)] = chance.choice(b"/ 0129\n`#\0\xff")
        try:
            archive = Archive(bytes(made), "damaged.a")
            for module in archive.modules():
                use(module)
        except InputError as error:
            assert "damaged.a" in str(error)


def header(data: bytes | bytearray, index: int) -> int:
    """Where in an ELF-64 file the header of section `index` is."""
    return int.from_bytes(data[0x28:0x30], "little") + 64 * index


@pytest.mark.parametrize("size", [1 << 60, (1 << 64) - 1, 1 << 40])
def test_a_section_that_cannot_be_is_refused(size: int) -> None:
    data = bytearray(compiled("kernel.c", A64).read_bytes())
    module = elf_module(bytes(data), "big.o")
    for section in module.sections.values():
        made = bytearray(data)
        at = header(data, section.number) + 0x20
        made[at : at + 8] = size.to_bytes(8, "little")
        with pytest.raises(InputError, match=r"big.o: section \.\w+"):
            use(elf_module(bytes(made), "big.o"))


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    data = compiled("library.c", A64).read_bytes()
    for end in [*range(80), *range(80, len(data), 97)]:
        path = tmp_path / "short.o"
        path.write_bytes(data[:end])
        with pytest.raises(InputError, match=r"short\.o"):
            load_image([path])
        with pytest.raises(InputError, match=r"short\.o"):
            list_objects(path)


def headers_of(made: bytearray) -> np.ndarray:
    """The section headers of an ELF-64 file, to be changed in place."""
    start, count = int.from_bytes(made[0x28:0x30], "little"), int.from_bytes(made[0x3C:0x3E], "little")
    return np.frombuffer(made, elf.SHDR[64], count, start)


def refused(data: bytes, title: str, reason: str) -> None:
    begin = time.monotonic()
    with pytest.raises(InputError, match=rf"{title}: .*{reason}"):
        link_modules([elf_module(data, title)])
    assert time.monotonic() - begin < LONGEST
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_MEMORY


def test_names_that_share_a_megabyte_are_refused() -> None:
    made = bytearray(made_object(3000))
    long = b"\0" + b"a" * (1 << 20) + b"\0"
    headers = headers_of(made)
    symbols = headers[headers["type"] == elf.SHT_SYMTAB][0]
    table = np.frombuffer(made, elf.SYM[64], 3001, int(symbols["offset"]))
    table["name"][1:] = np.arange(3000) + 1
    strings = np.flatnonzero(headers["type"] == elf.SHT_STRTAB)[0]
    headers["offset"][strings], headers["size"][strings] = len(made), len(long)
    refused(bytes(made) + long, "names.o", "have more than")


def test_tables_of_relocations_that_are_the_same_bytes_are_refused() -> None:
    made = bytearray(made_object(3000))
    headers = headers_of(made)
    tables = headers["type"] == elf.SHT_RELA
    headers["offset"][tables], headers["size"][tables] = headers["offset"][tables].min(), 9000 * 24
    refused(bytes(made), "tables.o", "its tables have more than")


def member(name: str, data: bytes) -> bytes:
    return name.ljust(48).encode() + str(len(data)).ljust(10).encode() + b"`\n" + data + b"\n" * (len(data) % 2)


HOSTILE_ARCHIVES = {
    "an archive of archives": (member("a.a/", b"!<arch>\n" + member("b.a/", b"!<arch>\n")), "contains no objects"),
    "too many members": (member("x/", b"") * ((1 << 17) + 1), "has more than 131072 members"),
    "a name outside the table": (member("/99999", b"abcd"), "the name of the member"),
    "a size below zero": (member("x/", b"").replace(b"0         `", b"-1        `"), "has no size"),
    "a size beyond the end": (member("x/", b"").replace(b"0         `", b"9999999999`"), "beyond the end"),
    "no header": (b"\0" * 60, "no member begins"),
}


@pytest.mark.parametrize("name", HOSTILE_ARCHIVES)
def test_a_hostile_archive_is_refused(name: str, tmp_path: Path) -> None:
    data, reason = HOSTILE_ARCHIVES[name]
    path = tmp_path / "hostile.a"
    path.write_bytes(b"!<arch>\n" + data)
    begin = time.monotonic()
    with pytest.raises(InputError, match=rf"hostile\.a: .*{reason}"):
        load_image([path])
    assert time.monotonic() - begin < LONGEST


def test_a_thin_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "thin.a"
    path.write_bytes(b"!<thin>\n" + member("x/", b""))
    with pytest.raises(InputError, match="is a thin archive, which only names its members"):
        load_image([path])


def test_a_long_chain_of_members_is_followed_at_once() -> None:
    """Each member needs the next; names that are asked for are looked at once each."""

    class Chain:
        def defining(self, name: str) -> Module | None:
            number = int(name[1:])
            if number >= 2000:
                return None
            return elf_module(chained(number), f"{number}.o")

    begin = time.monotonic()
    image = link_modules([elf_module(chained(0), "0.o")], archives=[Chain()])
    assert len(image.modules) == 2000
    assert list(image.missing) == ["f2000"]
    assert time.monotonic() - begin < LONGEST


def chained(number: int) -> bytes:
    """An object that defines f<number> and refers to the next one."""
    made = bytearray(made_object(2))
    headers = headers_of(made)
    strings = b"\0f%d\0f%d\0" % (number, number + 1)
    at = int(np.flatnonzero(headers["type"] == elf.SHT_STRTAB)[0])
    symbols = np.frombuffer(made, elf.SYM[64], 3, int(headers[headers["type"] == elf.SHT_SYMTAB][0]["offset"]))
    symbols["name"][1:] = 1, strings.index(b"f%d\0" % (number + 1))
    symbols["shndx"][2] = 0
    headers["offset"][at], headers["size"][at] = len(made), len(strings)
    return bytes(made) + strings

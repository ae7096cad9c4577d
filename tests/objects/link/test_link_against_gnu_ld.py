"""Linked bytes and addresses against GNU ld, which is told to put each section where the lab puts it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.objects.build import TARGETS, Target, compiled, fresh, run

from neonlab.objects.image.memory_image import Image
from neonlab.objects.link import addresses as ad
from neonlab.objects.link.relocation_names import relocation_name, rule_of
from neonlab.objects.load import load_image

SOURCES = ("kernel.c", "library.c", "override.c")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
STYLES = {
    "plain": (),
    "pic": ("-fPIC",),
    "small pic": ("-fpic",),
    "own sections": ("-ffunction-sections", "-fdata-sections"),
}
MODELS = {"tiny": ("-mcmodel=tiny",), "large": ("-mcmodel=large", "-fno-pic")}
CASES = [
    (target, compiler, (level, *style))
    for target in TARGETS
    for compiler in ("gcc", "clang")
    for level in LEVELS
    for style in STYLES.values()
] + [("a64", compiler, ("-O2", *model)) for compiler in ("gcc", "clang") for model in MODELS.values()]


def unmerged(path: Path, target: Target) -> Path:
    """The object without leave to merge equal constants, which GNU ld does and the lab does not."""
    out = fresh(path.name)
    run(target.tool("objcopy"), "--set-section-flags", ".rodata.*=alloc,readonly,data", path, out)
    return out


def linked_by_ld(image: Image, paths: list[Path], target: Target) -> Path:
    """The same sections at the same addresses."""
    lines = ["SECTIONS {"]
    for (number, index), address in sorted(image.sections.items(), key=lambda item: item[1]):
        section = image.modules[number].sections[index]
        lines.append(f'  .lab{number}_{index} {address:#x} : {{ "{paths[number]}"({section.name}) }}')
    lines.append("  .got 0x60000 : { *(.got) *(.got.plt) }\n  /DISCARD/ : { *(.eh_frame) *(.note*) *(.ARM.ex*) }\n}")
    script = fresh("lab.ld")
    script.write_text("\n".join(lines))
    out = script.with_name("a.elf")
    run(target.tool("ld"), "--no-warn-mismatch", "-e", "0", "-T", script, *paths, "-o", out)
    return out


def contents(elf: Path, section: str, target: Target) -> bytes:
    out = elf.with_name("section.bin")
    run(target.tool("objcopy"), "-O", "binary", "-j", section, elf, out)
    return out.read_bytes()


def through_table(image: Image, number: int, index: int) -> np.ndarray:
    """Which bytes of a section hold the place of an entry in the table of addresses, which ld orders otherwise."""
    section = image.modules[number].sections[index]
    found = np.zeros(section.size, bool)
    mine = image.modules[number].relocations
    for relocation in mine[mine["section"] == index]:
        rule = rule_of(image.isa, int(relocation["kind"]))
        name = relocation_name(image.isa, int(relocation["kind"]))
        assert rule is not None, name
        symbol = image.modules[number].names[relocation["symbol"]]
        absent_branch = rule.branch and symbol == "optional"  # a no-op there, a branch to the next instruction here
        if rule.through_table or "GOTOFF" in name or symbol == "_GLOBAL_OFFSET_TABLE_" or absent_branch:
            found[relocation["offset"] :][: rule.size] = True
    return found


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize(
    ("name", "compiler", "flags"), CASES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else value
)
def test_every_byte_is_what_gnu_ld_writes(name: str, compiler: str, flags: tuple[str, ...]) -> None:
    target = TARGETS[name]
    paths = [unmerged(compiled(source, target, compiler, flags), target) for source in SOURCES]
    image = load_image(paths)
    assert not image.problems
    assert not (image.references[2] == ad.NOBODYS).any() or set(image.missing) <= {"memcpy", "memset"}
    if image.missing:
        paths = [
            *paths,
            compiled("void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) { (void)s; (void)n; return d; }\n", target),
        ]
        image = load_image(paths)
    elf = linked_by_ld(image, paths, target)
    compared = 0
    for (number, index), address in image.sections.items():
        section = image.modules[number].sections[index]
        if not len(section.data):
            continue
        want = np.frombuffer(contents(elf, f".lab{number}_{index}", target), np.uint8)
        got = image.memory[address - image.base :][: section.size]
        assert want.size == got.size, section.name
        differs = (want != got) & ~through_table(image, number, index)
        where = np.flatnonzero(differs)
        assert not where.size, f"{section.name} of {paths[number]}: offsets {[hex(i) for i in where[:8]]}"
        compared += section.size
    assert compared > 1000

    known = {symbol.name: symbol.entry for symbol in image.symbols if symbol.is_global}
    for line in run(target.tool("nm"), elf).splitlines():
        address_text, _, kind = line[: -len(line.split()[-1])].rpartition(" ")[0].partition(" ")
        symbol = line.split()[-1]
        if symbol in known and kind.strip() in "TtDdBbRrVvWw":
            is_code = kind.strip() in "TtWw"
            assert known[symbol] & ~(1 if is_code else 0) == int(address_text, 16) & ~(1 if is_code else 0), line

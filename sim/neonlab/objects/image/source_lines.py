"""Find the source line of each instruction of an image: from the assembler, or from DWARF with the text of the file."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from neonlab.assemble.source import SourceLine
from neonlab.host.input_file import is_file
from neonlab.isa.model.isa import Isa
from neonlab.objects.dwarf.inlined import CallSite, read_call_sites
from neonlab.objects.dwarf.lines import LineRow, read_rows
from neonlab.objects.image.debug_sections import debug_sections
from neonlab.objects.image.memory_image import Image

_MOST_SOURCE_BYTES = 1 << 24


def source_lines(image: Image, addresses: Sequence[int]) -> Mapping[int, SourceLine]:
    """Return the line of each of `addresses`, which ascend, as far as the objects have lines."""
    found: dict[int, SourceLine] = {}
    for number, module in enumerate(image.modules):
        for (section, offset), line in module.lines.items():
            start = image.sections.get((number, section))
            if start is not None:
                found[start + offset] = line
        if ".debug_line" in {section.name for section in module.sections.values()}:
            near = Path(module.title.partition("(")[0]).parent
            sections = debug_sections(module, image.addresses[number])
            bias = image.biases.get(number, 0)
            for row in read_rows(sections):
                _add(found, row, bias, addresses, near)
            _call_intrinsics(found, sections, image.isa, bias, addresses, near)
    return found


def _call_intrinsics(
    found: dict[int, SourceLine],
    sections: Mapping[str, bytes],
    isa: Isa,
    bias: int,
    addresses: Sequence[int],
    near: Path,
) -> None:
    """Replace lines of the compiler's headers by those that call them, and keep the header lines as a trail."""
    inside = {a for a in addresses if a in found and _is_of_compiler(found[a].path)}
    if not inside:
        return
    sites = read_call_sites(sections, isa, [address - bias for address in sorted(inside)])
    by_address: dict[int, list[CallSite]] = {}
    ordered = sorted(inside)
    for site in sites:
        first = bisect.bisect_left(ordered, site.address + bias)
        last = bisect.bisect_left(ordered, site.end + bias)
        for address in ordered[first:last]:
            by_address.setdefault(address, []).append(site)
    for address, around in by_address.items():
        around.sort(key=lambda site: -site.depth)
        outer = next((site for site in around if site.line >= 1 and not _is_of_compiler(site.path)), None)
        if outer is not None:
            was = found[address]
            text = _text(outer.path, outer.folder, str(near), outer.line)
            trail = (f"{was.path}:{was.line}: in `{outer.name}`",)
            found[address] = SourceLine(outer.path, outer.line, max(outer.column, 1), text, trail=trail)


def _is_of_compiler(path: str) -> bool:
    """Return whether a header is one of those that define intrinsics."""
    return path.rpartition("/")[2] in ("arm_neon.h", "arm_acle.h", "arm_fp16.h", "arm_bf16.h")


def _add(found: dict[int, SourceLine], row: LineRow, bias: int, addresses: Sequence[int], near: Path) -> None:
    first = bisect.bisect_left(addresses, row.address + bias)
    last = bisect.bisect_left(addresses, row.end + bias, first)
    if first == last or row.line < 1:
        return
    text = _text(row.path, row.folder, str(near), row.line)
    line = SourceLine(row.path, row.line, max(row.column, 1), text)
    for address in addresses[first:last]:
        found[address] = line


def _text(path: str, folder: str, near: str, line: int) -> str:
    lines = _source(path, folder, near)
    return lines[line - 1] if 0 < line <= len(lines) else ""


@lru_cache(maxsize=256)
def _source(path: str, folder: str, near: str) -> tuple[str, ...]:
    """Return the lines of a source file, from where it was compiled, from here, or from beside its object.

    Returns none where it is not found.
    """
    for candidate in (Path(folder) / path, Path(path), Path(near) / path, Path(near) / Path(path).name):
        try:
            if is_file(candidate) and candidate.stat().st_size <= _MOST_SOURCE_BYTES:
                return tuple(candidate.read_text("utf-8", "replace").splitlines())
        except (OSError, ValueError):
            continue
    return ()

"""Find the call sites of inlined code.

An intrinsic is a function of a header, and reports must name the line that calls it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neonlab.isa.model.isa import Isa
from neonlab.objects.dwarf.info import Unit, number, open_dwarf, ranges, text, units_for
from neonlab.objects.dwarf.lines import file_names
from neonlab.objects.dwarf.reader import DwarfError


@dataclass(frozen=True, slots=True)
class CallSite:
    """An inlined call: the bytes from `address` to `end` are the body of `name`, inlined at a line.

    `depth` counts from the outermost entry.
    """

    address: int
    end: int
    depth: int
    name: str
    path: str
    folder: str
    line: int
    column: int


def read_call_sites(sections: Mapping[str, bytes], isa: Isa, addresses: Sequence[int]) -> list[CallSite]:
    """Return the call sites around any of `addresses`, as far as the debug information can be read."""
    dwarf = open_dwarf(sections, isa)
    if dwarf is None or not addresses:
        return []
    found: list[CallSite] = []
    first, last = addresses[0], addresses[-1]
    for unit in units_for(dwarf, lambda stretches: any(low <= last and first < high for low, high in stretches)):
        try:
            found += _of_unit(unit, sections)
        except Exception:  # pyelftools raises any type on damaged data; the rest may be sound
            continue
    return found


def _of_unit(unit: Unit, sections: Mapping[str, bytes]) -> list[CallSite]:
    if unit.line_table is None:
        return []
    try:
        name_of = file_names(sections, unit.line_table)
    except DwarfError:
        return []
    found = []
    for depth, entry in unit.entries:
        if entry.tag != "DW_TAG_inlined_subroutine":
            continue
        file, line = number(entry, "DW_AT_call_file"), number(entry, "DW_AT_call_line")
        if file is None or line is None:
            continue
        origin = unit.referred(entry, "DW_AT_abstract_origin")
        title = text(origin, "DW_AT_name") if origin is not None else ""
        column = number(entry, "DW_AT_call_column") or 0
        for low, high in ranges(entry, unit.dwarf):
            found.append(CallSite(low, high, depth, title, *name_of(file), line, column))
    return found

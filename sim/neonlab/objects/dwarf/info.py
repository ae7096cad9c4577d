"""Read the debug sections of one object with pyelftools, with a limit on the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

from neonlab.isa.model.isa import Isa

#: Entries that are read of one object: a few seconds.
MOST_ENTRIES = 200_000
_NAMES = (
    "info", "aranges", "abbrev", "frame", "str", "loc", "ranges", "line", "pubtypes", "pubnames", "addr",
    "str_offsets", "line_str", "loclists", "rnglists", "sup", "types",
)  # fmt: skip


def open_dwarf(sections: Mapping[str, bytes], isa: Isa) -> Any:
    """Return a DWARFInfo over the sections as they are after linking; None where there is nothing to read."""
    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

    if not sections.get(".debug_info") or not sections.get(".debug_abbrev"):
        return None
    made = {
        f"debug_{name}_sec": (
            DebugSectionDescriptor(
                BytesIO(sections[f".debug_{name}"]), f".debug_{name}", 0, len(sections[f".debug_{name}"]), 0
            )
            if f".debug_{name}" in sections
            else None
        )
        for name in _NAMES
    }
    machine = "AArch64" if isa is Isa.A64 else "ARM"
    config = DwarfConfig(little_endian=True, machine_arch=machine, default_address_size=isa.pointer_bytes)
    return DWARFInfo(config, eh_frame_sec=None, gnu_debugaltlink_sec=None, **made)


@dataclass(frozen=True, eq=False)
class Unit:
    """One compilation unit: its entries in file order, each with its depth in the tree."""

    dwarf: Any
    unit: Any
    entries: tuple[tuple[int, Any], ...]

    @property
    def line_table(self) -> int | None:
        """The offset of the unit's table in .debug_line."""
        return number(self.entries[0][1], "DW_AT_stmt_list") if self.entries else None

    def entry_at(self, offset: int) -> Any:
        """Return the entry at an offset of .debug_info; None where this unit has none."""
        return self._by_offset.get(offset)

    @cached_property
    def _by_offset(self) -> dict[int, Any]:
        return {entry.offset: entry for _, entry in self.entries}

    def referred(self, entry: Any, attribute: str) -> Any:
        """Return the entry that an attribute refers to; None where it is not in this unit."""
        found = entry.attributes.get(attribute)
        if found is None or not isinstance(found.value, int):
            return None
        relative = found.form != "DW_FORM_ref_addr"
        return self.entry_at(found.value + (self.unit.cu_offset if relative else 0))

    def children(self, entry: Any) -> Iterator[Any]:
        """Yield the children of an entry."""
        position = self._positions[entry.offset]
        depth = self.entries[position][0]
        for below, child in self.entries[position + 1 :]:
            if below <= depth:
                return
            if below == depth + 1:
                yield child

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {entry.offset: position for position, (_, entry) in enumerate(self.entries)}


def units_for(dwarf: Any, wanted: Callable[[list[tuple[int, int]]], bool]) -> Iterator[Unit]:
    """Yield the units for whose address ranges `wanted` is true, read whole.  Stop at damaged data."""
    from elftools.dwarf.die import DIE

    left = MOST_ENTRIES
    try:
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()  # only it has the bases that others are relative to
            stretches = ranges(top, dwarf)
            if stretches and not wanted(stretches):
                continue
            end = unit.cu_offset + unit["unit_length"] + unit.structs.initial_length_field_size()
            at, depth = unit.cu_die_offset, 0
            found = []
            while at < end:
                left -= 1
                if left < 0:
                    return
                entry = DIE(cu=unit, stream=dwarf.debug_info_sec.stream, offset=at)
                if entry.size <= 0:
                    return
                at += entry.size
                if entry.is_null():
                    depth -= 1
                    continue
                found.append((depth, entry))
                depth += bool(entry.has_children)
            yield Unit(dwarf, unit, tuple(found))
    except Exception:  # pyelftools raises any type on damaged data, and code runs without DWARF
        return


def text(entry: Any, attribute: str) -> str:
    """Return a string attribute, "" where there is none."""
    found = entry.attributes.get(attribute)
    value = found.value if found is not None else b""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else ""


def number(entry: Any, attribute: str) -> int | None:
    """Return a numeric attribute; None where there is none, or where it is an expression."""
    found = entry.attributes.get(attribute)
    return found.value if found is not None and isinstance(found.value, int) else None


def ranges(entry: Any, dwarf: Any) -> list[tuple[int, int]]:
    """Return (first address, address one past the last) of each range of code that an entry describes."""
    low = number(entry, "DW_AT_low_pc")
    high = entry.attributes.get("DW_AT_high_pc")
    if low is not None and high is not None and isinstance(high.value, int):
        return [(low, high.value if high.form.startswith("DW_FORM_addr") else low + high.value)]
    offset = number(entry, "DW_AT_ranges")
    lists = dwarf.range_lists() if offset is not None else None
    if lists is None:
        return []
    top = entry.cu.get_top_DIE()
    base = number(top, "DW_AT_low_pc") or 0
    found = []
    for item in lists.get_range_list_at_offset(offset, entry.cu):
        if hasattr(item, "base_address"):
            base = item.base_address
        elif item.is_absolute:
            found.append((item.begin_offset, item.end_offset))
        else:
            found.append((base + item.begin_offset, base + item.end_offset))
    return found

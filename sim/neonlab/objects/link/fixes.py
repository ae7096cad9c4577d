"""Collect all relocations of a program in one table, with what they need of the linker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.isa import Isa
from neonlab.objects.elf.module import THUMB, InputSection
from neonlab.objects.link import addresses as ad
from neonlab.objects.link.relocation_names import rule_of
from neonlab.objects.link.relocation_rule import Rule
from neonlab.objects.link.resolve import Resolution

Integers = npt.NDArray[np.int64]

_FIX = np.dtype(
    [
        ("place", np.int64),
        ("end", np.int64),  # of the section
        ("kind", np.uint32),
        ("module", np.int32),
        ("section", np.int32),
        ("symbol", np.uint32),
        ("addend", np.int64),
        ("target", np.int64),  # S, without bit 0
        ("thumb", np.bool_),  # T
        ("typed", np.bool_),
        ("status", np.uint8),
        ("in_place", np.bool_),
        ("from_thumb", np.bool_),  # the place is in Thumb code
    ]
)


def collect_fixes(
    resolution: Resolution, sections: Mapping[tuple[int, int], int], addresses: ad.SymbolAddresses
) -> Fixes:
    """Return the relocations of all sections in `sections`, against the addresses of their symbols."""
    tables = []
    for number, module in enumerate(resolution.modules):
        placed = {index: sections[number, index] for index in module.sections if (number, index) in sections}
        if not placed or not len(module.relocations):
            continue
        room = max(max(placed), int(module.relocations["section"].max())) + 1
        starts, sizes = np.full(room, -1, np.int64), np.zeros(room, np.int64)
        starts[list(placed)] = list(placed.values())
        sizes[list(placed)] = [module.sections[index].size for index in placed]
        relocations = module.relocations[starts[module.relocations["section"]] >= 0]
        table = np.zeros(len(relocations), _FIX)
        for name in ("kind", "symbol", "addend", "in_place", "section"):
            table[name] = relocations[name]
        start, size, offset = starts[relocations["section"]], sizes[relocations["section"]], relocations["offset"]
        # a place outside its section counts as its end, where nothing fits any more
        table["place"] = start + np.where((offset >= 0) & (offset <= size), offset, size)
        table["end"], table["module"] = start + size, number
        symbols, at = addresses.modules[number], relocations["symbol"]
        table["target"], table["thumb"] = symbols.address[at], symbols.thumb[at]
        table["typed"], table["status"] = symbols.typed[at], symbols.status[at]
        table["from_thumb"] = _in_thumb(
            [(address, module.sections[i]) for i, address in placed.items()], table["place"]
        )
        tables.append(table)
    joined = np.concatenate(tables) if tables else np.zeros(0, _FIX)
    return Fixes(resolution, joined)


def _in_thumb(placed: Sequence[tuple[int, InputSection]], place: Integers) -> npt.NDArray[np.bool_]:
    """Return which places are in Thumb code, by the last mark before each."""
    found = [
        (address + offset, state)
        for address, section in placed
        if section.executable
        for offset, state in section.marks
    ]
    if not any(state == THUMB for _, state in found):
        return np.zeros(len(place), np.bool_)
    marks = np.array(sorted(found), np.int64)
    last = np.searchsorted(marks[:, 0], place, "right") - 1
    return np.asarray((last >= 0) & (marks[np.maximum(last, 0), 1] == THUMB))


class Fixes:
    """The table of relocations: `rows` by kind, the veneers and table entries that they need."""

    def __init__(self, resolution: Resolution, table: npt.NDArray[np.void]) -> None:
        self.resolution, self.table = resolution, table
        self.isa = resolution.modules[0].isa
        self.kinds = {int(kind): rule_of(self.isa, int(kind)) for kind in np.unique(table["kind"])}
        self.rows = {kind: np.flatnonzero(table["kind"] == kind) for kind in self.kinds}
        self._absent_branches()

    def _absent_branches(self) -> None:
        """Point branches to undefined weak symbols at the next instruction (AAELF32, AAELF64)."""
        table = self.table
        next_instruction = 4 if self.isa is Isa.A64 else -4
        for rows, _ in self.branches():
            absent = rows[table["status"][rows] == ad.ABSENT]
            thumb = table["from_thumb"][absent]
            table["target"][absent] = table["place"][absent] + np.where(thumb, 0, next_instruction)
            table["thumb"][absent] = thumb

    def branches(self) -> list[tuple[Integers, Rule]]:
        """Return the rows of branches that may need a veneer, with their rules."""
        return [(self.rows[kind], rule) for kind, rule in self.kinds.items() if rule is not None and rule.branch]

    def usable(self, rows: Integers) -> Integers:
        """Return those of `rows` whose symbols have an address."""
        status = self.table["status"][rows]
        return np.asarray(rows[(status == ad.DEFINED) | (status == ad.ABSENT)])

    def table_entries(self) -> Integers:
        """Return the values that the table of addresses must hold, each once, sorted."""
        rows = [self.rows[kind] for kind, rule in self.kinds.items() if rule is not None and rule.through_table]
        return np.unique(self.entry_values(self.table[np.concatenate(rows)])) if rows else np.zeros(0, np.int64)

    def entry_values(self, table: npt.NDArray[np.void]) -> Integers:
        """Return the value of each row's table entry: S + A in A64, S with T in A32."""
        if self.isa is Isa.A64:
            return np.asarray(table["target"] + table["addend"])
        return np.asarray(table["target"] | table["thumb"])

    def name_table(self, address: int, names: Sequence[Sequence[str]], symbol: str) -> None:
        """Set the address of the table of addresses in all rows that refer to it by its name."""
        for number, module_names in enumerate(names):
            if symbol in module_names:
                index = module_names.index(symbol)
                mine = (self.table["module"] == number) & (self.table["symbol"] == index)
                self.table["target"][mine] = address

    def references(
        self, more: Sequence[tuple[int, int]], code: Sequence[tuple[int, int]]
    ) -> tuple[Integers, Integers, npt.NDArray[np.uint8]]:
        """Return (place, target, status) of every relocation, in order of place, to find out what a function needs.

        The addend counts where the symbol is in `code`, the (start, end) of each part, and is not a function: symbol
        and addend may then be one.  For data the symbol is enough.  `more` are (place, target).
        """
        table = self.table
        extra = np.array(more, np.int64).reshape(-1, 2)
        in_code = np.zeros(len(table), np.bool_)
        for start, end in code:
            in_code |= (table["target"] >= start) & (table["target"] < end)
        target = table["target"] + np.where(in_code & ~table["typed"], table["addend"], 0)
        place = np.concatenate([table["place"], extra[:, 0]])
        order = np.argsort(place, kind="stable")
        status = np.concatenate([table["status"], np.full(len(extra), ad.DEFINED, np.uint8)])
        return place[order], np.concatenate([target, extra[:, 1]])[order], status[order]

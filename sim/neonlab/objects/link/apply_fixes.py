"""Apply relocations to the bytes of a program, and describe those that cannot be applied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.isa import Isa
from neonlab.objects.demangle import demangle
from neonlab.objects.link import addresses as ad
from neonlab.objects.link.fixes import Fixes, Integers
from neonlab.objects.link.relocation_names import is_thread_local, relocation_name
from neonlab.objects.link.relocation_rule import Against, Branch, Rule


@dataclass(frozen=True, slots=True)
class Problem:
    """A relocation that cannot be applied: the message about the bytes at `place`."""

    place: int
    message: str


def apply_fixes(
    fixes: Fixes, memory: npt.NDArray[np.uint8], base: int, table_at: int, entries: Integers
) -> tuple[Problem, ...]:
    """Apply the relocations to `memory`, which starts at `base`; return those that cannot be applied, by place.

    The table of addresses is at `table_at` and holds `entries`.
    """
    return _Application(fixes, memory, base, table_at, entries).run()


class _Application:
    def __init__(
        self, fixes: Fixes, memory: npt.NDArray[np.uint8], base: int, table_at: int, entries: Integers
    ) -> None:
        self._fixes, self._table, self._isa = fixes, fixes.table, fixes.isa
        self._memory, self._base, self._table_at, self._entries = memory, base, table_at, entries

    def run(self) -> tuple[Problem, ...]:
        """Apply the relocations kind by kind."""
        problems: list[Problem] = []
        for kind, rule in self._fixes.kinds.items():
            rows = self._fixes.rows[kind]
            name = relocation_name(self._isa, kind)
            if rule is None:
                what = "is not supported"
                if is_thread_local(self._isa, kind):
                    what = "is for thread-local storage, which the lab does not have"
                problems += [self._problem(row, f"{name} against {self._symbol(row)} {what}") for row in rows.tolist()]
                continue
            outside = self._table["place"][rows] + rule.size > self._table["end"][rows]
            unusable = (self._table["status"][rows] >= ad.UNUSABLE) & ~outside
            problems += [self._problem(row, f"{name} lies outside its section") for row in rows[outside].tolist()]
            problems += [self._problem(row, self._unusable(row)) for row in rows[unusable].tolist()]
            if rule.size:
                problems += self._apply(rule, name, rows[~outside & ~unusable])
        return tuple(sorted(problems, key=lambda problem: problem.place))

    def _apply(self, rule: Rule, name: str, rows: Integers) -> list[Problem]:
        table = self._table[rows]
        where = (table["place"] - self._base)[:, None] + np.arange(rule.size)
        old = _words(self._memory[where], rule)
        if rule.addend is not None:
            self._table["addend"][rows] = table["addend"] = np.where(
                table["in_place"], rule.addend(old), table["addend"]
            )
        value, thumb = self._values(rule, table)
        nobodys = table["status"] == ad.NOBODYS
        good = nobodys | rule.fits(value)
        if rule.branch is Branch.CALL and rule.halves:
            good &= nobodys | thumb | (value & 3 == 0)
        # Code that refers to undefined symbols stays unchanged; data get an address where nothing is mapped.
        take = good & ~(nobodys & (rule.against is not Against.NOTHING))
        self._memory[where[take]] = _bytes(rule.insert(old[take], value[take], thumb[take]), rule)
        bad = np.flatnonzero(~good).tolist()
        return [self._problem(int(rows[i]), self._out_of_range(name, int(rows[i]), int(value[i]), rule)) for i in bad]

    def _values(self, rule: Rule, table: npt.NDArray[np.void]) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """Return the values for the fields, and which of them are of Thumb functions."""
        place, thumb = table["place"], table["thumb"] & rule.keeps_state
        if rule.branch:  # a label that is not a function is in the state of the branch to it
            thumb = np.where(table["typed"], thumb, table["from_thumb"] & rule.keeps_state)
        if rule.through_table:
            thumb = np.zeros(len(table), np.bool_)
            value = self._table_at + self._isa.pointer_bytes * np.searchsorted(
                self._entries, self._fixes.entry_values(table)
            )
            if self._isa is Isa.A32:  # in A64 the addend is in the entry
                value = value + table["addend"]
        else:
            value = (table["target"] + table["addend"]) | thumb
        value = _relative(value, rule, place, self._table_at)
        if rule.branch is Branch.CALL and rule.halves:  # Thumb's blx counts from the word
            value = np.where(thumb, value, value + (place & 2))
        return value, thumb

    def _problem(self, row: int, what: str) -> Problem:
        return Problem(int(self._table["place"][row]), f"{self._where(row)}: {what}")

    def _where(self, row: int) -> str:
        fix = self._table[row]
        module = self._fixes.resolution.modules[int(fix["module"])]
        section = module.sections[int(fix["section"])]
        start = int(fix["end"]) - section.size
        return f"{module.title}: {section.name}+{int(fix['place']) - start:#x}"

    def _symbol(self, row: int) -> str:
        fix = self._table[row]
        module = self._fixes.resolution.modules[int(fix["module"])]
        name = module.names[int(fix["symbol"])]
        if name:
            return f"`{demangle(name)}`"
        section = module.sections.get(int(module.symbols["section"][int(fix["symbol"])]))
        return f"`{section.name}`" if section is not None else "no symbol"

    def _unusable(self, row: int) -> str:
        why = {
            ad.THREAD_LOCAL: "is thread-local storage, which the lab does not have",
            ad.CHOSEN_LATER: "is an ifunc: a loader resolves it at run time, the lab does not",
        }.get(int(self._table["status"][row]), "is in a section that is not loaded")
        return f"refers to {self._symbol(row)}, which {why}"

    def _out_of_range(self, name: str, row: int, value: int, rule: Rule) -> str:
        takes = f"{rule.limits[0]:#x} to {rule.limits[1]:#x}" if rule.limits is not None else "any number"
        step = f" in steps of {1 << rule.scale}" if rule.scale else ""
        return f"{name} against {self._symbol(row)} has the value {value:#x}; the field takes {takes}{step}"


def _relative(value: Integers, rule: Rule, place: Integers, table_at: int) -> Integers:
    against = rule.against
    if against is Against.PLACE:
        return value - place
    if against is Against.WORD:
        return value - (place & ~3)
    if against is Against.PAGE:
        return (value & ~0xFFF) - (place & ~0xFFF)
    if against is Against.TABLE:
        return value - table_at
    if against is Against.TABLE_PAGE:
        return value - (table_at & ~0xFFF)
    return value


def _words(data: npt.NDArray[np.uint8], rule: Rule) -> npt.NDArray[np.uint64]:
    """Return little-endian numbers from rows of bytes."""
    words = np.zeros(len(data), np.uint64)
    for position in range(rule.size):
        words |= data[:, position].astype(np.uint64) << np.uint64(8 * position)
    if rule.halves:
        words = words >> np.uint64(16) | (words & np.uint64(0xFFFF)) << np.uint64(16)
    return words


def _bytes(words: npt.NDArray[np.uint64], rule: Rule) -> npt.NDArray[np.uint8]:
    if rule.halves:
        words = words >> np.uint64(16) | (words & np.uint64(0xFFFF)) << np.uint64(16)
    return np.ascontiguousarray(words.astype("<u8")).view(np.uint8).reshape(-1, 8)[:, : rule.size]

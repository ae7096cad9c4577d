"""Choose the combination of numbers that does best on all families but one, and judge it on that one."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from neonlab.lab.silicon.fit.grid import GridRow
from neonlab.lab.silicon.fit.plan import Combination, FitPlan, Group
from neonlab.lab.silicon.left_out import LeftOutRow, LeftOutTable
from neonlab.measure.cores.table_hash import tables_hash

_VERSION = re.compile(r" ?\b(before|after)\b")


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for a group without `family`; "" is for all families together.

    `error` is the mean of the median errors of those families that it was chosen with.  `combination` is None where
    there is no other family; the family is then not judged.
    """

    group: Group
    family: str
    combination: Combination | None
    error: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """All choices, and the rows that were judged by them."""

    choices: tuple[Choice, ...]
    table: LeftOutTable


def fit(plan: FitPlan, rows: Sequence[GridRow]) -> Fitted:
    """Choose for each group with all families, and without each; return the rows modelled as chosen without theirs."""
    choices: list[Choice] = []
    judged: list[LeftOutRow] = []
    for group in plan.groups:
        own = [row for row in rows if row.core in group.cores]
        choices.append(choose(group, own, ""))
        for family in dict.fromkeys(row.family for row in own):
            choice = choose(group, own, family)
            choices.append(choice)
            if choice.combination is not None:
                judged += [_left_out(row, group, choice.combination) for row in own if row.family == family]
    judged.sort(key=lambda row: row.core)
    return Fitted(tuple(choices), LeftOutTable(plan.origin, tuple(judged)))


def choose(group: Group, rows: Sequence[GridRow], without: str) -> Choice:
    """Return the combination whose median errors on the families but `without` have the lowest mean.

    Each family on each core has the same weight.  Of combinations that do equally well the most preferred is taken.
    """
    parts: dict[tuple[str, str], list[GridRow]] = {}
    for row in rows:
        if row.family != without:
            parts.setdefault((row.core, row.family), []).append(row)
    if not parts:
        return Choice(group, without, None, 0.0)
    medians: dict[tuple[str, Combination], float] = {}
    for core in group.cores:
        for one in {group.of_core(core, combination) for combination in group.combinations()}:
            own = [some for (name, _), some in parts.items() if name == core]
            medians[core, one] = sum(
                statistics.median(abs(row.modelled[one] / row.measured - 1) for row in some) for some in own
            )
    errors = {
        one: round(sum(medians[core, group.of_core(core, one)] for core in group.cores) / len(parts), 9)
        for one in group.combinations()
    }
    best = min(errors, key=lambda one: (errors[one], one))
    return Choice(group, without, best, errors[best])


def _left_out(row: GridRow, group: Group, combination: Combination) -> LeftOutRow:
    function, version = named_version(row.function)
    modelled = row.modelled[group.of_core(row.core, combination)]
    return LeftOutRow(row.core, tables_hash(row.core), row.family, function, version, row.measured, modelled)


def named_version(name: str) -> tuple[str, str]:
    """Split the word `before` or `after` from a function's name; "" for neither."""
    found = _VERSION.search(name)
    return (name, "") if found is None else (_VERSION.sub("", name, count=1).strip(), found[1])


def chosen_numbers(choice: Choice) -> Mapping[str, str]:
    """Return what was chosen of each number, by name; empty where nothing was."""
    return {} if choice.combination is None else choice.group.labelled(choice.combination)

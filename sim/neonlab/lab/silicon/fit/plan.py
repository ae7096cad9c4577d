"""Read what is chosen with measured functions: numbers and rules of models, and the families that are left out.

The file is TOML.  `origin` is a line on where the measured figures are from; `[families]` has patterns of functions'
names for each family; `[[group]]` has cores that are fitted together, and `[[group.number]]` what is chosen:

    name      of a figure under [pipeline], which takes one of `values`
    choices   instead: tables, each of which says what the core has otherwise; {} is the core as it is
    cores     of the group, that have it; all by default

Values stand in order of preference: of those that do equally well, the first is chosen.  A rule that a model may lack
has the table without it first, so that a family which alone shows the rule is judged without it.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeGuard

from neonlab.errors import InputError
from neonlab.host.input_file import read_input_text
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names, varied

#: Combinations of a core, at most: each function on it is modelled with all of them.
MOST = 1024
#: The number of a choice for each number of a group.
Combination = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """What is chosen: `choices` are tables for `cores`, and `labels` say in a word what each is."""

    name: str
    cores: tuple[str, ...]
    choices: tuple[Mapping[str, Any], ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Cores whose numbers are chosen together."""

    cores: tuple[str, ...]
    numbers: tuple[Number, ...]

    def combinations(self) -> Iterator[Combination]:
        """Yield all combinations, the most preferred first."""
        return itertools.product(*(range(len(one.choices)) for one in self.numbers))

    def of_core(self, core: str, combination: Combination) -> Combination:
        """Return the combination with the first choice of each number that `core` does not have."""
        return tuple(choice if core in one.cores else 0 for one, choice in zip(self.numbers, combination, strict=True))

    def tables(self, core: str) -> dict[Combination, dict[str, Any]]:
        """Return what each distinct combination says otherwise of `core`."""
        return {found: self._table(core, found) for found in (self.of_core(core, one) for one in self.combinations())}

    def _table(self, core: str, combination: Combination) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, choice in zip(self.numbers, combination, strict=True):
            if core in number.cores:
                for key, value in number.choices[choice].items():
                    before = found.get(key)
                    found[key] = {**(before or {}), **value} if isinstance(value, dict) else [*value, *(before or [])]
        return found

    def labelled(self, combination: Combination) -> dict[str, str]:
        """Return what is chosen of each number, by its name."""
        return {one.name: one.labels[choice] for one, choice in zip(self.numbers, combination, strict=True)}


@dataclass(frozen=True, slots=True)
class FitPlan:
    """The content of such a file."""

    origin: str
    families: Mapping[str, tuple[str, ...]]
    groups: tuple[Group, ...]

    def family_of(self, function: str) -> str:
        """Return the family of a function by its name.  Raises InputError if it is in none."""
        for family, patterns in self.families.items():
            if any(fnmatchcase(function, pattern) for pattern in patterns):
                return family
        raise InputError(f"`{function}` is in no family: [families] must have a pattern for each measured function")


def read_plan(path: Path) -> FitPlan:
    """Read the file at `path`.  Raises InputError with the place of the first mistake."""
    try:
        table = tomllib.loads(read_input_text(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    for key in sorted(table.keys() - {"origin", "families", "group"}):
        raise InputError(f"{path}: unknown key `{key}`; a plan has `origin`, [families] and a [[group]] for each")
    origin, families, groups = table.get("origin"), table.get("families"), table.get("group")
    if not isinstance(origin, str) or not origin.strip():
        raise InputError(f"{path}: `origin` must say in a line where the measured figures are from")
    if not isinstance(families, dict) or not families or not all(_is_texts(one) for one in families.values()):
        raise InputError(f"{path}: [families] must have a list of patterns for each family")
    if not _is_tables(groups):
        raise InputError(f"{path}: has no [[group]]: add one for the cores that are fitted together")
    found = tuple(_group(one, f"{path}: group {number}") for number, one in enumerate(groups, start=1))
    cores = [core for group in found for core in group.cores]
    if len(set(cores)) < len(cores):
        raise InputError(f"{path}: a core stands in two groups, or twice in one")
    return FitPlan(origin.strip(), {name: tuple(one) for name, one in families.items()}, found)


def _group(table: Mapping[str, Any], where: str) -> Group:
    cores, numbers = table.get("cores"), table.get("number")
    if table.keys() - {"cores", "number"} or not _is_texts(cores) or not _is_tables(numbers):
        raise InputError(f"{where}: has `cores`, a list of their names, and a [[group.number]] for each that is chosen")
    for core in cores:
        if core not in pipeline_names():
            raise InputError(f"{where}: there is no model of `{core}`")
    found = Group(tuple(cores), tuple(_number(one, tuple(cores), where) for one in numbers))
    for core in cores:
        if math.prod(len(one.choices) for one in found.numbers if core in one.cores) > MOST:
            raise InputError(f"{where}: {core} has more than {MOST} combinations: leave out values, or numbers")
    for core in cores:
        for one in found.tables(core).values():
            varied(load_pipeline(core), one)
    return found


def _number(table: Mapping[str, Any], cores: tuple[str, ...], where: str) -> Number:
    name, values, choices = table.get("name"), table.get("values"), table.get("choices")
    if table.keys() - {"name", "values", "choices", "cores"} or not isinstance(name, str):
        raise InputError(f"{where}: a [[group.number]] has `name`, `values` or `choices`, and may have `cores`")
    where = f"{where}: `{name}`"
    own = table.get("cores", list(cores))
    if not _is_texts(own) or set(own) - set(cores):
        raise InputError(f"{where}: `cores` must be some of the group's: {', '.join(cores)}")
    if (values is None) == (choices is None):
        raise InputError(f"{where}: give `values` or `choices`, one of them")
    if values is not None:
        if not isinstance(values, list) or not values or not all(isinstance(one, int) for one in values):
            raise InputError(f"{where}: `values` must be a list of whole numbers, or of true and false")
        return Number(name, tuple(own), tuple({"pipeline": {name: one}} for one in values), tuple(map(_word, values)))
    if not _is_tables(choices):
        raise InputError(f"{where}: `choices` must be a list of tables")
    allowed = {"pipeline", "crossing", "timing"}
    if any(one.keys() - allowed for one in choices):
        raise InputError(f"{where}: a choice may have {', '.join(sorted(allowed))}, as the file of a core has them")
    return Number(name, tuple(own), tuple(choices), tuple(map(_label, choices)))


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _label(choice: Mapping[str, Any]) -> str:
    if choice.keys() == {"pipeline"}:
        return "/".join(_word(one) for one in choice["pipeline"].values())
    return "otherwise" if choice else "as it is"


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _is_tables(value: object) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)

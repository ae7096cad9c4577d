"""Keep what CP-SAT says of the orders of loops that are far from their bounds, which takes too long for each report.

`python -m neonlab.report.tables.loops.find_orders` asks about them anew and writes `reports/orders.json`.  A record
counts for a loop as long as its instructions and the core's tables are those that it was found for.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from neonlab.errors import InputError
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.optimize.schedule.fewest import Fewest

FILE = "orders.json"
#: A general register: by its number, behind what says how wide it is, or by name.
_GENERAL = re.compile(r"\b(?:([xw])(\d+)|()(r\d+|sb|sl|fp|ip|lr))\b")
Known = Mapping[tuple[str, str], tuple[Fewest, ...]]
NO_ORDERS: Known = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """Hold what is known of one loop, named by its first kernel, in some stages on a core."""

    kernel: str
    core: str
    code: str
    tables: str
    found: Fewest


def code_digest(instructions: Iterable[Instruction]) -> str:
    """Return 16 hexadecimal digits that stand for the instructions of a loop, wherever it lies.

    They do not depend on which general registers it has, as no timing does.
    """
    names: dict[str, str] = {}
    texts = [
        _GENERAL.sub(_renamed(names), one.text) if one.branch is BranchKind.NONE else one.mnemonic
        for one in instructions
    ]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def _renamed(names: dict[str, str]) -> Callable[[re.Match[str]], str]:
    """Return what gives general registers numbers in the order in which they are named."""

    def other(found: re.Match[str]) -> str:
        kind, name = found[1] or "", found[2] or found[4]
        return kind + names.setdefault(name, str(len(names)))

    return other


def read_orders(folder: Path) -> tuple[OrderRecord, ...]:
    """Return the records of a folder of reports, none where there is no file.  Raises InputError."""
    path = folder / FILE
    if not path.is_file():
        return ()
    try:
        return tuple(_record(one) for one in json.loads(path.read_text(encoding="utf-8"))["orders"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: has no orders of loops: {error}") from None


def _record(one: Mapping[str, Any]) -> OrderRecord:
    found = Fewest(
        int(one["stages"]), int(one["least"]), bool(one["by_registers"]), float(one["cycles"]),
        tuple(str(text) for text in one["body"]),
    )  # fmt: skip
    return OrderRecord(str(one["kernel"]), str(one["core"]), str(one["code"]), str(one["tables"]), found)


def known_orders(folder: Path) -> Known:
    """Return what is known by the digest of a loop's instructions and the core, with the core's tables of now."""
    known: dict[tuple[str, str], tuple[Fewest, ...]] = {}
    for one in read_orders(folder):
        if one.tables == tables_hash(one.core):
            known[one.code, one.core] = (*known.get((one.code, one.core), ()), one.found)
    return known


def order_words(found: Iterable[Fewest], bound: float) -> str:
    """Return what orders in other registers take, in sentences that follow another; "" where nothing is known."""
    told = []
    for one in found:
        stages = {2: "two", 3: "three"}.get(one.stages, str(one.stages))
        parts = []
        if one.least > bound:
            why = "for want of registers" if one.by_registers else "by latencies and places of results"
            parts.append(f"none takes fewer than {one.least}, {why}")
        if one.cycles:
            parts.append(f"CP-SAT finds one of {one.cycles:.4g}")
        told.append(f" In {stages} stages {', and '.join(parts) or 'CP-SAT finds none in its time'}.")
    return "".join(told)


def write_orders(folder: Path, records: Iterable[OrderRecord]) -> None:
    """Write the records, by kernel, core and stages."""
    rows = []
    for one in sorted(records, key=lambda one: (one.kernel, one.core, one.found.stages, one.code)):
        fields = asdict(one)
        rows.append({**{name: fields[name] for name in ("kernel", "core", "code", "tables")}, **fields["found"]})
    (folder / FILE).write_text(json.dumps({"orders": rows}, indent=1) + "\n", encoding="utf-8")

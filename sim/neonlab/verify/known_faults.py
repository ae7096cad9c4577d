"""Handle faults that a contract accepts: find their places in the program, and ignore them once they have shown.

A call that shows an accepted fault is repeated with every accepted fault ignored, so that other faults are still found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neonlab.assemble.file_names import OBJECTS
from neonlab.assemble.program import Program
from neonlab.assemble.source import SourceLine
from neonlab.contract.allowances import Accepted
from neonlab.contract.header import Contract
from neonlab.emulate.run import Fault, FaultKind
from neonlab.errors import InputError
from neonlab.isa.model.instruction import Instruction

_COMMENT = re.compile(r"//.*|/\*.*?\*/|(?:^|\s)@.*")
_LABELS = re.compile(r"^\s*(?:[\w.$]+:\s*)+")


@dataclass(frozen=True, slots=True)
class AcceptedFault:
    """A fault that the contract accepts, and the number of cases in which it showed; at 0 the entry is out of date."""

    fault: str
    where: str
    why: str
    cases: int

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `--json`."""
        return {"fault": self.fault, "where": self.where, "why": self.why, "cases": self.cases}


class KnownFaults:
    """The faults that the contract of one kernel accepts, and the number of cases in which each showed.

    Raises InputError where an entry's text stands on several lines, since accepting one is not accepting the others.
    """

    def __init__(self, program: Program, contract: Contract) -> None:
        self._entries = contract.allows.accept
        self._places = [_addresses(program, contract, entry) for entry in self._entries]
        self.cases = [0] * len(self._entries)

    def number_of(self, fault: Fault | None) -> int | None:
        """Return the number of the entry that accepts the fault; None if none does."""
        if fault is None:
            return None
        pairs = enumerate(zip(self._entries, self._places, strict=True))
        return next((n for n, (one, at) in pairs if one.fault is fault.kind and fault.address in at), None)


def accepted_faults(contract: Contract, cases: Sequence[int]) -> tuple[AcceptedFault, ...]:
    """Return the entries of the contract with the number of `cases` in which each showed."""
    pairs = zip(contract.allows.accept, cases, strict=True)
    return tuple(AcceptedFault(entry.fault.value, entry.place, entry.why, count) for entry, count in pairs)


def looking_past(contract: Contract) -> Contract:
    """Return the contract with accepted faults left unreported, wherever a check can continue after them."""
    return replace(contract, allows=replace(contract.allows, looks_past=True))


def looked_past(program: Program, contract: Contract) -> frozenset[tuple[int, FaultKind]]:
    """Return address and kind of each fault to ignore; empty unless the contract is from `looking_past`."""
    if not contract.allows.looks_past:
        return frozenset()
    return frozenset(
        (address, entry.fault) for entry in contract.allows.accept for address in _addresses(program, contract, entry)
    )


def _addresses(program: Program, contract: Contract, entry: Accepted) -> frozenset[int]:
    found = {i.address: program.line_at(i.address) for i in program.instructions}
    if entry.line:
        return frozenset(
            address
            for address, line in found.items()
            if line is not None and line.line == entry.line and _is_of_kernel(Path(line.path), Path(program.path))
        )
    wanted = _plain(entry.text)
    by_address = program.by_address
    addresses = [address for address, line in found.items() if wanted in _statements(line, by_address[address])]
    places = sorted({(line.path, line.line) for address in addresses if (line := found[address]) is not None})
    if len(places) > 1:
        lines = ", ".join(str(line) for _, line in places)
        file = Path(places[0][0]).name
        raise InputError(
            f"{contract.path}: accept: `{entry.text}` is on lines {lines} of {file}: choose one with `line`"
        )
    return frozenset(addresses)


def _is_of_kernel(source: Path, program: Path) -> bool:
    """Tell whether a line is from the kernel's own file; for an object file, from the source with the same stem."""
    return source.name == program.name or (program.suffix in OBJECTS and source.stem == program.stem)


def _statements(line: SourceLine | None, instruction: Instruction) -> set[str]:
    """Return the texts that may name an instruction: its statement as written, as expanded, and its disassembly."""
    texts = [instruction.text]
    if line is not None:
        texts += [line.expanded, *line.text.split(";")]
    return {_plain(text) for text in texts if text}


def _plain(text: str) -> str:
    """Return a statement in lower case, without comment, labels and white space."""
    return "".join(_LABELS.sub("", _COMMENT.sub("", text)).split()).lower()

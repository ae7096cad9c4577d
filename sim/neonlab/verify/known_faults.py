"""Faults that a contract names and accepts: where they lie in a program, and what is looked past once one has shown.

A call that shows an accepted fault is made again with every accepted fault looked past, so that what else is wrong is
found all the same.
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
    """A fault that the contract accepts, and on how many of the cases tried it showed: on none, it is out of date."""

    fault: str
    where: str
    why: str
    cases: int

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {"fault": self.fault, "where": self.where, "why": self.why, "cases": self.cases}


class KnownFaults:
    """Those that the contract of one kernel accepts, and how often each showed.

    Raises InputError where an entry's text stands on several lines: what is accepted of one is not of the others.
    """

    def __init__(self, program: Program, contract: Contract) -> None:
        self._entries = contract.allows.accept
        self._places = [_addresses(program, contract, entry) for entry in self._entries]
        self.cases = [0] * len(self._entries)

    def number_of(self, fault: Fault | None) -> int | None:
        """Which entry accepts the fault; None where none does."""
        if fault is None:
            return None
        pairs = enumerate(zip(self._entries, self._places, strict=True))
        return next((n for n, (one, at) in pairs if one.fault is fault.kind and fault.address in at), None)


def accepted_faults(contract: Contract, cases: Sequence[int]) -> tuple[AcceptedFault, ...]:
    """The entries of the contract with the number of `cases` on which each showed."""
    pairs = zip(contract.allows.accept, cases, strict=True)
    return tuple(AcceptedFault(entry.fault.value, entry.place, entry.why, count) for entry, count in pairs)


def looking_past(contract: Contract) -> Contract:
    """The contract under which accepted faults are not reported, where a check can go on after them."""
    return replace(contract, allows=replace(contract.allows, looks_past=True))


def looked_past(program: Program, contract: Contract) -> frozenset[tuple[int, FaultKind]]:
    """Address and kind of each fault that is not to be reported; none unless the contract is one `looking_past`."""
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
    """Whether a line is of the kernel's own file: of an object, of the source that it has its name from."""
    return source.name == program.name or (program.suffix in OBJECTS and source.stem == program.stem)


def _statements(line: SourceLine | None, instruction: Instruction) -> set[str]:
    """What an instruction may be called by: its statement as written, as expanded, and its disassembly."""
    texts = [instruction.text]
    if line is not None:
        texts += [line.expanded, *line.text.split(";")]
    return {_plain(text) for text in texts if text}


def _plain(text: str) -> str:
    """A statement without comment, labels and white space."""
    return "".join(_LABELS.sub("", _COMMENT.sub("", text)).split()).lower()

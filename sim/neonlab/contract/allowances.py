"""Read what a contract allows: results without a reference, use of x18, and known faults.

    reference         = "none"
    platform_register = "free"
    accept            = { fault = "oob-read", line = 42, why = "callers pad every buffer" }

Each allowance is for one kernel, and is printed with its verdict.  It stands in the contract, where a reviewer sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neonlab.contract.fault_kind import FaultKind
from neonlab.contract.text import ContractText
from neonlab.isa.model.isa import Isa

_ACCEPT_KEYS = ("fault", "line", "text", "why")
#: A wrong result, or a call without one, is never allowed: it would leave nothing known of the kernel.
_NEVER = (
    FaultKind.MISMATCH,
    FaultKind.EMULATOR_DIED,
    FaultKind.STEP_BUDGET,
    FaultKind.ABORTED,
    FaultKind.BAD_RETURN,
    FaultKind.UNMAPPED_ACCESS,
)
_BEYOND, _SLACK = (FaultKind.OUT_OF_BOUNDS_READ, FaultKind.OUT_OF_BOUNDS_WRITE), 256
_ACCEPTABLE = tuple(kind for kind in FaultKind if kind not in _NEVER)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A known fault that is accepted: at `line` of the kernel's file, or where the statement is `text`."""

    fault: FaultKind
    why: str
    line: int = 0
    text: str = ""

    @property
    def place(self) -> str:
        """The place in words: `line 42`, or the statement between backticks."""
        return f"line {self.line}" if self.line else f"`{self.text}`"


@dataclass(frozen=True, slots=True)
class Allowances:
    """The allowances of a contract.

    `no_reference`: there is no reference to compare with.  `platform_register`: x18 may be used as any other scratch
    register.  `looks_past`: a run does not stop at accepted faults, so that later faults are found.
    """

    no_reference: bool = False
    platform_register: bool = False
    accept: tuple[Accepted, ...] = ()
    looks_past: bool = False

    @property
    def slack(self) -> int:
        """Bytes of memory on either side of each buffer that only an accepted access out of bounds may touch."""
        return _SLACK if any(entry.fault in _BEYOND for entry in self.accept) else 0


#: The allowances of a contract that mentions none.
NO_ALLOWANCES = Allowances()


def read_allowances(table: Mapping[str, Any], text: ContractText, isa: Isa, *, inside: bool) -> Allowances:
    """Return the allowances in a contract's table; `inside` says that the contract stands in the file with the code.

    Raises ContractError.
    """
    return Allowances(_no_reference(table, text, inside), _platform_register(table, text, isa), _accept(table, text))


def _no_reference(table: Mapping[str, Any], text: ContractText, inside: bool) -> bool:
    if "reference" not in table:
        return False
    if inside and table["reference"] != "none":
        raise text.error(
            'reference is "none" in a file with the code; name a C reference with --reference, or in a contract beside',
            "reference",
        )
    return bool(table["reference"] == "none")  # `read_reference` judges what else it says


def _platform_register(table: Mapping[str, Any], text: ContractText, isa: Isa) -> bool:
    if "platform_register" not in table:
        return False
    if table["platform_register"] != "free":
        raise text.error(
            'platform_register is "free", where the platform gives x18 no role of its own (Linux), or is left out',
            "platform_register",
        )
    if isa is Isa.A32 and not isinstance(table.get("isa"), dict):
        raise text.error("platform_register is about x18, which A32 does not have", "platform_register")
    return isa is Isa.A64


def _accept(table: Mapping[str, Any], text: ContractText) -> tuple[Accepted, ...]:
    value = table.get("accept", [])
    entries = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, dict) for entry in entries):
        raise text.error(
            'accept is a table such as { fault = "oob-read", line = 42, why = "callers pad every buffer" }, or a list '
            "of them",
            "accept",
        )
    found = tuple(_accepted(entry, text) for entry in entries)
    twice = next((one for number, one in enumerate(found) if _same_fault(one, found[:number])), None)
    if twice is not None:
        raise text.error(f"accept names {twice.fault.value} at {twice.place} twice", "accept")
    return found


def _same_fault(one: Accepted, others: tuple[Accepted, ...]) -> bool:
    return any((one.fault, one.line, one.text) == (other.fault, other.line, other.text) for other in others)


def _accepted(entry: Mapping[str, Any], text: ContractText) -> Accepted:
    text.known(entry, _ACCEPT_KEYS, "accept", "accept")
    name, why = text.string(entry, "fault"), text.string(entry, "why").strip()
    kind = next((kind for kind in FaultKind if kind.value == name), None)
    if kind is None:
        raise text.unknown_word("accept: fault", name, [one.value for one in _ACCEPTABLE], "accept")
    if kind in _NEVER:
        raise text.error(f"accept: {name} cannot be accepted: it leaves no result to judge the kernel by", "accept")
    if not why:
        raise text.error(f"accept: `why` is missing: say why {name} is harmless there", "accept")
    line, statement = entry.get("line", 0), text.string(entry, "text").strip()
    if type(line) is not int or line < 0 or (line == 0 and "line" in entry):
        raise text.error("accept: line is a number of a line of the kernel's file, from 1", "accept")
    if bool(line) == bool(statement):
        raise text.error(f"accept: say where {name} is accepted, by `line` or by `text`, the statement there", "accept")
    return Accepted(kind, why, line, statement)

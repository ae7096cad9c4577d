"""Read the contract that opens a kernel's file: what the kernel is called with, and what it promises.

    /*toml
    summary   = "c = a * b"
    prototype = "void (const int8_t *a, int32_t *c, size_t k)"
    isa       = ["armv8.0-a", "neon"]
    stack     = 0
    modular   = []

    [args]
    a = { reg = "x0", read = "k", range = [-127, 127] }
    c = { reg = "x1", write = "4*k", dtype = "int32" }
    k = { reg = "x2", range = [16, 4096], step = 16 }

    [counts]
    macs = "k"
    */

It is read with the standard library's TOML reader, and checked against the prototype and the calling convention: a
contract that names the wrong register is refused, not believed.  It may extend another contract (`contract_extends`).
The same may stand in a file of its own beside code that cannot carry it; there registers need not be said, and `isa`
may hold a list for each of armv7 and armv8.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from neonlab.contract.allowances import read_allowances
from neonlab.contract.arguments import ArgumentsReader
from neonlab.contract.extends import KEY as _EXTENDS
from neonlab.contract.extends import find_block
from neonlab.contract.extends import toml_table as toml_table
from neonlab.contract.model import PROVED_SHAPES
from neonlab.contract.model import Argument as Argument
from neonlab.contract.model import Contract as Contract
from neonlab.contract.model import ContractError as ContractError
from neonlab.contract.text import ContractText
from neonlab.host.input_file import read_input
from neonlab.isa.c.procedure_call import FloatAbi
from neonlab.isa.c.prototype import PrototypeError, parse_prototype
from neonlab.isa.model.architecture import FEATURES, architecture_features
from neonlab.isa.model.isa import Isa

_TOP_KEYS = (
    *("summary", "prototype", "symbol", "structs", "isa", "float_abi"),
    *("stack", "below_stack", "modular", "args", "counts"),
    *("reference", "platform_register", "accept", "alias", "prove", _EXTENDS),
)
#: Further keys that a sidecar may have.
OUTSIDE_KEYS = ("build", "reference", "functions")
_MODULAR = re.compile(r"[a-z][a-z0-9]*(\.[a-z0-9]+)?|label:[\w.$]+|lines:\d{1,9}-\d{1,9}", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*", re.ASCII)
#: Names of C++, for code with a sidecar.
_QUALIFIED = re.compile(r"[A-Za-z_.$][\w.$:<>(),&*~ ]*", re.ASCII)
#: Features that a contract without `isa` requires.
_ISA_DEFAULT = {Isa.A32: ["armv7-a", "neon"], Isa.A64: ["armv8.0-a", "neon"]}
_ISA_FOLDER = {Isa.A32: "armv7", Isa.A64: "armv8"}


def read_contract(path: Path) -> Contract | None:
    """Return the contract of the file at `path`, or None if it has no contract.  Raises ContractError, InputError."""
    return parse_contract(read_input(path).decode("utf-8", "surrogateescape"), str(path))


def parse_contract(text: str, path: str) -> Contract | None:
    """Read the contract in the text of an assembly file; `path` serves messages and the kernel's name."""
    found = find_block(text, path)
    return header_of(toml_table(found), found) if found is not None else None


def header_of(table: Mapping[str, Any], text: ContractText) -> Contract:
    """Return the contract in the table of a block that opens a file, which is read from `text`.  Raises ContractError.

    A block must be complete: it states the summary and the registers, too.
    """
    return _ContractReader(text, inside=True).read(table)


def contract_of(table: Mapping[str, Any], text: ContractText, *, isa: Isa | None = None, symbol: str = "") -> Contract:
    """Return the contract in a table from outside the code: read from `text`, or made from options.

    `isa` chooses the instruction set where the table has several or none.  `symbol` is the function where the table
    does not name it.  Raises ContractError.
    """
    return _ContractReader(text, inside=False).read(table, isa, symbol)


class _ContractReader:
    """Turns one table into a Contract; `inside` says that it stands in the file with the code."""

    def __init__(self, text: ContractText, *, inside: bool) -> None:
        self.text, self.inside = text, inside
        self.error = text.error

    def read(self, table: Mapping[str, Any], wanted: Isa | None = None, symbol: str = "") -> Contract:
        text = self.text
        text.known(table, _TOP_KEYS if self.inside else dict.fromkeys((*_TOP_KEYS, *OUTSIDE_KEYS)), "a contract", "")
        isa, architecture, features = self.architecture(table.get("isa"), wanted)
        prototype, declarations = text.string(table, "prototype", required=True), text.string(table, "structs")
        try:
            signature = parse_prototype(prototype, isa, declarations)
        except PrototypeError as error:
            raise self.error(str(error), "prototype") from None
        abi = text.string(table, "float_abi") or "hard"
        if abi not in ("hard", "soft") or (abi == "soft" and isa is Isa.A64):
            raise self.error(f'float_abi is "hard", or in A32 "soft", not "{abi}"', "float_abi")
        float_abi = FloatAbi(abi)
        stack, below_stack = (text.byte_count(table, key, key) for key in ("stack", "below_stack"))
        reader = ArgumentsReader(text, isa, signature, declarations, states_registers=self.inside)
        arguments = reader.read(table.get("args", {}), float_abi)
        counts = table.get("counts", {})
        if not isinstance(counts, dict):
            raise self.error("[counts] is a table", "counts")
        text.known(counts, ("macs",), "[counts]", "counts")
        name = text.string(table, "symbol") or symbol
        if name and not (_SYMBOL if self.inside else _QUALIFIED).fullmatch(name):
            raise self.error(f"symbol is the name of a function, not `{name}`", "symbol")
        contract = Contract(
            text.path,
            max(text.first_line - 1, 1),
            text.string(table, "summary", required=self.inside),
            prototype,
            signature,
            isa,
            architecture,
            features,
            arguments,
            stack,
            float_abi,
            text.expression(counts, "macs", reader.integers, "macs"),
            below_stack,
            self.modular(table.get("modular", [])),
            "stack" in table,
            name,
            declarations,
            read_allowances(table, text, isa, inside=self.inside),
            self.alias(table.get("alias", []), arguments),
            self.prove(table),
        )
        for number in contract.integers:
            if number.value_range is None:
                raise self.error(f"a size depends on `{number.name}`, which states no `range`", number.name)
        return contract

    def alias(self, value: Any, arguments: Sequence[Argument]) -> tuple[str, ...]:
        """Return the names under `alias`, that of the argument which is written first."""
        if value == []:
            return ()
        pointers = {argument.name: argument for argument in arguments if argument.is_pointer}
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error('alias is a list of two pointer arguments, such as ["output", "input"]', "alias")
        for name in value:
            if name not in pointers:
                raise self.text.unknown_word("alias: the pointer argument", name, tuple(pointers), "alias")
        if len(set(value)) != 2 or len(value) != 2:
            raise self.error("alias names two different arguments, which are at one address", "alias")
        written, read = sorted((pointers[name] for name in value), key=lambda argument: argument.write is None)
        if written.write is None or written.read is not None or read.read is None or read.write is not None:
            raise self.error("alias: one argument has `write` and no `read`, the other `read` and no `write`", "alias")
        same = written.write.text == read.read.text and written.dtype.itemsize == read.dtype.itemsize
        if not same or written.origin != read.origin or any(a.fields or a.rows is not None for a in (written, read)):
            raise self.error(
                f"alias: `{written.name}` and `{read.name}` are the same bytes: `write = {written.write.text}` and "
                f"`read = {read.read.text}` must be alike, and so must the sizes of their elements",
                "alias",
            )
        return written.name, read.name

    def prove(self, table: Mapping[str, Any]) -> str:
        """Return the shapes under `prove`, "" without the key."""
        value = table.get("prove", "")
        if "prove" in table and value not in PROVED_SHAPES:
            raise self.error(f"prove is one of {', '.join(map(repr, PROVED_SHAPES))}, or is left out", "prove")
        return str(value)

    def modular(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error('modular is a list such as ["add", "label:reduce", "lines:120-135"]', "modular")
        for entry in value:
            if not _MODULAR.fullmatch(entry):
                raise self.error(
                    f"modular: `{entry}` is no mnemonic, no `label:NAME` and no `lines:FIRST-LAST`", "modular"
                )
            if entry.startswith("lines:"):
                first, last = (int(number) for number in entry.removeprefix("lines:").split("-"))
                if not 1 <= first <= last:
                    raise self.error(
                        f"modular: `{entry}` names no line: they go from FIRST, 1 or more, to LAST", "modular"
                    )
        return tuple(value)

    def architecture(self, value: Any, wanted: Isa | None) -> tuple[Isa, str, frozenset[str]]:
        if isinstance(value, dict):
            self.text.known(value, tuple(_ISA_FOLDER.values()), "isa", "isa")
            if wanted is None and len(value) > 1:
                raise self.error("the contract is for armv7 and armv8: say which with --isa", "isa")
            value = value.get(_ISA_FOLDER[wanted]) if wanted is not None else next(iter(value.values()), None)
        if value is None and wanted is not None:
            value = _ISA_DEFAULT[wanted]
        if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
            raise self.error('isa is a list such as ["armv8.0-a", "neon"]', "isa")
        name, *rest = value
        try:
            isa, implied = architecture_features(name)
        except ValueError as error:
            raise self.error(str(error), "isa") from None
        if "a32" in rest:
            isa = Isa.A32
            rest.remove("a32")
        for feature in rest:
            if feature not in FEATURES:
                near = difflib.get_close_matches(feature, FEATURES, 1)
                known = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(sorted(FEATURES))}"
                raise self.error(f"isa names the unknown feature `{feature}`; {known}", "isa")
        if wanted is not None and isa is not wanted:
            raise self.error(f"the contract is for {isa.value}, the code is {wanted.value}", "isa")
        return isa, name, implied | frozenset(rest)

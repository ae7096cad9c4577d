"""The block that opens a kernel's file: what the kernel is called with, and what it promises.

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
contract that names the wrong register is refused, not believed.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.assemble.extent import Block, Extent, block
from neonlab.assemble.size_expression import SizeExpression, SizeExpressionError
from neonlab.errors import InputError
from neonlab.isa.architecture import FEATURES, architecture_features
from neonlab.isa.isa import Isa
from neonlab.isa.procedure_call import FloatAbi, Location, place_arguments
from neonlab.isa.prototype import CType, PrototypeError, Signature, parse_prototype

_BLOCK = re.compile(r"/\*toml[ \t]*\r?\n(.*?)\*/", re.DOTALL)
_DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
_TOP_KEYS = ("summary", "prototype", "isa", "stack", "below_stack", "modular", "float_abi", "args", "counts")
_MODULAR = re.compile(r"[a-z][a-z0-9]*(\.[a-z0-9]+)?|label:[\w.$]+|lines:\d+-\d+", re.ASCII)
_POINTER_KEYS = ("reg", "read", "write", "over_read", "under_read", "layout", "dtype", "range", "align")
_ROW_KEYS = ("rows", "bytes", "pitch")
_NUMBER_KEYS = ("reg", "range", "step", "dtype")


class ContractError(InputError):
    """The contract cannot be read, or contradicts its own prototype or the calling convention."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a kernel.

    For a pointer: `read` and `write` are the bytes read and written, None where none are, `dtype` the element type,
    `value_range` the inclusive range of element values for which the kernel is exact, None for all of the type.
    `over_read` and `under_read` are the bytes after its end and before its start, or those of each of its rows, that
    the kernel may read besides, and must not depend on; `align` the alignment in bytes that the caller promises.
    For a number: `value_range` is the inclusive range it may have, in steps of `step` from the lower end.
    """

    name: str
    ctype: CType
    location: Location
    dtype: np.dtype[Any]
    read: Extent | None = None
    write: Extent | None = None
    layout: str = ""
    value_range: tuple[float, float] | None = None
    step: int = 1
    align: int = 1
    over_read: int = 0
    under_read: int = 0

    @property
    def is_pointer(self) -> bool:
        """Whether it points to a buffer."""
        return self.ctype.kind == "pointer"

    def block(self, values: Mapping[str, int]) -> Block:
        """The buffer that a call with these integer arguments needs."""
        return block(self.read, self.write, values)


@dataclass(frozen=True, slots=True)
class Contract:
    """What a kernel's file promises about itself; `macs` is the work of one call.

    `stack` is the bytes by which it lowers sp at most, if `declares_stack`; `below_stack` the bytes below sp that it
    uses without lowering it.
    `modular` names vector arithmetic that is meant to wrap, each entry one of: a mnemonic (`add`, `vadd`, `vadd.i16`),
    `label:reduce` (from that label up to the next), `lines:120-135` (of the file, both included).
    """

    path: str
    line: int
    summary: str
    prototype: str
    signature: Signature
    isa: Isa
    architecture: str
    features: frozenset[str]
    arguments: tuple[Argument, ...]
    stack: int = 0
    float_abi: FloatAbi = FloatAbi.HARD
    macs: SizeExpression | None = None
    below_stack: int = 0
    modular: tuple[str, ...] = ()
    declares_stack: bool = False

    @property
    def name(self) -> str:
        """The kernel's name: that of its file, which is also its symbol."""
        return Path(self.path).stem

    def argument(self, name: str) -> Argument:
        """The argument called `name`; KeyError when there is none."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        raise KeyError(name)

    @property
    def integers(self) -> tuple[Argument, ...]:
        """The arguments that sizes may depend on."""
        return tuple(a for a in self.arguments if a.ctype.kind == "integer")

    def check_values(self, values: Mapping[str, int]) -> None:
        """Raise ContractError unless every integer argument has a value within its range and on its step.

        Nor may rows that are written share bytes.
        """
        for argument in self.integers:
            if argument.name not in values:
                raise ContractError(f"{self.path}: `{argument.name}` has no value")
            value = values[argument.name]
            if argument.value_range is None:
                continue
            low, high = argument.value_range
            if not low <= value <= high:
                raise ContractError(
                    f"{self.path}: {argument.name} = {value} is outside the contract's range [{low:g}, {high:g}]"
                )
            if (value - int(low)) % argument.step:
                raise ContractError(
                    f"{self.path}: {argument.name} = {value} is not on the contract's step: {low:g}, "
                    f"{low + argument.step:g}, {low + 2 * argument.step:g}, ..."
                )
        for argument in self.arguments:
            if argument.write is not None and argument.write.rows and argument.write.overlaps(values):
                raise ContractError(f"{self.path}: rows of `{argument.name}` overlap: write = {argument.write.text}")


def read_contract(path: Path) -> Contract | None:
    """The contract of the file at `path`, or None when it opens with no block.  Raises ContractError, InputError."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return parse_contract(text, str(path))


def parse_contract(text: str, path: str) -> Contract | None:
    """The contract in the text of an assembly file; `path` serves messages and the kernel's name."""
    block = _BLOCK.search(text)
    if block is None:
        if re.search(r"/\*toml\b", text):
            line = text[: text.index("/*toml")].count("\n") + 1
            raise ContractError(f"{path}:{line}: the contract opens with `/*toml` but no `*/` closes it")
        return None
    return _Reader(path, block[1], text[: block.start(1)].count("\n") + 1).read()


class _Reader:
    """Turns one block into a Contract, with the line of each complaint."""

    def __init__(self, path: str, block: str, first_line: int) -> None:
        self.path, self.block, self.first_line = path, block, first_line

    def error(self, message: str, key: str = "") -> ContractError:
        line = self.first_line - 1
        if key:
            for number, text in enumerate(self.block.splitlines(), self.first_line):
                if re.match(rf"\s*\[?\s*{re.escape(key)}\s*[\]=]", text):
                    line = number
                    break
        return ContractError(f"{self.path}:{line}: contract: {message}")

    def read(self) -> Contract:
        try:
            table = tomllib.loads(self.block)
        except (ValueError, RecursionError) as error:  # ValueError: not TOML, or a number of thousands of digits
            message = str(error).partition("; use sys.")[0]
            at = re.search(r" \(at line (\d+), column (\d+)\)", message)
            if at is None:
                raise ContractError(f"{self.path}:{self.first_line}: contract: not TOML: {message}") from None
            line = self.first_line + int(at[1]) - 1
            raise ContractError(f"{self.path}:{line}:{at[2]}: contract: not TOML: {message[: at.start()]}") from None
        self.known(table, _TOP_KEYS, "a contract", "")
        isa, architecture, features = self.architecture(table.get("isa"))
        prototype = self.string(table, "prototype", required=True)
        try:
            signature = parse_prototype(prototype, isa)
        except PrototypeError as error:
            raise self.error(str(error), "prototype") from None
        abi = self.string(table, "float_abi") or "hard"
        if abi not in ("hard", "soft") or (abi == "soft" and isa is Isa.A64):
            raise self.error(f'float_abi is "hard", or in A32 "soft", not "{abi}"', "float_abi")
        float_abi = FloatAbi(abi)
        stack, below_stack = (self.byte_count(table, key, key) for key in ("stack", "below_stack"))
        arguments = self.arguments(table.get("args", {}), signature, isa, float_abi)
        integers = frozenset(a.name for a in arguments if a.ctype.kind == "integer")
        counts = table.get("counts", {})
        if not isinstance(counts, dict):
            raise self.error("[counts] is a table", "counts")
        self.known(counts, ("macs",), "[counts]", "counts")
        macs = self.expression(counts, "macs", integers, "macs")
        return Contract(
            self.path,
            self.first_line - 1,
            self.string(table, "summary", required=True),
            prototype,
            signature,
            isa,
            architecture,
            features,
            arguments,
            stack,
            float_abi,
            macs,
            below_stack,
            self.modular(table.get("modular", [])),
            "stack" in table,
        )

    def known(self, table: Mapping[str, Any], keys: Iterable[str], of: str, key: str) -> None:
        for name in table:
            if name not in keys:
                near = difflib.get_close_matches(name, list(keys), 1)
                meant = f"; did you mean `{near[0]}`?" if near else f"; known are {', '.join(keys)}"
                raise self.error(f"{of} has no key `{name}`{meant}", key or name)

    def string(self, table: Mapping[str, Any], key: str, required: bool = False) -> str:
        value = table.get(key, "")
        if not isinstance(value, str):
            raise self.error(f"{key} is a string", key)
        if required and not value.strip():
            raise self.error(f"`{key}` is missing: every contract states it", key)
        return value

    def modular(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error('modular is a list such as ["add", "label:reduce", "lines:120-135"]', "modular")
        for entry in value:
            if not _MODULAR.fullmatch(entry):
                raise self.error(
                    f"modular: `{entry}` is no mnemonic, no `label:NAME` and no `lines:FIRST-LAST`", "modular"
                )
        return tuple(value)

    def byte_count(self, table: Mapping[str, Any], key: str, at: str) -> int:
        value = table.get(key, 0)
        if type(value) is not int or not 0 <= value <= 1 << 20:
            raise self.error(f"{key} is a number of bytes, 0 to 1048576", at)
        return value

    def architecture(self, value: Any) -> tuple[Isa, str, frozenset[str]]:
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
        return isa, name, implied | frozenset(rest)

    def expression(self, table: Mapping[str, Any], key: str, names: frozenset[str], at: str) -> SizeExpression | None:
        value = table.get(key)
        if value is None:
            return None
        if type(value) not in (str, int):
            raise self.error(f"{key} is an expression over the integer arguments, in a string", at)
        expression = SizeExpression(str(value))
        try:
            unknown = sorted(expression.names - names)
        except SizeExpressionError as error:
            raise self.error(f"{key}: {error}", at) from None
        if unknown:
            have = ", ".join(sorted(names)) or "none"
            message = f"{key} = `{expression.text}` uses `{unknown[0]}`, no integer argument (there are: {have})"
            raise self.error(message, at)
        return expression

    def extent(self, table: Mapping[str, Any], key: str, names: frozenset[str], at: str) -> Extent | None:
        value = table.get(key)
        if not isinstance(value, dict):
            size = self.expression(table, key, names, at)
            return Extent(size) if size is not None else None
        self.known(value, _ROW_KEYS, f"{key} of `{at}`", at)
        for name in _ROW_KEYS:
            if name not in value:
                raise self.error(f"{key} of `{at}` has rows, but no `{name}`: it takes rows, bytes and pitch", at)
        size = self.expression(value, "bytes", names, at)
        assert size is not None
        several = {name: value[name] if isinstance(value[name], list) else [value[name]] for name in ("rows", "pitch")}
        rows, pitches = (
            tuple(self.expression({name: item}, name, names, at) for item in items) for name, items in several.items()
        )
        if len(rows) != len(pitches) or not rows:
            raise self.error(f"{key} of `{at}`: as many `rows` as `pitch`, outermost first", at)
        return Extent(size, tuple(filter(None, rows)), tuple(filter(None, pitches)))

    def arguments(self, tables: Any, signature: Signature, isa: Isa, float_abi: FloatAbi) -> tuple[Argument, ...]:
        if not isinstance(tables, dict):
            raise self.error("[args] is a table with one entry an argument", "args")
        names = [parameter.name for parameter in signature.parameters]
        for name in tables:
            if name not in names:
                raise self.error(f"[args] describes `{name}`, which the prototype does not have", name)
        integers = frozenset(p.name for p in signature.parameters if p.ctype.kind == "integer")
        places = place_arguments(isa, signature, float_abi)
        found = []
        for parameter, place in zip(signature.parameters, places, strict=True):
            table = tables.get(parameter.name)
            if not isinstance(table, dict):
                raise self.error(f"[args] says nothing of `{parameter.name}`, which the prototype has", "args")
            found.append(self.argument(parameter.name, parameter.ctype, place, table, integers))
        return tuple(found)

    def argument(
        self, name: str, ctype: CType, place: Location, table: Mapping[str, Any], integers: frozenset[str]
    ) -> Argument:
        pointer = ctype.kind == "pointer"
        self.known(table, _POINTER_KEYS if pointer else _NUMBER_KEYS, f"argument `{name}`", name)
        register = self.string(table, "reg", required=True)
        # A 32-bit argument of A64 may be named by either view of its register.
        if register != str(place) and register.replace("x", "w") != str(place):
            raise self.error(f"`{name}` arrives in {place} by the calling convention, not in {register}", name)
        dtype = self.dtype(name, ctype, table)
        read = self.extent(table, "read", integers, name)
        write = self.extent(table, "write", integers, name)
        if pointer and read is None and write is None:
            raise self.error(
                f"pointer `{name}` states neither `read` nor `write`: how many bytes may be touched?", name
            )
        if write is not None and ctype.pointee is not None and ctype.pointee.const:
            raise self.error(f"`{name}` is written, but the prototype says const", name)
        step = table.get("step", 1)
        if type(step) is not int or step < 1:
            raise self.error(f"step of `{name}` is a whole number from 1", name)
        align = table.get("align", 1)
        if type(align) is not int or align < 1 or align & (align - 1):
            raise self.error(f"align of `{name}` is a power of two, in bytes", name)
        over_read, under_read = (self.byte_count(table, key, name) for key in ("over_read", "under_read"))
        if (over_read or under_read) and read is None:
            raise self.error(f"`{name}` declares over_read or under_read, but no `read`", name)
        bounds = self.range(name, table, dtype)
        if ctype.kind == "integer" and bounds is None:
            raise self.error(f"number `{name}` states no `range`: the lab would not know what to call it with", name)
        layout = self.string(table, "layout")
        return Argument(name, ctype, place, dtype, read, write, layout, bounds, step, align, over_read, under_read)

    def dtype(self, name: str, ctype: CType, table: Mapping[str, Any]) -> np.dtype[Any]:
        base = ctype.pointee if ctype.kind == "pointer" else ctype
        text = self.string(table, "dtype")
        if not text:
            if base is None or base.kind == "pointer":
                raise self.error(f"`{name}` points to no element type; state `dtype`", name)
            letter = "float" if base.kind == "float" else "int" if base.signed else "uint"
            text = f"{letter}{8 * base.size}"
        if text not in _DTYPES:
            raise self.error(f"dtype of `{name}` is one of {', '.join(_DTYPES)}, not `{text}`", name)
        dtype = np.dtype(text)
        if base is not None and base.kind != "pointer" and dtype.itemsize != base.size and base.size != 1:
            raise self.error(f"dtype {text} of `{name}` is not the size of the prototype's {base.name}", name)
        return dtype

    def range(self, name: str, table: Mapping[str, Any], dtype: np.dtype[Any]) -> tuple[float, float] | None:
        value = table.get("range")
        if value is None:
            return None
        numbers = isinstance(value, list) and len(value) == 2 and all(type(item) in (int, float) for item in value)
        if not numbers or value[0] > value[1]:
            raise self.error(f"range of `{name}` is [lowest, highest]", name)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if any(type(item) is not int for item in value) or value[0] < limits.min or value[1] > limits.max:
                raise self.error(f"range of `{name}` is within {dtype}: [{limits.min}, {limits.max}]", name)
        return value[0], value[1]

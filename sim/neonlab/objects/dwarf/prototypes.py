"""Read C prototypes from debug information: parameter and result types, structs with the offsets of their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from neonlab.isa.c.ctype import CType
from neonlab.isa.c.prototype import Parameter, Signature
from neonlab.isa.model.isa import Isa
from neonlab.objects.dwarf.info import Unit, number, open_dwarf, ranges, text, units_for
from neonlab.objects.dwarf.reader import Cursor

Form = Literal["integer", "float", "pointer", "struct", "union", "array", "function", "vector", "void", "unknown"]

# DW_ATE_...: address, boolean, complex, float, signed, signed char, unsigned, unsigned char, ..., UTF.
_SIGNED, _UNSIGNED, _FLOAT = (0x05, 0x06), (0x02, 0x07, 0x08, 0x10), 0x04
_QUALIFIERS = ("const", "volatile", "restrict", "atomic", "packed", "shared", "immutable")
_DEEPEST = 32
_MOST_FIELDS = 4096


@dataclass(frozen=True, slots=True)
class StructField:
    """A member of a struct or union, at byte `offset`; `bits` is the size of a bit-field, else 0."""

    name: str
    offset: int
    type: DebugType
    bits: int = 0


@dataclass(frozen=True, slots=True)
class DebugType:
    """A type with its size in bytes; `target` is what a pointer points to, or the element of an array or vector.

    `name` is as in the source, with typedef names.  A struct inside itself has no fields the second time.
    """

    form: Form
    name: str
    size: int
    signed: bool = False
    const: bool = False
    target: DebugType | None = None
    count: int = 0
    fields: tuple[StructField, ...] = ()


@dataclass(frozen=True, slots=True)
class DebugParameter:
    """One parameter; the name is "" where the source has none."""

    name: str
    type: DebugType


@dataclass(frozen=True, slots=True)
class FunctionType:
    """A function of an object: `address` is that in the image, `line` is where it is declared."""

    name: str
    address: int
    returns: DebugType | None
    parameters: tuple[DebugParameter, ...]
    variadic: bool
    line: int

    def signature(self, isa: Isa) -> Signature | None:
        """Return the signature for calls; None if the lab cannot call it: variadic, or structs or vectors by value."""
        returns = None if self.returns is None else c_type(self.returns, isa)
        if self.variadic or (self.returns is not None and returns is None):
            return None
        parameters = []
        for index, parameter in enumerate(self.parameters):
            ctype = c_type(parameter.type, isa)
            if ctype is None:
                return None
            parameters.append(Parameter(parameter.name or f"argument{index}", ctype))
        return Signature(returns, tuple(parameters))


def c_type(made: DebugType, isa: Isa) -> CType | None:
    """Return the type as calling conventions use it; None for one that does not fit a register."""
    if made.form in ("integer", "float") and made.size <= 8:
        return CType(
            made.name, "integer" if made.form == "integer" else "float", made.size, made.signed, None, made.const
        )
    if made.form in ("pointer", "array"):
        inner = c_type(made.target, isa) if made.target is not None else None
        inner_name = made.target.name if made.target is not None else "void"
        const = made.target is not None and made.target.const
        return CType(f"{inner_name} *", "pointer", isa.pointer_bytes, False, inner, const)
    return None


def read_prototypes(sections: Mapping[str, bytes], isa: Isa, address: int | None = None) -> list[FunctionType]:
    """Return the functions whose code is in the image; with `address`, only those of the unit that contains it."""
    dwarf = open_dwarf(sections, isa)
    if dwarf is None:
        return []

    def wanted(stretches: list[tuple[int, int]]) -> bool:
        return address is None or any(low <= address < high for low, high in stretches)

    found: list[FunctionType] = []
    for unit in units_for(dwarf, wanted):
        try:
            found += _Types(unit, isa).functions()
        except Exception:  # pyelftools raises any type on damaged data; the rest may be sound
            continue
    return found


class _Types:
    """Converts entries of one unit to types."""

    def __init__(self, unit: Unit, isa: Isa) -> None:
        self._unit, self._isa = unit, isa
        self._made: dict[int, DebugType] = {}
        self._under_way: set[int] = set()

    def functions(self) -> list[FunctionType]:
        found = []
        for _, entry in self._unit.entries:
            if entry.tag != "DW_TAG_subprogram":
                continue
            code = ranges(entry, self._unit.dwarf)
            if code and code[0][0] != code[0][1]:
                found.append(self._function(entry, code[0][0]))
        return found

    def _function(self, entry: Any, address: int) -> FunctionType:
        chain = [entry]
        for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
            origin = self._unit.referred(chain[-1], attribute)
            if origin is not None:
                chain.append(origin)
        names = [text(one, "DW_AT_linkage_name") for one in chain] + [text(one, "DW_AT_name") for one in chain]
        typed = next((one for one in chain if "DW_AT_type" in one.attributes), None)
        returns = self._referred(typed) if typed is not None else None
        children = list(self._unit.children(entry))
        parameters = []
        for child in children:
            if child.tag != "DW_TAG_formal_parameter":
                continue
            origin = self._unit.referred(child, "DW_AT_abstract_origin") or child
            parameters.append(
                DebugParameter(text(child, "DW_AT_name") or text(origin, "DW_AT_name"), self._referred(origin))
            )
        line = next((number(one, "DW_AT_decl_line") or 0 for one in chain if "DW_AT_decl_line" in one.attributes), 0)
        variadic = any(child.tag == "DW_TAG_unspecified_parameters" for child in children)
        name = next((name for name in names if name), "")
        return FunctionType(name, address, returns, tuple(parameters), variadic, line)

    def _referred(self, entry: Any, depth: int = 0) -> DebugType:
        """Return the type of an entry; void where it has none."""
        if "DW_AT_type" not in entry.attributes:
            return DebugType("void", "void", 0)
        target = self._unit.referred(entry, "DW_AT_type")
        if target is None:
            return DebugType("unknown", "?", 0)
        return self._type(target, depth)

    def _type(self, entry: Any, depth: int) -> DebugType:
        key = entry.offset
        if key in self._made:
            return self._made[key]
        if depth > _DEEPEST or key in self._under_way:
            return DebugType(_aggregate(entry.tag), text(entry, "DW_AT_name"), number(entry, "DW_AT_byte_size") or 0)
        self._under_way.add(key)
        made = self._new(entry, depth + 1)
        self._under_way.discard(key)
        self._made[key] = made
        return made

    def _new(self, entry: Any, depth: int) -> DebugType:
        tag, name, size = entry.tag, text(entry, "DW_AT_name"), number(entry, "DW_AT_byte_size") or 0
        kind = tag.removeprefix("DW_TAG_").removesuffix("_type")
        if tag == "DW_TAG_base_type":
            encoding = number(entry, "DW_AT_encoding") or 0
            form: Form = "float" if encoding == _FLOAT else "integer" if encoding in _SIGNED + _UNSIGNED else "unknown"
            return DebugType(form, name, size, encoding == _FLOAT or encoding in _SIGNED)
        if tag in ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"):
            target = self._referred(entry, depth)
            return DebugType("pointer", f"{target.name} *", size or self._isa.pointer_bytes, target=target)
        if tag == "DW_TAG_typedef":
            return _renamed(self._referred(entry, depth), name=name)
        if kind in _QUALIFIERS:
            target = self._referred(entry, depth)
            return _renamed(target, const=True) if kind == "const" else target
        if tag == "DW_TAG_enumeration_type":
            return DebugType("integer", f"enum {name}".rstrip(), size or 4)
        if tag == "DW_TAG_array_type":
            return self._array(entry, depth)
        if tag == "DW_TAG_subroutine_type":
            return DebugType("function", name or "function", 0)
        form = _aggregate(tag)
        if form in ("struct", "union"):
            return DebugType(form, f"{form} {name}".rstrip(), size, fields=self._fields(entry, depth))
        return DebugType("unknown", name or kind, size)

    def _array(self, entry: Any, depth: int) -> DebugType:
        element = self._referred(entry, depth)
        count = 1
        for child in self._unit.children(entry):
            if child.tag == "DW_TAG_subrange_type":
                bound, exact = number(child, "DW_AT_upper_bound"), number(child, "DW_AT_count")
                count *= exact if exact is not None else bound + 1 if bound is not None else 0
        is_vector = "DW_AT_GNU_vector" in entry.attributes
        title = f"{element.name}[{count}]"
        return DebugType("vector" if is_vector else "array", title, element.size * count, target=element, count=count)

    def _fields(self, entry: Any, depth: int) -> tuple[StructField, ...]:
        found: list[StructField] = []
        for child in self._unit.children(entry):
            if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance") or "DW_AT_external" in child.attributes:
                continue
            if len(found) >= _MOST_FIELDS:
                break
            name = text(child, "DW_AT_name")
            offset = _member_offset(child)
            bits = number(child, "DW_AT_bit_size") or 0
            if bits and "DW_AT_data_bit_offset" in child.attributes:
                offset = (number(child, "DW_AT_data_bit_offset") or 0) // 8
            found.append(StructField(name, offset, self._referred(child, depth), bits))
        return tuple(found)


def _member_offset(entry: Any) -> int:
    """Return the byte offset of a member: a number, or in DWARF 2 an expression that adds one (DW_OP_plus_uconst)."""
    found = entry.attributes.get("DW_AT_data_member_location")
    if found is None:
        return 0
    if isinstance(found.value, int):
        return found.value
    expression = bytes(found.value)
    return Cursor(expression, 1).uleb() if expression[:1] == b"\x23" else 0


def _aggregate(tag: str) -> Form:
    if tag in ("DW_TAG_structure_type", "DW_TAG_class_type"):
        return "struct"
    return "union" if tag == "DW_TAG_union_type" else "unknown"


def _renamed(made: DebugType, *, name: str | None = None, const: bool | None = None) -> DebugType:
    return DebugType(
        made.form,
        made.name if name is None else name,
        made.size,
        made.signed,
        made.const if const is None else const,
        made.target,
        made.count,
        made.fields,
    )

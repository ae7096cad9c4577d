"""Read [args] of a contract: numbers, buffers, structs with their fields, and arrays of pointers with their rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from neonlab.contract.conditions import KEYS as _CONDITION_KEYS
from neonlab.contract.conditions import NO_CONDITIONS, read_conditions
from neonlab.contract.extent import Extent
from neonlab.contract.model import Argument, Field, Rows
from neonlab.contract.size_expression import SizeExpression
from neonlab.contract.text import ContractText
from neonlab.isa.c.ctype import CType, Member
from neonlab.isa.c.procedure_call import FloatAbi, Location, place_arguments
from neonlab.isa.c.prototype import PrototypeError, Signature, parse_prototype
from neonlab.isa.model.isa import Isa

_DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
_BUFFER_KEYS = (
    "read",
    "write",
    "over_read",
    "under_read",
    "layout",
    "dtype",
    "range",
    "align",
    "origin",
    *_CONDITION_KEYS,
)
_STRUCT_KEYS, _ARRAY_KEYS = ("fields",), ("pointers", "to", "or_to", "less")
_POINTER_KEYS = ("reg", *_BUFFER_KEYS, *_STRUCT_KEYS, *_ARRAY_KEYS)
_NUMBER_KEYS = ("reg", "range", "step", "dtype")
_FIELD_KEYS = ("offset", "type")
_DEEPEST = 8
#: Bytes at least between two rows that pointers lead to.
_BETWEEN_ROWS = 48


class ArgumentsReader:
    """Reads the arguments of one contract.

    With `states_registers`, each argument must name its register.  Otherwise `reg` may be absent: the prototype
    determines it.
    """

    def __init__(
        self, text: ContractText, isa: Isa, signature: Signature, declarations: str, *, states_registers: bool
    ) -> None:
        self.text, self.isa, self.signature, self.declarations = text, isa, signature, declarations
        self._states_registers = states_registers
        self._integers = frozenset(p.name for p in signature.parameters if p.ctype.kind == "integer")
        self.error = text.error

    @property
    def integers(self) -> frozenset[str]:
        """Names that sizes may use: integer arguments, and integer members of structs."""
        return self._integers

    def read(self, tables: Any, float_abi: FloatAbi) -> tuple[Argument, ...]:
        """Return one Argument for each parameter of the prototype.  Raises ContractError."""
        if not isinstance(tables, dict):
            raise self.error("[args] is a table with one entry an argument", "args")
        names = [parameter.name for parameter in self.signature.parameters]
        for name in tables:
            if name not in names:
                raise self.error(f"[args] describes `{name}`, which the prototype does not have", name)
        self._integers |= self._integer_members(tables)
        places = place_arguments(self.isa, self.signature, float_abi)
        found = []
        for parameter, place in zip(self.signature.parameters, places, strict=True):
            table = tables.get(parameter.name, {} if parameter.ctype.kind == "float" else None)
            if not isinstance(table, dict):
                raise self.error(f"[args] has no table for `{parameter.name}`, a parameter of the prototype", "args")
            found.append(self._argument(parameter.name, parameter.ctype, place, table))
        self._check_alternatives(found)
        return tuple(found)

    def _integer_members(self, tables: Mapping[str, Any]) -> frozenset[str]:
        found = set()
        for parameter in self.signature.parameters:
            pointee = parameter.ctype.pointee
            if pointee is not None and pointee.layout is not None:
                members = (m for m in pointee.layout.members if m.ctype.kind == "integer" and m.count == 1)
                found |= {f"{parameter.name}.{member.name}" for member in members}
            table = tables.get(parameter.name)
            fields = table.get("fields") if isinstance(table, dict) else None
            if isinstance(fields, dict):
                found |= {f"{parameter.name}.{k}" for k, v in fields.items() if isinstance(v, dict) and "type" in v}
        return frozenset(found)

    def _check_alternatives(self, found: list[Argument]) -> None:
        pointers = {argument.name for argument in found if argument.is_pointer and argument.rows is None}
        for argument in found:
            other = argument.rows.or_to if argument.rows is not None else ""
            if other and other not in pointers:
                raise self.error(f"or_to of `{argument.name}` names `{other}`, no pointer argument", argument.name)

    def _argument(
        self,
        name: str,
        ctype: CType,
        place: Location,
        table: Mapping[str, Any],
        depth: int = 0,
        extra: tuple[str, ...] = (),
    ) -> Argument:
        text = self.text
        pointer = ctype.kind == "pointer"
        text.known(table, (*(_POINTER_KEYS if pointer else _NUMBER_KEYS), *extra), f"argument `{name}`", name)
        self._check_register(name, place, table, depth)
        fields = self._fields(name, ctype, table["fields"], depth) if "fields" in table else ()
        rows = self._rows(name, ctype, table, depth)
        dtype = self._dtype(name, ctype, table, raw=bool(fields) or rows is not None)
        read, write = (text.extent(table, key, self._integers, name) for key in ("read", "write"))
        self._check_rows(name, write)
        origin = text.expression(table, "origin", self._integers, name)
        if rows is not None:
            if read is not None or write is not None:
                raise self.error(f"`{name}` has `pointers`, which gives its size: leave out `read` and `write`", name)
            read = Extent(SizeExpression(f"{self.isa.pointer_bytes}*({rows.count.text})"))
        elif fields and read is None:
            read = Extent(SizeExpression(str(self._struct_size(ctype, fields))))
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
        over_read, under_read = (text.byte_count(table, key, name) for key in ("over_read", "under_read"))
        if (over_read or under_read) and read is None:
            raise self.error(f"`{name}` declares over_read or under_read, but no `read`", name)
        bounds = self._range(name, table, dtype)
        named = depth == 0 and ctype.kind == "integer"
        if named and bounds is None:
            raise self.error(f"number `{name}` states no `range`: state the values that the lab may pass", name)
        if fields or rows is not None:
            align = max(align, self._natural_alignment(ctype, fields, rows))
        plain = not fields and rows is None
        conditions = NO_CONDITIONS
        if pointer:
            conditions = read_conditions(
                table, text, name, dtype=dtype, bounds=bounds, align=max(align, dtype.itemsize),
                holds_data=plain and read is not None, in_struct=bool(extra),
            )  # fmt: skip
        layout = text.string(table, "layout")
        return Argument(
            name, ctype, place, dtype, read, write, layout, bounds, step, align, over_read, under_read, origin,
            fields, rows, conditions,
        )  # fmt: skip

    def _check_rows(self, name: str, write: Extent | None) -> None:
        """Raise ContractError for written rows whose pitch is a plain number, too small whatever the arguments are."""
        if write is None:
            return
        for rows, pitch in zip(write.rows, write.pitches, strict=True):
            several = bool(rows.names) or rows.evaluate({}) > 1
            least = 1 if write.size.names else write.size.evaluate({})
            if several and not pitch.names and abs(pitch.evaluate({})) < least:
                raise self.error(
                    f"rows of `{name}` overlap: they are {write.size.text} bytes long, and {pitch.text} apart", name
                )

    def _check_register(self, name: str, place: Location, table: Mapping[str, Any], depth: int) -> None:
        if depth and "reg" in table:
            raise self.error(f"`{name}` lies in memory: it has no `reg`", name)
        if depth or ("reg" not in table and not self._states_registers):
            return
        register = self.text.string(table, "reg", required=True)
        # A 32-bit argument of A64 may be named by either view of its register.
        if register != str(place) and register.replace("x", "w") != str(place):
            raise self.error(f"`{name}` arrives in {place} by the calling convention, not in {register}", name)

    def _within(self, depth: int, name: str) -> None:
        if depth > _DEEPEST:
            raise self.error(f"`{name}`: structs and pointers are nested more than {_DEEPEST} deep", name)

    def _rows(self, name: str, ctype: CType, table: Mapping[str, Any], depth: int) -> Rows | None:
        count = self.text.expression(table, "pointers", self._integers, name)
        if count is None:
            for key in _ARRAY_KEYS:
                if key in table:
                    raise self.error(
                        f"`{name}` has `{key}`, but no `pointers`: state how many pointers it points to", name
                    )
            return None
        self._within(depth, name)
        if ctype.pointee is None or ctype.pointee.kind != "pointer":
            raise self.error(f"`{name}` says `pointers`, but the prototype says {ctype.name}", name)
        inner = table.get("to")
        if not isinstance(inner, dict):
            raise self.error(f"`{name}` has `pointers`, but no table `to`: state what each of them points to", name)
        row = self._argument(f"{name}[]", ctype.pointee, _nowhere(ctype.pointee), inner, depth + 1)
        extents = [extent for extent in (row.read, row.write) if extent is not None]
        if row.fields or row.rows is not None or any(extent.rows for extent in extents):
            raise self.error(f"each pointer of `{name}` must point to plain elements", name)
        less = self.text.expression(table, "less", self._integers, name)
        return Rows(count, _repeated(row, count), self.text.string(table, "or_to"), less)

    def _fields(self, name: str, ctype: CType, table: Any, depth: int) -> tuple[Field, ...]:
        if not isinstance(table, dict):
            raise self.error(f"fields of `{name}` is a table with one entry a member", name)
        self._within(depth, name)
        layout = ctype.pointee.layout if ctype.pointee is not None else None
        members = {member.name: member for member in layout.members} if layout is not None else {}
        found = [
            self._field(f"{name}.{path}", members.get(path), entry, depth)
            for path, entry in self._entries(name, members, table)
        ]
        taken = {byte for field in found for byte in _extent(field)}
        for member in members.values():
            extent = range(member.offset, member.offset + member.count * member.ctype.size)
            if taken.isdisjoint(extent):  # not stated, nor another view of what is stated
                found.append(self._field(f"{name}.{member.name}", member, {}, depth))
                taken.update(extent)
        found.sort(key=lambda field: field.offset)
        for before, after in itertools.pairwise(found):
            if _extent(before).stop > after.offset:
                first, second = (
                    f"`{f.argument.name}` (bytes {_extent(f).start} to {_extent(f).stop - 1})" for f in (before, after)
                )
                raise self.error(f"{second} lies over {first}", after.argument.name)
        return tuple(found)

    def _entries(
        self, name: str, members: Mapping[str, Member], table: Mapping[str, Any], prefix: str = ""
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield path and table of each field stated; TOML reads `out.zero_point` as a table in a table."""
        for key, entry in table.items():
            path = f"{prefix}{key}"
            if not isinstance(entry, dict):
                raise self.error(f"field `{path}` of `{name}` is a table such as {{ range = [0, 255] }}", path)
            if path not in members and any(member.startswith(f"{path}.") for member in members):
                yield from self._entries(name, members, entry, f"{path}.")
            else:
                yield path, entry

    def _field(self, name: str, member: Member | None, table: Mapping[str, Any], depth: int) -> Field:
        spelled = self.text.string(table, "type")
        if member is None and not spelled:
            raise self.error(
                f"`{name}` is no member of a struct declared in `structs`; state its `offset` and C `type`", name
            )
        ctype = self._type(name, spelled) if spelled else None
        ctype = ctype or (member.ctype if member is not None else None)
        assert ctype is not None
        offset = table.get("offset", member.offset if member is not None else None)
        if type(offset) is not int or not 0 <= offset <= 1 << 16:
            raise self.error(f"offset of `{name}` is a number of bytes from the start of the struct", name)
        count = member.count if member is not None else 1
        if ctype.kind == "pointer" and count > 1:
            raise self.error(f"`{name}` is an array of pointers inside a struct, which the lab cannot fill", name)
        if ctype.kind == "pointer" and not table:
            raise self.error(f"`{name}` is a pointer: [fields] says how many bytes it points to", name)
        inner = self._argument(name, ctype, _nowhere(ctype), table, depth + 1, _FIELD_KEYS)
        return Field(offset, count, inner)

    def _type(self, name: str, spelled: str) -> CType:
        try:
            return parse_prototype(f"void f({spelled} x)", self.isa, self.declarations).parameters[0].ctype
        except (PrototypeError, IndexError) as error:
            raise self.error(f"type of `{name}`: `{spelled}` is no C type that the lab knows: {error}", name) from None

    def _struct_size(self, ctype: CType, fields: tuple[Field, ...]) -> int:
        if ctype.pointee is not None and ctype.pointee.size and ctype.pointee.kind == "struct":
            return ctype.pointee.size
        end, alignment = max(_extent(f).stop for f in fields), max(f.argument.ctype.size for f in fields)
        return -(-end // alignment) * alignment

    def _natural_alignment(self, ctype: CType, fields: tuple[Field, ...], rows: Rows | None) -> int:
        if rows is not None:
            return self.isa.pointer_bytes
        if ctype.pointee is not None and ctype.pointee.layout is not None:
            return ctype.pointee.layout.alignment
        return max(field.argument.ctype.size for field in fields)

    def _dtype(self, name: str, ctype: CType, table: Mapping[str, Any], *, raw: bool) -> np.dtype[Any]:
        base = ctype.pointee if ctype.kind == "pointer" else ctype
        text = self.text.string(table, "dtype")
        if raw or (ctype.kind == "pointer" and base is not None and base.kind == "struct" and not text):
            return np.dtype(np.uint8)
        if not text:
            if base is None or base.kind not in ("integer", "float"):
                if ctype.kind == "pointer" and base is not None and base.kind == "pointer":
                    raise self.error(
                        f"`{name}` points to pointers: state `pointers`, their number, and `to`, their target",
                        name,
                    )
                raise self.error(f"`{name}` points to no element type; state `dtype`", name)
            letter = "float" if base.kind == "float" else "int" if base.signed else "uint"
            text = f"{letter}{8 * base.size}"
        if text not in _DTYPES:
            raise self.error(f"dtype of `{name}` is one of {', '.join(_DTYPES)}, not `{text}`", name)
        dtype = np.dtype(text)
        plain = base is not None and base.kind in ("integer", "float")
        if plain and base is not None and dtype.itemsize != base.size and base.size != 1:
            raise self.error(f"dtype {text} of `{name}` is not the size of the prototype's {base.name}", name)
        return dtype

    def _range(self, name: str, table: Mapping[str, Any], dtype: np.dtype[Any]) -> tuple[float, float] | None:
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


def _repeated(row: Argument, count: SizeExpression) -> Argument:
    """Return the rows of an array of pointers as one argument, with gaps, so that an access beyond a row is noticed.

    The pitch is an odd multiple of the row's alignment, so that every other row has no better alignment than promised.
    """
    unit = max(row.align, row.dtype.itemsize)
    sizes = [extent.size.text for extent in (row.read, row.write) if extent is not None]
    longest = sizes[0] if len(sizes) == 1 else f"max({', '.join(sizes)})"
    room = row.over_read + row.under_read + _BETWEEN_ROWS
    pitch = SizeExpression(f"(({longest} + {room})//{2 * unit}*2 + 1)*{unit}")
    read, write = (Extent(e.size, (count,), (pitch,)) if e is not None else None for e in (row.read, row.write))
    return replace(row, read=read, write=write)


def _nowhere(ctype: CType) -> Location:
    """Return the location of a value that lies in memory: no register and no stack offset."""
    return Location((), None, ctype.size)


def _extent(field: Field) -> range:
    return range(field.offset, field.offset + field.count * field.argument.ctype.size)

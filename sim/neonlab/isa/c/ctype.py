"""The C types that a calling convention needs, and the layout of structs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["integer", "float", "pointer", "struct"]


@dataclass(frozen=True, slots=True)
class CType:
    """A C type that fits in registers, or a struct that a pointer points to.

    `size` is in bytes; `signed` is False for pointers and True for floats.  `layout` is that of a struct or union whose
    members are declared.
    """

    name: str
    kind: Kind
    size: int
    signed: bool
    pointee: CType | None = None
    const: bool = False
    layout: StructLayout | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A member by its path from the outermost struct (`quantization.zero_point`): `count` elements of `ctype`."""

    name: str
    offset: int
    ctype: CType
    count: int = 1


@dataclass(frozen=True, slots=True)
class StructLayout:
    """The size of a struct or union in bytes, and its members; members of inner structs have dotted names."""

    size: int
    alignment: int
    members: tuple[Member, ...]

"""Compute addresses from the registers before an instruction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy.typing as npt

from neonlab.isa.model.instruction import MemoryAccess, Writeback
from neonlab.isa.model.isa import FLAGS, Isa, Register

#: A number, or an array of uint64 with one for each execution of an instruction.
Value = TypeVar("Value", int, npt.NDArray[Any])


def address_of(access: MemoryAccess, isa: Isa, value: Callable[[Register], Value]) -> Value | int:
    """Return the address of the first byte of `access`; `value` returns a register's contents before the instruction.

    An address that no register is part of is an int.  `value(FLAGS)` is needed only for an index shifted by `rrx`, and
    must have the carry in bit 29 as APSR does.
    """
    address: Value | int = access.displacement & _mask(isa)
    if access.base is not None:
        address = address + value(access.base)
    if access.index is not None:
        address = address + _extended(access.index, access.extend, access.shift, isa, value)
    return address & _mask(isa)


def written_back(writeback: Writeback, isa: Isa, value: Callable[[Register], int]) -> int:
    """Return the base register after the instruction; `value` is as in `address_of`."""
    change = writeback.immediate
    if writeback.register is not None:
        change += _extended(writeback.register, writeback.extend, writeback.shift, isa, value)
    return (value(writeback.base) + change) & _mask(isa)


def _mask(isa: Isa) -> int:
    return (1 << 8 * isa.pointer_bytes) - 1


def _extended(register: Register, extend: str, shift: int, isa: Isa, value: Callable[[Register], Value]) -> Value:
    raw, width = value(register), 8 * isa.pointer_bytes
    kind = extend.removeprefix("-")
    if kind == "uxtw":
        index = (raw & 0xFFFFFFFF) << shift
    elif kind == "sxtw":
        index = ((raw & 0xFFFFFFFF) - ((raw & 0x80000000) << 1)) << shift
    elif kind == "lsr":
        index = raw >> shift
    elif kind == "asr":
        index = (raw - ((raw >> (width - 1)) << width)) >> shift
    elif kind == "ror":
        index = (raw >> shift | raw << (width - shift)) & _mask(isa)
    elif kind == "align":  # down to a multiple of 1 << shift
        index = raw >> shift << shift
    elif kind == "rrx":
        index = raw >> 1 | (value(FLAGS) >> 29 & 1) << (width - 1)
    else:
        index = raw << shift
    return -index if extend.startswith("-") else index

"""Turn a case into the arguments of a call: numbers, buffers, structs with pointers, arrays of row pointers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from neonlab.contract.extent import Block
from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.buffer import Buffer, PointerField, buffers_by_name
from neonlab.verify.cases.case import Array, Case, generator

if TYPE_CHECKING:
    from neonlab.emulate.machine import Argument as Passed


def call_arguments(contract: Contract, case: Case) -> list[Passed]:
    """Return the arguments in the prototype's order.

    Outputs that the kernel does not read start as garbage, which depends only on the seed and the case's title.
    """
    return _Caller(contract, case).arguments()


class _Caller:
    """Builds the buffers of one case; each is built once, however many pointers lead to it."""

    def __init__(self, contract: Contract, case: Case) -> None:
        self._contract, self._case = contract, case
        self._garbage = generator(case.seed, zlib.crc32(case.title.encode()), 1)
        self._made: dict[str, Buffer] = {}

    def arguments(self) -> list[Passed]:
        passed: list[Passed] = []
        for argument in self._contract.arguments:
            if argument.is_pointer:
                passed.append(self._buffer(argument))
            elif argument.ctype.kind == "integer":
                passed.append(self._case.integers[argument.name])
            else:
                passed.append(float(self._case.inputs[argument.name]))
        return passed

    def _buffer(self, argument: Argument) -> Buffer:
        argument = self._contract.by_name[self._contract.buffer_of(argument.name)]
        if argument.name not in self._made:
            block = argument.block(self._case.integers)
            data = self._contents(argument, block)
            pointers: list[PointerField] = []
            if argument.fields:
                pointers = self._fill_struct(argument, data)
            elif argument.rows is not None:
                pointers = self._row_pointers(argument)
            self._made[argument.name] = Buffer(
                argument.name,
                data,
                argument.write is not None,
                readable_before=argument.under_read,
                readable_after=argument.over_read,
                pointers=tuple(pointers),
                origin=block.origin,
                slack=self._contract.allows.slack,
            )
        return self._made[argument.name]

    def _contents(self, argument: Argument, block: Block) -> Array:
        inputs, name = self._case.inputs, self._contract.filled_from(argument.name)
        if argument.write is None and not block.gaps and name in inputs:
            return inputs[name]
        contents = self._garbage.integers(0, 256, block.size, np.uint8)
        if argument.read is not None and name in inputs:
            given = np.ascontiguousarray(inputs[name]).view(np.uint8).reshape(-1)
            chosen = block.read
            contents[slice(chosen.start, chosen.start + given.size) if isinstance(chosen, slice) else chosen] = given
        whole = block.size % argument.dtype.itemsize == 0
        return contents.view(argument.dtype) if whole else contents

    def _fill_struct(self, argument: Argument, data: Array) -> list[PointerField]:
        """Set the fields of a struct in `data` and return its pointers.

        Fields that are sizes take the case's integers.
        """
        pointers = []
        for field in argument.fields:
            inner = field.argument
            if inner.is_pointer:
                target = self._buffer(inner)
                pointers.append(PointerField(field.offset, target))
                continue
            if inner.name in self._case.integers:
                value = np.array([self._case.integers[inner.name]]).astype(inner.dtype)
            else:
                value = np.ascontiguousarray(self._case.inputs[inner.name], inner.dtype).reshape(-1)
            raw = value.view(np.uint8)
            data[field.offset : field.offset + raw.size] = raw
        return pointers

    def _row_pointers(self, argument: Argument) -> list[PointerField]:
        rows = argument.rows
        assert rows is not None
        values = self._case.integers
        extent = rows.to.read or rows.to.write
        assert extent is not None
        starts = extent.starts(values)
        chosen = self._case.rows.get(argument.name, np.arange(starts.size))
        target = self._buffer(rows.to)
        less = rows.less.evaluate(values) if rows.less is not None else 0
        width = self._contract.isa.pointer_bytes
        found = []
        for index, row in enumerate(chosen.tolist()):
            if row >= 0:
                found.append(PointerField(width * index, target, int(starts[row]) - less))
            else:
                other = self._buffer(self._contract.argument(rows.or_to))
                found.append(PointerField(width * index, other))
        return found


def known_integers(contract: Contract, arguments: Sequence[Passed]) -> dict[str, int]:
    """Return the integers that sizes depend on, by name: integer arguments and fields of structs."""
    values = {
        argument.name: value
        for argument, value in zip(contract.arguments, arguments, strict=False)
        if argument.ctype.kind == "integer" and isinstance(value, int)
    }
    fields = [argument.name for argument in contract.integers if "." in argument.name]
    if not fields:
        return values
    buffers = buffers_by_name(arguments)
    for holder in contract.pointers:
        for field in holder.fields:
            if field.argument.name in fields and holder.name in buffers:
                start, end = field.offset, field.offset + field.argument.dtype.itemsize
                raw = buffers[holder.name].contents()[start:end]
                values[field.argument.name] = int(raw.view(field.argument.dtype)[0])
    return values


def touched_bytes(contract: Contract, integers: Mapping[str, int]) -> int:
    """Return the number of bytes that a call may touch; bytes both read and written count twice."""
    extents = [extent for a in contract.pointers for extent in (a.read, a.write) if extent is not None]
    return sum(max(0, extent.evaluate(integers)) for extent in extents)

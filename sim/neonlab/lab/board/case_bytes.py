"""Write cases as bytes that the bench's cases.c reads: arguments, buffers, and what is expected of the call.

Numbers are 64 bits, little-endian.  The contents of buffers stand apart from the records, each once.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.contract.extent import Block, Selection
from neonlab.contract.header import Contract
from neonlab.emulate.guest.buffer import Buffer, distinct_buffers
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.machine import argument_bytes
from neonlab.errors import InputError
from neonlab.isa.c.procedure_call import Location, place_arguments, place_result, stack_argument_bytes
from neonlab.isa.model.isa import Isa
from neonlab.verify.cases.case import Case

#: As in bench.h: buffers of a call, and bytes of arguments on the stack.
_BUFFERS_AT_MOST, _STACK_AT_MOST, _NAME_AT_MOST = 64, 4096, 47
_VECTOR, _STACK = 64, 128
_KINDS = {"u": 0, "i": 1, "f": 2, "b": 0}
_WORD = (1 << 64) - 1


class CaseFile:
    """Collects the records of cases, and the contents that they refer to."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self.size = 0

    @property
    def data(self) -> bytes:
        """The whole file so far."""
        return b"".join(self._parts)

    def blob(self, contents: bytes) -> int:
        """Return the offset of `contents`, which are added if they are not there."""
        if contents not in self._places:
            self._places[contents] = self._append(contents)
        return self._places[contents]

    def _append(self, contents: bytes) -> int:
        at = self.size
        padded = contents + bytes(-len(contents) % 16)
        self._parts.append(padded)
        self.size += len(padded)
        return at

    def add(self, contract: Contract, case: Case, arguments: Sequence[Passed]) -> int:
        """Add a call of the case with these arguments; return the offset of its record.

        Raises InputError for a call that the bench cannot make.
        """
        buffers = distinct_buffers(arguments)
        record = _Record()
        record.text(case.title)
        record.numbers(zlib.crc32(case.title.encode()))
        fixups = _put_arguments(record, contract, arguments, buffers)
        record.numbers(len(fixups))
        for place, number in fixups:
            record.numbers(place, number)
        _put_returned(record, contract, case)
        record.numbers(len(buffers))
        for buffer in buffers:
            self._put_buffer(record, contract, case, buffer, buffers)
        self._put_expected(record, contract, case, buffers)
        return self._append(record.data)

    def _put_buffer(
        self, record: _Record, contract: Contract, case: Case, buffer: Buffer, buffers: Sequence[Buffer]
    ) -> None:
        argument = contract.by_name[buffer.name]
        record.text(buffer.name[:_NAME_AT_MOST])
        record.numbers(self.blob(buffer.contents().tobytes()), buffer.size, buffer.origin)
        record.numbers(buffer.alignment, buffer.offset, buffer.mapped_before, buffer.mapped_after, buffer.writable)
        written = _runs(argument.block(case.integers).written) if argument.write is not None else []
        record.runs(sorted(written))
        record.numbers(sum(field.displacements.size for field in buffer.pointers))
        places, width = {id(one): number for number, one in enumerate(buffers)}, contract.isa.pointer_bytes
        for field in buffer.pointers:
            for number, displacement in enumerate(field.displacements.tolist()):
                record.numbers(field.offset + width * number, places[id(field.target)], displacement & _WORD)

    def _put_expected(self, record: _Record, contract: Contract, case: Case, buffers: Sequence[Buffer]) -> None:
        places = {buffer.name: number for number, buffer in enumerate(buffers)}
        record.numbers(len(case.expected))
        for name, expected in case.expected.items():
            array = np.ascontiguousarray(expected.array)
            block: Block = contract.argument(name).block(case.integers)
            record.numbers(places[contract.buffer_of(name)], _KINDS[array.dtype.kind], array.dtype.itemsize)
            record.numbers(self.blob(array.tobytes()), array.nbytes)
            record.runs(list(_first_bytes(_runs(block.written), array.nbytes)))


class _Record:
    """The bytes of one case."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    @property
    def data(self) -> bytes:
        return b"".join(self._parts)

    def numbers(self, *numbers: int) -> None:
        self._parts.append(struct.pack(f"<{len(numbers)}Q", *numbers))

    def raw(self, data: bytes) -> None:
        self._parts.append(data)

    def text(self, text: str) -> None:
        data = text.encode("ascii", "replace")
        self.numbers(len(data))
        self.raw(data + bytes(-len(data) % 8))

    def runs(self, runs: Sequence[tuple[int, int]]) -> None:
        self.numbers(len(runs))
        self.raw(np.array(runs, "<u8").reshape(-1).tobytes())


def _put_arguments(
    record: _Record, contract: Contract, arguments: Sequence[Passed], buffers: Sequence[Buffer]
) -> list[tuple[int, int]]:
    """Put registers and stack as the call finds them; return (place, buffer) of each pointer among them.

    In A64, what lies above a narrow argument is noise, as the procedure call standard allows.
    """
    if len(buffers) > _BUFFERS_AT_MOST:
        raise InputError(f"{contract.path}: {len(buffers)} buffers, and a bench for a board has {_BUFFERS_AT_MOST}")
    locations = place_arguments(contract.isa, contract.signature, contract.float_abi)
    on_stack = stack_argument_bytes(locations)
    if on_stack > _STACK_AT_MOST:
        raise InputError(
            f"{contract.path}: {on_stack} bytes of arguments on the stack, and a bench for a board has {_STACK_AT_MOST}"
        )
    random = np.random.default_rng(len(arguments))
    image = bytearray(random.integers(0, 256, _STACK + on_stack, np.uint8).tobytes())
    places = {id(buffer): number for number, buffer in enumerate(buffers)}
    fixups = []
    for value, parameter, location in zip(arguments, contract.signature.parameters, locations, strict=True):
        slots = _slots(location, contract.isa)
        if isinstance(value, Buffer):
            fixups.append((slots[0], places[id(value)]))
            continue
        data = argument_bytes(value, parameter.ctype, parameter.name, contract.isa)
        width = -(-len(data) // len(slots))
        for number, place in enumerate(slots):
            part = data[number * width : (number + 1) * width]
            image[place : place + len(part)] = part
    record.raw(bytes(image[:_STACK]))
    record.numbers(on_stack)
    record.raw(bytes(image[_STACK:]))
    return fixups


def _slots(location: Location, isa: Isa) -> list[int]:
    """Return the offsets in `struct call` of the parts of an argument; the stack begins at _STACK."""
    if location.stack_offset is not None:
        return [_STACK + location.stack_offset]
    found = []
    for register in location.registers:
        number = int(register[1:])
        if register[0] in "sd":
            single = register[0] == "s" and isa is Isa.A32
            found.append(_VECTOR + (4 if single else 8) * number)
        else:
            found.append(8 * number)
    return found


def _put_returned(record: _Record, contract: Contract, case: Case) -> None:
    location, ctype = place_result(contract.isa, contract.signature, contract.float_abi), contract.signature.returns
    if case.returned is None or location is None or ctype is None:
        record.numbers(0, 0, 0, 0)
        return
    floating = ctype.kind == "float"
    in_vector = location.registers[0][0] in "sd"
    data = argument_bytes(case.returned, ctype, "the result", Isa.A64)
    kind = 2 if floating else 1 if ctype.signed else 0
    record.numbers(2 if in_vector else 1, kind, ctype.size, int.from_bytes(data, "little"))


def _runs(selection: Selection) -> list[tuple[int, int]]:
    """Return (start, length) of the runs of bytes of a selection, in its order."""
    if isinstance(selection, slice):
        return [(selection.start, selection.stop - selection.start)] if selection.stop > selection.start else []
    offsets: npt.NDArray[Any] = np.asarray(selection)
    if not offsets.size:
        return []
    starts = np.flatnonzero(np.concatenate([[True], np.diff(offsets) != 1]))
    lengths = np.diff(np.concatenate([starts, [offsets.size]]))
    return [(int(offsets[at]), int(length)) for at, length in zip(starts, lengths, strict=True)]


def _first_bytes(runs: Sequence[tuple[int, int]], count: int) -> Iterator[tuple[int, int]]:
    for start, length in runs:
        if count <= 0:
            return
        yield start, min(length, count)
        count -= length

"""Estimate a case's memory before any is allocated: a shape of a few characters may mean terabytes."""

from __future__ import annotations

from collections.abc import Mapping

from neonlab.contract.header import Contract
from neonlab.emulate.guest.address_space import BUFFERS_BYTES
from neonlab.errors import InputError
from neonlab.host.memory_limit import gib, memory_left
from neonlab.verify.cases.case import Depth

#: Bytes that a process allocates for each byte of a case's buffers: the data, the expected results in wide arithmetic,
#: the guest's memory and its shadow.  Measured from `clip` of 1,000,000 and 10,000,000 bytes with every check on: 21.
_FULL, _OTHERWISE = 21, 12
#: Further bytes for each byte of rows, whose offsets are numbers of 8 bytes.
_OF_ROWS = 24
#: Bytes of buffers below which the free memory is not looked up.
_LITTLE = 16 << 20


def refuse_too_much(contract: Contract, integers: Mapping[str, int], shape: object, depth: Depth) -> None:
    """Raise InputError where the buffers do not fit the guest's memory, or the case does not fit the free memory."""
    buffers = sum(argument.span(integers) for argument in contract.pointers)
    if buffers > BUFFERS_BYTES:
        raise InputError(
            f"{contract.path}: the buffers of shape {shape} take {gib(buffers)}, but an emulated call has room for "
            f"{gib(BUFFERS_BYTES)}: take a smaller shape"
        )
    rows = sum(
        extent.evaluate(integers)
        for argument in contract.pointers
        for extent in (argument.read, argument.write)
        if extent is not None and extent.rows
    )
    if buffers + rows < _LITTLE:
        return
    needed = buffers * (_FULL if depth is Depth.FULL else _OTHERWISE) + rows * _OF_ROWS
    room = memory_left()
    if room is not None and needed > room.bytes:
        raise InputError(
            f"{contract.path}: shape {shape} needs about {gib(needed)} of memory, but only {gib(room.bytes)} are left "
            f"of {room.of}: take a smaller shape"
        )

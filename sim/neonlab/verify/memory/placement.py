"""Place buffers, with the margins that the contract allows to be read: aligned as it promises and no better, or mixed.

Code may look at the alignment of one pointer and rely on that of another.  So some buffers of a mixed call are aligned
better than promised, and some not.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace

from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.address_space import PAGE
from neonlab.emulate.guest.buffer import Buffer, changed_buffers
from neonlab.emulate.machine import Argument as Passed

#: Bytes that a buffer is aligned to when it is measured, if the contract promises no more: a line of a cache.
MEASURED_ALIGNMENT = 64
#: What a turn is multiplied by: the places of the next turns differ in high and in low bits.
_MIXES = 69
#: The turn from which on buffers are mixed, and the best alignment in bytes that one gets then.
MIXED = 32
_BEST = 64


def promised_alignment(argument: Argument) -> int:
    """Return the promised alignment in bytes: `align` of the contract, at least the element's size as C promises."""
    return max(argument.align, argument.dtype.itemsize)


def exact_placement(argument: Argument, turn: int = 0, least: int = 1, among: int = 128) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer aligned as promised and no better.

    `turn` selects one such place of those in `among` bytes.  All are in bytes.  If less than `least` bytes is promised,
    the buffer is aligned to `least`.
    """
    promised = max(promised_alignment(argument), least)
    modulus = max(among, 2 * promised)
    odd = 2 * (turn * _MIXES % (modulus // promised // 2)) + 1
    return modulus, odd * promised


def mixed_placement(argument: Argument, mix: int, least: int = 1) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer of a mixed call, in bytes; `mix` is any number.

    A quarter of the numbers each: aligned as promised and no better; to 64; to less, but perhaps better than promised;
    as promised, and across the end of a page if it has a few elements.
    """
    promised = max(promised_alignment(argument), least)
    kind, mix = mix % 4, mix // 4
    if kind == 1:
        return max(_BEST, promised), 0
    if kind == 2:
        steps = (_BEST // promised).bit_length()
        return exact_placement(argument, mix, promised << mix % max(1, steps))
    if kind == 3 and promised < PAGE // 8:
        return PAGE, PAGE - (2 * (mix % 4) + 1) * promised
    return exact_placement(argument, mix, least)


def flush_placement(argument: Argument) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer that ends as close to the end of a page as its alignment allows."""
    return promised_alignment(argument), 0


def measured_placement(argument: Argument) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer that is measured: on a line of a cache, or `offset` bytes behind.

    The contract's `align` counts where it is more, and so does the power of two above `offset`.
    """
    offset = argument.conditions.offset or 0
    return max(MEASURED_ALIGNMENT, promised_alignment(argument), 1 << offset.bit_length()), offset


def place_measured(contract: Contract, arguments: Sequence[Passed]) -> list[Passed]:
    """Return a call's arguments with each Buffer that no place was chosen for placed as the contract says to measure.

    Chosen is a place other than that which a Buffer has by default.
    """

    def place(buffer: Buffer) -> Buffer:
        argument = contract.by_name.get(buffer.name)
        if argument is None or (buffer.alignment, buffer.offset) != (MEASURED_ALIGNMENT, 0):
            return buffer
        alignment, offset = measured_placement(argument)
        return replace(buffer, alignment=alignment, offset=offset)

    return changed_buffers(arguments, place)


def place_arguments(
    contract: Contract, arguments: Sequence[Passed], turn: int, least: int = 1, among: int = 128
) -> list[Passed]:
    """Return a call's arguments with their buffers placed: flush right at turn 0, then at exact alignments in turn.

    From turn MIXED on they are mixed.  The exact alignments are at least `least` bytes, and vary within `among` bytes.
    Every buffer gets the margins that the contract declares.
    """
    numbers = {name: number for number, name in enumerate(contract.by_name)}

    def place(buffer: Buffer) -> Buffer:
        argument = contract.by_name.get(buffer.name)
        if argument is None:
            return buffer
        where = flush_placement(argument)
        if turn >= MIXED:
            where = mixed_placement(argument, zlib.crc32(b"%d %d" % (turn, numbers[buffer.name])), least)
        elif turn:
            where = exact_placement(argument, turn - 1 + numbers[buffer.name], least, among)
        return buffer.at(*where, argument.under_read, argument.over_read)

    return changed_buffers(arguments, place)

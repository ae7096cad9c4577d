"""Place buffers: aligned as the contract promises and no better, with the margins that it allows to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.buffer import Buffer, changed_buffers
from neonlab.emulate.machine import Argument as Passed


def promised_alignment(argument: Argument) -> int:
    """Return the promised alignment in bytes: `align` of the contract, at least the element's size as C promises."""
    return max(argument.align, argument.dtype.itemsize)


def exact_placement(argument: Argument, turn: int = 0, least: int = 1) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer aligned as promised and no better; `turn` selects one such place.

    Both are in bytes.  If less than `least` bytes is promised, the buffer is aligned to `least`.
    """
    promised = max(promised_alignment(argument), least)
    modulus = max(128, 2 * promised)
    odd = 2 * (turn * 5 % (modulus // promised // 2)) + 1
    return modulus, odd * promised


def flush_placement(argument: Argument) -> tuple[int, int]:
    """Return `alignment` and `offset` of a Buffer that ends as close to the end of a page as its alignment allows."""
    return promised_alignment(argument), 0


def place_arguments(contract: Contract, arguments: Sequence[Passed], turn: int, least: int = 1) -> list[Passed]:
    """Return a call's arguments with their buffers placed: flush right at turn 0, then at exact alignments in turn.

    The exact alignments are at least `least` bytes.  Every buffer gets the margins that the contract declares.
    """
    numbers = {name: number for number, name in enumerate(contract.by_name)}

    def place(buffer: Buffer) -> Buffer:
        argument = contract.by_name.get(buffer.name)
        if argument is None:
            return buffer
        where = flush_placement(argument)
        if turn:
            where = exact_placement(argument, turn - 1 + numbers[buffer.name], least)
        return replace(
            buffer,
            alignment=where[0],
            offset=where[1],
            readable_before=argument.under_read,
            readable_after=argument.over_read,
        )

    return changed_buffers(arguments, place)

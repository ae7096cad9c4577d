"""Where buffers lie: aligned as the contract promises and no better, and with the margins that it allows to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.buffer import Buffer, changed_buffers
from neonlab.emulate.machine import Argument as Passed


def promised_alignment(argument: Argument) -> int:
    """Bytes: `align` of the contract, and never less than the element's own size, which C promises."""
    return max(argument.align, argument.dtype.itemsize)


def exact_placement(argument: Argument, turn: int = 0, least: int = 1) -> tuple[int, int]:
    """`alignment` and `offset` for a Buffer that is aligned as promised and no better; `turn` picks one such place.

    It is aligned to `least` bytes where less is promised.
    """
    promised = max(promised_alignment(argument), least)
    modulus = max(128, 2 * promised)
    odd = 2 * (turn * 5 % (modulus // promised // 2)) + 1
    return modulus, odd * promised


def flush_placement(argument: Argument) -> tuple[int, int]:
    """`alignment` and `offset` for a Buffer that ends as close to the end of a page as what is promised allows."""
    return promised_alignment(argument), 0


def place_arguments(contract: Contract, arguments: Sequence[Passed], turn: int, least: int = 1) -> list[Passed]:
    """The arguments of a call with their buffers placed: flush right at turn 0, then at exact alignments in turn.

    These are of `least` bytes, where less is promised.
    Every buffer gets the margins that the contract declares.
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

"""Call kernels of a library with arrays, again and again: each kernel has one emulated machine, kept between calls."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonlab.contract.model import Argument, Contract
from neonlab.emulate.guest.buffer import Buffer, PointerField
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.errors import ContractError, InputError
from neonlab.host.closing import Closing
from neonlab.lab.function import FaultError
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.verify.cases.case import Array
from neonlab.verify.check_case import step_budget
from neonlab.verify.sanitized_machine import SanitizedMachine

#: The size in bytes of parameters with an element for each channel, filled up to whole blocks: 4*8*((rows+7)//8).
_BLOCKS = re.compile(r"(\d+)\*(\d+)\*\(\(\w+\+\d+\)//(\d+)\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Room:
    """The elements that a pointer's buffer has in a call: `size`, of which `least` must be given, and `most` may be."""

    argument: Argument
    size: int
    least: int
    most: int


class Caller(Closing):
    """Call kernels with arrays and integers by argument name.

    With `watched`, an access outside of the arrays and a breach of the procedure call standard are faults.  A Caller is
    a context manager; `close` frees its machines.
    """

    def __init__(self, *, watched: bool = True) -> None:
        self.watched = watched
        self._machines: dict[str, Machine | SanitizedMachine] = {}
        self._rooms: dict[tuple[str, tuple[int, ...]], tuple[tuple[Room, ...], int]] = {}

    def __call__(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> dict[str, Array]:
        """Call a kernel and return what it wrote: flat arrays by argument name.

        Outputs may be left out.  Parameters with an element for each channel are filled up with zeros to whole blocks;
        other arrays have the size that the contract asks for.  Raises InputError for an argument that is missing,
        unknown, too small, too large, of another dtype, outside of the range that the contract declares, or none of the
        codes that the operator names, and FaultError where the call faults.

        For an array of pointers `input`, `input[]` is one array, and `input` where in it each pointer leads, in bytes.
        Rows may share bytes there, as the windows of an image do; a read outside of the array faults.
        """
        contract = kernel.contract
        passed, _, budget = self.arguments(kernel, arguments)
        outcome = self._machine(kernel).call(
            contract.name, passed, contract.signature, float_abi=contract.float_abi, step_budget=budget
        )
        if isinstance(outcome, Fault):
            raise FaultError(outcome)
        return {name: values.reshape(-1) for name, values in outcome.outputs.items()}

    def arguments(self, kernel: Kernel, given: Mapping[str, Array | int]) -> tuple[list[Passed], dict[str, int], int]:
        """Return the arguments in the order of the prototype, the integers among them, and the budget of steps.

        Raises InputError as a call does.
        """
        contract = kernel.contract
        numbers = integers_among(contract, given)
        rooms, budget = self._rooms_of(kernel, numbers)
        held = {room.argument.name: _buffer(contract, room, given.get(room.argument.name)) for room in rooms}
        tables = [argument for argument in contract.arguments if argument.rows is not None]
        held |= {argument.name: _table(contract, argument, numbers, given) for argument in tables}
        coded = {} if kernel.operator is None else kernel.operator.coded
        for name in coded.keys() & given.keys():
            _hold_to_codes(contract, name, np.asarray(given[name]).reshape(-1), coded[name])
        passed: list[Passed] = [
            held[argument.name] if argument.is_pointer else numbers[argument.name] for argument in contract.arguments
        ]
        return passed, numbers, budget

    def _rooms_of(self, kernel: Kernel, numbers: Mapping[str, int]) -> tuple[tuple[Room, ...], int]:
        key = kernel.title, tuple(numbers.values())
        if key not in self._rooms:
            contract = kernel.contract
            try:
                contract.check_values(numbers)
            except ContractError as error:
                raise InputError(str(error)) from None
            plain = (argument for argument in contract.arguments if argument.is_pointer and argument.rows is None)
            rooms = tuple(_room(argument, numbers) for argument in plain)
            self._rooms[key] = rooms, step_budget(contract, numbers)
        return self._rooms[key]

    def _machine(self, kernel: Kernel) -> Machine | SanitizedMachine:
        if kernel.title not in self._machines:
            program = kernel_program(kernel)
            self._machines[kernel.title] = (
                SanitizedMachine(program, kernel.contract) if self.watched else Machine(program)
            )
        return self._machines[kernel.title]

    def close(self) -> None:
        """Free the machines."""
        for machine in self._machines.values():
            machine.close()
        self._machines.clear()


def integers_among(contract: Contract, given: Mapping[str, Any]) -> dict[str, int]:
    """Return the integers among arguments by name, in the order of the prototype; numpy's integers are integers.

    Raises InputError for a name that no argument has, for a number that is missing, and for one that is no integer.
    """
    names = [argument.name for argument in contract.arguments]
    names += [argument.rows.to.name for argument in contract.arguments if argument.rows is not None]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InputError(
            f"{contract.name}: no argument is called {' or '.join(f'`{name}`' for name in unknown)}; there are "
            f"{', '.join(names)}"
        )
    found = {}
    for argument in contract.arguments:
        if argument.is_pointer:
            continue
        if argument.name not in given:
            raise InputError(f"{contract.name}: give a value for the number `{argument.name}`")
        try:
            found[argument.name] = operator.index(given[argument.name])
        except TypeError:
            kind = type(given[argument.name]).__name__
            raise InputError(f"{contract.name}: `{argument.name}` is a whole number, not {kind}") from None
    return found


def _room(argument: Argument, numbers: Mapping[str, int]) -> Room:
    width = argument.dtype.itemsize
    size = -(-argument.block(numbers).size // width)
    block = _BLOCKS.fullmatch(argument.read.text.replace(" ", "")) if argument.read is not None else None
    filled = int(block[2]) - 1 if block and int(block[1]) == width and block[2] == block[3] else 0
    most = size + -(-argument.over_read // width)
    for extent in (argument.read, argument.write):
        if extent is not None and len(extent.rows) == 1:
            # All of an image, with what lies between its last row and the next.
            most = max(most, extent.rows[0].evaluate(numbers) * abs(extent.pitches[0].evaluate(numbers)) // width)
    return Room(argument, size, max(0, size - filled), most)


def _buffer(contract: Contract, room: Room, value: object) -> Buffer:
    argument = room.argument
    if value is None and argument.read is not None:
        raise InputError(f"{contract.name}: give an array for `{argument.name}`")
    held = np.zeros(room.size, argument.dtype) if value is None else np.asarray(value).reshape(-1)
    if value is not None:
        _hold_to_contract(contract, room, held)
    if held.size > room.size:
        held = held[: room.size]
    elif held.size < room.size:
        held = np.concatenate([held, np.zeros(room.size - held.size, held.dtype)])
    writable = argument.write is not None
    return Buffer(argument.name, held, writable, readable_before=argument.under_read, readable_after=argument.over_read)


def _table(contract: Contract, argument: Argument, numbers: Mapping[str, int], given: Mapping[str, Any]) -> Buffer:
    """Return the array of pointers `argument`, which leads into one array at the bytes that are given."""
    rows = argument.rows
    assert rows is not None
    for name in (argument.name, rows.to.name):
        if name not in given:
            raise InputError(f"{contract.name}: give an array for `{name}`")
    if rows.to.write is not None or rows.less is not None or rows.to.read is None:
        raise InputError(f"{contract.name}: `{argument.name}` is no array of pointers that are only read through")
    target, offsets = np.asarray(given[rows.to.name]), np.asarray(given[argument.name]).reshape(-1)
    if target.dtype != rows.to.dtype:
        raise InputError(f"{contract.name}: `{rows.to.name}` holds {rows.to.dtype}, not {target.dtype}")
    count, length = rows.count.evaluate(numbers), rows.to.read.size.evaluate(numbers)
    if offsets.dtype.kind != "i" or offsets.size != count:
        raise InputError(f"{contract.name}: `{argument.name}` is {count} whole numbers with these numbers")
    if count and not (offsets.min() >= 0 and offsets.max() + length <= target.nbytes):
        raise InputError(f"{contract.name}: `{argument.name}` leads outside of the {target.nbytes} bytes")
    _hold_to_range(contract, rows.to, target)
    # Not by the name of the rows: the contract has each of them apart, with a gap that nothing may read.
    whole = Buffer(f"the rows of {argument.name}", target.reshape(-1), readable_after=rows.to.over_read)
    memory = np.zeros(contract.isa.pointer_bytes * count, np.uint8)
    return Buffer(argument.name, memory, pointers=(PointerField(0, whole, offsets.astype(np.int64)),))


def _hold_to_contract(contract: Contract, room: Room, held: Array) -> None:
    argument = room.argument
    if held.dtype != argument.dtype:
        raise InputError(f"{contract.name}: `{argument.name}` holds {argument.dtype}, not {held.dtype}")
    if not room.least <= held.size <= room.most:
        raise InputError(
            f"{contract.name}: `{argument.name}` has {held.size} elements; with these numbers it has {room.size}"
        )
    if argument.read is not None:
        _hold_to_range(contract, argument, held)


def _hold_to_range(contract: Contract, argument: Argument, held: Array) -> None:
    if argument.value_range is None or not held.size:
        return
    low, high = argument.value_range
    if not (low <= held.min() and held.max() <= high):
        raise InputError(f"{contract.name}: `{argument.name}` has elements outside of {low:g} to {high:g}")


def _hold_to_codes(contract: Contract, name: str, held: Array, codes: Sequence[int]) -> None:
    others = np.flatnonzero(~np.isin(held, codes))
    if others.size:
        what = f"{held[others[0]]} at element {others[0]}, which means nothing"
        raise InputError(f"{contract.name}: `{name}` has {what}; its values are {_spans(codes)}")


def _spans(codes: Sequence[int]) -> str:
    """Return numbers in words: 0 to 7, 16."""
    spans: list[list[int]] = []
    for code in sorted(codes):
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    return ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in spans)

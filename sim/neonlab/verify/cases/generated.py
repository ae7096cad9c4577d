"""Generate cases for a kernel that has only a contract: sizes and data within what the contract declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from neonlab.contract.header import Argument, Contract
from neonlab.verify.cases.case import Array, Case, DataSource, Shape
from neonlab.verify.cases.pitch import plain_numbers, with_pitches

#: Most bytes that a case touches, so that a wide range does not make the check slow.  Where the smallest case needs
#: more, the limit is twice its bytes; the smallest itself may need up to the second number.
_MAXIMUM_BYTES, _MAXIMUM_SMALLEST = 1 << 18, 1 << 26
#: Attempts without a new shape before the search ends; twice the number of shapes tried is added.
_FRUITLESS = 200
#: Bytes of a wide pitch: more than 16 bits hold.
_WIDE = (1 << 16) + 64
#: Part of the pointers of an array that lead to the contract's alternative target.
_ELSEWHERE = 0.25


def generated_shapes(contract: Contract, count: int, seed: int) -> list[Shape]:
    """Return up to `count` sets of integer arguments as shapes.

    The lowest comes first; then each argument in turn one step up, at 0 and below where allowed, and at its highest;
    then small and middling values at random.

    Pitches follow the sizes, as `with_pitches` chooses them; each also appears once as wide as allowed, or wider than
    16 bits hold.  Numbers that no size depends on take the ends of their range, values around 0, and random ones.
    """
    names = tuple(argument.name for argument in contract.integers)
    pitches, plain = ({a.name for a in few} for few in (contract.pitches, plain_numbers(contract)))
    arguments = [argument for argument in contract.integers if argument.name not in pitches | plain]
    numbers = [argument for argument in contract.integers if argument.name in plain]
    random = np.random.default_rng([seed, 2])
    lowest = tuple(_lowest(argument) for argument in arguments)
    reachable = list(zip(arguments, lowest, strict=True))
    wanted = [lowest]
    wanted += [
        tuple(_step(argument, low, 1) if i == j else low for j, (argument, low) in enumerate(reachable))
        for i in range(len(arguments))
    ]
    for i, argument in enumerate(arguments):
        wanted += [(*lowest[:i], end, *lowest[i + 1 :]) for end in _ends(argument)]
    found: dict[tuple[int, ...], None] = {}
    tried: set[tuple[int, ...]] = set()
    most, newest = _MAXIMUM_BYTES, 0
    for apart in _far_apart(contract, arguments, numbers, lowest):
        touched = _bytes(contract, apart)
        if touched is not None and touched <= _MAXIMUM_BYTES:
            found[tuple(apart[name] for name in names)] = None
    tried.update(found)
    for attempt in range(50 * count):
        if len(found) >= count or attempt - newest > _FRUITLESS + 2 * len(tried):
            break
        if attempt < len(wanted):
            sizes = wanted[attempt]
        else:
            reach = 2 + attempt // 4
            sizes = tuple(_step(argument, low, int(random.integers(reach))) for argument, low in reachable)
        some = {argument.name: value for argument, value in zip(arguments, sizes, strict=True)}
        some |= {argument.name: _number(argument, attempt, random) for argument in numbers}
        values = with_pitches(contract, some, attempt)
        if values is None or (key := tuple(values[name] for name in names)) in tried:
            continue
        tried.add(key)
        newest = attempt
        touched = _bytes(contract, values)
        if attempt == 0 and touched is not None and touched <= _MAXIMUM_SMALLEST:
            most = max(most, 2 * touched)
        if touched is not None and touched <= most:
            found[key] = None
    return [Shape(names, sizes) for sizes in found]


def _far_apart(
    contract: Contract, arguments: Sequence[Argument], numbers: Sequence[Argument], lowest: Sequence[int]
) -> Iterator[dict[str, int]]:
    """Yield small sizes of more than one row, each pitch in turn far wider than needed and the others tight."""
    some = {argument.name: _step(argument, low, 1) for argument, low in zip(arguments, lowest, strict=True)}
    some |= {argument.name: _lowest(argument) for argument in numbers}
    for argument in contract.pitches:
        low, high = (int(end) for end in argument.value_range or (0, 0))
        last = (high - low) // argument.step
        wide = low + argument.step * min(last, -(-(_WIDE - low) // argument.step))
        values = with_pitches(contract, {**some, argument.name: wide}, 0)
        if values is not None and wide > 0:
            yield values


def generated_case(contract: Contract, shape: Shape, pattern: str, seed: int) -> Case:
    """Return the case for one set of integer arguments.

    Raises ContractError where the contract does not allow them.
    """
    values = shape.values()
    contract.check_values(values)
    data = DataSource(pattern, seed, contract.name, str(shape), pattern)
    inputs, rows = generated_inputs(contract, values, data)
    return Case(shape, pattern, seed, values, inputs, {}, rows)


def generated_inputs(
    contract: Contract, values: Mapping[str, int], data: DataSource
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the `inputs` and `rows` of a Case: everything that the contract says is read, drawn from `data`."""
    inputs: dict[str, Array] = {}
    rows: dict[str, Array] = {}
    counts: dict[str, int] = {}  # number of elements of each struct field
    for argument in contract.by_name.values():
        if argument.fields:
            for one in argument.fields:
                counts[one.argument.name] = one.count
        elif argument.rows is not None:
            if argument.rows.or_to:
                count = max(0, argument.rows.count.evaluate(values))
                rows[argument.name] = np.where(data.random.random(count) < _ELSEWHERE, -1, np.arange(count))
        elif argument.is_pointer:
            if argument.read is not None:
                size = max(0, argument.read.evaluate(values))
                inputs[argument.name] = data.array(argument, (size // argument.dtype.itemsize,))
        elif argument.ctype.kind == "float" or argument.name in counts.keys() - values.keys():
            count = counts.get(argument.name, 1)
            array = data.array(argument, (count,))
            inputs[argument.name] = array if count > 1 else array.reshape(())
    return inputs, rows


def _lowest(argument: Argument) -> int:
    low, high = argument.value_range or (0, 0)
    return int(low) if low > 0 or high < 1 else int(max(low, min(1, high)) if argument.step == 1 else low)


def _ends(argument: Argument) -> list[int]:
    """Return the ends of an argument's range, and 0 if the range holds it."""
    low, high = (int(end) for end in argument.value_range or (0, 0))
    highest = low + (high - low) // argument.step * argument.step
    return [low, *([0] if low < 0 <= high and low % argument.step == 0 else []), highest]


def _step(argument: Argument, low: int, steps: int) -> int:
    high = int(argument.value_range[1]) if argument.value_range else low
    return low + argument.step * min(steps, (high - low) // argument.step)


def _number(argument: Argument, attempt: int, random: np.random.Generator) -> int:
    """Return an end of the range, a value next to 0, or a random one, chosen by `attempt`."""
    low, high = (int(end) for end in argument.value_range or (0, 0))
    last = (high - low) // argument.step
    near = [min(max(0, -(-(value - low) // argument.step)), last) for value in (0, 1)]
    chosen = [*near, last, 0, int(random.integers(last + 1))]
    return low + argument.step * chosen[attempt if attempt < 4 else int(random.integers(5))]


def _bytes(contract: Contract, values: Mapping[str, int]) -> int | None:
    """Return the bytes of all buffers together; None where a size is negative or rows that are written overlap."""
    extents = [extent for a in contract.pointers for extent in (a.read, a.write) if extent is not None]
    if any(extent.evaluate(values) < 0 for extent in extents):
        return None
    total = sum(argument.span(values) for argument in contract.pointers)
    if total > 2 * _MAXIMUM_SMALLEST:  # too many in any case, and perhaps too many rows to compare
        return total
    if any(a.write is not None and a.write.rows and a.write.overlaps(values) for a in contract.pointers):
        return None
    return total

"""Generate cases for a kernel that has only a contract: data within what the contract declares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from neonlab.contract.header import Contract
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array, Case, DataSource

#: Part of the pointers of an array that lead to the contract's alternative target.
_ELSEWHERE = 0.25


def generated_case(contract: Contract, shape: Shape, pattern: str, seed: int) -> Case:
    """Return the case for one set of integer arguments.

    Raises ContractError where the contract does not allow them.
    """
    values = shape.values()
    contract.check_values(values)
    data = DataSource(pattern, seed, contract.name, str(shape), pattern, any_size=True)
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
        if contract.filled_from(argument.name) != argument.name:
            continue
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
                shape = (size // argument.dtype.itemsize,)
                # A few floats whose number no size changes are scales or limits.
                draw = data.values if argument.dtype.kind == "f" and not argument.read.names else data.array
                inputs[argument.name] = draw(argument, shape)
        elif argument.ctype.kind == "float" or argument.name in counts.keys() - values.keys():
            count = counts.get(argument.name, 1)
            array = data.values(argument, (count,))
            inputs[argument.name] = array if count > 1 else array.reshape(())
    return inputs, rows

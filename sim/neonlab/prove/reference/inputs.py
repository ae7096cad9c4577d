"""Make the symbolic arrays that stand for every input that a contract allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from neonlab.contract.header import Argument, Contract
from neonlab.prove.expressions.operation import Operation
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.reference.array import symbolic
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import INT64, SINGLE, Plain, Span, SymbolValue, constant
from neonlab.prove.refusal import Refusal
from neonlab.verify.cases.case import Array, Case

_BITS = (1 << 32) - 1


def symbolic_inputs(
    table: ExpressionTable, contract: Contract, case: Case, held: frozenset[str] = frozenset()
) -> tuple[dict[str, Array], dict[str, Ids]]:
    """Return the case's inputs with a symbol for each element, and the nodes of these, in each array's order and shape.

    An integer element lies within the argument's declared range, or else within its type.  A float32 element is the
    number of its bits; its range is kept beside.  Arrays named in `held` keep the case's values, and are not among the
    nodes.  Raises Refusal for types that nodes do not hold.
    """
    symbols = Symbols(table)
    arrays, elements = {}, {}
    for name, array in case.inputs.items():
        if name in held:
            arrays[name] = symbolic(constant(symbols, array))
            continue
        value = _symbols_for(symbols, contract.by_name.get(name), name, array)
        # A copy of the nodes: nothing that the reference does to the array changes it.
        arrays[name], elements[name] = symbolic(value), value.ids.copy()
    return arrays, elements


def _symbols_for(symbols: Symbols, argument: Argument | None, name: str, array: Plain) -> SymbolValue:
    declared = argument.value_range if argument is not None else None
    table, first = symbols.table, symbols.table.inputs
    span = None
    if array.dtype == SINGLE:
        span = Span(*(float(np.float32(end)) for end in declared)) if declared else Span(np.nan, np.nan)
        low, high = 0, _BITS
        if declared and declared[0] > 0:  # of floats above 0 the bits are in their order
            low, high = np.array([span.low, span.high], np.float32).view(np.uint32).tolist()
    elif array.dtype.kind in "iu" and array.dtype.itemsize <= INT64.itemsize // 2:
        info: Any = np.iinfo(array.dtype)
        low, high = (int(end) for end in declared or (info.min, info.max))
    else:
        raise Refusal(f"the input `{name}` has elements of {array.dtype}", (name,))
    numbers = np.ascontiguousarray(array).reshape(-1)
    values = (numbers.view(np.uint32) if array.dtype == SINGLE else numbers).astype(np.int64)
    finite = (span.low, span.high) if span is not None and np.isfinite([span.low, span.high]).all() else None
    ids = table.elements(array.size, low, high, values, finite).reshape(array.shape)
    symbols.sources.append((name, first, table.inputs))
    return SymbolValue(symbols, ids, array.dtype, span)


def input_values(table: ExpressionTable, elements: Mapping[str, Ids], inputs: Mapping[str, Array]) -> Plain:
    """Return the value of each input element of the table, int64 [element]; 0 for elements of other arrays.

    `elements` are nodes of arrays by name; those that are numbers have no element.
    """
    values = np.zeros(table.inputs, np.int64)
    for name, ids in elements.items():
        rows = table.nodes[ids.reshape(-1)]
        numbers = np.ascontiguousarray(inputs[name]).reshape(-1)
        numbers = numbers.view(np.uint32) if numbers.dtype == SINGLE else numbers
        symbolic_ones = rows["operation"] == Operation.INPUT
        values[rows["amount"][symbolic_ones]] = numbers[symbolic_ones]
    return values

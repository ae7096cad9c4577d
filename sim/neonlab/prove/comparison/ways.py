"""Follow steps of forms on intervals of the values of a part, in compiled code: whether they rise or fall there.

The way of a float is that in the order of floats, with -0 below +0.  As integers the bits of floats above 0 are in that
order too, and of those below 0 in the opposite one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonlab.emulate.native import lean as compiled
from neonlab.emulate.native import native_call
from neonlab.prove.expressions.evaluate import value_of
from neonlab.prove.expressions.operation import (
    DIVIDE,
    FLOAT_ADD,
    FLOAT_DIVIDE,
    FLOAT_FLUSH,
    FLOAT_LESS,
    FLOAT_MAXIMUM,
    FLOAT_MINIMUM,
    FLOAT_MULTIPLY,
    FLOAT_OF,
    FLOAT_ROUND,
    FLOAT_SUBTRACT,
    INTEGER_OF,
    MAXIMUM,
    MINIMUM,
    NEGATIVE,
    SELECT,
    SHIFT_BY,
    SHIFT_RIGHT,
    WRAP,
    ZERO,
)

#: How a function changes on an interval: it is constant, or rises, or falls; or that is not known.
CONSTANT, RISES, FALLS, UNKNOWN = 0, 1, -1, 2
_SIGN, _INFINITY, _BITS = 1 << 31, 0x7F800000, (1 << 32) - 1

#: Steps that are no operation on results x, y and z: a number, x times `amount` plus a number, a sum of links (a result
#: and a factor each), a product, bits of a float as a number, a number as a float, and entry x of those linked.
NUMBER, SCALED, SUM_OF, PRODUCT, TO_NUMBER, TO_FLOAT, LOOK_UP = range(100, 107)
STEP = np.dtype(
    [
        ("operation", np.int64),
        ("x", np.int64),
        ("y", np.int64),
        ("z", np.int64),
        ("amount", np.int64),
        ("value", np.int64),  # the number
        ("first", np.int64),  # of `count` links
        ("count", np.int64),
        ("is_float", np.int64),
    ]
)


@compiled
def _turned(way: int) -> int:
    return way if way == UNKNOWN else -way


@compiled
def _both(one: int, other: int) -> int:
    """Return the way of what rises with both, as a sum does."""
    if one == CONSTANT:
        return other
    return one if other in (CONSTANT, one) else UNKNOWN


@compiled
def _is_number(bits: int) -> bool:
    return (bits & (_SIGN - 1)) <= _INFINITY


@compiled
def _is_finite(bits: int) -> bool:
    return (bits & (_SIGN - 1)) < _INFINITY


@compiled
def _in_other_order(low: int, high: int, way: int) -> int:
    """Return the way of a float as a number, or that of a number as a float: they differ by the sign."""
    if way == CONSTANT:
        return CONSTANT
    if low < 0 or high < 0 or low > _BITS or high > _BITS or (low < _SIGN) != (high < _SIGN):
        return UNKNOWN
    return way if low < _SIGN else _turned(way)


@compiled
def _of_product(low_x: int, way_x: int, low_y: int, way_y: int) -> int:
    """Return the way of a product: with a number, it rises or falls with the other operand."""
    if way_y == CONSTANT:
        return _turned(way_x) if low_y < 0 else way_x
    if way_x == CONSTANT:
        return _turned(way_y) if low_x < 0 else way_y
    return UNKNOWN


@compiled
def _of_extreme(step: Any, low: Any, high: Any, way: Any) -> int:
    """Return the way of the smaller or the greater of two: where one is that everywhere, its own."""
    x, y = step.x, step.y
    if way[x] != UNKNOWN and way[y] != UNKNOWN:
        low_x, high_x = min(low[x], high[x]), max(low[x], high[x])
        low_y, high_y = min(low[y], high[y]), max(low[y], high[y])
        if step.operation == MINIMUM:
            low_x, high_x, low_y, high_y = -high_x, -low_x, -high_y, -low_y
        if low_y >= high_x:
            return int(way[y])
        if low_x >= high_y:
            return int(way[x])
    return _both(way[x], way[y])


@compiled
def _of_numbers(step: Any, low: Any, high: Any, way: Any, least: int, most: int) -> int:
    """Return the way of an operation whose result is a number, `least` at the low end and `most` at the high one."""
    operation, x, y, z = step.operation, step.x, step.y, step.z
    if way[x] == CONSTANT and way[y] == CONSTANT and way[z] == CONSTANT:
        return CONSTANT
    if operation in (SHIFT_RIGHT, INTEGER_OF):
        return int(way[x])
    if operation in (MINIMUM, MAXIMUM):
        return _of_extreme(step, low, high, way)
    if operation == NEGATIVE:
        return _turned(way[x])
    if operation == ZERO:  # 0 as long as x stays on one side
        beside = min(low[x], high[x]) > 0 or max(low[x], high[x]) < 0
        return CONSTANT if way[x] != UNKNOWN and beside else UNKNOWN
    if operation == WRAP:  # as long as the same multiple of the lane's size is taken
        return int(way[x]) if low[x] - least == high[x] - most else UNKNOWN
    if operation == SELECT:
        return int(way[y] if low[x] != 0 else way[z]) if way[x] == CONSTANT else UNKNOWN
    if operation == SHIFT_BY:
        return int(way[x]) if way[y] == CONSTANT else UNKNOWN
    if operation == DIVIDE:
        return int(way[x]) if way[y] == CONSTANT and low[y] > 0 else UNKNOWN
    if operation == FLOAT_LESS:
        return _both(_turned(way[x]), way[y])
    return UNKNOWN


@compiled
def _of_floats(step: Any, low: Any, way: Any) -> int:
    """Return the way of an operation whose result is a float.

    Of the operands of arithmetic all but one must be constant and finite: then nothing between the ends is no number
    that is one at the ends.
    """
    operation, x, y, z = step.operation, step.x, step.y, step.z
    if operation in (FLOAT_OF, FLOAT_ROUND, FLOAT_FLUSH):
        return int(way[x])
    if operation in (FLOAT_MINIMUM, FLOAT_MAXIMUM):
        return _both(way[x], way[y])
    fixed_x = way[x] == CONSTANT and _is_finite(low[x])
    fixed_y = way[y] == CONSTANT and _is_finite(low[y])
    if operation == FLOAT_ADD:
        return _both(way[x], way[y]) if fixed_x or fixed_y else UNKNOWN
    if operation == FLOAT_SUBTRACT:
        return _both(way[x], _turned(way[y])) if fixed_x or fixed_y else UNKNOWN
    by_y = _turned(way[x]) if low[y] >= _SIGN else way[x]
    if operation == FLOAT_DIVIDE:
        return int(by_y) if fixed_y and low[y] & (_SIGN - 1) != 0 else UNKNOWN
    by_x = _turned(way[y]) if low[x] >= _SIGN else way[y]
    product = UNKNOWN
    if fixed_y:
        product = int(by_y)
    elif fixed_x:
        product = int(by_x)
    if operation == FLOAT_MULTIPLY:
        return product
    fixed_z = way[z] == CONSTANT and _is_finite(low[z])
    return _both(product, way[z]) if fixed_z or (fixed_x and fixed_y) else UNKNOWN


@compiled
def _value(step: Any, links: Any, values: Any, bits: Any, singles: Any) -> Any:
    """Return the result of a step from the values of those before."""
    operation, x = step.operation, step.x
    if operation == NUMBER:
        return step.value
    if operation == SCALED:
        return values[x] * step.amount + step.value
    if operation == SUM_OF:
        total = 0
        for link in range(step.first, step.first + step.count):
            total += values[links[link, 0]] * links[link, 1]
        return total
    if operation == PRODUCT:
        return values[x] * values[step.y]
    if operation in (TO_NUMBER, TO_FLOAT):
        return values[x]
    if operation == LOOK_UP:
        index = values[x] - step.amount
        return values[links[step.first + index, 0]] if 0 <= index < step.count else 0
    return value_of(step, values, values, bits, singles)


@compiled
def _way(step: Any, links: Any, low: Any, high: Any, way: Any, at: int) -> int:
    """Return the way of result `at`, whose values at both ends are known."""
    operation, x = step.operation, step.x
    found = UNKNOWN
    if operation == NUMBER:
        found = CONSTANT
    elif operation == SCALED:
        found = int(way[x]) if step.amount > 0 else _turned(way[x])
    elif operation == SUM_OF:
        found = CONSTANT
        for link in range(step.first, step.first + step.count):
            one = way[links[link, 0]]
            found = _both(found, one if links[link, 1] > 0 else _turned(one))
    elif operation == PRODUCT:
        found = _of_product(low[x], way[x], low[step.y], way[step.y])
    elif operation == TO_NUMBER:
        return _in_other_order(low[x], high[x], way[x])
    elif operation == TO_FLOAT:
        return _in_other_order(low[x], high[x], way[x]) if _is_number(low[x]) and _is_number(high[x]) else UNKNOWN
    elif operation == LOOK_UP:
        index = low[x] - step.amount
        if way[x] == CONSTANT:
            found = int(way[links[step.first + index, 0]]) if 0 <= index < step.count else CONSTANT
    elif step.is_float == 0:
        found = _of_numbers(step, low, high, way, low[at], high[at])
    elif _is_number(low[at]) and _is_number(high[at]):
        found = _of_floats(step, low, way)
    return CONSTANT if found != UNKNOWN and low[at] == high[at] else int(found)


@compiled
def _point(steps: Any, links: Any, value: int, values: Any, bits: Any, singles: Any) -> None:
    """Store all results for a value of the part."""
    values[0] = value
    for at in range(len(steps)):
        values[at + 1] = _value(steps[at], links, values, bits, singles)


@native_call
def follow(steps: Any, links: Any, lows: Any, highs: Any, targets: Any, bits: Any, singles: Any, found: Any) -> None:
    """Store the values of the targets at the low and the high end of each interval, and the way between."""
    low, high = np.zeros(len(steps) + 1, np.int64), np.zeros(len(steps) + 1, np.int64)
    way = np.zeros(len(steps) + 1, np.int64)
    for interval in range(len(lows)):
        _point(steps, links, lows[interval], low, bits, singles)
        _point(steps, links, highs[interval], high, bits, singles)
        way[0] = CONSTANT if low[0] == high[0] else RISES
        for at in range(len(steps)):
            way[at + 1] = _way(steps[at], links, low, high, way, at + 1)
        for target in range(len(targets)):
            at = targets[target]
            found[0][target, interval], found[1][target, interval] = low[at], high[at]
            found[2][target, interval] = way[at]


@native_call
def differ_between(
    steps: Any, links: Any, lows: Any, highs: Any, targets: Any, bits: Any, singles: Any, most: int, found: Any
) -> None:
    """Look for a value at which two targets differ, where each rises or falls and they are equal at both ends.

    `found` is whether there is one, the value, and how many were looked at, which are no more than `most`.  What has
    one value at both ends has it everywhere between, and the middle divides any other interval.
    """
    values, left = np.zeros(len(steps) + 1, np.int64), np.zeros((64, 4), np.int64)  # ends, and the values there
    one, other = targets[0], targets[1]
    for interval in range(len(lows)):
        for end in range(2):
            left[0, end] = lows[interval] if end == 0 else highs[interval]
            _point(steps, links, left[0, end], values, bits, singles)
            left[0, end + 2] = values[one]
        depth = 1
        while depth > 0:
            depth -= 1
            low, high, at_low, at_high = left[depth]
            if at_low == at_high or high - low < 2:
                continue
            if found[2] >= most:
                return
            middle = low + (high - low) // 2
            _point(steps, links, middle, values, bits, singles)
            found[2] += 1
            if values[one] != values[other]:
                found[0], found[1] = 1, middle
                return
            left[depth, 1], left[depth, 3] = middle, values[one]
            left[depth + 1, 0], left[depth + 1, 1] = middle, high
            left[depth + 1, 2], left[depth + 1, 3] = values[one], at_high
            depth += 2

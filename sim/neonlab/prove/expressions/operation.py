"""Name the operations of expressions over a call's input elements.

The value of every expression is an integer.  A float is the integer that its bits are, 0 or more: so bits that move
between float and integer arithmetic keep their expression.
"""

from __future__ import annotations

import enum

#: Intervals end here: a float64 tells whether a result lies beyond.  Such an end says nothing about its side.
LIMIT = (1 << 63) - (1 << 10)


class Operation(enum.IntEnum):
    """The operation of a node; `x`, `y` and `z` are its operands, `amount` a number."""

    CONSTANT = 0  # amount
    INPUT = 1  # input element number `amount`
    # Ring operations, which canonical forms multiply out.
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    SCALE = 5  # x times amount
    # All others are atoms of polynomials.
    SHIFT_RIGHT = 6  # floor of x / 2**amount
    MINIMUM = 7
    MAXIMUM = 8
    WRAP = 9  # the number of a lane of `amount >> 1` bits, signed if amount & 1, that equals x modulo its size
    NEGATIVE = 10  # 1 if x < 0, else 0
    ZERO = 11  # 1 if x = 0, else 0
    SELECT = 12  # y if x is not 0, else z
    AND = 13  # of the two's complements of x and y
    OR = 14
    EXCLUSIVE_OR = 15
    SHIFT_BY = 16  # floor of x * 2**y, rounded up from the half where amount is 1
    ENTRY = 17  # entry y of the table that begins at node x, of `amount` nodes; 0 outside of it
    DIVIDE = 18  # x / y, truncated toward 0
    # Arithmetic on the bits of float32.
    FLOAT_ADD = 32
    FLOAT_SUBTRACT = 33
    FLOAT_MULTIPLY = 34
    FLOAT_DIVIDE = 35
    FLOAT_FUSED = 36  # x * y + z, rounded once
    FLOAT_MINIMUM = 37
    FLOAT_MAXIMUM = 38
    FLOAT_OF = 39  # float32 of the integer x, to the nearest, ties to even
    FLOAT_ROUND = 40  # float32 x to a whole number as float32; amount is a Rounding
    INTEGER_OF = 41  # float32 x to int32, or to uint32 where amount is + 8; clamped; amount is a Rounding
    FLOAT_LESS = 42  # 1 if x < y
    FLOAT_EQUAL = 43
    FLOAT_FLUSH = 44  # x, or the zero of its sign where x is a denormal
    # A polynomial without operands: see `neonlab.prove.expressions.sums`.
    SUM = 48


class Rounding(enum.IntEnum):
    """The direction in which a float is rounded to a whole number."""

    EVEN = 0  # to the nearest, ties to even
    AWAY = 1  # to the nearest, ties away from 0
    TRUNCATE = 2
    DOWN = 3
    UP = 4


#: Names for compiled code, where an enum costs time to compile.
CONSTANT, INPUT, ADD, SUBTRACT, MULTIPLY, SCALE = (int(one) for one in list(Operation)[:6])
SHIFT_RIGHT, MINIMUM, MAXIMUM, WRAP, NEGATIVE, ZERO, SELECT = (int(one) for one in list(Operation)[6:13])
AND, OR, EXCLUSIVE_OR, SHIFT_BY, ENTRY, DIVIDE = (int(one) for one in list(Operation)[13:19])
FLOAT_ADD, FLOAT_SUBTRACT, FLOAT_MULTIPLY, FLOAT_DIVIDE, FLOAT_FUSED = (int(one) for one in list(Operation)[19:24])
FLOAT_MINIMUM, FLOAT_MAXIMUM, FLOAT_OF, FLOAT_ROUND, INTEGER_OF = (int(one) for one in list(Operation)[24:29])
FLOAT_LESS, FLOAT_EQUAL, FLOAT_FLUSH = (int(one) for one in list(Operation)[29:32])
SUM = int(Operation.SUM)

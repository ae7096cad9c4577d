"""Write the value of a general register as a linear form, for all sizes and all passes of a loop at once.

A form is number + k * (blocks) + t * (passes), plus the address of one buffer or none.  Blocks are those by which the
size exceeds that of the run that is followed, passes those of the loop that were made before.  A register holds its
form modulo its size.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple


class Unknown(enum.Enum):
    """Say of a register without a form if it holds data or anything else."""

    DATA = "data"  # what was loaded or computed from elements
    JUNK = "junk"  # what nobody set, or what differs from pass to pass


class Form(NamedTuple):
    """The value number + k * blocks + t * passes + the address named `base`; "" is none."""

    number: int
    k: int = 0
    t: int = 0
    base: str = ""

    @property
    def is_number(self) -> bool:
        """Tell whether the value is the same whatever the size, the pass and the addresses."""
        return not (self.k or self.t or self.base)

    def plus(self, other: Form) -> Form | None:
        """Return the sum; None for a sum of two addresses."""
        if self.base and other.base:
            return None
        return Form(self.number + other.number, self.k + other.k, self.t + other.t, self.base or other.base)

    def minus(self, other: Form) -> Form | None:
        """Return the difference, of two addresses only within one buffer."""
        if other.base and other.base != self.base:
            return None
        base = "" if other.base else self.base
        return Form(self.number - other.number, self.k - other.k, self.t - other.t, base)

    def times(self, factor: int) -> Form | None:
        """Return the form times a number; None for a multiple of an address."""
        if self.base and factor != 1:
            return None
        return Form(self.number * factor, self.k * factor, self.t * factor, self.base)


Value = Form | Unknown


@dataclass(frozen=True, slots=True)
class Region:
    """The pairs of blocks and passes for which something is shown: a polygon, by its corners."""

    corners: tuple[tuple[int, int], ...]

    @staticmethod
    def of_passes(first: int, last: int, passes: int, growth: int) -> Region:
        """Return blocks from `first` to `last`, with all passes of a loop that has `passes` + growth * blocks of them.

        There is at least one pass for each number of blocks.
        """
        corners = [(k, t) for k in (first, last) for t in (0, passes - 1 + growth * k)]
        return Region(tuple(corners))

    @staticmethod
    def outside(first: int, last: int) -> Region:
        """Return blocks from `first` to `last`, where no loop is followed."""
        return Region(((first, 0), (last, 0)))

    def ends(self, form: Form) -> tuple[int, int]:
        """Return the least and the greatest value of a form without an address: a linear form has them at corners."""
        found = [form.number + form.k * k + form.t * t for k, t in self.corners]
        return min(found), max(found)

    def placed(self, form: Form, lowest: int, bits: int) -> Form | None:
        """Return the form moved by a multiple of 2**bits so that it lies in [lowest, lowest + 2**bits); None if none.

        Such a form is what the register holds, not only modulo its size.
        """
        if form.base:
            return None
        low, _ = self.ends(form)
        moved = form._replace(number=form.number - ((low - lowest) >> bits << bits))
        return moved if self.ends(moved)[1] < lowest + (1 << bits) else None

"""Find sizes at which a kernel's code decides otherwise, by running it.

Constants in the code name most sizes at which it does, but not all: 1005 may be compared as n - 1000 with 5, in blocks
of 16, or modulo 64.  So the numbers that are compared are looked at as they are.  As a size grows in equal steps, the
difference of the two grows in equal steps too, or its growth does where sizes are multiplied; then the size is known
at which it is 0.  That size and its neighbours are run, and what it is modulo a power of two further on.  Where a
comparison comes out as it did in no run before, the search goes on from there, since what is compared behind it is seen
then.  Where reachable code has not run in the end, sizes are tried one after another.

A size that is too large for the search is kept apart, and the checks try it where that is cheap.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neonlab.emulate.run import Fault
from neonlab.errors import InputError
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.sizes import FEW, Dimension, Role
from neonlab.verify.cases.space import Space

if TYPE_CHECKING:
    from neonlab.emulate.hooks.first_values import FirstValuesProbe
    from neonlab.emulate.machine import Machine
    from neonlab.isa.comparisons import Comparison

#: Most runs of the search, and most further ones where reachable code has not run.
_RUNS, _MORE_RUNS = 80, 400
#: The same of a kernel with one size, how many sizes one after another are tried where code has
#: not run, and how many from each at which a comparison turned.
_MORE_RUNS_OF_ONE, _IN_A_ROW, _BEHIND = 2400, 1024, 256
#: Most comparisons of a function whose outcomes are looked at in pairs.
_MOST_PAIRED = 12
#: Runs that fail before the search ends: the checks will tell of them.
_MOST_FAILED = 8
#: Most work of a run, in multiply-accumulates or bytes.
_WORK = 1 << 15
#: Distances of three sizes whose comparisons are held against each other: in the second, all remainders stay.
_DISTANCES = (1, 64)
#: Largest size that is looked at.
_LARGEST = 1 << 14
#: Largest size beyond it that is told, most of them, and most work of a shape of one.
_FARTHEST, _MOST_FAR, _FAR_WORK = 1 << 26, 24, 1 << 22
#: What a masked size may be taken modulo: a size behind is tried so much further on.
_PERIODS = (16, 64, 256)
#: Size from which the search begins, where the contract allows it.
_BEGIN = 3

#: The data of all runs: sizes decide, whatever they are.
_PATTERN, _SEED = "random", 1


@dataclass(frozen=True, slots=True)
class _Look:
    """Hold what a run showed: the differences of its comparisons when they were first made, by address.

    `pairs` tells whether two comparisons that come out so together count as what was not seen before.
    """

    differences: dict[int, int]
    pairs: bool

    @property
    def outcomes(self) -> frozenset[tuple[int, ...]]:
        """Return the comparisons with the sign of their difference, one by one and as pairs."""
        alone = [(address, (one > 0) - (one < 0)) for address, one in sorted(self.differences.items())]
        together = itertools.combinations(alone, 2) if self.pairs else ()
        return frozenset((*alone, *((*one, *other) for one, other in together)))


class _Runs:
    """Runs shapes of a kernel, each once, and keeps what was seen."""

    def __init__(
        self, kernel: Kernel, space: Space, comparisons: Sequence[Comparison], machine: Machine,
        probe: FirstValuesProbe,
    ) -> None:  # fmt: skip
        self._kernel, self._space, self._comparisons = kernel, space, comparisons
        self._machine, self._probe = machine, probe
        self._known: dict[tuple[int, ...], _Look | None] = {}
        self.executed: set[int] = set()
        lengths = sum(one.role is Role.LENGTH for one in space.dimensions)
        self._pairs = len(comparisons) <= _MOST_PAIRED
        self._most = _RUNS + (_MORE_RUNS_OF_ONE if lengths <= 1 else _MORE_RUNS)
        self._count = self._failed = 0
        self._unrun = -1, False  # as of so many addresses that ran

    def look(self, sizes: tuple[int, ...]) -> _Look | None:
        """Return what the shape of these sizes shows; None where it is not allowed, is much work, or fails."""
        if sizes not in self._known:
            if self._failed >= _MOST_FAILED or self._count >= self._most:
                return None
            self._known[sizes] = self._looked(sizes)
        return self._known[sizes]

    def shape(self, sizes: tuple[int, ...]) -> Shape | None:
        """Return the allowed shape of these sizes, if it is little work."""
        placed = self._space.place(sizes)
        return placed.shape if placed is not None and placed.work <= _WORK else None

    def _looked(self, sizes: tuple[int, ...]) -> _Look | None:
        from neonlab.verify.check_case import run_case

        shape = self.shape(sizes)
        if shape is None:
            return None
        self._count += 1
        try:
            outcome = run_case(self._machine, self._space.contract, self._case(shape))
        except InputError:  # of the operator
            outcome = None
        if outcome is None or isinstance(outcome, Fault):
            self._failed += 1
            return None
        self.executed.update(self._probe.executed.tolist())
        found = {}
        for one in self._comparisons:
            held = self._probe.values(one.address)
            if held is not None and (difference := one.difference(held)) is not None:
                found[one.address] = difference
        return _Look(found, self._pairs)

    def _case(self, shape: Shape) -> Case:
        kernel = self._kernel
        if kernel.operator is None:
            return generated_case(kernel.contract, shape, _PATTERN, _SEED)
        return kernel.operator.case(kernel.contract, shape, _PATTERN, _SEED, compared=False)

    @property
    def may_go_on(self) -> bool:
        """Tell whether there may be further runs: some, and more where code has not run."""
        if self._failed >= _MOST_FAILED or self._count >= self._most:
            return False
        return self._count < _RUNS or self.unrun

    @property
    def unrun(self) -> bool:
        """Tell whether code that can be reached from what ran did not run."""
        if self._unrun[0] != len(self.executed):
            by_address = kernel_program(self._kernel).by_address
            ran = [by_address[address] for address in self.executed if address in by_address]
            behind = {after for one in ran for after in one.next_addresses} - self.executed
            found = any(after in by_address and by_address[after].mnemonic != "nop" for after in behind)
            self._unrun = len(self.executed), found
        return self._unrun[1]


def turning_shapes(kernel: Kernel) -> tuple[Shape, ...]:
    """Return shapes of little work at which comparisons come out as at no other that was run, in the order found.

    There are none of a kernel that does not assemble, or that has no length.
    """
    return _turning(_Asked(kernel))[0]


def far_turning_shapes(kernel: Kernel) -> tuple[Shape, ...]:
    """Return shapes with one large size at or next to which a comparison should come out equal; they were not run."""
    return _turning(_Asked(kernel))[1]


class _Asked:
    """A kernel; equal to another of the same code with the same contract and operator."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._key = code_digest(kernel), kernel.operator, repr(kernel.contract)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)


@functools.lru_cache(maxsize=8)
def _turning(asked: _Asked) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
    # The process that plans a kernel without such sizes needs no emulator.
    from neonlab.emulate.hooks.first_values import FirstValuesProbe
    from neonlab.emulate.machine import Machine
    from neonlab.isa.comparisons import comparisons_of

    kernel = asked.kernel
    space = Space(kernel.contract, kernel.operator)
    if space.least is None or not any(d.role is Role.LENGTH and d.count > FEW for d in space.dimensions):
        return (), ()
    try:
        program = kernel_program(kernel)
    except InputError:
        return (), ()
    comparisons = comparisons_of(program.instructions)
    probe = FirstValuesProbe(program, {one.address: one.registers for one in comparisons})
    with Machine(program, probes=(probe,)) as machine:
        runs = _Runs(kernel, space, comparisons, machine, probe)
        turning, far = _searched(runs, space)
        near = [runs.shape(sizes) for sizes in turning]
    cheap = [placed.shape for placed in map(space.place, far) if placed is not None and placed.work <= _FAR_WORK]
    return tuple(dict.fromkeys(shape for shape in near if shape is not None)), tuple(dict.fromkeys(cheap))[:_MOST_FAR]


def _searched(runs: _Runs, space: Space) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the sizes at which a comparison turned, and the larger ones at which it should."""
    assert space.least is not None
    begin = tuple(max(low, d.at_least(_BEGIN)) for d, low in zip(space.dimensions, space.least, strict=True))
    outcomes: set[tuple[int, ...]] = set()
    turning: list[tuple[int, ...]] = []
    far: list[tuple[int, ...]] = []
    waiting: deque[tuple[int, ...]] = deque()
    further: deque[tuple[int, ...]] = deque()

    def visit(sizes: tuple[int, ...]) -> None:
        look = runs.look(sizes)
        if look is not None and not look.outcomes <= outcomes:
            outcomes.update(look.outcomes)
            turning.append(sizes)
            waiting.append(sizes)

    for first in dict.fromkeys((space.least, begin)):
        visit(first)
    while (waiting or further) and runs.may_go_on:
        if not waiting:
            visit(further.popleft())
            continue
        base = waiting.popleft()
        for at, dimension in enumerate(space.dimensions):
            if dimension.count <= FEW or dimension.role is Role.NUMBER:
                continue
            roots = sorted(_roots(runs, base, at, dimension))
            near = [root + more for root in roots for more in (-dimension.step, 0, dimension.step)]
            for size in sorted(set(dimension.near(near))):
                if 0 <= size <= _LARGEST:
                    visit(_with(base, at, size))
                elif size <= _FARTHEST and base == space.least:
                    far.append(_with(base, at, size))
            again = {root + -((root - base[at]) // period) * period for root in roots for period in _PERIODS}
            further.extend(
                _with(base, at, size) for size in sorted(set(dimension.near(again))) if base[at] < size <= _LARGEST
            )
    # A condition behind another that holds from some size on is met from there.
    rows = ((space.least, True), (begin, True), *((sizes, False) for sizes in turning))
    for sizes in itertools.chain.from_iterable(_in_a_row(space, base, first) for base, first in rows):
        if not (runs.unrun and runs.may_go_on):
            break
        visit(sizes)
    return turning, far


def _roots(runs: _Runs, base: tuple[int, ...], at: int, dimension: Dimension) -> set[int]:
    """Return the sizes about which a comparison should come out equal, by what it does at the first ones from `base`.

    The other sizes are those of `base`.
    """
    found = set[int]()
    for distance in _DISTANCES:
        step = distance * dimension.step
        for count in (3, 4):  # where the growth grows, a fourth shows whether it does so in equal steps
            looks = [runs.look(_with(base, at, base[at] + number * step)) for number in range(count)]
            seen = [look.differences for look in looks if look is not None]
            if len(seen) < count:
                break
            zeros = [_zeros([one[address] for one in seen]) for address in set.intersection(*map(set, seen))]
            found.update(base[at] + zero * step for some in zeros for zero in some or ())
            if None not in zeros:
                break
    return found


def _zeros(values: Sequence[int]) -> list[int] | None:
    """Return where a sequence that begins with `values` is about 0: the whole numbers next to it.

    Three values tell it of one that grows in equal steps; return None for another.  Four tell it of one whose growth
    does too; else there are none.
    """
    first, grows = values[0], values[1] - values[0]
    bend = values[2] - 2 * values[1] + first
    if not bend:
        return [-first // grows, -(first // grows)] if grows else []
    if len(values) < 4:
        return None
    if values[3] - 2 * values[2] + values[1] != bend:
        return []
    # bend k^2 + (2 grows - bend) k + 2 first = 0
    linear, below = 2 * grows - bend, (2 * grows - bend) ** 2 - 8 * bend * first
    if below < 0:
        return []
    root = math.isqrt(below)
    return sorted({(-linear + sign * root) // (2 * bend) + more for sign in (-1, 1) for more in (0, 1)})


def _in_a_row(space: Space, base: tuple[int, ...], first: bool) -> Iterator[tuple[int, ...]]:
    """Yield the base with each length in turn of all sizes from the `first` or from its own, the smallest first."""
    for at, dimension in enumerate(space.dimensions):
        if dimension.role is Role.LENGTH and dimension.count > FEW:
            low, count = (dimension.base, _IN_A_ROW) if first else (base[at], _BEHIND)
            for size in range(low, min(dimension.high, low + count * dimension.step) + 1, dimension.step):
                yield _with(base, at, size)


def _with(sizes: tuple[int, ...], at: int, size: int) -> tuple[int, ...]:
    return (*sizes[:at], size, *sizes[at + 1 :])

"""Find sizes at which a kernel's code decides otherwise, by running it.

Constants in the code name most sizes at which it does, but not all: 1005 may be compared as n - 1000 with 5, in blocks
of 16, or modulo 64.  So the numbers that are compared are looked at as they are.  As a size grows in equal steps, the
difference of the two grows in equal steps too, and the size is known at which it is 0.  That size and its neighbours
are run.  Where a comparison comes out as it did in no run before, the search goes on from there, since what is compared
behind it is seen then.  Where reachable code has not run in the end, sizes are tried one after another.
"""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from neonlab.emulate.hooks.first_values import FirstValuesProbe
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.errors import InputError
from neonlab.isa.comparisons import Comparison, comparisons_of
from neonlab.lab.repository.kernel_code import code_digest, kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.sizes import FEW, Role
from neonlab.verify.cases.space import Space
from neonlab.verify.check_case import run_case

#: Most runs of the search, and most further ones where reachable code has not run.
_RUNS, _MORE_RUNS = 80, 400
#: The same of a kernel with one size, and how many sizes one after another are tried where code has not run.
_MORE_RUNS_OF_ONE, _IN_A_ROW = 1200, 1024
#: Runs that fail before the search ends: the checks will tell of them.
_MOST_FAILED = 8
#: Most work of a run, in multiply-accumulates or bytes.
_WORK = 1 << 15
#: Distances of three sizes whose comparisons are held against each other: in the second, all remainders stay.
_DISTANCES = (1, 64)
#: Largest size that is looked at.
_LARGEST = 1 << 14
#: Size from which the search begins, where the contract allows it.
_BEGIN = 3

#: The data of all runs: sizes decide, whatever they are.
_PATTERN, _SEED = "random", 1


@dataclass(frozen=True, slots=True)
class _Look:
    """Hold what a run showed: the differences of its comparisons when they were first made, by address."""

    differences: dict[int, int]

    @property
    def outcomes(self) -> frozenset[tuple[int, int]]:
        """Return the comparisons with the sign of their difference."""
        return frozenset((address, (one > 0) - (one < 0)) for address, one in self.differences.items())


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
        return _Look(found)

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
    return _turning(_Asked(kernel))


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
def _turning(asked: _Asked) -> tuple[Shape, ...]:
    kernel = asked.kernel
    space = Space(kernel.contract, kernel.operator)
    if space.least is None or not any(d.role is Role.LENGTH and d.count > FEW for d in space.dimensions):
        return ()
    try:
        program = kernel_program(kernel)
    except InputError:
        return ()
    comparisons = comparisons_of(program.instructions)
    probe = FirstValuesProbe(program, {one.address: one.registers for one in comparisons})
    with Machine(program, probes=(probe,)) as machine:
        runs = _Runs(kernel, space, comparisons, machine, probe)
        found = [runs.shape(sizes) for sizes in _searched(runs, space)]
    return tuple(dict.fromkeys(shape for shape in found if shape is not None))


def _searched(runs: _Runs, space: Space) -> list[tuple[int, ...]]:
    assert space.least is not None
    begin = tuple(max(low, d.at_least(_BEGIN)) for d, low in zip(space.dimensions, space.least, strict=True))
    outcomes: set[tuple[int, int]] = set()
    turning: list[tuple[int, ...]] = []
    waiting: deque[tuple[int, ...]] = deque()

    def visit(sizes: tuple[int, ...]) -> None:
        look = runs.look(sizes)
        if look is not None and not look.outcomes <= outcomes:
            outcomes.update(look.outcomes)
            turning.append(sizes)
            waiting.append(sizes)

    for first in dict.fromkeys((space.least, begin)):
        visit(first)
    while waiting and runs.may_go_on:
        for sizes in _roots(runs, space, waiting.popleft()):
            visit(sizes)
    for sizes in itertools.chain.from_iterable(_in_a_row(space, base) for base in (space.least, begin, *turning)):
        if not (runs.unrun and runs.may_go_on):
            break
        visit(sizes)
    return turning


def _roots(runs: _Runs, space: Space, base: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield sizes at and next to which a comparison of the base comes out equal, as far as its steps tell."""
    for at, dimension in enumerate(space.dimensions):
        if dimension.count <= FEW or dimension.role is Role.NUMBER:
            continue
        for distance in _DISTANCES:
            step = distance * dimension.step
            three = [runs.look(_with(base, at, base[at] + number * step)) for number in range(3)]
            if any(one is None for one in three):
                continue
            before, middle, after = (one.differences for one in three if one is not None)
            roots = set[int]()
            for address in before.keys() & middle.keys() & after.keys():
                grows = middle[address] - before[address]
                if grows and after[address] - middle[address] == grows:
                    root = base[at] - before[address] * step // grows
                    roots.update(range(root - dimension.step, root + 2 * dimension.step + 1))
            for size in sorted(set(dimension.near(size for size in sorted(roots) if 0 <= size <= _LARGEST))):
                yield _with(base, at, size)


def _in_a_row(space: Space, base: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the base with each length in turn of all sizes, the smallest first."""
    for at, dimension in enumerate(space.dimensions):
        if dimension.role is Role.LENGTH and dimension.count > FEW:
            most = min(dimension.high, dimension.base + _IN_A_ROW * dimension.step)
            for size in range(dimension.base, most + 1, dimension.step):
                yield _with(base, at, size)


def _with(sizes: tuple[int, ...], at: int, size: int) -> tuple[int, ...]:
    return (*sizes[:at], size, *sizes[at + 1 :])

"""Shrink a failing case to the smallest and sparsest one that fails in the same way.

Sizes are lowered first: each in turn by as much as possible, or by half, a quarter and so on, until none can be
lowered.  Then elements of the inputs are set to zero, in halves, quarters and so on, as long as the failure stays
(delta debugging after Zeller and Hildebrandt 2002, on a budget of trials).  Nothing is drawn at random, so one case
always shrinks to the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from neonlab.contract.header import Contract
from neonlab.errors import InputError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Array, Case
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.operator import Operator

#: Trials after which shrinking stops with the best case so far.
MOST_TRIALS = 200
#: Bytes of inputs and results over all trials: a case of 2^24 elements is seldom seen to fail at fewer, and takes long.
MOST_BYTES = 1 << 26
#: Bytes of inputs over all trials of data; a large case still gets `_FEW_TRIALS` trials.
_TRIED_BYTES, _FEW_TRIALS = 1 << 22, 16
_LARGEST_UNIT = 256


class _Trials:
    """Counts trials of `fails` and their bytes, and returns False when none are left."""

    def __init__(self, fails: Callable[[Case], bool], most: int) -> None:
        self._fails, self.left, self._bytes_left = fails, most, MOST_BYTES

    def __call__(self, case: Case) -> bool:
        if self.left <= 0:
            return False
        self._bytes_left -= case.nbytes
        if self._bytes_left < 0:
            self.left = 0
            return False
        self.left -= 1
        return self._fails(case)


def shrink(
    case: Case,
    contract: Contract,
    fails: Callable[[Case], bool],
    redraw: Callable[[Shape], Case | None],
    refill: Callable[[Case, Mapping[str, Array]], Case | None],
    *,
    most_trials: int = MOST_TRIALS,
) -> Case:
    """Return the smallest case found that still `fails`; `case` itself when nothing smaller does.

    `fails` tells whether a case fails as the first one did.  `redraw` makes the case of another shape with the same
    pattern and seed, or returns None if the shape is not allowed.  `refill` makes a case with other inputs and the
    results expected of them, or returns None if nothing is expected of such inputs.
    """
    trials = _Trials(fails, most_trials)
    case = _shrink_shape(case, trials, redraw)
    return _shrink_data(case, contract, trials, refill)


def shrink_case(
    case: Case,
    contract: Contract,
    operator: Operator | None,
    fails: Callable[[Case], bool],
    *,
    most_trials: int = MOST_TRIALS,
) -> Case:
    """Shrink a case of `operator`, or of a contract alone, as `shrink` does."""

    def redraw(shape: Shape) -> Case | None:
        try:
            if operator is None:
                return generated_case(contract, shape, case.pattern, case.seed)
            return operator.case(contract, shape, case.pattern, case.seed)
        except InputError:
            return None

    def refill(old: Case, inputs: Mapping[str, Array]) -> Case | None:
        if operator is None:
            return replace(old, inputs=inputs)
        try:
            return operator.refilled(contract, old, inputs)
        except InputError:  # limits in the wrong order, say
            return None

    return shrink(case, contract, fails, redraw, refill, most_trials=most_trials)


def describe_inputs(case: Case, most: int = 4) -> tuple[str, ...]:
    """Describe the elements of each input that are not zero: `input: [3] = 127, [5] = 1, 0 elsewhere`.

    A float -0.0 is none, as what a kernel makes of it may differ.
    """
    lines = []
    for name, array in case.inputs.items():
        flat = array.reshape(-1)
        kept = np.flatnonzero((flat != 0) | np.signbit(flat) if flat.dtype.kind == "f" else flat)
        shown = [f"[{at}] = {flat[at]}" for at in kept[:most]]
        if len(kept) > most:
            shown.append(f"{len(kept) - most} more")
        lines.append(f"{name}: {', '.join([*shown, '0 elsewhere']) if shown else 'all 0'}")
    return tuple(lines)


def _shrink_shape(case: Case, trials: _Trials, redraw: Callable[[Shape], Case | None]) -> Case:
    """Lower each size in turn, until a whole round lowers none."""
    lowered = True
    while lowered and trials.left:
        lowered = False
        for axis in range(len(case.shape.sizes)):
            smaller = _shrink_axis(case, axis, trials, redraw)
            lowered |= smaller.shape != case.shape
            case = smaller
    return case


def _shrink_axis(case: Case, axis: int, trials: _Trials, redraw: Callable[[Shape], Case | None]) -> Case:
    """Lower one size by as much as possible, and start again after each success."""
    while trials.left:
        size = case.shape.sizes[axis]
        unit = _unit(case.shape, axis, redraw)
        steps = (size - 1) // unit if unit else 0
        while steps:
            other = redraw(_resized(case.shape, axis, size - steps * unit))
            if other is not None and trials(other):
                case = other
                break
            steps //= 2
        else:
            break
    return case


def _unit(shape: Shape, axis: int, redraw: Callable[[Shape], Case | None]) -> int:
    """Return the least step by which a size can be lowered: 1, or the step of a contract; 0 if it cannot be lowered."""
    size = shape.sizes[axis]
    lower = (unit for unit in range(1, min(size, _LARGEST_UNIT + 1)) if redraw(_resized(shape, axis, size - unit)))
    return next(lower, 0)


def _resized(shape: Shape, axis: int, size: int) -> Shape:
    return replace(shape, sizes=(*shape.sizes[:axis], size, *shape.sizes[axis + 1 :]))


def _shrink_data(
    case: Case, contract: Contract, trials: _Trials, refill: Callable[[Case, Mapping[str, Array]], Case | None]
) -> Case:
    """Set runs of elements to the value nearest to zero that the contract allows, long runs first.

    A case that is still large, such as one that needs more than 16 bits of offset, is slow and gets fewer trials.
    """
    held = sum(array.nbytes for array in case.inputs.values())
    trials.left = min(trials.left, max(_FEW_TRIALS, _TRIED_BYTES // max(1, held)))
    for name in case.inputs:
        zero = _nearest_to_zero(contract, name)
        chunk = case.inputs[name].size
        while chunk and trials.left:
            case = _clear_runs(case, name, chunk, zero, trials, refill)
            chunk //= 2
    return case


def _clear_runs(
    case: Case,
    name: str,
    chunk: int,
    zero: float,
    trials: _Trials,
    refill: Callable[[Case, Mapping[str, Array]], Case | None],
) -> Case:
    # The runs that hold something else; clearing one leaves the others as they are.
    for run in np.unique(np.flatnonzero(case.inputs[name].reshape(-1) != zero) // chunk).tolist():
        flat = case.inputs[name].reshape(-1).copy()
        flat[run * chunk : (run + 1) * chunk] = zero
        other = refill(case, {**case.inputs, name: flat.reshape(case.inputs[name].shape)})
        if other is None:
            trials.left -= 1  # it took as long to see that nothing is expected of these
        elif trials(other):
            case = other
        if not trials.left:
            break
    return case


def _nearest_to_zero(contract: Contract, name: str) -> float:
    argument = contract.by_name.get(name)
    if argument is None or argument.value_range is None:
        return 0
    low, high = argument.value_range
    return float(np.clip(0, low, high))

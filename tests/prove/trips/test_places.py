"""Accesses that must be at the same elements for every size, and loops that must grow evenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from neonlab.isa.model.instruction import AccessKind
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.form import Form
from neonlab.prove.trips.passes import Loop, follows, growing, loops_of
from neonlab.prove.trips.places import Rows, check_places, first_block, rows_of
from neonlab.prove.trips.state import STACK
from neonlab.prove.trips.walk import Access

#: Two rows of 57 bytes, to each of which 8 are added; a loop reads 8 of each row in each of its 6 passes.
_ROWS = {"a": Rows(2, 57, 8)}
_LOOPS = (Loop(0, 5, 6, 1),)
_SIZES = {"a": (114, 16), "bias": (8, 0)}


def _load(form: Form, count: int = 8, loop: int = -1, kind: AccessKind = AccessKind.LOAD) -> Access:
    return Access(kind, form, count, loop, "f.S:3")


def _check(*accesses: Access, gap: int = 1) -> None:
    inputs = {name: size for name, (size, _) in _SIZES.items()}
    check_places(accesses, _LOOPS, _ROWS, inputs, frozenset({"c"}), gap=gap, window=1, fewest=-2)


_RIGHT = {
    "a pass": _load(Form(8, 0, 8, "a"), loop=0),
    "a pass in the second row": _load(Form(57 + 8, 8, 8, "a"), loop=0),
    "the start of a row": _load(Form(57, 8, 0, "a")),
    "the end of a row": _load(Form(56, 8, 0, "a"), 1),
    "from the end of a row into the next": _load(Form(49, 8, 0, "a"), 16),
    "a bias": _load(Form(4, base="bias"), 4),
    "the stack": _load(Form(-16, base=STACK)),
    "a result": _load(Form(4, base="c"), 4, kind=AccessKind.STORE),
}


@pytest.mark.parametrize("name", _RIGHT)
def test_an_access_at_the_same_elements_is_right(name: str) -> None:
    _check(_RIGHT[name])


_WRONG = {
    "an end that stays where it was": (_load(Form(56, 0, 0, "a"), 1), "is another one"),
    "a start that moves": (_load(Form(0, 8, 0, "a")), "is another one"),
    "an end that moves too far": (_load(Form(56, 16, 0, "a"), 1), "is another one"),
    "a pass in a row that starts elsewhere": (_load(Form(57 + 8, 0, 8, "a"), loop=0), "other rows"),
    "passes beyond the row": (_load(Form(16, 0, 8, "a"), loop=0), "other rows"),
    "a pass too far behind": (_load(Form(0, 0, 8, "a"), loop=0), "too far behind"),
    "behind the array": (_load(Form(113, 16, 0, "a")), "outside `a`"),
    "before the array": (_load(Form(-1, 0, 0, "a")), "outside `a`"),
    "a bias that moves": (_load(Form(0, 4, 0, "bias"), 4), "depends on the size"),
    "behind the bias": (_load(Form(8, base="bias"), 4), "outside of it"),
    "a result that moves": (_load(Form(0, 4, 0, "c"), 4, kind=AccessKind.STORE), "depends on the size"),
    "a pass that stores": (_load(Form(0, base="c"), 4, 0, AccessKind.STORE), "a pass of the loop stores"),
    "a store to an input": (_load(Form(0, base="bias"), 4, kind=AccessKind.STORE), "outside the arguments"),
}


@pytest.mark.parametrize("name", _WRONG)
def test_an_access_at_other_elements_is_refused_by_its_place(name: str) -> None:
    access, reason = _WRONG[name]
    with pytest.raises(Refusal, match=reason) as refused:
        _check(*_RIGHT.values(), access, gap=2 if name == "a pass too far behind" else 1)
    assert refused.value.place == "f.S:3"


def test_rows_follow_from_how_passes_go_through_an_array() -> None:
    accesses = [_RIGHT["a pass"], _RIGHT["a pass in the second row"], _RIGHT["a bias"]]
    assert rows_of(accesses, _LOOPS, _SIZES) == _ROWS
    assert first_block(accesses, _ROWS) == 1
    for other in (Form(8, 0, 4, "a"), Form(8, 0, 0, "a")):
        with pytest.raises(Refusal):
            rows_of([*accesses[1:], _load(other, loop=0)] if other.t else accesses[2:], _LOOPS, _SIZES)


def test_a_block_is_inserted_into_each_row() -> None:
    found = Rows(2, 6, 4).inserted(np.arange(6).reshape(2, 3), 1, 2, -1)
    assert found.tolist() == [0, 1, -1, -1, 2, 3, 4, -1, -1, 5]


def _path(passes: Sequence[int], extra: Sequence[int] = ()) -> np.ndarray:
    """The path of a loop around a loop, and of what comes behind it."""
    steps = [1]
    for count in passes:
        steps += [2, *([3, 4] * count), 3, 5]
    return np.array([*steps, 6, *extra], np.uint64)


def test_innermost_loops_are_found_with_their_passes() -> None:
    assert [(one.start, one.length, one.passes) for one in loops_of(_path((3, 2)))] == [(2, 2, 3), (11, 2, 2)]


def test_loops_that_grow_are_found_and_give_the_path_of_every_size() -> None:
    paths = [_path((3 + k, 2, 4 + 2 * k)) for k in range(4)]
    found = growing(paths[:3])
    assert [(one.passes, one.growth) for one in found] == [(3, 1), (4, 2)]
    assert follows(paths[0], found, 3, paths[3])
    assert not follows(paths[0], found, 2, paths[3])


@pytest.mark.parametrize(
    "paths",
    [
        [_path((3,)), _path((4,)), _path((6,))],
        [_path((3,)), _path((4,)), _path((5,), (7,))],
        [_path((3,)), _path((3, 3)), _path((3, 3, 3))],
        [_path((5,)), _path((4,)), _path((3,))],
    ],
)
def test_paths_that_grow_otherwise_are_refused(paths: list[np.ndarray]) -> None:
    with pytest.raises(Refusal):
        growing(paths)

"""Symbolic arrays compute as numpy's own do, and never lose a symbol without saying so."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from neonlab.prove.expressions.evaluate import evaluate
from neonlab.prove.expressions.table import ExpressionTable
from neonlab.prove.reference.array import SymbolicArray
from neonlab.prove.reference.construction import symbolic_arrays
from neonlab.prove.reference.symbols import Symbols
from neonlab.prove.reference.value import Span, SymbolValue
from neonlab.prove.refusal import Refusal

SEED = 20
SINGLE = np.dtype(np.float32)


class Inputs:
    """Symbolic arrays of one table, and numbers to put in their place."""

    def __init__(self) -> None:
        self.symbols, self.random = Symbols(ExpressionTable()), np.random.default_rng(SEED)
        self.drawn: list[np.ndarray] = []
        print("seed", SEED)

    def array(self, shape: tuple[int, ...], dtype: str, low: float, high: float) -> SymbolicArray:
        """Return a symbolic array of elements in a range; draws are random, and the ends."""
        kind, count, first = np.dtype(dtype), int(np.prod(shape)), self.symbols.table.inputs
        self.symbols.sources.append((f"input{len(self.symbols.sources)}", first, first + count))
        if kind == SINGLE:
            ids = self.symbols.table.elements(count, 0, 2**32 - 1)
            numbers = self.random.uniform(low, high, (30, count)).astype(np.float32)
            numbers[self.random.random(numbers.shape) < 0.3] *= np.float32(0)
            near = np.rint(numbers) + self.random.choice([-0.5, 0.5], numbers.shape).astype(np.float32)
            numbers = np.clip(np.where(self.random.random(numbers.shape) < 0.4, near, numbers), low, high)
            self.drawn.append(numbers.astype(np.float32).view(np.uint32).astype(np.int64))
            span = Span(low, high)
        else:
            ids, span = self.symbols.table.elements(count, int(low), int(high)), None
            whole = self.random.integers(int(low), int(high), (30, count), endpoint=True)
            whole[10:20] = self.random.choice([int(low), int(high)], (10, count))
            self.drawn.append(whole)
        return SymbolicArray.of(SymbolValue(self.symbols, ids.reshape(shape), kind, span))

    def check(self, compute: Callable[..., np.ndarray], *arrays: SymbolicArray) -> SymbolicArray:
        """Compute on symbols and on each draw; the results must agree in shape, type and value."""
        with symbolic_arrays(self.symbols):
            found = compute(*arrays)
        draws = np.concatenate(self.drawn, axis=1)
        assert isinstance(found, SymbolicArray)
        values = evaluate(self.symbols.table, found.ids, draws)
        for draw, got in zip(draws, values, strict=True):
            with np.errstate(all="ignore"):
                wanted = np.asarray(compute(*(self.plain(array, draw) for array in arrays)))
            assert (wanted.dtype, wanted.shape) == (found.dtype, found.shape)
            got = got.astype(np.uint32).view(np.float32) if found.span is not None else got
            assert np.array_equal(got, wanted), (got, wanted)
        return found

    def plain(self, array: SymbolicArray, draw: np.ndarray) -> np.ndarray:
        numbers: np.ndarray = draw[self.symbols.table.nodes["amount"][array.ids]]
        return numbers.astype(np.uint32).view(np.float32) if array.dtype == SINGLE else numbers.astype(array.dtype)


VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "reshape": lambda x: x.reshape(4, -1),
    "T": lambda x: x.T,
    "slices": lambda x: x[1:, ::-2],
    "newaxis": lambda x: x[:, np.newaxis, ..., 0],
    "windows": lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 3))[:, ::2],
    "broadcast": lambda x: np.broadcast_to(x[0], (3, 6)),
    "moveaxis": lambda x: np.moveaxis(x.reshape(2, 2, 6), 0, -1),
    "swapaxes": lambda x: x.swapaxes(0, 1)[2:],
    "fancy": lambda x: x[[3, 0, 0], [1, 2, 5]],
    "mask": lambda x: x[np.arange(24).reshape(4, 6) % 3 == 0],
    "index of numbers": lambda x: x[np.minimum(np.arange(7), 3)],
    "take": lambda x: np.take(x, [5, 1], axis=1),
    "repeat": lambda x: x.repeat(2, -1),
    "concatenate": lambda x: np.concatenate([x, np.ones((1, 6), np.int8), x[:1]]),
    "stack": lambda x: np.stack([row[::2] for row in x], axis=1),
    "append": lambda x: np.append(x, np.int8(3)),
    "pad": lambda x: np.pad(x, ((1, 0), (2, 3)), constant_values=-7),
    "array of a list": lambda x: np.array([x[0, 0], x[1, 1], 5], np.int16),
    "array of lists": lambda x: np.array([[x[0, 0], 1], [2, x[1, 1]]]),
    "asarray": lambda x: np.asarray(x, np.int32),
    "contiguous": lambda x: np.ascontiguousarray(x.T),
    "iteration": lambda x: np.stack(list(x.T)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_moved_elements_keep_their_symbols(name: str) -> None:
    inputs = Inputs()
    inputs.check(VIEWS[name], inputs.array((4, 6), "int8", -128, 127))


def filled(x: np.ndarray) -> np.ndarray:
    out = np.zeros((3, 5), np.int64)
    view = out.reshape(5, 3)
    out[1, 1:] = x[0, :4]
    view[4] += x[1, :3]
    out[[0, 2], [0, 0]] = 7
    return out


def test_an_array_that_is_made_and_filled_takes_symbols_and_all_its_views_see_them() -> None:
    inputs = Inputs()
    inputs.check(filled, inputs.array((4, 6), "int8", -128, 127))


WHOLE: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "sum of wide": lambda x, y: x.astype(np.int64) + y - 3,
    "product": lambda x, y: x.astype(np.int32) * y,
    "negative": lambda x, y: -x.astype(np.int16),
    "shifts": lambda x, y: (x.astype(np.int32) << 5) >> np.arange(6),
    "left by symbols": lambda x, y: np.int64(1) << (y.astype(np.int64) & 7),
    "right by symbols": lambda x, y: x.astype(np.int64) >> np.clip(y, 0, 5),
    "low bits": lambda x, y: x & np.int8(15),
    "low bits of several widths": lambda x, y: x.astype(np.int64) & ((1 << np.arange(6)) - 1),
    "bits in between": lambda x, y: x.astype(np.int64) & 0x70,
    "other bits": lambda x, y: (x & y) | (x ^ np.int8(0x55)),
    "divisions": lambda x, y: x.astype(np.int64) // np.array([1, 2, 3, 5, 9, 7]),
    "powers divided": lambda x, y: x.astype(np.int64) // 16,
    "sign and size": lambda x, y: np.sign(x.astype(np.int64)) * (np.abs(y.astype(np.int64)) // 3),
    "comparisons": lambda x, y: np.stack([x < y, x > 3, x <= y, y >= x, x == 5, x != y]),
    "truth": lambda x, y: ~(x < y) & ((x == 1) | (y > 0)) ^ (x > 100),
    "truth as numbers": lambda x, y: (x < 0) + (y.astype(np.int64) > 3) * 5,
    "where": lambda x, y: np.where(x < y, x.astype(np.int32), 3),
    "clip": lambda x, y: np.clip(x.astype(np.int64) + 3, -7, 100),
    "clip of one side": lambda x, y: x.clip(None, 9),
    "minimum": lambda x, y: np.minimum(np.maximum(x, y), np.int8(50)),
    "narrowing": lambda x, y: (x.astype(np.int32) * y).astype(np.uint8),
    "other sign": lambda x, y: x.view(np.uint8),
    "sum": lambda x, y: x.sum(),
    "sums": lambda x, y: x.reshape(2, 2, 6).sum(axis=(0, 2), keepdims=True),
    "extremes": lambda x, y: np.stack([x.max(axis=0), y.min(axis=0)]),
    "reduced": lambda x, y: np.add.reduce(x, axis=1) + np.maximum.reduce(x, axis=1),
    "any and all": lambda x, y: np.stack([(x > 0).any(axis=1), (x > -100).all(axis=1)]),
    "matmul": lambda x, y: x.astype(np.int64) @ y.astype(np.int64).T,
    "matmul in floats": lambda x, y: (x.astype(np.float64) @ y.astype(np.float64).T).astype(np.int64),
    "matmul in single": lambda x, y: (x.astype(np.float32) @ y.T.astype(np.float32)).astype(np.int32),
    "batches": lambda x, y: x.reshape(2, 2, 6).astype(np.int64) @ y[0].astype(np.int64),
    "vectors": lambda x, y: x[0].astype(np.int64) @ y.T.astype(np.int64),
    "dot": lambda x, y: np.dot(x.astype(np.int64), y[1].astype(np.int64)),
    "einsum": lambda x, y: np.einsum("ij,kj->ik", x, y, dtype=np.int64),
    "in place": lambda x, y: np.add(x.astype(np.int64), y, out=np.zeros((4, 6), np.int64)),
    "zeros like": lambda x, y: np.zeros_like(x) + y,
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_compute_as_numpy_does(name: str) -> None:
    inputs = Inputs()
    inputs.check(WHOLE[name], inputs.array((4, 6), "int8", -128, 127), inputs.array((4, 6), "int8", -128, 127))


FLOATS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "arithmetic": lambda x, n: (x * np.float32(0.3) + np.float32(1.5)) / np.float32(7) - x,
    "of integers": lambda x, n: n.astype(np.float32) * x,
    "of small integers": lambda x, n: (n & 255).astype(np.float32) * x,
    "rounded to even": lambda x, n: np.rint(x).astype(np.int64),
    "truncated": lambda x, n: x.astype(np.int32),
    "down and up": lambda x, n: np.floor(x).astype(np.int64) + np.ceil(x).astype(np.int64),
    "magnitude and sign": lambda x, n: np.copysign(np.abs(x), -x),
    "clip": lambda x, n: np.clip(x, -7, np.float32(3.25)),
    "comparisons": lambda x, n: np.stack([x < 1, x >= np.float32(0.5), x <= -1, x > 3, x == 0, x != 0]),
    "selection": lambda x, n: np.where(n > 0, x, np.float32(0.1)),
    "bits": lambda x, n: x.view(np.int32).astype(np.int64) >> 23,
    "bits of a sum": lambda x, n: (x + np.float32(12582912.0)).view(np.int32).astype(np.int64) - 0x4B400000,
    "wider and back": lambda x, n: x.astype(np.float64).max(axis=0).astype(np.float32),
    "minima": lambda x, n: x.min(axis=1),
}


@pytest.mark.parametrize("name", FLOATS)
def test_float32_computes_as_numpy_does(name: str) -> None:
    inputs = Inputs()
    reals = inputs.array((4, 6), "float32", -100.0, 100.0)
    inputs.check(FLOATS[name], reals, inputs.array((4, 6), "int32", -(2**30), 2**30))


def test_symbols_choose_entries_of_a_table() -> None:
    inputs = Inputs()
    table, values = inputs.array((256,), "int8", -128, 127), inputs.array((3, 4), "int8", -128, 127)
    inputs.check(lambda table, values: table[values.view(np.uint8)], table, values)


REFUSED: dict[str, tuple[Callable[[np.ndarray], object], str]] = {
    "a decision": (lambda x: bool(x[0] < 3), "a decision depends on the data"),
    "a number": (lambda x: int(x[1]), "a number that the reference needs"),
    "a real": (lambda x: float(x[1]), "a number that the reference needs"),
    "an item": (lambda x: x[1].item(), "a number that the reference needs"),
    "a count": (lambda x: list(range(x[0])), "an index depends"),
    "a sort": (np.sort, "numpy.sort is not supported"),
    "an order": (lambda x: x.argsort(), "the method `argsort`"),
    "a list": (lambda x: x.tolist(), "the method `tolist`"),
    "bytes": (lambda x: x.tobytes(), "the method `tobytes`"),
    "a copy by pickle": (pickle.dumps, "the method `__reduce_ex__`"),
    "a deep copy": (copy.deepcopy, "the method `__deepcopy__`"),
    "membership": (lambda x: 3 in x, "the method `__contains__`"),
    "another size": (lambda x: x.view(np.int32), "another size"),
    "a power": (lambda x: x**3, "numpy.power is not supported"),
    "a running sum": (np.cumsum, "numpy.cumsum is not supported"),
    "an accumulation": (np.add.accumulate, "numpy.add.accumulate"),
    "a mean": (lambda x: x.mean(), "the method `mean`"),
    "a sum that wraps": (lambda x: x + x, "may be from -256 to 254, which int8 does not hold"),
    "a shift by a negative": (lambda x: 1 << x.astype(np.int64), "may be by -128 to 127"),
    "a division by symbols": (lambda x: 100 // x.astype(np.int64), "division"),
    "a real division": (lambda x: x / 3, "float"),
    "a function of reals": (np.sqrt, "numpy.sqrt is not supported"),
    "an index of numbers": (lambda x: np.arange(256)[x], "only integer|arrays used as indices"),
    "numbers overwritten": (lambda x: np.arange(8).__setitem__(slice(None), x), "Cannot cast"),
    "numbers added to": (lambda x: np.arange(8).__iadd__(x), "into an array of numbers"),
    "an entry out of the table": (lambda x: x[x], "choose among 8 elements"),
    "a mask of symbols": (lambda x: x[x > 0], "more than one dimension|symbols"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_lose_a_symbol_or_has_no_rule_is_refused_by_name(name: str) -> None:
    act, reason = REFUSED[name]
    inputs = Inputs()
    array = inputs.array((8,), "int8", -128, 127)
    with pytest.raises((Refusal, TypeError, IndexError), match=reason):
        act(array)


def test_numpys_own_view_of_the_memory_does_not_compute() -> None:
    """This is what is left of a symbolic array where code reaches its memory by another way."""
    array = np.ndarray.view(Inputs().array((8,), "int8", -128, 127), np.ndarray)
    for act in (lambda: array + 1, lambda: array.astype(np.int64), lambda: array.sum(), lambda: array < 3):
        with pytest.raises(TypeError):
            act()


def test_a_refusal_names_the_line_and_the_inputs_that_the_decision_depends_on() -> None:
    inputs = Inputs()
    one, other, _ = (inputs.array((2,), "int8", -128, 127) for _ in range(3))
    with pytest.raises(Refusal) as caught:
        bool(one[0] < other[1])
    assert caught.value.inputs == {"input0", "input1"}
    assert caught.value.place.partition(".py:")[0].endswith("test_array")


def test_a_refusal_names_the_amount_of_a_shift_before_what_is_shifted() -> None:
    inputs = Inputs()
    values, amounts = inputs.array((2,), "int32", -(2**31), 2**31 - 1), inputs.array((2,), "int32", 0, 31)
    with pytest.raises(Refusal, match="beyond 2") as caught:
        (values.astype(np.int64) << amounts) * values
    assert caught.value.inputs == {"input1"}


def test_decisions_that_are_the_same_for_all_inputs_are_taken() -> None:
    inputs = Inputs()
    array = inputs.array((8,), "int8", -127, 127)
    assert array.min() >= -127 and not array.max() > 127
    assert np.isfinite(array).all() and int(array[0] * 0 + 5) == 5
    reals = inputs.array((8,), "float32", 0.5, 2.0)
    assert (reals > 0).all() and (reals.astype(np.float64) < 2.1).all() and np.isfinite(reals).all()
    with pytest.raises(Refusal, match="decision"):
        bool((reals > 1).all())


def test_floats_whose_zero_has_no_sign_do_not_become_float32() -> None:
    inputs = Inputs()
    array = inputs.array((3,), "int8", -128, 127).astype(np.float32)
    with pytest.raises(Refusal, match="sign of a zero"):
        array * array * np.float32(0.3)


def test_numpy_is_as_it_was_after_a_run_on_symbols() -> None:
    before = [getattr(np, name) for name in ("zeros", "ones", "full", "empty", "array", "asarray", "ascontiguousarray")]
    inputs = Inputs()
    array = inputs.array((1,), "int8", 0, 1)
    with pytest.raises(Refusal), symbolic_arrays(inputs.symbols):
        bool(array)
    after = [getattr(np, name) for name in ("zeros", "ones", "full", "empty", "array", "asarray", "ascontiguousarray")]
    assert before == after
    assert type(np.zeros(3)) is np.ndarray

"""Plan the cases of a kernel, so that a command knows its work before it begins."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Sequence

import numpy as np

from neonlab.contract.model import Argument
from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.shapes import PlannedShapes, code_of, integers_of, planned_shapes
from neonlab.lab.run.turning import far_turning_shapes, turning_shapes
from neonlab.measure.shape import Shape
from neonlab.verify.cases.call_arguments import touched_bytes
from neonlab.verify.cases.case import PATTERNS, Case, CaseName, Depth
from neonlab.verify.cases.generated import generated_case
from neonlab.verify.cases.memory_need import refuse_too_much
from neonlab.verify.cases.pitch import plain_numbers

#: Fewest cases that `check` tries, however few shapes there are.
LEAST_CASES = 40
#: Further random data to compare results on, for some shapes of a kernel that requantizes sums; and how many shapes.
_REQUANTIZED_DATA, _MORE_DATA = 2, 40
#: Of so many cases of random data, one has a number that the code compares with.
_COMPARED = 4
#: How many shapes get data near the ends of their range too, where results are narrow.
_NEAR_ENDS = 20
#: Further data that make the longest sums largest, since wrong rounding shows in few of them.
_LARGEST_SUMS_DATA = 4
#: Number of shapes with one size near a power of two that get data with blocks of zeros too.
_LONG = 6
#: Multiply-accumulates from which a case is large: one pattern is watched, the others only compare results.
LARGE = 2_000_000
#: Most bytes of a shape of which every access and lane is watched because sums are largest there.
_WATCHED_BYTES = 1 << 16
#: Multiply-accumulates above which a shape is left to `prove --shape`, and bytes where there are none: its expressions
#: take long to write out.
_MOST_PROVED, _MOST_PROVED_BYTES = 50_000, 20_000


def parse_shape(kernel: Kernel, text: str) -> Shape:
    """Parse a shape in the sizes of the kernel's operator, or in its integer arguments if it has none.

    Raises InputError for text that is no such shape.
    """
    names, lowest = _sizes(kernel)
    return Shape.parse(text, names, lowest=lowest)


def shape_for(kernel: Kernel, shape: Shape) -> Shape:
    """Return the shape with the same sizes in the terms of `kernel`.  Raises InputError as `parse_shape` does."""
    names, lowest = _sizes(kernel)
    return shape.in_terms_of(names, lowest=lowest)


def _sizes(kernel: Kernel) -> tuple[tuple[str, ...], int | None]:
    """Return the names of the sizes of the kernel's shapes, and the least size; None where the contract says it."""
    integers = tuple(argument.name for argument in kernel.contract.integers)
    if kernel.operator is not None and kernel.operator.dimensions != integers:
        return kernel.operator.dimensions, 0
    return integers, None


def layers_of(kernel: Kernel) -> list[Shape]:
    """Return the layers of real networks that the kernel's operator names and its contract allows."""
    operator = kernel.operator
    return [s for s in operator.layers.values() if operator.accepts(kernel.contract, s)] if operator else []


def layers_or_largest(kernel: Kernel) -> list[Shape]:
    """Return `layers_of`, or else the largest shape that `check` tries.  Raises InputError if there is none."""
    return layers_of(kernel) or [_shapes_to_try(kernel, 1).small[-1]]


def draw_case(kernel: Kernel, name: CaseName) -> Case:
    """Return the case that `name` stands for.  Raises InputError if it needs more memory than there is."""
    refuse_too_much(kernel.contract, integers_of(kernel, name.shape), name.shape, name.depth)
    if kernel.operator is None:
        return generated_case(kernel.contract, name.shape, name.pattern, name.seed)
    case = kernel.operator.case(kernel.contract, name.shape, name.pattern, name.seed)
    return _with_compared_number(kernel, case) if name.pattern == "random" else case


def _with_compared_number(kernel: Kernel, case: Case) -> Case:
    """Return the case; one in four with a number, such as a zero point, that is a constant of the code."""
    turn, operator = zlib.crc32(f"{case.shape} {case.seed}".encode()), kernel.operator
    chosen = () if turn % _COMPARED else _compared_numbers(kernel)
    found = [(argument.name, number) for argument, number in chosen if argument.name in case.inputs]
    if operator is None or not found:
        return case
    name, number = found[turn // _COMPARED % len(found)]
    given = np.full_like(case.inputs[name], number)
    return operator.refilled(kernel.contract, case, {**case.inputs, name: given})


def _compared_numbers(kernel: Kernel) -> list[tuple[Argument, int]]:
    """Return the constants with which the code compares, of both signs, for each number whose range has them."""
    kept = kernel.contract.kept.setdefault("compared numbers", {})
    if kernel.path not in kept:
        constants = code_of(kernel).constants
        kept[kernel.path] = [
            (argument, number)
            for argument in plain_numbers(kernel.contract)
            for number in (*constants, *(-constant for constant in constants))
            if argument.value_range is not None
            and argument.value_range[0] <= number <= argument.value_range[1]
            and (number - argument.value_range[0]) % argument.step == 0
        ]
    found: list[tuple[Argument, int]] = kept[kernel.path]
    return found


def plan_cases(
    kernel: Kernel,
    *,
    shapes: Sequence[Shape] = (),
    patterns: Sequence[str] = (),
    seed: int = 1,
    every_tail: bool = False,
    layers: bool = False,
    full: bool = False,
    turning: bool = True,
) -> list[CaseName]:
    """Return the cases that `check` tries: given shapes under every pattern, else tails that cover each pair of sizes.

    With `full`, large cases get every check too.  With `turning` the kernel is run to find sizes at which it decides
    otherwise.  Raises InputError for a shape or a pattern that cannot be tried.
    """
    for pattern in patterns:
        if pattern not in PATTERNS:
            raise InputError(f"no pattern is called `{pattern}`; there are {', '.join(PATTERNS)}")
    chosen = tuple(patterns) or tuple(PATTERNS)
    if shapes:
        return [name for shape in shapes for name in _under(kernel, shape, chosen, seed, full)]
    names = _tails(kernel, chosen, seed, every_tail, turning_shapes(kernel) if turning else ())
    planned = {name.shape for name in names}
    far = far_turning_shapes(kernel) if turning else ()
    names += [CaseName(shape, chosen[0], seed, Depth.QUICK) for shape in far if shape not in planned]
    few = chosen if patterns else ("random", "extremes")
    for shape in layers_of(kernel) if layers else ():
        names += _under(kernel, shape, few, seed, full)
    return names


def shapes_to_prove(kernel: Kernel, shapes: Sequence[Shape] = (), *, layers: bool = False) -> list[Shape]:
    """Return the given shapes, or the small ones that `check` tries; with `layers` those of real networks instead."""
    if shapes:
        return list(shapes)
    if layers:
        return layers_of(kernel)
    planned = dict.fromkeys(name.shape for name in plan_cases(kernel))
    small = [shape for shape in planned if _is_written_out_soon(kernel, shape)]
    return sorted(small, key=lambda shape: (shape.work, shape.sizes))


def _is_written_out_soon(kernel: Kernel, shape: Shape) -> bool:
    integers = integers_of(kernel, shape)
    if kernel.contract.macs is not None:
        return kernel.contract.macs.evaluate(integers) <= _MOST_PROVED
    return touched_bytes(kernel.contract, integers) <= _MOST_PROVED_BYTES


def _under(kernel: Kernel, shape: Shape, patterns: Sequence[str], seed: int, full: bool) -> list[CaseName]:
    """Return the shape under each pattern; a large shape is watched only under the first."""
    integers = integers_of(kernel, shape)
    kernel.contract.check_values(integers)
    macs = kernel.contract.macs.evaluate(integers) if kernel.contract.macs is not None else 0
    if macs < LARGE or full:
        return [CaseName(shape, pattern, seed) for pattern in patterns]
    depths = [Depth.LARGE] + [Depth.QUICK] * len(patterns)
    return [CaseName(shape, pattern, seed, depth) for pattern, depth in zip(patterns, depths, strict=False)]


def _shapes_to_try(kernel: Kernel, seed: int, *, every_tail: bool = False) -> PlannedShapes:
    """Return `planned_shapes`.  Raises InputError if there are none."""
    shapes = planned_shapes(kernel, seed, every_tail=every_tail)
    if not shapes.small:
        what = f"operator {kernel.operator.name} has no shape" if kernel.operator else "there are no sizes"
        raise InputError(f"{kernel.contract.path}: nothing to check: {what} that the contract's ranges allow")
    return shapes


def _tails(
    kernel: Kernel, patterns: Sequence[str], seed: int, every_tail: bool, turning: Sequence[Shape]
) -> list[CaseName]:
    """Return shapes from the smallest up, under the first pattern and another in turn; the largest under all patterns.

    The first pattern is random data, which shows most mistakes; under the others many operands are equal.  The largest
    shape runs all of the code.
    """
    shapes = _shapes_to_try(kernel, seed, every_tail=every_tail)
    further = 0 if every_tail or patterns[0] != "random" else _further_data(kernel, shapes)
    little = [shape for shape in shapes.small if shape.work <= shapes.small[-1].work]
    again = frozenset(little[:: -(-len(little) // _MORE_DATA)])
    names = []
    for number, shape in enumerate(shapes.small):
        depth = Depth.FULL if shape in shapes.whole else Depth.WATCHED if shape in shapes.watched else Depth.QUICK
        names.append(CaseName(shape, patterns[0], seed, depth))
        if shape in again:
            names += [CaseName(shape, patterns[0], seed + more, Depth.QUICK) for more in range(1, further + 1)]
        # Dependence on uninitialised values or addresses has shown under the first pattern.
        if patterns[1:] and shape in shapes.whole and shape != shapes.small[-1]:
            names.append(CaseName(shape, patterns[1 + number % (len(patterns) - 1)], seed, Depth.WATCHED))
    names += [CaseName(shape, patterns[0], seed, Depth.WATCHED) for shape in turning if shape not in shapes.small]
    if "highest" in patterns[1:] and _has_narrow_results(kernel):
        # What a wrong size leaves out of a random sum may not show in a narrow result.
        names += [CaseName(shape, "highest", seed, Depth.QUICK) for shape in turning]
    if "near_ends" in patterns[1:] and _has_narrow_results(kernel):
        names += [CaseName(shape, "near_ends", seed, Depth.QUICK) for shape in little[:: -(-len(little) // _NEAR_ENDS)]]
    names += [CaseName(shape, patterns[0], seed, Depth.QUICK) for shape in (*shapes.alone, *shapes.in_a_row)]
    names += [CaseName(shapes.small[-1], pattern, seed) for pattern in patterns[1:]]
    ends = [pattern for pattern in ("lowest", "opposed") if pattern in patterns]
    # Sums that grow with a size wrap where it is highest.
    largest = max((*shapes.small, *shapes.alone), key=lambda shape: (shape.work, shape.sizes))
    few_bytes = touched_bytes(kernel.contract, integers_of(kernel, largest)) <= _WATCHED_BYTES
    depth = Depth.LARGE if few_bytes else Depth.QUICK  # to watch every access takes long
    names += [CaseName(largest, p, seed, depth) for p in ends if largest != shapes.small[-1]]
    names += [CaseName(shape, pattern, seed, Depth.LARGE) for shape in shapes.longest[:1] for pattern in ends]
    names += [CaseName(shape, patterns[0], seed, Depth.QUICK) for shape in shapes.far]
    # The mean of many random elements is 0 whether all of them are summed or none, so use the highest value too.
    into_few = [shape for shape in shapes.far if not _has_as_many_results(kernel, shape)]
    names += [CaseName(shape, "highest", seed, Depth.QUICK) for shape in into_few if "highest" in patterns[1:]]
    names += [CaseName(shape, patterns[0], seed, Depth.QUICK) for shape in shapes.farther]
    if shapes.few and "one_hot" in patterns[1:]:  # the index of an element may have lost its high bits
        names += [CaseName(shape, "one_hot", seed, Depth.QUICK) for shape in (*shapes.far, *shapes.farther)]
    # Code may skip zeros where there are many in a row.  The last dimension lies together, and is far enough.
    large = sorted(shapes.alone or shapes.small[:-1], key=lambda shape: shape.work)[-_LONG:]
    long = (*shapes.far[-1:], *shapes.longest[:2], *large)
    names += [CaseName(shape, "sparse", seed, Depth.QUICK) for shape in long if "sparse" in patterns[1:]]
    # Data of one pattern follow one another, since their sums are the same: operators keep those that they made last.
    seeds = list(range(seed + 1, seed + 1 + _LARGEST_SUMS_DATA)) if further else []
    for number, shape in enumerate(shapes.longest):
        # All data meet the whole tile, and each part of it those whose turn it is.
        meeting = [seeds[number % len(seeds)]] if number and seeds else seeds
        names += [CaseName(shape, pattern, n, Depth.QUICK) for pattern in ends for n in meeting]
    names += _more(shapes.small, patterns, seed, names, LEAST_CASES - len(set(map(_key, names))))
    # Watched cases come first, then compared ones, for which a process needs far less preparation.
    ordered = sorted(names, key=lambda name: name.depth is Depth.QUICK)
    # Some shapes have two reasons to be tried.
    return list({_key(name): name for name in reversed(ordered)}.values())[::-1]


def _key(name: CaseName) -> tuple[Shape, str, int]:
    return name.shape, name.pattern, name.seed


def _has_narrow_results(kernel: Kernel) -> bool:
    """Tell whether results have fewer than 32 bits, so that rounding or saturation may make them."""
    return any(argument.write is not None and argument.dtype.itemsize < 4 for argument in kernel.contract.pointers)


def _has_as_many_results(kernel: Kernel, shape: Shape) -> bool:
    """Tell whether the results are as many bytes as the shape's largest size, so that each is made of few elements."""
    integers = integers_of(kernel, shape)
    written = (argument.write.evaluate(integers) for argument in kernel.contract.pointers if argument.write is not None)
    return sum(written) >= max(shape.sizes)


def _further_data(kernel: Kernel, shapes: PlannedShapes) -> int:
    """Return how many further data to try at some of the shapes."""
    if kernel.operator is None:
        return 0
    return kernel.operator.further_data if shapes.few else _REQUANTIZED_DATA if _narrows_sums(kernel) else 0


def _narrows_sums(kernel: Kernel) -> bool:
    """Tell whether sums of products are stored in fewer bits, so that a wrong sum may not show."""
    results = [argument.dtype for argument in kernel.contract.arguments if argument.write is not None]
    return kernel.contract.macs is not None and any(dtype is not None and dtype.itemsize < 4 for dtype in results)


def _more(
    shapes: Sequence[Shape], patterns: Sequence[str], seed: int, known: Iterable[CaseName], count: int
) -> list[CaseName]:
    """Return `count` further cases of the few shapes there are: other patterns, then other data."""
    tried = set(map(_key, known))
    every = (
        CaseName(shape, pattern, seed + further)
        for further in itertools.count()
        for pattern in patterns
        for shape in reversed(shapes)
        if (shape, pattern, seed + further) not in tried
    )
    return list(itertools.islice(every, max(0, count)))

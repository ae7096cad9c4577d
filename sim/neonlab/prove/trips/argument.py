"""Prove a kernel for every value of one size, whatever the number of passes that its loops then make.

The size D takes the values of a class: one block apart, where a block is what the passes of the growing loops consume.
Let x be inputs at D, and x' the same with a block of zeros inserted at a fixed place, which are inputs at D + block.

1. The kernel gives the same results on x' as on x, for every D of the class:
   a. Its path at D + block is that at D with more passes of the growing loops, `walk` shows it: one general pass of
      each loop is followed, with registers linear in D and in the number of passes made before.  So all conditions
      are the same for every D and every pass, and all addresses are known.
   b. `places`: each access on x' is at the same element as on x, or beside the inserted block where it ought to be.
   c. `zeros`: from any data in the registers, the first passes of a loop on elements with the block of zeros leave in
      all of them what fewer passes on the same elements without it leave.
   As data registers are equal before the loop, and read the same elements after it, they are equal at the end.
2. The reference gives the same results on x' as on x.  `added` shows it at the sizes that are named.  For all others
   it is taken for granted: a reference is a sum, to which zeros add nothing.
3. At the greatest D the kernel is equal to its reference for all inputs: a proof at one shape.

Inputs at a smaller D, filled with blocks of zeros, are inputs at the greatest D.  By 3 the kernel and the reference
have equal results there, by 1 and 2 these are their results at the smaller D.  So what the proof at the greatest D
says of lanes that wrap and of inputs that are held counts for every D, too.

Not covered are loops that store, as those of kernels for each element, and sizes that the results grow with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.hooks.callee_registers import returned_results
from neonlab.emulate.trace import Trace, entry_value
from neonlab.isa.model.isa import Isa, general
from neonlab.measure.shape import Shape
from neonlab.prove.judge import MOST_STEPS
from neonlab.prove.kernel.symbolic_run import record
from neonlab.prove.large import MOST_ERROR
from neonlab.prove.proof import EverySize, ShapeProof
from neonlab.prove.refusal import Refusal
from neonlab.prove.trips.added import check_reference
from neonlab.prove.trips.form import Form, Value
from neonlab.prove.trips.passes import Loop, follows, growing
from neonlab.prove.trips.places import Rows, check_places, first_block, rows_of
from neonlab.prove.trips.rules import register_number
from neonlab.prove.trips.state import RETURN, STACK
from neonlab.prove.trips.walk import Walk
from neonlab.prove.trips.zeros import check_zeros
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.operator import Operator

#: Blocks that are tried: what passes of a loop consume.
_BLOCKS = (1, 2, 4, 8, 16, 32, 64, 128)
#: Blocks that the size has at least in the run that is walked along: some passes before and behind the zeros.
_BLOCKS_WALKED = 7
#: Passes that are tried for the first ones of a loop, between which the zeros are.
_WINDOWS = (1, 2, 3, 4)
#: Places for the zeros that are tried.
_GAPS = 3
#: Most multiply-accumulates and most steps of the greatest size.
_MOST_MACS, _MOST_GREATEST_STEPS = 1 << 22, MOST_STEPS >> 2
_STEPS = 1 << 18


@dataclass(frozen=True, eq=False)
class _Class:
    """Sizes a block apart: runs at the size that is walked along and at the next two, and the loops that grow."""

    dimension: str
    block: int
    cases: tuple[Case, Case, Case]
    traces: tuple[Trace, Trace, Trace]
    loops: tuple[Loop, ...]

    def shape(self, blocks: int) -> Shape:
        """Return the shape whose size exceeds that of the run by so many blocks."""
        return _with(self.cases[0].shape, self.dimension, self.cases[0].shape[self.dimension] + blocks * self.block)


def prove_every(
    program: Program,
    contract: Contract,
    operator: Operator,
    shape: Shape,
    dimension: str,
    seed: int,
    prove_one: Callable[[Shape], ShapeProof],
) -> EverySize:
    """Return what can be shown of every value of one size that is a multiple of a block away from that of `shape`.

    `prove_one` proves the kernel at one shape.
    """
    found = EverySize(dimension, shape)
    try:
        if contract.alias:
            raise Refusal(f"`{contract.alias[0]}` and `{contract.alias[1]}` are one buffer, which is not covered")
        return _prove(found, program, contract, operator, seed, prove_one)
    except Refusal as refusal:
        return replace(found, reason=refusal.reason, where=refusal.place)


def _prove(
    found: EverySize,
    program: Program,
    contract: Contract,
    operator: Operator,
    seed: int,
    prove_one: Callable[[Shape], ShapeProof],
) -> EverySize:
    sizes = _class_of(program, contract, operator, found.shape, found.dimension, seed)
    most = _most_blocks(sizes, contract, operator)
    last = operator.case(contract, sizes.shape(most), "random", seed)
    growth = _growth(sizes, contract, last, most)
    _proof_at(sizes.cases[0].shape, prove_one)  # where this is none, it is none at the greatest size, and takes longer
    greatest = _proof_at(last.shape, prove_one)
    found = replace(found, block=sizes.block, last=last.shape[found.dimension], greatest=greatest)
    held = frozenset(greatest.held)
    sizes = _like(program, contract, operator, sizes, last, held)
    entry = _entry(sizes, contract, last, most)
    rows, gap, fewest = _shown(sizes, entry, growth, contract, operator, held, most)
    trace, _ = record(program, contract, last, MOST_STEPS)
    if not follows(sizes.traces[0].pcs, sizes.loops, most, trace.pcs):
        raise Refusal(f"the path at {last.shape} is not the one that was found: a rule of the prover is wrong")
    before = operator.case(contract, sizes.shape(most - 1), "random", seed)
    before = _case_like(operator, contract, before, last, held)
    pairs = (sizes.cases[:2], sizes.cases[1:], (before, last))
    errors = [check_reference(program, contract, operator, pair, held, rows, gap) for pair in pairs]
    errors += [greatest.error] if greatest.error is not None else []
    error = math.log2(chance) if (chance := sum(2**error for error in errors)) else None
    if error is not None and error >= MOST_ERROR:
        raise Refusal(f"the error is not below 2^{MOST_ERROR}: its bound is 2^{error:.1f}")
    shown = sorted({case.shape[found.dimension] for pair in pairs for case in pair})
    first = sizes.shape(fewest)[found.dimension]
    return replace(found, first=first, shown=tuple(shown), error=error)


def _proof_at(shape: Shape, prove_one: Callable[[Shape], ShapeProof]) -> ShapeProof:
    """Return the proof at a shape.  Raises Refusal if there is none."""
    found = prove_one(shape)
    if not found.status.is_proof:
        reason = f": {found.reason}" if found.reason else ""
        raise Refusal(f"it is {found.status.value} at {shape}{reason}", place=found.where)
    return found


def _with(shape: Shape, dimension: str, size: int) -> Shape:
    return Shape(shape.names, tuple(size if n == dimension else s for n, s in shape.values().items()))


def _class_of(
    program: Program, contract: Contract, operator: Operator, shape: Shape, dimension: str, seed: int
) -> _Class:
    """Return the class of a size, with the smallest block for which nothing but passes of loops are added."""
    reason = Refusal("the contract allows too few sizes")
    for block in _BLOCKS:
        size = shape[dimension] % block + _BLOCKS_WALKED * block
        shapes = [_with(shape, dimension, size + blocks * block) for blocks in range(3)]
        if not all(operator.accepts(contract, one) for one in shapes):
            continue
        cases = [operator.case(contract, one, "random", seed) for one in shapes]
        traces = [record(program, contract, case, _STEPS)[0] for case in cases]
        if any((returned_results(trace.pcs) >= 0).any() for trace in traces):
            raise Refusal("calls a function that the lab supplies, which is not covered")
        try:
            loops = growing([trace.pcs for trace in traces])
        except Refusal as refusal:
            reason = refusal
            continue
        if loops:
            return _Class(
                dimension, block, (cases[0], cases[1], cases[2]), (traces[0], traces[1], traces[2]), tuple(loops)
            )
        reason = Refusal("no loop makes more passes as the size grows")
    raise reason


def _most_blocks(sizes: _Class, contract: Contract, operator: Operator) -> int:
    """Return the most blocks that the contract allows, and that a proof at one shape can take."""
    steps = sum(loop.growth * loop.length for loop in sizes.loops)

    def is_possible(blocks: int) -> bool:
        shape = sizes.shape(blocks)
        if not operator.accepts(contract, shape) or len(sizes.traces[0]) + steps * blocks > _MOST_GREATEST_STEPS:
            return False
        return contract.macs is None or contract.macs.evaluate(operator.values(contract, shape)) <= _MOST_MACS

    low, high = 2, 4
    while is_possible(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_possible(middle) else (low, middle)
    return low


def _linear(numbers: tuple[int, int, int], last: int, most: int) -> int:
    """Return by how much a number grows with each block.  Raises Refusal where that varies."""
    growth = numbers[1] - numbers[0]
    if numbers[2] - numbers[1] != growth or last - numbers[0] != growth * most:
        raise Refusal("an argument, or the size of an array, does not grow evenly with the size")
    return growth


def _entry(
    sizes: _Class, contract: Contract, last: Case, most: int
) -> tuple[dict[int, Value], dict[int, tuple[Value, int]], dict[str, int]]:
    """Return what registers and the stack hold on entry, and the addresses of buffers."""
    trace, isa = sizes.traces[0], sizes.traces[0].isa
    stack_register, link = (31, 30) if isa is Isa.A64 else (13, 14)
    bases = {item.buffer.name: item.pointer for item in trace.buffers}
    for name, index in ((STACK, stack_register), (RETURN, link)):
        bases[name] = entry_value(trace.entry, general(index))
    registers: dict[int, Value] = {stack_register: Form(0, base=STACK), link: Form(0, base=RETURN)}
    slots: dict[int, tuple[Value, int]] = {}
    for argument in contract.arguments:
        gaps = argument.read is not None and argument.read.rows
        if argument.fields or argument.rows is not None or argument.origin is not None or gaps:
            raise Refusal(f"`{argument.name}` is a struct, an array of pointers, or has gaps or bytes before it")
        if argument.location.size != isa.pointer_bytes:
            continue  # nothing is known of such a register
        if argument.is_pointer:
            form = Form(0, base=argument.name)
        elif argument.name in last.integers:
            numbers = tuple(case.integers[argument.name] for case in sizes.cases)
            growth = _linear((numbers[0], numbers[1], numbers[2]), last.integers[argument.name], most)
            form = Form(numbers[0], growth)
        else:
            continue
        if argument.location.stack_offset is not None:
            slots[argument.location.stack_offset] = form, isa.pointer_bytes
        for name in argument.location.registers:
            register = register_number(isa, name)
            if register is not None:
                registers[register[0]] = form
    return registers, slots, bases


def _growth(sizes: _Class, contract: Contract, last: Case, most: int) -> dict[str, tuple[int, int]]:
    """Return the bytes of each input in the run, and by how many it grows.  Refuse where results grow."""
    for name, expected in last.expected.items():
        if any(case.expected[name].array.shape != expected.array.shape for case in sizes.cases):
            raise Refusal(f"the result `{name}` grows with the size: only sums over it are followed for every size")
    found = {}
    for name, array in last.inputs.items():
        numbers = tuple(case.inputs[name].nbytes for case in sizes.cases)
        found[name] = numbers[0], _linear((numbers[0], numbers[1], numbers[2]), array.nbytes, most)
        low, high = contract.argument(name).value_range or (0, 0)
        if found[name][1] and not low <= 0 <= high:
            raise Refusal(f"`{name}` may not be 0")
    return found


def _like(
    program: Program, contract: Contract, operator: Operator, sizes: _Class, last: Case, held: frozenset[str]
) -> _Class:
    """Return the class with runs that have the held inputs, the pitches and other numbers of the greatest size."""
    cases = [_case_like(operator, contract, case, last, held) for case in sizes.cases]
    traces = [record(program, contract, case, _STEPS)[0] for case in cases]
    return replace(
        sizes,
        cases=(cases[0], cases[1], cases[2]),
        traces=(traces[0], traces[1], traces[2]),
        loops=tuple(growing([trace.pcs for trace in traces])),
    )


def _case_like(operator: Operator, contract: Contract, case: Case, last: Case, held: frozenset[str]) -> Case:
    """Return a case with the held inputs, and the numbers that do not follow from the shape, of the greatest size."""
    chosen = case.integers.keys() - operator.integers(case.shape).keys()
    inputs = dict(case.inputs)
    for name in held | (chosen & inputs.keys()):
        if inputs[name].shape != last.inputs[name].shape:
            raise Refusal(f"`{name}` grows with the size, and is held at the values of a case")
        inputs[name] = last.inputs[name]
    integers = {name: last.integers[name] if name in chosen else number for name, number in case.integers.items()}
    return operator.refilled(contract, replace(case, integers=integers), inputs)


def _walked(
    sizes: _Class,
    entry: tuple[dict[int, Value], dict[int, tuple[Value, int]], dict[str, int]],
    contract: Contract,
    operator: Operator,
    window: int,
    most: int,
) -> tuple[Walk, int]:
    """Walk along the run, for as few blocks as leave `window` passes; return the fewest for which it is the path."""
    if any(loop.passes < window + loop.growth for loop in sizes.loops):
        raise Refusal("the loops make too few passes")
    fewest = max(-((loop.passes - window) // loop.growth) for loop in sizes.loops)
    while fewest < 0 and (
        sizes.shape(fewest)[sizes.dimension] < 1 or not operator.accepts(contract, sizes.shape(fewest))
    ):
        fewest += 1
    while True:
        registers, slots, bases = entry
        walk = Walk(sizes.traces[0], registers, slots, bases, sizes.loops, (fewest, most))
        try:
            walk.walk()
        except Refusal:
            if fewest >= 0:
                raise
            fewest += 1
            continue
        return walk, fewest


def _shown(
    sizes: _Class,
    entry: tuple[dict[int, Value], dict[int, tuple[Value, int]], dict[str, int]],
    growth: Mapping[str, tuple[int, int]],
    contract: Contract,
    operator: Operator,
    held: frozenset[str],
    most: int,
) -> tuple[dict[str, Rows], int, int]:
    """Show that zeros may be inserted; return into which rows, before which block, and the fewest blocks.

    Raises the first Refusal where none of several places does.
    """
    outputs = frozenset(argument.name for argument in contract.pointers if argument.write is not None)
    inputs = {name: size for name, (size, _) in growth.items() if name not in outputs}
    refusals: list[Refusal] = []
    for window in _WINDOWS:
        try:
            walk, fewest = _walked(sizes, entry, contract, operator, window, most)
            rows = rows_of(walk.accesses, sizes.loops, growth)
        except Refusal as refusal:
            raise refusals[0] if refusals else refusal from None
        first = first_block(walk.accesses, rows)
        for gap in range(first, first + _GAPS):
            try:
                check_places(walk.accesses, sizes.loops, rows, inputs, outputs, gap=gap, window=window, fewest=fewest)
                check_zeros(
                    *(sizes.traces[0], contract, sizes.cases[0], held, sizes.loops, walk.after, rows),
                    gap=gap,
                    window=window,
                )
            except Refusal as refusal:
                refusals.append(refusal)
                continue
            return rows, gap, fewest
    raise refusals[0]

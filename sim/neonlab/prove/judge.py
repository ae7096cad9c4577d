"""Prove a kernel equal to its reference at one shape, for every input that its contract allows.

    found = prove_shape(program, contract, operator, shape)

The kernel is run once and its path replayed on expressions; the operator's own reference runs on symbolic arrays, or is
followed like the kernel where it is compiled C.  Each result of one is compared with that of the other.  Where they
differ, inputs that show it are looked for, and run.

Some inputs cannot be any value: a reference may need the ends of a range as numbers, and a product of a sum and a
multiplier has more values than can be tried.  Such inputs are held at those of a case, and the proof names them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Argument, Contract
from neonlab.measure.shape import Shape
from neonlab.prove.addresses import refuse_addresses
from neonlab.prove.comparison.equality import Equality, compare
from neonlab.prove.expressions.evaluate import consumed, elements_of, evaluate
from neonlab.prove.expressions.operation import INPUT
from neonlab.prove.expressions.table import ExpressionTable, Ids
from neonlab.prove.failing import DRAWN, fault_in, refuted_by_cases, run_witness
from neonlab.prove.kernel.symbolic_run import NOT_COMPLETE, KernelNodes, Sum, kernel_nodes
from neonlab.prove.large import MOST_ERROR, error_of, is_large, seed_of
from neonlab.prove.proof import Noticed, ProofStatus, ShapeProof
from neonlab.prove.reference.compiled import CompiledReference, compiled_nodes
from neonlab.prove.reference.inputs import input_values, symbolic_inputs
from neonlab.prove.reference.outputs import reference_nodes
from neonlab.prove.refusal import Refusal
from neonlab.prove.witness import inputs_of, witnesses
from neonlab.verify.cases.case import Case
from neonlab.verify.cases.operator import Operator, OperatorError
from neonlab.verify.verdict import Failure

#: Most instructions of a path.
MOST_STEPS = 1 << 25
#: How the reason begins where what a buffer held before the call is among its results.
_UNWRITTEN = "the output"
#: Further draws of inputs that are held.
_OTHER_DRAWS = 7


@dataclass(frozen=True, eq=False)
class Reference:
    """The side of the reference at one case, which is the same for every kernel of its contract.

    `elements` are the nodes of the inputs that are not held, without the filling of the packed arrays that `filling`
    names.  `nodes` are the results, in the order of the outputs' names.
    """

    case: Case
    table: ExpressionTable
    elements: Mapping[str, Ids]
    filling: tuple[str, ...]
    nodes: Ids


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides of a comparison at one case, result by result."""

    case: Case
    table: ExpressionTable
    elements: Mapping[str, Ids]
    filling: tuple[str, ...]
    kernel: KernelNodes
    ours: Ids
    theirs: Ids
    other: str = "the reference"


def prove_shape(
    program: Program,
    contract: Contract,
    operator: Operator,
    shape: Shape,
    seed: int = 1,
    *,
    held: frozenset[str] = frozenset(),
) -> ShapeProof:
    """Return what can be shown at one shape.  `held` names inputs to hold at the values of the case from the start.

    Before a kernel is proved, the case is run under every check, as what it reads or leaves changed is no result.  It
    is not proved where the addresses of its buffers or earlier calls may decide what it does.

    A proof that holds inputs says nothing of others: so the kernel is run on further cases, of which one may refute it.
    Unless inputs are held from the start, as where many shapes are proved, it is also tried with other draws.
    """
    case = operator.case(contract, shape, "random", seed)
    found = _proved_or_not(program, contract, operator, case, held)
    if found.status.is_proof:  # pointers among the arguments are those of the case
        found = replace(found, held=tuple(sorted({*found.held, *case.rows})))
    if found.status.is_proof or found.reason.startswith((NOT_COMPLETE, _UNWRITTEN)):
        fault = fault_in(program, contract, operator, case)
        if fault is not None:
            return replace(found, status=ProofStatus.REFUTED, wraps=None, error=None, reason="", failure=fault)
    if found.status.is_proof:
        try:
            refuse_addresses(program, contract, case)
        except Refusal as refusal:
            reason, where = refusal.reason, refusal.place
            return replace(found, status=ProofStatus.NOT_PROVED, wraps=None, error=None, reason=reason, where=where)
    if found.status is not ProofStatus.PROVED or not found.held:
        return found
    failure = refuted_by_cases(program, contract, operator, case)
    if failure is not None:
        return replace(found, status=ProofStatus.REFUTED, wraps=None, failure=failure)
    for other in () if held else range(seed + 1, seed + 1 + _OTHER_DRAWS):
        case = operator.case(contract, shape, "random", other)
        again = _proved_or_not(program, contract, operator, case, frozenset())
        if again.status is ProofStatus.REFUTED:
            return again
    return found


def _proved_or_not(
    program: Program, contract: Contract, operator: Operator, case: Case, held: frozenset[str]
) -> ShapeProof:
    if _largest(contract, operator, case) & held:  # such a proof would mean little
        held = frozenset()
    held |= coded(operator, case)
    found = _attempt(program, contract, operator, case, held)
    if found.status is not ProofStatus.NOT_PROVED:
        return found
    more = parameters(contract) & set(case.inputs) - set(found.held)
    if not more:
        return found
    again = _attempt(program, contract, operator, case, frozenset(found.held) | more)
    if again.status is ProofStatus.NOT_PROVED:
        return found
    if again.status is ProofStatus.REFUTED:
        return again
    return _released(program, contract, operator, case, again, frozenset(found.held))


def _released(
    program: Program, contract: Contract, operator: Operator, case: Case, proof: ShapeProof, needed: frozenset[str]
) -> ShapeProof:
    """Return a proof that holds no input without need: each one is followed again, as long as the proof succeeds."""
    for name in sorted(set(proof.held) - needed):
        if set(proof.held) - {name} == needed:  # as it was tried first
            continue
        fewer = _attempt(program, contract, operator, case, frozenset(proof.held) - {name}, look=False)
        if fewer.status.is_proof:
            proof = fewer
    return proof


def parameters(contract: Contract) -> frozenset[str]:
    """Return the inputs that describe the operator rather than its operands.

    They have a constant size, or hold numbers of 32 bits or more and depend on fewer sizes than another input, or on no
    others than one of narrower numbers: a bias beside weights.
    """
    sizes = {a.name: (a.read.names, a.dtype.itemsize) for a in contract.pointers if a.read is not None}

    def is_parameter(argument: Argument) -> bool:
        mine, width = sizes[argument.name]
        wider = any(mine < names or (mine == names and size < width) for names, size in sizes.values())
        return wider and (not mine or width >= 4)

    return frozenset(a.name for a in contract.pointers if a.name in sizes and is_parameter(a))


def coded(operator: Operator, case: Case) -> frozenset[str]:
    """Return the inputs of which only some values mean something, so that others would refute a right kernel."""
    return frozenset(operator.coded) & case.inputs.keys()


def _attempt(
    program: Program, contract: Contract, operator: Operator, case: Case, held: frozenset[str], *, look: bool = True
) -> ShapeProof:
    """Compare the sides with these inputs held, and more where a side needs their values.

    Look for a witness if asked.
    """
    unproved = ShapeProof(case.shape, ProofStatus.NOT_PROVED, case.seed)
    while True:
        try:
            sides = _sides(program, contract, operator, case, held)
            break
        except Refusal as refusal:
            more = more_held(contract, operator, case, held, refusal)
            if more is None:
                return replace(unproved, held=tuple(sorted(held)), reason=refusal.reason, where=refusal.place)
            held = more
    return judged(program, contract, operator, sides, unproved, held, look=look)


def judged(
    program: Program,
    contract: Contract,
    operator: Operator,
    sides: Sides,
    unproved: ShapeProof,
    held: frozenset[str],
    *,
    look: bool,
) -> ShapeProof:
    """Return what the comparison of both sides shows; look for a witness if asked."""
    case = sides.case
    steps, results = sides.kernel.steps, len(sides.ours)
    unproved = replace(unproved, held=tuple(sorted(held)), filling=sides.filling, steps=steps, results=results)
    try:
        answer = compare(sides.table, sides.ours, sides.theirs, every=look)
        wraps = _wrapping(answer, sides)
    except Refusal as refusal:
        return replace(unproved, reason=refusal.reason, where=refusal.place)
    unproved = replace(unproved, enumerated=answer.enumerated)
    if answer.equal.all():
        return _proved(unproved, sides.table, answer, wraps)
    if look:
        failure = _refuted(program, contract, operator, case, sides, answer)
        if failure is not None:
            return replace(unproved, status=ProofStatus.REFUTED, failure=failure)
    wrong = int((~answer.equal).sum())
    reason = (
        f"{wrong} of {answer.equal.size} results have another form than {sides.other}, and no input shows a difference"
    )
    return replace(unproved, reason=reason)


def _proved(found: ShapeProof, table: ExpressionTable, answer: Equality, wraps: Noticed | None) -> ShapeProof:
    """Return the proof, with the bound on its error where sums were known by fingerprints."""
    if not table.fingerprints:
        return replace(found, status=ProofStatus.PROVED, wraps=wraps)
    error = error_of(answer.canonical)
    if error >= MOST_ERROR:
        return replace(found, reason=f"the error is not below 2^{MOST_ERROR}: its bound is 2^{error:.1f}")
    return replace(found, status=ProofStatus.PROVED_WITH_ERROR, wraps=wraps, error=error)


def more_held(
    contract: Contract, operator: Operator, case: Case, held: frozenset[str], refusal: Refusal
) -> frozenset[str] | None:
    """Return the inputs to hold so that a refusal does not come again; None where that would not help."""
    more = held | refusal.inputs
    followed = set(case.inputs) - more
    return more if more != held and followed and _largest(contract, operator, case) <= followed else None


def _largest(contract: Contract, operator: Operator, case: Case) -> set[str]:
    """Return the operand with the most elements, an array before a single number.

    It must be followed for a proof to mean anything.
    """
    operands = set(case.inputs) - parameters(contract) - coded(operator, case) or set(case.inputs)
    return (
        {max(operands, key=lambda name: (case.inputs[name].size, case.inputs[name].ndim, name))} if operands else set()
    )


def _sides(program: Program, contract: Contract, operator: Operator, case: Case, held: frozenset[str]) -> Sides:
    """Run both sides on expressions.  Raises Refusal where one cannot be followed."""
    return with_kernel(reference_side(program, contract, operator, case, held), program, contract)


def reference_side(
    program: Program, contract: Contract, operator: Operator, case: Case, held: frozenset[str]
) -> Reference:
    """Run the reference on expressions; in a large case `program` decides the points at which sums are known.

    Raises Refusal where it cannot be followed.
    """
    table = ExpressionTable(seed_of(program, case, held) if is_large(contract, case) else None)
    inputs, elements = symbolic_inputs(table, contract, case, held)
    if isinstance(operator, CompiledReference):
        expected = compiled_nodes(operator, case, table, elements, MOST_STEPS)
    elif case.returned is not None:
        raise Refusal("a returned value is compared with that of a C reference alone")
    else:
        expected = reference_nodes(operator, contract, case, inputs)
    followed = {name: ids for name, ids in elements.items() if name not in held}
    theirs = np.concatenate([expected[name].reshape(-1) for name in sorted(expected)])
    numbers = table.drop(0, table.needed_of(theirs, *followed.values()))
    theirs, followed = numbers[theirs], {name: numbers[ids] for name, ids in followed.items()}
    followed, filling = _without_filling(table, operator, contract, case, followed, theirs)
    return Reference(case, table, followed, filling, theirs)


def with_kernel(reference: Reference, program: Program, contract: Contract) -> Sides:
    """Run the kernel on expressions beside the reference.  Raises Refusal where it cannot be followed."""
    case, table, elements = reference.case, reference.table, reference.elements
    kernel = kernel_nodes(program, contract, case, table, elements, MOST_STEPS)
    sides = Sides(case, table, elements, reference.filling, kernel, _results(kernel), reference.nodes)
    _check_kernel(sides, case)
    return sides


def beside(sides: Sides, program: Program, contract: Contract) -> Sides:
    """Run a copy of the kernel on expressions beside the kernel itself, with whose results its own are compared.

    `sides` stay as they are.  Raises Refusal where the copy cannot be followed.
    """
    table = copy.deepcopy(sides.table)
    kernel = kernel_nodes(program, contract, sides.case, table, sides.elements, MOST_STEPS)
    found = replace(sides, table=table, kernel=kernel, ours=_results(kernel), theirs=sides.ours, other="the kernel's")
    _check_kernel(found, sides.case)
    return found


def _results(kernel: KernelNodes) -> Ids:
    """Return the nodes of all outputs, in the order of their names."""
    return np.concatenate([kernel.outputs[name].reshape(-1) for name in sorted(kernel.outputs)])


def _without_filling(
    table: ExpressionTable, operator: Operator, contract: Contract, case: Case, elements: Mapping[str, Ids], theirs: Ids
) -> tuple[dict[str, Ids], tuple[str, ...]]:
    """Return the elements without the filling of packed arrays, which a kernel may count on: numbers in its place.

    Return the names of the arrays that have some, too.  Filling is what the reference does not depend on, and what
    every case has the same there.
    """
    used = np.zeros(table.inputs, np.bool_)
    used[elements_of(table, theirs)] = True
    used[consumed(table)] = True
    others = [operator.case(contract, case.shape, pattern, seed).inputs for pattern, seed in DRAWN]
    found, filled = {}, []
    for name, ids in elements.items():
        drawn = case.inputs[name]
        same = np.logical_and.reduce([other[name] == drawn for other in others])
        filling = same & ~used[table.nodes["amount"][ids]]
        if filling.any():
            filled.append(name)
        bits = drawn.view(np.uint32) if drawn.dtype.kind == "f" else drawn
        found[name] = np.where(filling, table.constants(np.where(filling, bits, 0)), ids).astype(np.int32)
    return found, tuple(sorted(filled))


def _check_kernel(sides: Sides, case: Case) -> None:
    """Raise Refusal if the expressions do not give what the emulator wrote for the case: a rule would be wrong."""
    values = input_values(sides.table, sides.elements, case.inputs)[np.newaxis]
    elements = [sides.table.nodes[ids.reshape(-1)] for ids in sides.elements.values()]
    of_inputs = [rows["amount"][rows["operation"] == INPUT] for rows in elements]
    followed = np.concatenate([np.zeros(0, np.int64), *of_inputs])
    for name in sorted(sides.kernel.outputs):
        nodes, wrote = sides.kernel.outputs[name], sides.kernel.written[name]
        if not np.array_equal(evaluate(sides.table, nodes, values)[0], wrote):
            if not np.isin(elements_of(sides.table, nodes), followed).all():
                raise Refusal(f"{_UNWRITTEN} `{name}` depends on bytes that the call did not write")
            raise Refusal(
                f"the expressions for `{name}` differ from what the kernel wrote: a rule of the prover is wrong"
            )


def _wrapping(answer: Equality, sides: Sides) -> Noticed | None:
    """Return the first instruction whose sum may leave its lane, by the intervals of canonical forms."""
    sums = sides.kernel.sums
    if not sums:
        return None
    forms = answer.canonical.of(np.array([one.node for one in sums], np.int32))
    rows = answer.canonical.forms.polynomials[forms]
    bits = np.array([one.bits for one in sums], np.int64)
    signed = (rows["low"] >= -(1 << bits - 1)) & (rows["high"] < 1 << bits - 1)
    unsigned = (rows["low"] >= 0) & (rows["high"] < 1 << bits) & ~np.array([one.signed for one in sums])
    beyond = np.flatnonzero(~(signed | unsigned))
    found: Sum | None = sums[int(beyond[0])] if beyond.size else None
    if found is None and not sides.kernel.all_sums:
        found = sums[-1]
    return Noticed(found.where, found.instruction) if found is not None else None


def _refuted(
    program: Program, contract: Contract, operator: Operator, case: Case, sides: Sides, answer: Equality
) -> Failure | None:
    """Return how the kernel fails on inputs for which the sides differ, None if no such inputs were found."""
    if sides.table.fingerprints:  # such sums have no operands to look at
        return refuted_by_cases(program, contract, operator, case)
    draws = [input_values(sides.table, sides.elements, case.inputs)]
    for pattern, seed in DRAWN:
        try:
            other = operator.case(contract, case.shape, pattern, seed)
        except OperatorError:
            continue
        draws.append(input_values(sides.table, sides.elements, other.inputs))
    for values in witnesses(sides.table, answer, sides.ours, sides.theirs, np.stack(draws), case.seed):
        inputs = inputs_of(case.inputs, sides.elements, sides.table, values)
        failure = run_witness(program, contract, operator, case, inputs)
        if failure is not None:
            return failure
    return None

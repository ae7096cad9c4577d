"""Prove kernels equal to their references in this process."""

from __future__ import annotations

from collections.abc import Sequence

from neonlab.errors import InputError
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.lookup import AskedKernel, AskedShape, one_kernel, some_shapes
from neonlab.lab.run.plan import shapes_to_prove
from neonlab.lab.run.shapes import integers_of
from neonlab.measure.shape import Shape
from neonlab.prove.judge import parameters, prove_shape
from neonlab.prove.large import is_large
from neonlab.prove.proof import EverySize, Proof, ProofStatus, ShapeProof
from neonlab.prove.trips.argument import prove_every

#: Work of the small shape at which the inputs are found that a large one holds: multiply-accumulates, or elements.
_MOST_WORK_TO_FIND_HELD = 2_000
#: From so many shapes on, what to hold is found at a few of them first.
MANY_SHAPES = 32
_NO_REFERENCE = "the kernel has no operator whose reference could run on symbols"
_C_REFERENCE = "the reference is a C function, which takes no inputs with zeros put in: an operator in Python is needed"
_ON_HOST = (
    "the reference runs on this computer, where it cannot be followed: let it be compiled for the kernel's instruction "
    "set, without --reference-on-host or `on_host`"
)


def prove_one(kernel: Kernel, shape: Shape, seed: int, held: frozenset[str] = frozenset()) -> ShapeProof:
    """Return what can be shown of a kernel at one shape.  `held` names inputs that are held from the start."""
    if kernel.operator is None:
        return ShapeProof(shape, ProofStatus.NOT_PROVED, seed, reason=_NO_REFERENCE)
    if kernel.reference is not None and kernel.reference.on_host:
        return ShapeProof(shape, ProofStatus.NOT_PROVED, seed, reason=_ON_HOST)
    if is_large(kernel.contract, kernel.operator.case(kernel.contract, shape, "random", seed)):
        held |= held_when_small(kernel, shapes_to_prove(kernel), seed)
    return prove_shape(kernel_program(kernel), kernel.contract, kernel.operator, shape, seed, held=held)


def prove_every_size(kernel: Kernel, shape: Shape, dimension: str, seed: int) -> EverySize:
    """Return what can be shown for every value of a size that is a multiple of a block away from that of `shape`."""
    if kernel.operator is None or kernel.reference is not None:
        reason = _NO_REFERENCE if kernel.operator is None else _C_REFERENCE
        return EverySize(dimension, shape, reason=reason)
    program, contract = kernel_program(kernel), kernel.contract
    return prove_every(
        program, contract, kernel.operator, shape, dimension, seed, lambda one: prove_one(kernel, one, seed)
    )


def held_when_small(kernel: Kernel, shapes: Sequence[Shape], seed: int) -> frozenset[str]:
    """Return the inputs that had to be held for proofs at a few of the shapes that have little work.

    To find them takes several attempts, and a proof that holds them from the start takes one.  The few are those that
    are longest in one dimension each: of many channels, some need what few do not.
    """
    if kernel.operator is None or (kernel.reference is not None and kernel.reference.on_host):
        return frozenset()
    macs = kernel.contract.macs

    def work(one: Shape) -> int:
        return one.work if macs is None else macs.evaluate(integers_of(kernel, one))

    small = [one for one in shapes if 0 < work(one) <= _MOST_WORK_TO_FIND_HELD]
    longest = {
        max(small, key=lambda one: (one.sizes[at], work(one))) for at in range(len(small[0].sizes) if small else 0)
    }
    held: frozenset[str] = frozenset()
    for one in sorted(longest, key=lambda one: one.sizes):
        found = prove_shape(kernel_program(kernel), kernel.contract, kernel.operator, one, seed, held=held)
        held |= frozenset(found.held) if found.status is ProofStatus.PROVED else frozenset()
        held &= parameters(kernel.contract)  # at other sizes, other operands might be held
    return held


def proof_of(kernel: Kernel, shapes: Sequence[ShapeProof], every: Sequence[EverySize] = ()) -> Proof:
    """Fold what was shown at each shape, and for every value of a size."""
    symbol = kernel.reference.symbol if kernel.reference is not None else ""
    return Proof(kernel.title, kernel.isa.value, str(kernel.path), tuple(shapes), kernel.options, tuple(every), symbol)


def refuse_size(kernel: Kernel, dimension: str) -> None:
    """Raise InputError unless the shapes of a kernel have a size of this name."""
    names = kernel.operator.dimensions if kernel.operator is not None else ()
    if kernel.operator is not None and dimension not in names:
        raise InputError(f"{kernel.title} has no size `{dimension}`; its sizes are {', '.join(names)}")


def prove(
    kernel: AskedKernel,
    shapes: AskedShape | Sequence[AskedShape] = (),
    *,
    layers: bool = False,
    every: str = "",
    seed: int = 1,
) -> Proof:
    """Prove a kernel equal to its reference for every input that its contract allows, shape by shape.

    `kernel` is a Kernel, a name of the library such as "armv8/conv1x1_s8s32_hwc_4x4", or the path of a file.  `shapes`
    are Shapes or text such as "3x3x16x8", one or several; without any, the small shapes that `check` tries, or with
    `layers` the layers of real networks that the operator names.  `every` names a size, such as "in_channels": then the
    kernel is also proved for every value of that size which is a multiple of a block away from that of each shape.
    `seed` (0 or more) fixes the case whose path is
    followed, and the values of inputs that are held.

    The Proof says of each shape whether the kernel is proved, refuted by inputs that were run, or neither and why.
    Raises InputError for a kernel or a shape that is not known, or that the contract does not allow.
    """
    kernel = one_kernel(kernel)
    wanted = shapes_to_prove(kernel, some_shapes(kernel, shapes), layers=layers)
    held = held_when_small(kernel, wanted, seed) if len(wanted) >= MANY_SHAPES else frozenset()
    if every:
        refuse_size(kernel, every)
    shown = [prove_one(kernel, shape, seed, held) for shape in wanted]
    return proof_of(kernel, shown, [prove_every_size(kernel, one, every, seed) for one in wanted] if every else ())

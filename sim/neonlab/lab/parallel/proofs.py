"""Prove many kernels, side by side in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from neonlab.lab.parallel.checks import explain_failures
from neonlab.lab.parallel.pool import KernelHandle, Workers
from neonlab.lab.parallel.unit import unit
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.lab.run.saved import save_failure
from neonlab.measure.shape import Shape
from neonlab.prove.proof import EverySize, Proof, ProofStatus, ShapeProof


@unit
def _prove(handle: KernelHandle, shape: Shape, seed: int, held: frozenset[str]) -> ShapeProof:
    from neonlab.lab.run.prove import prove_one

    return prove_one(handle.open(), shape, seed, held)


@unit
def _prove_every(handle: KernelHandle, shape: Shape, dimension: str, seed: int) -> EverySize:
    from neonlab.lab.run.prove import prove_every_size

    return prove_every_size(handle.open(), shape, dimension, seed)


@unit
def _held(handle: KernelHandle, shapes: Sequence[Shape], seed: int) -> frozenset[str]:
    from neonlab.lab.run.prove import MANY_SHAPES, held_when_small

    return held_when_small(handle.open(), shapes, seed) if len(shapes) >= MANY_SHAPES else frozenset()


def prove_all(
    workers: Workers,
    work: Sequence[tuple[Kernel, Sequence[Shape]]],
    *,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Proof]:
    """Prove each kernel at its shapes; in a shard, at those of the shard alone."""
    handles = [KernelHandle.of(kernel) for kernel, _ in work]
    asked = [(handle, tuple(shapes), seed) for handle, (_, shapes) in zip(handles, work, strict=True)]
    needed = [frozenset() if isinstance(held, Died) else held for held in workers.run(_held, asked)]
    tasks = [
        (handle, shape, seed, held)
        for handle, held, (_, shapes) in zip(handles, needed, work, strict=True)
        for shape in shapes
    ]
    from neonlab.lab.run.prove import proof_of

    results = _of_each(workers, _prove, tasks, work, advance)
    proofs = []
    for (kernel, _), mine in zip(work, results, strict=True):
        proofs.append(proof_of(kernel, [_ended(shape, seed, result) for shape, result in mine]))
    return proofs


def _ended(shape: Shape, seed: int, result: ShapeProof | Died) -> ShapeProof:
    """Return what was shown at a shape; where the process ended, nothing was."""
    if isinstance(result, ShapeProof):
        return result
    return ShapeProof(shape, ProofStatus.NOT_PROVED, seed, reason=result.reason)


def prove_all_sizes(
    workers: Workers,
    work: Sequence[tuple[Kernel, Sequence[Shape]]],
    dimension: str,
    proofs: Sequence[Proof],
    *,
    seed: int = 1,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Proof]:
    """Return the proofs of the kernels with what is shown for every value of a size, beginning at each shape."""
    tasks = [(KernelHandle.of(kernel), shape, dimension, seed) for kernel, shapes in work for shape in shapes]
    results = _of_each(workers, _prove_every, tasks, work, advance)
    found = []
    for proof, mine in zip(proofs, results, strict=True):
        every = [
            EverySize(dimension, shape, reason=result.reason) if isinstance(result, Died) else result
            for shape, result in mine
        ]
        found.append(replace(proof, every=tuple(every)))
    return found


def _of_each(
    workers: Workers,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    work: Sequence[tuple[Kernel, Sequence[Shape]]],
    advance: Callable[[int], None],
) -> list[list[tuple[Shape, Any]]]:
    """Run a task for each shape of each kernel; return for each kernel its shapes that have a result here, with it."""
    wanted = [(number, shape) for number, (_, shapes) in enumerate(work) for shape in shapes]
    mine = workers.part(function, [float(shape.work) for _, shape in wanted])
    found: list[list[tuple[Shape, Any]]] = [[] for _ in work]
    results = workers.run(function, [tasks[one] for one in mine], lambda _: advance(1))
    for one, result in zip(mine, results, strict=True):
        number, shape = wanted[one]
        found[number].append((shape, result))
    return found


def explain_proofs(workers: Workers, kernels: Sequence[Kernel], proofs: Sequence[Proof]) -> list[Proof]:
    """Return the proofs with the first failure of each explained, as a check explains it."""
    asked = [(kernel, proof.failures[0]) for kernel, proof in zip(kernels, proofs, strict=True) if proof.failures]
    told = iter(explain_failures(workers, asked))
    return [proof.with_failures([next(told), *proof.failures[1:]]) if proof.failures else proof for proof in proofs]


def save_witnesses(kernels: Sequence[Kernel], proofs: Sequence[Proof], folder: Path | None = None) -> list[Proof]:
    """Return the proofs with the inputs of every failure saved, as `save_failure` does.  Raises InputError."""
    return [
        proof.with_failures([save_failure(kernel, failure, folder) for failure in proof.failures])
        for kernel, proof in zip(kernels, proofs, strict=True)
    ]

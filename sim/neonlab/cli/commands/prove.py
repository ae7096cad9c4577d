"""Implement `neonlab prove`."""

from __future__ import annotations

from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    KernelsArgument,
    SeedOption,
    ShapeOption,
    console,
    find_kernels,
    print_json,
    shapes_by_kernel,
)
from neonlab.contract.options import Given
from neonlab.errors import InputError


@takes_given
def prove(
    kernels: KernelsArgument = None,
    shape: ShapeOption = None,
    tails: Annotated[
        bool, typer.Option("--tails", help="Prove the small shapes that `check` tries; the default.")
    ] = False,
    layers: Annotated[
        bool, typer.Option("--layers", help="Prove the layers of real networks that fit memory.")
    ] = False,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Prove kernels equal to their references for every input that their contracts allow.

    At a fixed shape a kernel takes one path. Along it every lane is an expression over the elements of the inputs, and
    so is each result of the reference; equal expressions are equal for all inputs. A kernel is `proved`, `refuted` by
    inputs that were run, or `not proved`, with the instruction and the reason. Nothing is sampled.

    Some inputs are held at the values of one case, such as the limits of a clamp. The result names them.
    """
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.parallel.proofs import prove_all
    from neonlab.lab.run.prove import shapes_to_prove
    from neonlab.prove.proof import ProofStatus
    from neonlab.report.terminal.proof import print_proofs

    if sum((bool(shape), tails, layers)) > 1:
        raise InputError("--shape, --tails and --layers exclude each other: give one of them")
    found = find_kernels(kernels or (), given)
    with Workers(jobs) as workers:
        progress.begin(f"planning the shapes of {len(found)} kernel{'s' * (len(found) != 1)}")
        wanted = shapes_by_kernel(found, shape) if shape else [(kernel, []) for kernel in found]
        work = [(kernel, shapes_to_prove(kernel, shapes, layers=layers)) for kernel, shapes in wanted]
        work = [(kernel, shapes) for kernel, shapes in work if shapes]
        if not work:
            raise InputError("no kernel has a shape to prove: give one with --shape")
        advance = progress.begin("proving", sum(len(shapes) for _, shapes in work), "shapes")
        proofs = prove_all(workers, work, seed=seed, advance=advance)
    if json:
        print_json("prove", seed=seed, proofs=[proof.to_json() for proof in proofs])
    else:
        print_proofs(console(), proofs)
    return 0 if all(proof.status is ProofStatus.PROVED for proof in proofs) else 1

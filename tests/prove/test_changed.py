"""Changed kernels against the kernel, which is followed once: what is called equal is right wherever it is run."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.run.lookup import one_kernel, one_shape
from neonlab.lab.run.plan import shapes_to_prove
from neonlab.prove.changed import ChangedKernels
from neonlab.prove.proof import ProofStatus
from neonlab.verify.cases.case import PATTERNS
from neonlab.verify.check_case import is_right, run_case
from neonlab.verify.mutation.mutants import mutants_of, mutated

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/lab/run/test_mutant_proofs.py has the words without it"
)
_SEED, _MUTANTS = 7, 120
_KERNELS = [
    ("armv8/conv1x1_s8s32_hwc_4x4", ("1x2x17x9", "2x3x40x5")),
    ("armv8/maxpool2x2s2_s8s8_hwc_1x16", ("2x3x21", "1x2x64")),
    ("armv8/clip_s8s8_flat_64", ("83", "200")),
    ("armv7/conv1x1_s8s32_hwc_2x4", ("1x2x17x9",)),
]


@pytest.mark.parametrize(("name", "shapes"), _KERNELS, ids=[name for name, _ in _KERNELS])
def test_a_mutant_that_is_proved_gives_right_results_and_one_that_is_wrong_is_never_proved(
    name: str, shapes: tuple[str, ...]
) -> None:
    """The emulator and the reference on numbers decide, on data that the prover did not choose."""
    kernel = one_kernel(name)
    program, contract, operator = kernel_program(kernel), kernel.contract, kernel.operator
    assert operator is not None
    asked = [one_shape(kernel, shape) for shape in shapes]
    prover = ChangedKernels(program, contract, operator, asked, 1, chosen=True)
    counts: Counter[tuple[bool, ProofStatus]] = Counter()
    for mutant in random.Random(_SEED).sample(mutants_of(program), _MUTANTS):
        changed = mutated(program, mutant)
        with Machine(changed) as machine:
            for found in prover.prove(changed, mutant.address, 4 * len(mutant.words)):
                right, followed = True, operator.case(contract, found.shape, "random", 1)
                for pattern, seed in itertools.product(PATTERNS, (1, 5)):
                    case = operator.case(contract, found.shape, pattern, seed)
                    held = {name: followed.inputs[name] for name in found.held}
                    case = operator.refilled(contract, case, {**case.inputs, **held})
                    outcome = run_case(machine, contract, case)
                    right = right and not isinstance(outcome, Fault) and is_right(contract, case, outcome)
                assert right or found.status is not ProofStatus.PROVED, mutant.title
                assert (found.failure is not None) == (found.status is ProofStatus.REFUTED)
                counts[right, found.status] += 1
    assert counts[False, ProofStatus.REFUTED] > 5 and counts[True, ProofStatus.PROVED] > 5, counts


@pytest.mark.parametrize(
    ("name", "held"), [("conv1x1_s8s8_hwc_4x4_ruy", ("range", "shifts")), ("conv1x1_s8s8_hwc_4x4_fp32", ("range",))]
)
def test_a_copy_without_a_change_is_proved_again_and_again(name: str, held: tuple[str, ...]) -> None:
    """Nothing of one copy stays in what the next is compared with."""
    kernel = one_kernel(f"armv8/{name}")
    program, shape = kernel_program(kernel), one_shape(kernel, "1x2x9x5")
    assert kernel.operator is not None
    prover = ChangedKernels(program, kernel.contract, kernel.operator, [shape], 1, chosen=True)
    start = program.instructions[0].address
    first, *others = (prover.prove(program, start, 4) for _ in range(3))
    assert [one.status for one in first] == [ProofStatus.PROVED]
    assert (first[0].held, first[0].results) == (held, 10)
    assert others == [first, first]


def test_code_that_a_shape_does_not_run_is_not_proved_there() -> None:
    """Prove nothing of code that no shape runs: it cannot differ there."""
    kernel = one_kernel("armv8/clip_s8s8_flat_64")
    program = kernel_program(kernel)
    assert kernel.operator is not None
    small, large = one_shape(kernel, "3"), one_shape(kernel, "128")
    prover = ChangedKernels(program, kernel.contract, kernel.operator, [small, large], 1, chosen=True)
    reached = [
        tuple(str(found.shape) for found in prover.prove(program, instruction.address, 4))
        for instruction in program.instructions
    ]
    assert {("3", "128"), ("3",), ("128",)} <= set(reached), set(reached)


def test_the_shapes_chosen_run_every_instruction_that_any_shape_runs() -> None:
    kernel = one_kernel("armv8/conv1x1_s8s32_hwc_4x4")
    program = kernel_program(kernel)
    assert kernel.operator is not None
    shapes = shapes_to_prove(kernel)
    prover = ChangedKernels(program, kernel.contract, kernel.operator, shapes, 1, chosen=False)
    every = ChangedKernels(program, kernel.contract, kernel.operator, shapes, 1, chosen=True)
    chosen = prover.sites
    assert 0 < len(chosen) < 30 < len(every.sites)
    for instruction in program.instructions:
        wanted = min(3, sum(site.reaches(instruction.address, 4) for site in every.sites))
        assert sum(site.reaches(instruction.address, 4) for site in chosen) >= wanted

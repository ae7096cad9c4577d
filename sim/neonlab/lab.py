"""The lab's three verbs on one kernel: check it, profile it, compare profiles.  All in this process.

`neonlab.workers` runs the same in processes of their own, where hostile code can do no harm.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.link import link
from neonlab.assemble.program import Program
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault
from neonlab.errors import InputError
from neonlab.library import Kernel
from neonlab.measure.counts import Counts, CountsProbe
from neonlab.verify.case import PATTERNS, Case, Shape
from neonlab.verify.check_case import run_case
from neonlab.verify.checker import Checker
from neonlab.verify.generated import generated_case, generated_shapes
from neonlab.verify.operator import cover
from neonlab.verify.verdict import Failure, Verdict

#: Shapes that `check` tries without being asked for more; patterns take turns over them.
DEFAULT_SHAPES = 60


@dataclass(frozen=True, slots=True)
class CaseName:
    """Enough to draw a case again: it is a pure function of the kernel's name and these."""

    shape: Shape
    pattern: str
    seed: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call cost, counted exactly.  `macs` is the work the contract declares, 0 when it declares none."""

    kernel: str
    isa: str
    shape: str
    macs: int
    counts: Counts

    @property
    def instructions_per_mac(self) -> float:
        """Executed instructions for each multiply-accumulate; 0 when none is declared."""
        return self.counts.instructions / self.macs if self.macs else 0.0

    @property
    def loaded_per_mac(self) -> float:
        """Bytes loaded for each multiply-accumulate; 0 when none is declared."""
        return self.counts.loaded_bytes / self.macs if self.macs else 0.0

    @property
    def stored_per_mac(self) -> float:
        """Bytes stored for each multiply-accumulate; 0 when none is declared."""
        return self.counts.stored_bytes / self.macs if self.macs else 0.0

    def to_json(self) -> dict[str, Any]:
        """Plain values for `--json`."""
        return {
            "kernel": self.kernel,
            "isa": self.isa,
            "shape": self.shape,
            "macs": self.macs,
            "instructions_per_mac": round(self.instructions_per_mac, 6),
            "loaded_bytes_per_mac": round(self.loaded_per_mac, 6),
            "stored_bytes_per_mac": round(self.stored_per_mac, 6),
            "counts": self.counts.to_json(),
        }


def load_program(path: Path, contract_isa: Any) -> Program:
    """Assemble and link the file, once for each state of it on disk."""
    stamp = path.stat()
    return _load_program(path, contract_isa, stamp.st_mtime_ns, stamp.st_size)


@functools.lru_cache(maxsize=64)
def _load_program(path: Path, isa: Any, _modified: int, _size: int) -> Program:
    return link(assemble_file(path, isa=isa))


def kernel_program(kernel: Kernel) -> Program:
    """The kernel's program.  Raises InputError when it does not assemble or does not define its own name."""
    program = load_program(kernel.path, kernel.isa)
    if kernel.name not in program.symbols:
        defined = ", ".join(sorted(program.symbols)) or "none"
        raise InputError(f"{kernel.path}: does not define `{kernel.name}`, the name of the file (symbols: {defined})")
    return program


def parse_shape(kernel: Kernel, text: str) -> Shape:
    """A shape in the terms of the kernel's operator, or of its integer arguments when it has no operator."""
    names = kernel.operator.dimensions if kernel.operator else tuple(a.name for a in kernel.contract.integers)
    return Shape.parse(text, names)


def plan_cases(
    kernel: Kernel,
    *,
    shapes: Sequence[Shape] = (),
    patterns: Sequence[str] = (),
    seed: int = 1,
    every_tail: bool = False,
    layers: bool = False,
) -> list[CaseName]:
    """What `check` tries: the shapes asked for under every pattern, else tails that cover each pair of sizes.

    Raises InputError for a shape or pattern that the kernel cannot be tried with.
    """
    for pattern in patterns:
        if pattern not in PATTERNS:
            raise InputError(f"pattern `{pattern}` is none of {', '.join(PATTERNS)}")
    chosen = tuple(patterns) or tuple(PATTERNS)
    if shapes:
        for shape in shapes:
            kernel.contract.check_values(integers_of(kernel, shape))
        return [CaseName(shape, pattern, seed) for shape in shapes for pattern in chosen]
    operator = kernel.operator
    if operator is None:
        small = generated_shapes(kernel.contract, DEFAULT_SHAPES, seed)
    else:
        tails = [shape for shape in operator.tails() if operator.accepts(kernel.contract, shape)]
        small = tails if every_tail else list(cover(tails, DEFAULT_SHAPES))
    names = [CaseName(shape, chosen[number % len(chosen)], seed) for number, shape in enumerate(small)]
    # The largest of the small shapes meets every pattern: it runs every loop of the kernel.
    if small:
        last = max(small, key=lambda shape: (sum(shape.sizes), shape.sizes))
        names += [name for p in chosen if (name := CaseName(last, p, seed)) not in names]
    if layers:
        few = chosen if patterns else ("random", "extremes")
        names += [CaseName(shape, pattern, seed) for shape in layers_of(kernel) for pattern in few]
    return names


def integers_of(kernel: Kernel, shape: Shape) -> Mapping[str, int]:
    """The integer arguments that stand for `shape`."""
    return kernel.operator.integers(shape) if kernel.operator else dict(zip(shape.names, shape.sizes, strict=True))


def layers_of(kernel: Kernel) -> list[Shape]:
    """The layers of real networks that the kernel's operator names and its contract allows."""
    operator = kernel.operator
    return [s for s in operator.layers.values() if operator.accepts(kernel.contract, s)] if operator else []


def draw_case(kernel: Kernel, name: CaseName) -> Case:
    """The case that `name` stands for."""
    if kernel.operator is None:
        return generated_case(kernel.contract, name.shape, name.pattern, name.seed)
    return kernel.operator.case(kernel.contract, name.shape, name.pattern, name.seed)


def check_cases(kernel: Kernel, names: Iterable[CaseName], *, quick: bool = False) -> Iterator[Failure | None]:
    """Run the cases one after another on one machine; None for each that came out right.

    `quick` leaves out all but results and plain faults.
    """
    with Checker(kernel_program(kernel), kernel.contract, quick=quick) as checker:
        for name in names:
            yield checker.check(draw_case(kernel, name))


def verdict_of(kernel: Kernel, outcomes: Iterable[Failure | None], seed: int) -> Verdict:
    """Fold the outcomes of a kernel's cases into one verdict."""
    cases, failures = 0, []
    for outcome in outcomes:
        cases += 1
        if outcome is not None:
            failures.append(outcome)
    return Verdict(
        kernel=kernel.title,
        isa=kernel.isa.value,
        path=str(kernel.path),
        cases=cases,
        failed=len(failures),
        failures=_telling(failures),
        has_reference=kernel.operator is not None,
        seed=seed,
    )


def _telling(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """The failures worth showing: each kind once, on the smallest shape it showed on."""
    found: dict[str, Failure] = {}
    for failure in sorted(failures, key=lambda failure: math.prod(map(int, failure.shape.split("x")))):
        found.setdefault(failure.identifier, failure)
    return tuple(found.values())


def check(
    kernel: Kernel,
    *,
    shapes: Sequence[Shape] = (),
    patterns: Sequence[str] = (),
    seed: int = 1,
    every_tail: bool = False,
    layers: bool = False,
) -> Verdict:
    """Try the kernel and say whether it is right; arguments as in `plan_cases`.  Raises InputError for bad input."""
    names = plan_cases(kernel, shapes=shapes, patterns=patterns, seed=seed, every_tail=every_tail, layers=layers)
    return verdict_of(kernel, check_cases(kernel, names), seed)


def profile(kernel: Kernel, shape: Shape, *, seed: int = 1) -> Profile | Failure:
    """Count one call on random data; a Failure where the kernel faults.  Raises InputError for a shape not allowed."""
    name = CaseName(shape, "random", seed)
    case = draw_case(kernel, name)
    program = kernel_program(kernel)
    probe = CountsProbe(program)
    machine = Machine(program, probes=(probe,))
    try:
        outcome = run_case(machine, kernel.contract, case)
        if isinstance(outcome, Fault):
            return Failure(str(shape), case.pattern, seed, fault=outcome)
        counts = probe.collect()
    finally:
        machine.close()
    macs = kernel.contract.macs.evaluate(case.integers) if kernel.contract.macs else 0
    return Profile(kernel.title, kernel.isa.value, str(shape), macs, counts)


def compare(kernels: Sequence[Kernel], shapes: Sequence[Shape], *, seed: int = 1) -> list[Profile | Failure]:
    """Profile each kernel on each shape that its contract allows, kernels outermost."""
    return [
        profile(kernel, shape, seed=seed)
        for kernel in kernels
        for shape in shapes
        if kernel.operator is None or kernel.operator.accepts(kernel.contract, shape)
    ]

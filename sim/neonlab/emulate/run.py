"""What a call comes to: a Run, or the Fault that ended it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from neonlab.assemble.source import SourceLine


class FaultKind(enum.Enum):
    """What can be wrong with a kernel.  The values are stable identifiers; reports and tests name faults by them."""

    OUT_OF_BOUNDS_READ = "oob-read"
    OUT_OF_BOUNDS_WRITE = "oob-write"
    READ_ONLY_WRITE = "readonly-write"
    UNMAPPED_ACCESS = "unmapped-access"
    UNINITIALISED_READ = "uninit-read"
    UNINITIALISED_REGISTER = "uninit-register"
    CLOBBERED_CALLEE_SAVED = "clobbered-callee-saved"
    STACK_POINTER = "stack-pointer"
    BELOW_STACK = "below-stack"
    BAD_RETURN = "bad-return"
    FLOATING_POINT_CONTROL = "fp-control"
    ALIGNMENT_HINT = "alignment-hint"
    UPPER_HALF_ARGUMENT = "upper-half-argument"
    LANE_WRAP = "lane-wrap"
    STEP_BUDGET = "step-budget"
    UNDEFINED_INSTRUCTION = "undefined-instruction"
    FEATURE_NOT_DECLARED = "feature-not-declared"
    ABORTED = "aborted"
    EMULATOR_DIED = "emulator-died"
    MISMATCH = "mismatch"
    NONDETERMINISTIC = "nondeterministic"


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A call that came back.

    `returned` is None for void.  `outputs` holds a copy of each writable buffer as it was left, in the dtype and shape
    it was given in; `addresses` the guest address of every buffer.  `steps` counts executed instructions, 0 on a
    machine that does not count.
    """

    returned: int | float | None
    outputs: Mapping[str, npt.NDArray[Any]]
    addresses: Mapping[str, int]
    seed: int
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that went wrong.

    `message` is a plain sentence.  `address` is that of the instruction at fault, `source` and `instruction` its line
    and disassembly where known.  `buffer` and `offset` (bytes from its start, negative before it) say which buffer is
    concerned.  `register` names the register concerned; `clause` is what the kernel breaks: a line of its contract
    ("input: read = pixels*in_channels") or of a standard ("AAPCS64 6.1.2: ...").
    """

    kind: FaultKind
    message: str
    address: int
    source: SourceLine | None = None
    instruction: str = ""
    buffer: str | None = None
    offset: int | None = None
    seed: int = 0
    register: str | None = None
    clause: str = ""

"""The kinds of fault by name.  Contracts name faults too, so this module imports no package of the lab."""

from __future__ import annotations

import enum


class FaultKind(enum.Enum):
    """The kinds of fault.  The values are stable: reports and `--json` name faults by them."""

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
    NARROW_RESULT = "narrow-result"
    LANE_WRAP = "lane-wrap"
    STEP_BUDGET = "step-budget"
    UNDEFINED_INSTRUCTION = "undefined-instruction"
    FEATURE_NOT_DECLARED = "feature-not-declared"
    ABORTED = "aborted"
    EMULATOR_DIED = "emulator-died"
    MISMATCH = "mismatch"
    NONDETERMINISTIC = "nondeterministic"

"""The result of a call: a Run, or the Fault that ended it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from neonlab.assemble.source import SourceLine
from neonlab.contract.fault_kind import FaultKind as FaultKind


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """The results of a call that returned.

    `returned` is the returned value, None for void.  `outputs` holds a copy of each writable array as the call left it,
    by parameter name, in the dtype and shape in which it was passed.  `addresses` has the guest address of every array.
    `steps` is the number of executed instructions, 0 on a Machine that does not count them.
    """

    returned: int | float | None
    outputs: Mapping[str, npt.NDArray[Any]]
    addresses: Mapping[str, int]
    seed: int
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: one thing that went wrong in a call.

    `kind` is the FaultKind, `message` a plain sentence.  `address` is the address of the instruction at fault; `source`
    and `instruction` are its source line and disassembly, where they are known.  `buffer` is the array concerned and
    `offset` the byte in it, negative before its start; `register` is the register concerned.  `clause` is the rule that
    the call breaks: a line of the contract ("input: read = pixels*in_channels"), or of a standard ("AAPCS64 6.1.2").
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

"""What a kernel's code is: its program, who compiled it, and what tells it from another's."""

from __future__ import annotations

import hashlib

from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel
from neonlab.sources.program import load_program
from neonlab.sources.toolchain import made_by, target_of


def kernel_program(kernel: Kernel) -> Program:
    """The kernel's program.  Raises InputError when it does not assemble or does not define its own name."""
    return load_program(kernel.path, kernel.contract, kernel.build)


def compiler_of(kernel: Kernel) -> str:
    """The compiler that made the kernel's code, its version and flags; empty where none did."""
    return made_by(kernel.path, target_of(kernel.contract), kernel.build)


def code_digest(kernel: Kernel) -> str:
    """What is the same for two kernels if and only if they assemble to the same code and data; else why they do not."""
    try:
        program = kernel_program(kernel)
    except InputError as error:
        return str(error)
    digest = hashlib.sha256()
    for segment in program.segments:
        digest.update(f"{segment.name} {segment.address} {len(segment.data)} ".encode() + segment.data)
    return digest.hexdigest()

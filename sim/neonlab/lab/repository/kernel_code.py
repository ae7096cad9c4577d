"""Return a kernel's code: its program, its compiler, and its digest."""

from __future__ import annotations

import hashlib

from neonlab.assemble.program import Program
from neonlab.errors import InputError
from neonlab.lab.repository.library import Kernel


def kernel_program(kernel: Kernel) -> Program:
    """Return the kernel's program.  Raises InputError if it does not assemble or does not define its own symbol."""
    return kernel.code.program()


def compiler_of(kernel: Kernel) -> str:
    """Return the compiler that made the kernel's code, with version and flags; "" if none did."""
    return kernel.code.compiler


def code_digest(kernel: Kernel) -> str:
    """Return the SHA-256 digest of the kernel's code and data in hex; the error message if it does not assemble."""
    try:
        program = kernel_program(kernel)
    except InputError as error:
        return str(error)
    return program_digest(program)


def program_digest(program: Program) -> str:
    """Return the SHA-256 digest of a program's code and data in hex."""
    digest = hashlib.sha256()
    for segment in program.segments:
        digest.update(f"{segment.name} {segment.address} {len(segment.data)} ".encode() + segment.data)
    return digest.hexdigest()

"""Name registers as Unicorn does."""

from __future__ import annotations

from functools import cache

from unicorn import arm64_const, arm_const

from neonlab.isa.model.isa import Isa, Register


@cache
def unicorn_identifier(isa: Isa, register: Register) -> int:
    """Return Unicorn's identifier of what the trace records of a register; of STATUS in A64 it is FPSR alone."""
    constants = arm64_const if isa is Isa.A64 else arm_const
    prefix = "UC_ARM64_REG_" if isa is Isa.A64 else "UC_ARM_REG_"
    if register.file == "status":
        name = "FPSR" if isa is Isa.A64 else "FPSCR"
    elif register.file == "flags":
        name = "NZCV" if isa is Isa.A64 else "CPSR"
    elif register.file == "vector":
        name = f"{'Q' if isa is Isa.A64 else 'D'}{register.index}"
    else:
        name = register.name(isa).upper()
    return int(getattr(constants, prefix + name))

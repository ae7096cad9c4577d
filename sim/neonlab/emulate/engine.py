"""Set up a Unicorn engine to run user-mode NEON code."""

from __future__ import annotations

from unicorn import UC_ARCH_ARM, UC_ARCH_ARM64, UC_MODE_ARM, arm64_const, arm_const
from unicorn.unicorn_py3.unicorn import Uc, UcError, uclib

from neonlab.errors import InputError
from neonlab.host.memory_limit import address_space_left, gib
from neonlab.isa.model.isa import Isa

__all__ = ["Uc", "check", "new_engine", "program_counter", "set_thread_pointer", "uclib"]

#: Bytes of address space that an engine takes for translated code (QEMU's default), and for its other data.
_TRANSLATED, _BESIDES = 1 << 30, 1 << 26
_SCTLR_EL1 = (1, 0, 3, 0, 0)  # CRn, CRm, op0, op1, op2
_TPIDRURW = (15, 0, 0, 13, 0, 0, 2)  # coprocessor, whether 64 bits wide, secure, CRn, CRm, opc1, opc2
_TPIDRURO = (15, 0, 0, 13, 0, 0, 3)


def new_engine(isa: Isa) -> Uc:
    """Return an engine on the most capable CPU model of `isa`, in user mode with NEON on and nothing mapped."""
    _look_for_room()
    if isa is Isa.A64:
        engine = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        engine.ctl_set_cpu_model(arm64_const.UC_CPU_ARM64_MAX)
        engine.reg_write(arm64_const.UC_ARM64_REG_CPACR_EL1, 3 << 20)
        sctlr = engine.reg_read(arm64_const.UC_ARM64_REG_CP_REG, _SCTLR_EL1)
        # SCTLR_EL1: user mode may zero and clean cache lines and read CTR_EL0, as it may under Linux.
        dze, uct, uci = 1 << 14, 1 << 15, 1 << 26
        engine.reg_write(arm64_const.UC_ARM64_REG_CP_REG, (*_SCTLR_EL1, sctlr | dze | uct | uci))
        return engine
    engine = Uc(UC_ARCH_ARM, UC_MODE_ARM)
    engine.ctl_set_cpu_model(arm_const.UC_CPU_ARM_MAX)
    # CPACR: coprocessors 10 and 11 for all modes; then FPEXC.EN.
    engine.reg_write(arm_const.UC_ARM_REG_C1_C0_2, 0xF << 20)
    engine.reg_write(arm_const.UC_ARM_REG_FPEXC, 1 << 30)
    # User mode now, so that the stack pointer and link register written later are those of user mode.
    engine.reg_write(arm_const.UC_ARM_REG_CPSR, 0x10)
    return engine


def _look_for_room() -> None:
    """Raise InputError where Unicorn would not get the memory that it starts with: it would end the process."""
    room = address_space_left()
    if room is not None and room.bytes < _TRANSLATED + _BESIDES:
        raise InputError(
            f"the emulator needs {gib(_TRANSLATED + _BESIDES)} more of address space, but only "
            f"{gib(room.bytes)} are left of {room.of}: raise that limit"
        )


def set_thread_pointer(engine: Uc, isa: Isa, address: int) -> None:
    """Set the system registers of threads: TPIDR_EL0 and TPIDRRO_EL0, or TPIDRURW and TPIDRURO."""
    if isa is Isa.A64:
        engine.reg_write(arm64_const.UC_ARM64_REG_TPIDR_EL0, address)
        engine.reg_write(arm64_const.UC_ARM64_REG_TPIDRRO_EL0, address)
    else:
        for register in _TPIDRURW, _TPIDRURO:
            engine.reg_write(arm_const.UC_ARM_REG_CP_REG, (*register, address))


def program_counter(isa: Isa) -> int:
    """Return Unicorn's identifier of pc."""
    return int(arm64_const.UC_ARM64_REG_PC if isa is Isa.A64 else arm_const.UC_ARM_REG_PC)


def check(status: int) -> None:
    """Raise UcError unless `status` is 0."""
    if status:
        raise UcError(status)

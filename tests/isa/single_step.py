"""Executes one instruction word on an emulated CPU from a chosen state, and says everything that it did.

This knows nothing of what the decoder thinks about the word, other than where its memory lies: it is the independent
side of the comparison.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import unicorn
from unicorn import arm64_const, arm_const
from unicorn.unicorn_py3.unicorn import Uc, UcError

from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register, general, vector

CODE, CODE_SIZE = 0x1000000, 0x400000
DATA, DATA_SIZE = 0x4000000, 0x100000
# Arithmetic controls and cumulative bits that a program can change: FPCR, FPSR and FPSCR
FPCR_BITS, FPSR_BITS = 0x07C80000, 0x0800009F
FPSCR_BITS, FPSCR_CONTROLS = 0xF7C0009F, 0x07C00000  # the first with N, Z, C, V and QC
A32_FLAG_BITS, Q_BIT = 0xF00F0000, 1 << 27

State = dict[Register, int]


@dataclass(frozen=True)
class Outcome:
    """What a run left: all registers, the next pc, the bytes read, and the bytes written with their values."""

    registers: tuple[tuple[Register, int], ...]
    pc: int
    loaded: frozenset[int]
    stored: tuple[tuple[int, int], ...]  # (address, byte)
    fault: str

    def value(self, register: Register) -> int:
        return dict(self.registers)[register]


class SingleStep:
    """One emulated CPU with a code region and a data region of random bytes."""

    def __init__(self, isa: Isa, seed: int) -> None:
        self.isa = isa
        rng = random.Random(seed)
        if isa is Isa.A64:
            self._uc = Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
            self._uc.ctl_set_cpu_model(arm64_const.UC_CPU_ARM64_MAX)
            self._pc = arm64_const.UC_ARM64_REG_PC
            names = {general(i): getattr(arm64_const, f"UC_ARM64_REG_X{i}") for i in range(31)}
            names[general(31)] = arm64_const.UC_ARM64_REG_SP
            names |= {vector(i): getattr(arm64_const, f"UC_ARM64_REG_V{i}") for i in range(32)}
            self._special = [
                arm64_const.UC_ARM64_REG_NZCV,
                arm64_const.UC_ARM64_REG_FPCR,
                arm64_const.UC_ARM64_REG_FPSR,
            ]
        else:
            self._uc = Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
            self._uc.ctl_set_cpu_model(arm_const.UC_CPU_ARM_MAX)
            self._pc = arm_const.UC_ARM_REG_PC
            names = {general(i): getattr(arm_const, f"UC_ARM_REG_R{i}") for i in range(15)}
            names |= {vector(i): getattr(arm_const, f"UC_ARM_REG_D{i}") for i in range(32)}
            self._special = [arm_const.UC_ARM_REG_CPSR, arm_const.UC_ARM_REG_FPSCR]
        self.registers = tuple(names)
        self._names = list(names.values())
        self._uc.mem_map(CODE, CODE_SIZE)
        self._uc.mem_map(DATA, DATA_SIZE)
        nop = (0xD503201F if isa is Isa.A64 else 0xE1A00000).to_bytes(4, "little")
        self._uc.mem_write(CODE, nop * 0x400 + rng.randbytes(CODE_SIZE - 0x1000))
        self._data = rng.randbytes(DATA_SIZE)
        self._uc.mem_write(DATA, self._data)
        self._next = CODE + 0x1000
        self._touched: list[tuple[str, int, int]] = []
        self._uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._on_memory)
        if isa is Isa.A32:
            # CPACR and FPEXC: NEON is undefined until both say otherwise
            self._uc.reg_write(arm_const.UC_ARM_REG_CP_REG, (15, 0, 0, 1, 0, 0, 2, 0xF << 20))
            self._uc.reg_write(arm_const.UC_ARM_REG_FPEXC, 0x40000000)
            self._mode = self._uc.reg_read(arm_const.UC_ARM_REG_CPSR) & ~(A32_FLAG_BITS | Q_BIT)

    def _on_memory(self, _uc: Uc, access: int, address: int, size: int, _value: int, _data: object) -> None:
        self._touched.append(("store" if access == unicorn.UC_MEM_WRITE else "load", address, size))

    def place(self, word: int) -> int:
        """Put `word`, between instructions that do nothing, where nothing was executed before; its address."""
        self._next += 0x40
        if self._next > CODE + CODE_SIZE - 0x1000:
            raise RuntimeError("the code region is full")
        nop = (0xD503201F if self.isa is Isa.A64 else 0xE1A00000).to_bytes(4, "little")
        self._uc.mem_write(self._next - 16, nop * 4 + word.to_bytes(4, "little") + nop * 7)
        self._uc.ctl_flush_tb()  # an earlier branch may have had the bytes before these translated
        return self._next

    def _set(self, state: State) -> None:
        self._uc.reg_write_batch([(name, state[r]) for name, r in zip(self._names, self.registers, strict=True)])
        flags, status = state[FLAGS], state[STATUS]
        if self.isa is Isa.A64:
            values = [flags, status & 0xFFFFFFFF, status >> 32]
        else:
            values = [self._mode | flags | (Q_BIT if status >> 32 else 0), status & 0xFFFFFFFF]
        for name, value in zip(self._special, values, strict=True):
            self._uc.reg_write(name, value)

    def _get(self) -> State:
        found = dict(zip(self.registers, self._uc.reg_read_batch(self._names), strict=True))
        special = [self._uc.reg_read(name) for name in self._special]
        if self.isa is Isa.A64:
            found[FLAGS], found[STATUS] = special[0], special[1] | special[2] << 32
        else:
            found[FLAGS] = special[0] & A32_FLAG_BITS
            found[STATUS] = special[1] | (1 << 32 if special[0] & Q_BIT else 0)
        return found

    def run(self, address: int, state: State) -> Outcome:
        """Execute the word at `address` once."""
        self._touched.clear()
        self._set(state)
        fault, stopped = "", False
        try:
            self._uc.emu_start(address, address + 4, count=1)
        except UcError as error:
            # A branch to nowhere has happened all the same
            fault = "" if error.errno == unicorn.UC_ERR_FETCH_UNMAPPED else str(error)
            stopped = True
        found, pc = self._get(), self._uc.reg_read(self._pc)
        loaded = {b for kind, at, size in self._touched if kind == "load" for b in range(at, at + size)}
        stored = {b for kind, at, size in self._touched if kind == "store" for b in range(at, at + size)}
        written = tuple((b, self._uc.mem_read(b, 1)[0]) for b in sorted(stored)) if not fault else ()
        for b, _ in written:
            self._uc.mem_write(b, self._data[b - DATA : b - DATA + 1])
        if stopped:  # the start after an error may execute nothing, so spend it on an instruction that does nothing
            self._uc.emu_start(CODE + 0x800, CODE + 0x804, count=1)
        return Outcome(tuple(found.items()), pc, frozenset(loaded), written, fault)


_EXTREME = {
    1: (0x00, 0x01, 0x7F, 0x80, 0xFF),
    2: (0x0000, 0x0001, 0x7FFF, 0x8000, 0xFFFF),
    4: (0x0, 0x1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF),
    8: (0x0, 0x1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1),
}  # fmt: skip


def random_value(rng: random.Random, size: int, pattern: str) -> int:
    """`size` bytes: any bits, small or extreme integers, or floats of ordinary and of subnormal size."""
    if pattern == "bits":
        return rng.getrandbits(8 * size)
    kind, lane = pattern[:-1], int(pattern[-1])
    value = 0
    for position in range(size // lane):
        if kind == "extreme":
            element = rng.choice(_EXTREME[lane])
        elif kind == "small":
            element = rng.randrange(32)
        else:
            mantissa = {2: 10, 4: 23, 8: 52}[lane]
            exponents = 8 * lane - 1 - mantissa
            middle = (1 << exponents - 1) - 1
            exponent = 0 if kind == "subnormal" else middle + rng.randrange(-2, 3)
            element = rng.getrandbits(1) << 8 * lane - 1 | exponent << mantissa | rng.getrandbits(mantissa)
        value |= element << 8 * lane * position
    return value


PATTERNS = (
    "bits", "extreme1", "extreme2", "extreme4", "extreme8", "small1", "small2", "small4", "small8",
    "float2", "float4", "float8", "subnormal2", "subnormal4", "subnormal8",
)  # fmt: skip


def random_status(rng: random.Random, isa: Isa) -> int:
    """Rounding mode, flush-to-zero and default-NaN controls with cumulative bits."""
    if isa is Isa.A64:
        return (rng.getrandbits(32) & FPCR_BITS) | (rng.getrandbits(32) & FPSR_BITS) << 32
    return (rng.getrandbits(32) & FPSCR_BITS) | rng.getrandbits(1) << 32


def random_state(rng: random.Random, isa: Isa, registers: tuple[Register, ...], pattern: str) -> State:
    """A value for every register; sticky bits are clear, so that setting one can be seen."""
    state = {
        register: random_value(rng, (16 if isa is Isa.A64 else 8) if register.file == "vector" else isa.pointer_bytes,
                               pattern)
        for register in registers
    }  # fmt: skip
    state[FLAGS] = rng.getrandbits(32) & (0xF0000000 if isa is Isa.A64 else A32_FLAG_BITS)
    state[STATUS] = random_status(rng, isa) & (FPCR_BITS if isa is Isa.A64 else FPSCR_CONTROLS)
    return state

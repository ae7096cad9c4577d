"""Move the guest's registers in and out of Unicorn as one block of bytes, in a single call."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from unicorn import arm64_const, arm_const

from neonlab.emulate.engine import Uc, check, uclib
from neonlab.isa.model.isa import Isa

SLOT = 16  # bytes set aside for each register
# Control registers in the order of their slots, after the general and the vector registers.
_CONTROL = {Isa.A64: ("sp", "pstate", "fpcr", "fpsr", "pc"), Isa.A32: ("cpsr", "fpscr", "sp", "lr", "pc")}
_USER_MODE = {Isa.A64: 0x0, Isa.A32: 0x10}
# A32: N, Z, C, V, Q and GE; A64: N, Z, C, V.  No other bit of the status register may be random.
_FLAGS = {Isa.A64: 0xF0000000, Isa.A32: 0xF80F0000}
# Bits of floating-point status that may be random: flags of comparisons (A32), saturation, exceptions that occurred.
_STATUS = {Isa.A64: ("fpsr", 0x0800009F), Isa.A32: ("fpscr", 0xF800009F)}


@lru_cache(maxsize=2)
def slots(isa: Isa) -> dict[str, int]:
    """Return the slot of each whole register by name: general (x0-x30 or r0-r12), vector (q0 up), control."""
    general = 31 if isa is Isa.A64 else 13
    names = [f"{'x' if isa is Isa.A64 else 'r'}{i}" for i in range(general)]
    names += [f"q{i}" for i in range(isa.vector_registers)]
    return {name: slot for slot, name in enumerate((*names, *_CONTROL[isa]))}


@lru_cache(maxsize=256)
def offset_of(isa: Isa, name: str) -> int:
    """Return the byte offset, in the block of slots, of a register or of the part of one that `name` means.

    `w3` is in x3; `d1` and `s1` are in q1 in A64, in q0 in A32.  Raises KeyError for what is no register.
    """
    whole = slots(isa)
    if name in whole:
        return whole[name] * SLOT
    kind, number = name[0], name[1:]
    if isa is Isa.A64:
        alias = {"w": "x", "v": "q", "d": "q", "s": "q"}.get(kind)
        if name == "lr":
            return whole["x30"] * SLOT
        if alias and number.isdecimal():
            return whole[f"{alias}{number}"] * SLOT
    elif name in ("r13", "r14", "r15"):
        return whole[("sp", "lr", "pc")[int(number) - 13]] * SLOT
    elif kind in "ds" and number.isdecimal():
        width = 8 if kind == "d" else 4
        q, part = divmod(int(number), SLOT // width)
        return whole[f"q{q}"] * SLOT + part * width
    raise KeyError(name)


@lru_cache(maxsize=256)
def _size_of(isa: Isa, name: str) -> int:
    size = {"q": 16, "v": 16, "d": 8, "x": 8, "s": 4, "w": 4, "r": 4}[name[0]] if name[1:].isdecimal() else 0
    return size or (8 if isa is Isa.A64 and name in ("sp", "pc", "lr") else 4)


@lru_cache(maxsize=8)
def _places_of(isa: Isa, names: tuple[str, ...]) -> npt.NDArray[np.intp]:
    """Return the places of the registers' bytes in the block of slots."""
    starts = {name: offset_of(isa, name) for name in names}
    return np.concatenate([np.arange(start, start + _size_of(isa, name)) for name, start in starts.items()])


def _identifiers(isa: Isa) -> list[int]:
    constants, prefix = (arm64_const, "UC_ARM64_REG_") if isa is Isa.A64 else (arm_const, "UC_ARM_REG_")
    return [getattr(constants, prefix + name.upper()) for name in slots(isa)]


@dataclass(frozen=True, slots=True, eq=False)
class RegisterState:
    """Every register at one moment."""

    isa: Isa
    image: npt.NDArray[np.uint8]

    def read(self, name: str, size: int | None = None) -> int:
        """Return the unsigned value of `x3`, `w3`, `sp`, `q5`, `d9`, `fpcr`, `cpsr`, ...

        `size` is in bytes, by default that of the register.
        """
        start = offset_of(self.isa, name)
        size = _size_of(self.isa, name) if size is None else size
        return int.from_bytes(self.image[start : start + size].tobytes(), "little")

    def changed(self, names: tuple[str, ...], other: RegisterState) -> list[str]:
        """Return those of the registers `names` that hold another value in `other`."""
        places = _places_of(self.isa, names)
        if np.array_equal(self.image[places], other.image[places]):  # as after nearly every call
            return []
        return [name for name in names if self.read(name) != other.read(name)]

    @property
    def general(self) -> npt.NDArray[np.uint64]:
        """The general registers, uint64: x0-x30 (31 values), or r0-r12, sp, lr (15)."""
        if self.isa is Isa.A64:
            return self.image.view(np.uint64)[: 2 * 31 : 2].copy()
        return np.array([self.read(f"r{index}") for index in range(15)], np.uint64)

    @property
    def vectors(self) -> npt.NDArray[np.uint8]:
        """The bytes of each 128-bit register, uint8, shape (32 or 16, 16)."""
        start = slots(self.isa)["q0"] * SLOT
        return self.image[start : start + self.isa.vector_registers * SLOT].reshape(-1, SLOT).copy()


class RegisterFile:
    """A writable image of the registers of one engine."""

    def __init__(self, isa: Isa, engine: Uc) -> None:
        self._isa, self._engine = isa, engine
        identifiers = _identifiers(isa)
        self._count = len(identifiers)
        self.image = np.zeros(self._count * SLOT, np.uint8)
        self._bytes = self.image.data  # much faster than numpy for a few bytes at a time
        start = self.image.ctypes.data
        self._identifiers = (ctypes.c_int * self._count)(*identifiers)
        self._values = (ctypes.c_void_p * self._count)(*(start + SLOT * slot for slot in range(self._count)))

    def scramble(self, noise: npt.NDArray[np.uint8], stack_pointer: int, return_address: int, control: int) -> None:
        """Fill all registers and flags with `noise`, and set sp and lr; user mode, floating-point control as given.

        Floating-point status bits that show earlier operations are noise too.
        """
        self.image[:] = noise[: self.image.size]
        status = "pstate" if self._isa is Isa.A64 else "cpsr"
        flags = int.from_bytes(noise[-4:].tobytes(), "little") & _FLAGS[self._isa]
        self.put("sp", stack_pointer, 8)
        self.put("lr", return_address, self._isa.pointer_bytes)
        self.put(status, _USER_MODE[self._isa] | flags, 8)
        name, mask = _STATUS[self._isa]
        occurred = self.read_control(name) & mask
        if self._isa is Isa.A64:
            self.put("fpcr", control, 8)
            self.put(name, occurred, 8)
        else:
            self.put(name, occurred | control, 8)

    def put(self, name: str, value: int, size: int) -> None:
        """Write the low `size` bytes of a register; the rest of it stays."""
        start = offset_of(self._isa, name)
        self._bytes[start : start + size] = value.to_bytes(size, "little")

    def read_control(self, name: str) -> int:
        """Return a control register of the image: sp, pc, pstate, cpsr, ..."""
        start = offset_of(self._isa, name)
        return int.from_bytes(self._bytes[start : start + 8], "little")

    def store(self) -> None:
        """Copy the image to the engine, without pc, which a start sets."""
        check(uclib.uc_reg_write_batch(self._engine._uch, self._identifiers, self._values, self._count - 1))

    def load(self) -> None:
        """Copy the registers of the engine to the image."""
        check(uclib.uc_reg_read_batch(self._engine._uch, self._identifiers, self._values, self._count))

    def snapshot(self) -> RegisterState:
        """Return a copy that later calls do not change."""
        return RegisterState(self._isa, self.image.copy())

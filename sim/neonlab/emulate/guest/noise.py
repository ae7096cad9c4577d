"""The noise of a call: contents of what its caller does not set."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from neonlab.emulate.guest.registers import SLOT, offset_of
from neonlab.isa.model.isa import Isa

NOISE_BYTES = 1 << 14
_FLAG_BYTES = slice(NOISE_BYTES - 4, NOISE_BYTES)
FLAGS, STACK, MARGINS, CALLS = "flags", "stack", "margins", "calls"


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Contents of registers and flags, of the stack, and of bytes around buffers; each NOISE_BYTES long, uint8.

    `registers` has the layout of the register file, with the flags in its last 4 bytes.  So has `calls`: what a
    function that the kernel calls leaves in the registers that it may change.  The other two repeat.
    """

    registers: npt.NDArray[np.uint8]
    stack: npt.NDArray[np.uint8]
    margins: npt.NDArray[np.uint8]
    calls: npt.NDArray[np.uint8]

    @staticmethod
    @functools.lru_cache(maxsize=8)
    def drawn(seed: int) -> Noise:
        """Return random bytes, which depend only on `seed`."""
        every = np.frombuffer(np.random.Generator(np.random.SFC64(seed)).bytes(NOISE_BYTES), np.uint8)
        return Noise(every, every, every, np.roll(every, NOISE_BYTES // 2))

    def inverted(self) -> Noise:
        """Return the noise with every bit inverted."""
        return Noise(~self.registers, ~self.stack, ~self.margins, ~self.calls)

    @staticmethod
    def zeros() -> Noise:
        """Return noise of zeros."""
        every = np.zeros(NOISE_BYTES, np.uint8)
        return Noise(every, every, every, every)

    def ones(self, isa: Isa) -> Noise:
        """Return the number 1 in every register and every word of memory.

        A loop that counts in one of them makes few iterations.
        """
        words = np.zeros((NOISE_BYTES // isa.pointer_bytes, isa.pointer_bytes), np.uint8)
        words[:, 0] = 1
        registers, calls, whole = self.registers.copy(), self.calls.copy(), offset_of(isa, "q0")
        whole += SLOT * isa.vector_registers
        for image in registers, calls:
            image[:whole] = 0
            image[:whole:SLOT] = 1
        return Noise(registers, words.reshape(-1), words.reshape(-1), calls)

    def with_some_of(self, other: Noise, isa: Isa, places: Iterable[str]) -> Noise:
        """Return this noise, with `places` from `other`: registers (`x5`, `r5`, `q7`), FLAGS, STACK, MARGINS, CALLS."""
        registers, stack, margins, calls = self.registers.copy(), self.stack, self.margins, self.calls
        for place in places:
            if place == STACK:
                stack = other.stack
            elif place == MARGINS:
                margins = other.margins
            elif place == CALLS:
                calls = other.calls
            else:
                start = offset_of(isa, place) if place != FLAGS else 0
                part = _FLAG_BYTES if place == FLAGS else slice(start, start + SLOT)
                registers[part] = other.registers[part]
        return Noise(registers, stack, margins, calls)


def flags_in(image: npt.NDArray[np.uint8]) -> int:
    """Return the flags of an image of registers: its last 4 bytes as a number."""
    return int.from_bytes(image[_FLAG_BYTES].tobytes(), "little")

"""Tell which registers a function that the lab supplies leaves with any contents: all that AAPCS lets a callee change.

The lab's own functions change few of them.  Those of another C library change others; so a caller may count on none.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.isa.model.isa import FLAGS, Isa, Register, general, vector

#: Bits of a mask of results: bit n for general register n, and this one for the first vector register.
FIRST_VECTOR = 1 << 4
#: Set in the mask of a function's first instruction.
ENTRY = 1 << 7
#: Masks of results that there may be, and the address of the step of a trace that is a return with mask 0.  The mask is
#: added, times 2.
RETURNS, RETURN_STEP = 32, 1
_INTEGERS = ("lrint", "llrint", "lround", "llround")
#: Functions without a result.
_NOTHING = ("free", "__aeabi_memc", "__aeabi_mems", "__aeabi_memm")
_MEMORY = ("memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen")
_HEAP = ("malloc", "aligned_alloc", "memalign", "calloc", "realloc")


def results_of(name: str, isa: Isa) -> int:
    """Return the mask of the registers that hold the result of the supplied function `name`.

    Those of the run-time ABI for A32 (IHI 0043) return up to four words in r0-r3, the others at most two.
    """
    if name.startswith(_NOTHING):
        return 0
    if name.startswith("__"):
        return 0b1111 if name.endswith("ldivmod") or name in ("__divdi3", "__udivdi3") else 0b11
    return 1 if name in (*_MEMORY, *_HEAP) or name.startswith(_INTEGERS) else FIRST_VECTOR


def result_masks(program: Program) -> npt.NDArray[np.uint8]:
    """Return one mask for each halfword of the supplied functions; 0 where no function begins."""
    first, end = program.served
    masks = np.zeros(max(0, (end - first) // 2), np.uint8)
    for name, address in program.addresses.items():
        if first <= address < end and not name.startswith(("$", ".")):
            masks[(address - first) // 2] |= ENTRY | results_of(name, program.isa)
    return masks


@lru_cache(maxsize=64)
def changed_registers(isa: Isa, results: int = 0) -> tuple[Register, ...]:
    """Return the registers of which a callee may change something, without those in the mask `results`.

    x18 is left out, since a platform may keep it.
    """
    numbers = range(18) if isa is Isa.A64 else (0, 1, 2, 3, 12)
    vectors = range(32) if isa is Isa.A64 else (*range(8), *range(16, 32))
    found = [general(number) for number in numbers if number > 3 or not results >> number & 1]
    found += [vector(number) for number in vectors if number or not results & FIRST_VECTOR]
    return (*found, FLAGS)


def returned_results(addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the mask of results of each step of a trace, by its address, that is a return; -1 for others."""
    returns = (addresses >= RETURN_STEP) & (addresses < RETURN_STEP + 2 * RETURNS)
    masks: npt.NDArray[np.int64] = np.where(returns, (addresses.astype(np.int64) - RETURN_STEP) // 2, -1)
    return masks


def kept_bytes(isa: Isa, register: Register) -> int:
    """Return how many of the lowest bytes of one of `changed_registers` a callee keeps."""
    return 8 if isa is Isa.A64 and register.file == "vector" and 8 <= register.index < 16 else 0

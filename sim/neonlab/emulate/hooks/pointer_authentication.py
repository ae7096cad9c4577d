"""Execute pointer authentication of A64 (DDI 0487, D8.10): sign, authenticate, and branch to what was authenticated.

Unicorn's CPU raises the undefined-instruction exception for these instructions where SCTLR_EL1 enables the keys, and
for PACGA always; where it does not, they leave pointers as they are, as a CPU without the feature does.  Signatures of
this module are not those of any CPU: a signature is whatever the CPU makes it.  A pointer that fails authentication
is changed as without FEAT_FPAC: it is no address, and using it is a fault.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from unicorn import arm64_const

from neonlab.emulate.engine import Uc
from neonlab.emulate.native import Integer, Pointer, compiled, uc_mem_read, uc_reg_read, uc_reg_write

_X0, _X29, _X30, _SP = (
    arm64_const.UC_ARM64_REG_X0,
    arm64_const.UC_ARM64_REG_X29,
    arm64_const.UC_ARM64_REG_X30,
    arm64_const.UC_ARM64_REG_SP,
)
_PC = arm64_const.UC_ARM64_REG_PC
_SCTLR_EL1 = (1, 0, 3, 0, 0)  # CRn, CRm, op0, op1, op2
_ENABLED = 1 << 31 | 1 << 30 | 1 << 27 | 1 << 13  # EnIA, EnIB, EnDA, EnDB
_SIGNATURE = 0xFF7F_0000_0000_0000  # the bits of a pointer that are none of its address of 48 bits, but for bit 55
_ADDRESS = 0x0000_FFFF_FFFF_FFFF
_STEP, _OTHER_STEP = 0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9


def sign_pointers(engine: Uc) -> None:
    """Enable the four keys of a CPU with pointer authentication."""
    register = arm64_const.UC_ARM64_REG_CP_REG
    engine.reg_write(register, (*_SCTLR_EL1, engine.reg_read(register, _SCTLR_EL1) | _ENABLED))


@compiled
def _mixed(first: np.uint64, second: np.uint64, key: Integer) -> np.uint64:
    """Return 64 bits that depend on all of the two numbers and the key."""
    found: Any = first ^ (second * np.uint64(_OTHER_STEP)) ^ (np.uint64(key + 1) * np.uint64(_STEP))
    for _ in range(3):
        found = (found ^ (found >> np.uint64(29))) * np.uint64(_OTHER_STEP)
        found = (found ^ (found >> np.uint64(32))) * np.uint64(_STEP)
    mixed: np.uint64 = found ^ (found >> np.uint64(31))
    return mixed


@compiled
def _plain(pointer: np.uint64) -> np.uint64:
    """Return the address in a pointer: the upper bits as bit 55."""
    if pointer >> np.uint64(55) & np.uint64(1):
        return pointer | np.uint64(_SIGNATURE)
    return pointer & np.uint64(_ADDRESS)


@compiled
def signed(pointer: np.uint64, modifier: np.uint64, key: Integer) -> np.uint64:
    """Return the pointer with its signature; one that has a signature already gets a wrong one."""
    plain = _plain(pointer)
    signature = _mixed(plain, modifier, key)
    if pointer != plain:
        signature ^= np.uint64(1 << 62)
    return (plain & ~np.uint64(_SIGNATURE)) | (signature & np.uint64(_SIGNATURE))


@compiled
def authenticated(pointer: np.uint64, modifier: np.uint64, key: Integer) -> np.uint64:
    """Return the address in a signed pointer; one that is no address if the signature is another."""
    plain = _plain(pointer)
    if signed(plain, modifier, key) == pointer:
        return plain
    error = np.uint64(1 if key & 1 == 0 else 2) << np.uint64(61)
    return (plain & ~np.uint64(3 << 61)) | error


@compiled
def _identifier(index: Integer) -> Integer:
    """Return Unicorn's identifier of a general register; 31 is sp."""
    if index < 29:
        return _X0 + index
    return _X29 if index == 29 else _X30 if index == 30 else _SP


@compiled
def _read(uc: Pointer, held: npt.NDArray[np.uint64], index: Integer) -> np.uint64:
    held[0] = 0
    uc_reg_read(uc, _identifier(index), held.ctypes.data)
    value: np.uint64 = held[0]
    return value


@compiled
def _write(uc: Pointer, held: npt.NDArray[np.uint64], index: Integer, value: np.uint64) -> None:
    held[0] = value
    uc_reg_write(uc, _identifier(index), held.ctypes.data)


@compiled
def _change(
    uc: Pointer, held: npt.NDArray[np.uint64], target: Integer, modifier: np.uint64, key: Integer, check: Any
) -> None:
    """Sign the register `target`, or authenticate it if `check`."""
    pointer = _read(uc, held, target)
    done = authenticated(pointer, modifier, key) if check else signed(pointer, modifier, key)
    _write(uc, held, target, done)


@compiled
def _hint(uc: Pointer, held: npt.NDArray[np.uint64], number: Integer) -> bool:
    """Execute one of the instructions that are no operation on other CPUs; tell whether `number` is one of them."""
    if number in (8, 10, 12, 14):  # pacia1716, pacib1716, autia1716, autib1716
        _change(uc, held, 17, _read(uc, held, 16), number >> 1 & 1, number >= 12)
    elif number in (24, 26, 28, 30):  # paciaz, pacibz, autiaz, autibz
        _change(uc, held, 30, np.uint64(0), number >> 1 & 1, number >= 28)
    elif number in (25, 27, 29, 31):  # paciasp, pacibsp, autiasp, autibsp
        _change(uc, held, 30, _read(uc, held, 31), number >> 1 & 1, number >= 28)
    else:
        return False
    return True


@compiled
def authenticate(uc: Pointer, held: npt.NDArray[np.uint64], word: Integer, pc: Integer, keys: Integer) -> Integer:
    """Execute `word` at `pc` if it is of pointer authentication; return the next pc, or -1 if it is another.

    `held` is room for one number.  `keys` is added to the key of PACGA, so that it differs between two CPUs.
    """
    n, d = word >> 5 & 31, word & 31
    key = word >> 10 & 1
    if word & 0xFFFFF01F == 0xD503201F:
        return pc + 4 if _hint(uc, held, word >> 5 & 127) else np.int64(-1)
    if word & 0xFFFFC000 == 0xDAC10000 and d != 31:  # pacia to autdb, and paciza to autdzb
        modifier = np.uint64(0) if word >> 13 & 1 else _read(uc, held, n)
        _change(uc, held, d, modifier, word >> 10 & 3, word >> 12 & 1 == 1)
        return pc + 4
    if word & 0xFFE0FC00 == 0x9AC03000:  # pacga
        m = word >> 16 & 31
        first = np.uint64(0) if n == 31 else _read(uc, held, n)
        code = _mixed(first, _read(uc, held, m), 8 + keys)
        if d != 31:
            _write(uc, held, d, code & np.uint64(0xFFFF_FFFF_0000_0000))
        return pc + 4
    if word & 0xFFFFFBFF == 0xD65F0BFF:  # retaa, retab
        return np.int64(authenticated(_read(uc, held, 30), _read(uc, held, 31), key))
    if word & 0xFEDFF800 == 0xD61F0800:  # braa to blrabz
        modifier = _read(uc, held, d) if word >> 24 & 1 else np.uint64(0)
        target = np.int64(authenticated(_read(uc, held, n), modifier, key))
        if word >> 21 & 1:
            _write(uc, held, 30, np.uint64(pc + 4))
        return target
    if word & 0xFF200400 == 0xF8200400:  # ldraa, ldrab
        offset = (word >> 12 & 511) - (512 if word >> 22 & 1 else 0)
        address = authenticated(_read(uc, held, n), np.uint64(0), 2 + (word >> 23 & 1)) + np.uint64(8 * offset)
        if uc_mem_read(uc, address, held.ctypes.data, 8):
            return np.int64(-1)
        loaded = held[0]
        if word >> 11 & 1:
            _write(uc, held, n, address)
        if d != 31:
            _write(uc, held, d, loaded)
        return pc + 4
    return np.int64(-1)


@compiled
def jump(uc: Pointer, held: npt.NDArray[np.uint64], pc: Integer) -> None:
    """Continue at `pc`."""
    held[0] = np.uint64(pc)
    uc_reg_write(uc, _PC, held.ctypes.data)

"""Find lanes and scalar sums that silently lost their result: sums, products, shifts and narrowings that did not fit.

    probe = LaneWrapProbe(program, contract)
    machine = Machine(program, probes=(probe,))
    machine.call(...)
    fault = probe.collect()

A compiled hook before each instruction that can lose a result reads the operands, computes the true result in wider
arithmetic, and compares it with the range of the lane.  Instructions that saturate do so by design and are never
reported; nor are those that the contract declares `modular`.  `neonlab.verify.lanes.signs` says how lanes are read
where the instruction does not.

Sums of signed data in general registers must give their true result too: those that `neonlab.verify.lanes.scalar_sums`
separates from addresses, counters and hashes.

Not seen: other arithmetic in general registers; sums of 64-bit lanes narrowed by addhn; values cut by a store of a
narrower element, by tbl, uzp or a move into a narrower lane.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from unicorn import UC_HOOK_CODE, arm64_const, arm_const

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.native import NativeHook
from neonlab.emulate.register_identifiers import unicorn_identifier
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.lanes import Bytes, LaneOperation, Lanes
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, general
from neonlab.isa.model.lane_operation import GENERAL_BYTES, file_bytes, general_start, is_general
from neonlab.verify.known_faults import looked_past
from neonlab.verify.lanes import native as nat
from neonlab.verify.lanes.scalar_sums import scalar_sums
from neonlab.verify.lanes.signs import SignAnalysis
from neonlab.verify.lanes.views import Checked, View, checked_instructions_of
from neonlab.verify.lanes.wording import wrap_fault

_KINDS = {
    "mul": nat.MULTIPLY, "mla": nat.MULTIPLY, "mls": nat.MULTIPLY, "add": nat.ADD, "sub": nat.ADD, "addhn": nat.ADD,
    "subhn": nat.ADD, "shr": nat.SHIFT_RIGHT, "sra": nat.SHIFT_RIGHT, "shl": nat.SHIFT_LEFT,
    "shift": nat.SHIFT_BY_REGISTER, "aba": nat.DISTANCE, "abs": nat.MAGNITUDE, "neg": nat.NEGATE,
    "addp": nat.ADD_PAIRS, "adalp": nat.ACCUMULATE_PAIRS, "addv": nat.ADD_ACROSS, "dot": nat.DOT, "mmla": nat.MATRIX,
}  # fmt: skip
_ACCUMULATES = {"mla", "mls", "sra", "aba", "adalp", "dot", "mmla"}
_SUBTRACTS = {"sub", "mls", "subhn"}
_Q = 16  # bytes of the registers that the hook reads


def check_of(checked: Checked, isa: Isa) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Return the compiled hook's row for one instruction, as an array of one ROW."""
    operation = checked.operation
    row = np.zeros(1, nat.ROW)
    row["a_register"] = row["m_register"] = -1
    sources = list(operation.sources)
    accumulates = operation.family in _ACCUMULATES
    places: list[tuple[str, int, Lanes]] = [("a", 0, sources.pop(0))] if accumulates else []
    places += [(name, slot, lanes) for (name, slot), lanes in zip((("n", 16), ("m", 32)), sources, strict=False)]
    for name, slot, lanes in places:
        register, within = _unicorn_register(isa, lanes)
        row[f"{name}_register"] = register
        row[f"{name}_offset"] = slot + within
        row[f"{name}_bits"] = lanes.bits
        if name != "a":
            row[f"{name}_lanes"] = lanes.count
    row["a_bits"], row["lanes"] = operation.destination.bits, operation.destination.count
    row["kind"], row["use"] = _KINDS[operation.family], accumulates
    row["sign"] = -1 if operation.family in _SUBTRACTS else 1
    shift = operation.destination.bits if operation.family in ("addhn", "subhn") else operation.immediate
    row["shift"] = shift
    only_whether = operation.family == "shift" or sources[0].bits == 64
    half = 1 if only_whether else 1 << max(shift, 1) - 1
    row["half"] = half if operation.rounds and (shift or only_whether) else 0
    if len(checked.views) == 1:
        row["short_cut"] = _short_cut(operation, checked.views[0])
    for name, view in zip(("reading", "other_reading"), checked.views, strict=False):
        row[name] = _view_bits(view, accumulates)
    return row


def _unicorn_register(isa: Isa, lanes: Lanes) -> tuple[int, int]:
    """Return Unicorn's number of the register that holds the lanes, and the byte in it at which they begin."""
    if is_general(isa, lanes):
        index, within = divmod(lanes.start - general_start(isa, 0), GENERAL_BYTES)
        return unicorn_identifier(isa, general(index)), within
    q0 = arm64_const.UC_ARM64_REG_Q0 if isa is Isa.A64 else arm_const.UC_ARM_REG_Q0
    return q0 + lanes.start // _Q, lanes.start % _Q


# (family, lanes and bits of each source, all operands signed) -> short cut of the compiled check
_SHORT_CUTS = {
    ("mla", ((8, 16), (8, 8), (8, 8)), True): nat.MULTIPLY_8,
    ("mla", ((8, 16), (8, 8), (8, 8)), False): nat.MULTIPLY_8_UNSIGNED,
    ("mla", ((4, 32), (4, 16), (4, 16)), True): nat.MULTIPLY_16,
    ("mla", ((4, 32), (4, 16), (1, 16)), True): nat.MULTIPLY_16_SAME,
    ("add", ((4, 32), (4, 16)), True): nat.ADD_32_16,
    ("add", ((4, 32), (4, 32)), True): nat.ADD_32,
    ("add", ((8, 16), (8, 16)), True): nat.ADD_16,
    ("adalp", ((8, 16), (16, 8)), True): nat.PAIRS_8,
    ("adalp", ((4, 32), (8, 16)), True): nat.PAIRS_16,
    ("dot", ((4, 32), (16, 8), (16, 8)), True): nat.DOT_8,
    ("dot", ((4, 32), (16, 8), (4, 8)), True): nat.DOT_8_SAME,
}


def _short_cut(operation: LaneOperation, view: View) -> int:
    signed = all(view.signs)
    if not (signed or not any(view.signs)) or (view.fits_signed, view.fits_unsigned) != (signed, not signed):
        return nat.NO_SHORT_CUT
    family = {"sub": "add", "mls": "mla"}.get(operation.family, operation.family)
    key = (family, tuple((lanes.count, lanes.bits) for lanes in operation.sources), signed)
    return _SHORT_CUTS.get(key, nat.NO_SHORT_CUT)


def _view_bits(view: View, accumulates: bool) -> int:
    letters = view.signs if accumulates else (False, *view.signs)
    bits = sum(bit for sign, bit in zip(letters, (nat.A_SIGNED, nat.N_SIGNED, nat.M_SIGNED), strict=False) if sign)
    return bits | view.fits_signed * nat.FITS_SIGNED | view.fits_unsigned * nat.FITS_UNSIGNED


def is_modular(program: Program, contract: Contract, instruction: Instruction) -> bool:
    """Tell whether the contract's `modular` names the instruction, by mnemonic, preceding label or line."""
    line = program.line_at(instruction.address)
    for entry in contract.modular:
        if entry.startswith("label:"):
            if _label_before(program, instruction.address) == entry.removeprefix("label:"):
                return True
        elif found := re.fullmatch(r"lines:(\d+)-(\d+)", entry):
            if line is not None and int(found[1]) <= line.line <= int(found[2]):
                return True
        elif entry in (instruction.mnemonic, instruction.mnemonic.partition(".")[0]):
            return True
    return False


def _label_before(program: Program, address: int) -> str:
    names = [(at, name) for name, at in program.addresses.items() if at <= address]
    return max(names, default=(0, ""))[1]


def checked_instructions(program: Program, contract: Contract) -> tuple[Checked, ...]:
    """Return every instruction that can lose a lane's result and must not, in order of address."""
    analysis = SignAnalysis(program, contract)
    everything = (*checked_instructions_of(analysis), *scalar_sums(analysis, contract))
    past = looked_past(program, contract)
    found = [
        c
        for c in everything
        if (c.instruction.address, FaultKind.LANE_WRAP) not in past and not is_modular(program, contract, c.instruction)
    ]
    return tuple(sorted(found, key=lambda checked: checked.instruction.address))


class LaneWrapProbe:
    """Watches every lane that can wrap; `collect` returns the fault of the first that did."""

    def __init__(self, program: Program, contract: Contract, *, checked: Sequence[Checked] | None = None) -> None:
        """Watch the instructions `checked`, by default those that `checked_instructions` finds."""
        self._program, self._contract = program, contract
        self.checked = tuple(checked_instructions(program, contract) if checked is None else checked)
        self._rows = np.concatenate(
            [check_of(checked, program.isa) for checked in self.checked] or [np.zeros(1, nat.ROW)]
        )
        addresses = [checked.instruction.address for checked in self.checked] or [0]
        self._first, self._last = min(addresses), max(addresses)
        words = (self._last - self._first) // 2 + 1
        self._index = np.full(words, -1, np.int16)
        for number, address in enumerate(addresses):
            self._index[(address - self._first) // 2] = number if self.checked else -1
        self._header = np.zeros(1, nat.HEADER)
        self._header["base"], self._header["words"] = self._first, words
        self._header["index"], self._header["rows"] = self._index.ctypes.data, self._rows.ctypes.data
        self._header["count"] = len(self._rows)

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook, over the range of code that holds all checked instructions."""
        if not self.checked:
            return ()
        return (NativeHook(UC_HOOK_CODE, nat.check_lanes, self._header, self._first, self._last),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._header["hits"] = 0
        self._rows["hits"] = self._rows["lanes_ever"] = 0

    def hits(self, checked: Checked) -> tuple[int, int]:
        """Return how often an instruction lost a lane in the last call, and the lanes it lost first (bit i: lane i)."""
        row = self._rows[self.checked.index(checked)]
        return int(row["hits"]), int(row["lanes_lost"]) if row["hits"] else 0

    @property
    def wrapped(self) -> tuple[Checked, ...]:
        """Return the instructions that lost a lane in the last call, ordered by their first wrap."""
        hit = [(int(self._rows["order"][i]), i) for i in range(len(self.checked)) if self._rows["hits"][i]]
        return tuple(self.checked[number] for _, number in sorted(hit))

    def collect(self, seed: int = 0) -> Fault | None:
        """Return the fault of the first wrap in the last call, or None.

        `harmful_wrap` decides whether it has an effect.
        """
        return self.fault_of(self.wrapped[0], seed) if self.wrapped else None

    def fault_of(self, checked: Checked, seed: int = 0) -> Fault:
        """Return the fault of the first wrap of `checked`, one of `wrapped`."""
        row = self._rows[self.checked.index(checked)]
        lanes = int(row["lanes_lost"])
        lane = (lanes & -lanes).bit_length() - 1
        return wrap_fault(self._program, self._contract, checked, self._state(checked, row["bytes"]), lane, seed)

    def lanes_ever_lost(self, checked: Checked) -> tuple[int, ...]:
        """Return the lanes that `checked` lost in any execution of the last call."""
        row = self._rows[self.checked.index(checked)]
        return tuple(lane for lane in range(16) if int(row["lanes_ever"]) >> lane & 1)

    def _state(self, checked: Checked, held: Bytes) -> Bytes:
        """Return a register file that holds the operands as they were at the first wrap."""
        state = np.zeros(file_bytes(self._program.isa), np.uint8)
        sources = list(checked.operation.sources)
        slots = [0, 16, 32] if checked.operation.family in _ACCUMULATES else [16, 32]
        for slot, lanes in zip(slots, sources, strict=False):
            size = GENERAL_BYTES if is_general(self._program.isa, lanes) else _Q
            start = lanes.start // size * size
            state[start : start + size] = held[slot : slot + size]
        return state

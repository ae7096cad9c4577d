"""Compares what the decoder says of an instruction with what an emulated CPU does, by changing one thing at a time."""

from __future__ import annotations

import random

from tests.isa.single_step import (
    DATA,
    DATA_SIZE,
    FPCR_BITS,
    FPSCR_CONTROLS,
    PATTERNS,
    Outcome,
    SingleStep,
    State,
    random_state,
    random_status,
    random_value,
)

from neonlab.isa.model.addressing import address_of, written_back
from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction
from neonlab.isa.model.isa import FLAGS, STATUS, Isa, Register

MIDDLE = DATA + DATA_SIZE // 2


def _reachable(rng: random.Random, instruction: Instruction, state: State) -> bool:
    """Set base and index so that every access lies in the data region; False when the form leaves no choice."""
    for access in instruction.accesses:
        if access.base is None:
            if access.index is not None:
                return False
            continue
        if access.base == access.index:
            return False
        if access.index is not None:
            small, kind, bits = rng.randrange(1024), access.extend.removeprefix("-"), 8 * instruction.isa.pointer_bytes
            if kind in ("lsr", "asr"):
                small = small << access.shift & (1 << bits) - 1 | rng.getrandbits(access.shift)
            elif kind == "ror":
                small = (small << access.shift | small >> bits - access.shift) & (1 << bits) - 1
            elif kind in ("uxtw", "sxtw"):
                small |= rng.getrandbits(32) << 32
                if kind == "sxtw" and rng.getrandbits(1):
                    small ^= 0xFFFFFFFF
            state[access.index] = small
        state[access.base] = 0
        wanted = MIDDLE + 16 * rng.randrange(-512, 512)
        state[access.base] = (wanted - address_of(access, instruction.isa, state.__getitem__)) & _all(instruction.isa)
    return True


def _exclusive_load(instruction: Instruction) -> int | None:
    """The load-exclusive of the same address and size as a store-exclusive, into registers that do not matter."""
    word = instruction.word
    if instruction.isa is Isa.A64 and word & 0x3FC00000 in (0x08000000, 0x08200000)[: 2 if word >> 31 else 1]:
        return word & ~0x001FFC1F | 0x005F0400
    if instruction.isa is Isa.A32 and word & 0x0F9000F0 == 0x01800090 and word & 0x300 != 0:
        return word & ~0xF000 | 0x00100F9F
    return None


def holds(condition: str, flags: int) -> bool:
    """Whether N, Z, C, V in bits 31 to 28 of `flags` meet a condition, by the table of the architecture manual."""
    n, z, c, v = (bool(flags >> bit & 1) for bit in (31, 30, 29, 28))
    return {
        "": True, "eq": z, "ne": not z, "hs": c, "lo": not c, "mi": n, "pl": not n, "vs": v, "vc": not v,
        "hi": c and not z, "ls": not (c and not z), "ge": n == v, "lt": n != v,
        "gt": not z and n == v, "le": z or n != v,
    }[condition]  # fmt: skip


def _all(isa: Isa) -> int:
    return (1 << 8 * isa.pointer_bytes) - 1


def _fresh(rng: random.Random, isa: Isa, register: Register, pattern: str, old: int) -> int:
    """Another value for `register`; of STATUS, other controls, the cumulative bits kept."""
    if register == FLAGS:
        return rng.getrandbits(32) & (0xF0000000 if isa is Isa.A64 else 0xF00F0000)
    if register == STATUS:
        controls = FPCR_BITS if isa is Isa.A64 else FPSCR_CONTROLS
        return random_status(rng, isa) & controls | old & ~controls
    size = isa.pointer_bytes if register.file == "general" else 16 if isa is Isa.A64 else 8
    return random_value(rng, size, pattern)


def _result(instruction: Instruction, outcome: Outcome, ignored: frozenset[Register]) -> object:
    """What the instruction produced: the registers it writes, where it went, and its memory."""
    written = [
        (register, value)
        for register, value in outcome.registers
        if register in instruction.writes and register not in ignored
    ]
    return written, outcome.pc, outcome.loaded, outcome.stored, outcome.fault


class Examination:
    """Runs one instruction from many states and collects complaints."""

    def __init__(self, step: SingleStep, instruction: Instruction, seed: str) -> None:
        self.step, self.instruction, self.rng = step, instruction, random.Random(seed)
        self.complaints: list[str] = []
        self.mattered: set[Register] = set()
        self.changed: set[Register] = set()
        self.faults = 0
        self.runs = 0
        opener = _exclusive_load(instruction)
        self.opener = None if opener is None else step.place(opener)

    def _run(self, state: State) -> Outcome:
        if self.opener is not None:  # a store-exclusive stores only while its address is monitored
            self.step.run(self.opener, state)
        return self.step.run(self.instruction.address, state)

    def trial(self, pattern: str, *, dependence: bool) -> None:
        """One state: changes, addresses and independence; with `dependence` also which of the reads matter."""
        step, instruction, rng, isa = self.step, self.instruction, self.rng, self.instruction.isa
        state = random_state(rng, isa, step.registers, pattern)
        if not _reachable(rng, instruction, state):
            return
        outcome = self._run(state)
        self.runs += 1
        if outcome.fault:
            self.faults += 1
            return
        self._check_changes(state, outcome)
        self._check_memory(state, outcome)
        self._check_flow(state, outcome)
        other = {
            register: value if register in instruction.reads else _fresh(rng, isa, register, pattern, value)
            for register, value in state.items()
        }
        # What a flag-setting instruction keeps of the flags, and the sticky bits of STATUS, are by choice no reads.
        ignored = frozenset({FLAGS, STATUS} - set(instruction.reads)) if isa is Isa.A32 else frozenset({STATUS})
        again = self._run(other)
        if _result(instruction, again, ignored) != _result(instruction, outcome, ignored):
            self.complaints.append("the result depends on a register that is not in reads")
        if dependence:
            for register in instruction.reads:
                if register not in self.mattered:
                    self._try_dependence(register, pattern, state, outcome)

    def _try_dependence(self, register: Register, pattern: str, state: State, outcome: Outcome) -> None:
        instruction = self.instruction
        other = dict(state)
        bases = {access.base for access in instruction.accesses}
        indices = {access.index for access in instruction.accesses}
        if register in bases:
            other[register] = (state[register] + 16) & _all(instruction.isa)
        elif register in indices:
            right = max((a.shift for a in instruction.accesses if a.extend.lstrip("-")[1:] in ("sr", "or")), default=0)
            other[register] = state[register] ^ 1 << right
        elif register == STATUS and STATUS not in instruction.writes:
            other[register] = random_status(self.rng, instruction.isa)
        else:
            other[register] = _fresh(self.rng, instruction.isa, register, pattern, state[register])
        changed = self._run(other)
        ignored = frozenset({STATUS}) if register == STATUS else frozenset[Register]()
        if _result(instruction, changed, ignored) != _result(instruction, outcome, ignored):
            self.mattered.add(register)

    def _check_changes(self, state: State, outcome: Outcome) -> None:
        for register, value in outcome.registers:
            if value != state[register]:
                self.changed.add(register)
                if register not in self.instruction.writes:
                    name = register.name(self.instruction.isa)
                    self.complaints.append(f"{name} changed from {state[register]:#x} to {value:#x}")

    def _check_flow(self, state: State, outcome: Outcome) -> None:
        instruction = self.instruction
        following = instruction.address + 4
        allowed = {instruction.target, following} if instruction.target is not None else {following}
        if instruction.branch in (BranchKind.JUMP, BranchKind.CALL) and not instruction.condition:
            allowed.discard(following)
        indirect = instruction.branch in (BranchKind.CALL, BranchKind.RETURN, BranchKind.INDIRECT)
        if outcome.pc not in allowed and not (indirect and instruction.target is None):
            self.complaints.append(f"went to {outcome.pc:#x}")

    def _check_memory(self, state: State, outcome: Outcome) -> None:
        instruction = self.instruction
        executes = instruction.isa is Isa.A64 or holds(instruction.condition, state[FLAGS])
        for kind, touched in (
            (AccessKind.LOAD, outcome.loaded),
            (AccessKind.STORE, {address for address, _ in outcome.stored}),
        ):
            expected: set[int] = set()
            for access in instruction.accesses:
                if access.kind is kind and executes:
                    first = address_of(access, instruction.isa, state.__getitem__)
                    expected |= set(range(first, first + access.count))
            if kind is AccessKind.LOAD and self.opener is not None:
                continue  # the emulator checks the monitored value by loading it again
            if touched != expected:
                span = f"{len(touched)} bytes from {min(touched, default=0):#x}"
                self.complaints.append(
                    f"{kind.value}: touched {span}, expected {len(expected)} from {min(expected, default=0):#x}"
                )
        if instruction.writeback is not None and executes:
            expected_base = written_back(instruction.writeback, instruction.isa, state.__getitem__)
            found = outcome.value(instruction.writeback.base)
            if found != expected_base:
                self.complaints.append(f"written back {found:#x}, expected {expected_base:#x}")


def examine(step: SingleStep, instruction: Instruction, seed: str, *, trials: int, dependence: bool) -> Examination:
    """Try `instruction`, which must have been decoded at an address that `step.place` gave for its word."""
    examination = Examination(step, instruction, seed)
    for number in range(trials):
        examination.trial(PATTERNS[number % len(PATTERNS)], dependence=dependence)
        if examination.complaints or examination.faults > 1:
            break
        is_settled = examination.mattered >= set(instruction.reads) and examination.changed >= set(instruction.writes)
        if dependence and number > len(PATTERNS) and is_settled:
            break
    return examination

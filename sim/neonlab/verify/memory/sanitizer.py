"""Check the accesses of a call against the contract, and word the first violation.

Clauses of the procedure call standards are quoted by section title, since the numbers change between releases; the
texts are aapcs32.rst and aapcs64.rst of https://github.com/ARM-software/abi-aa.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program, Segment
from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.address_space import HOME, AddressSpace
from neonlab.emulate.guest.buffer import Buffer, PlacedBuffer
from neonlab.emulate.native import NativeHook
from neonlab.emulate.run import Fault, FaultKind
from neonlab.isa.c.procedure_call import place_arguments, stack_argument_bytes
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.verify.known_faults import looked_past
from neonlab.verify.memory import access_watch as aw
from neonlab.verify.memory import shadow as sh
from neonlab.verify.memory.rows import between_rows, permissions

DEFAULT_STACK_BYTES = 65536
# An access at most this many bytes outside a buffer is attributed to that buffer.
_NEAR = 1 << 20
# Loads and stores that need word-aligned addresses in ARMv7-A whatever SCTLR.A says (DDI 0406C, A3.2.1).
_WORD_ALIGNED = ("ldm", "stm", "push", "pop", "ldrd", "strd", "vldm", "vstm", "vldr", "vstr", "vpush", "vpop")
# Accesses that need addresses aligned to their size, up to ARMv8.3 (DDI 0487, B2.8.2); from ARMv8.4 on (FEAT_LSE2) they
# need less, which is not checked.
_ORDERED = {
    Isa.A64: (
        *("ldar", "ldlar", "ldapr", "ldapur", "stlr", "stllr", "stlur", "ldxr", "ldaxr", "ldxp", "ldaxp"),
        *("stxr", "stlxr", "stxp", "stlxp", "cas", "swp"),
        *(
            f"{verb}{what}"
            for verb in ("ld", "st")
            for what in ("add", "clr", "eor", "set", "smax", "smin", "umax", "umin")
        ),
    ),
    Isa.A32: ("ldrex", "strex", "lda", "stl"),
}
_RELAXED = re.compile(r"armv(8\.[4-9]|9)")
_ORDERED_CLAUSE = "Arm ARM B2.8.2: acquire, release, exclusive and atomic accesses need addresses aligned to their size"
_WORD_CLAUSE = "ARMv7-A A3.2.1, Unaligned data access: this instruction needs a word-aligned address"


def entry_stack_pointer(contract: Contract, space: AddressSpace = HOME) -> int:
    """Return the value of sp when the kernel is entered."""
    places = place_arguments(contract.isa, contract.signature, contract.float_abi)
    return space.stack_top - stack_argument_bytes(places)


def stack_bytes_for(contract: Contract) -> int:
    """Return the bytes of stack that a machine for the kernel needs."""
    return max(DEFAULT_STACK_BYTES, 2 * (contract.stack + contract.below_stack))


def _bytes(count: int) -> str:
    return f"{count} byte{'s' if count != 1 else ''}"


#: Buffers up to so many bytes, and so many of them, whose permissions are kept for calls with the same sizes.
_SMALL, _MOST_KNOWN = 1 << 14, 512


class SanitizerProbe:
    """Checks every access of a call to the byte, and every change of sp; `neonlab.verify.memory.access_watch` says how.

    `integers` holds the call's integer arguments.  With them, writes are limited to an argument's `write` bytes, and
    accesses to its rows.
    """

    def __init__(
        self,
        program: Program,
        contract: Contract,
        *,
        space: AddressSpace = HOME,
    ) -> None:
        self._program, self._contract, self._space = program, contract, space
        self._placed: Sequence[PlacedBuffer] = ()
        self.integers: Mapping[str, int] = {}
        self._known: dict[tuple[str, int, bool, tuple[int, ...]], int | npt.NDArray[np.uint8]] = {}
        self._shadow = sh.Shadow()
        alignments = {i.address: needed for i in program.instructions if (needed := _alignment(i, contract)) > 1}
        self._watch = aw.Watch(program, self._shadow, alignments, _excused(program, contract))
        self._stack_lowest = space.stack_top - stack_bytes_for(contract)
        self._entry_sp = entry_stack_pointer(contract, space)
        self._allow_program_and_stack()
        self._watch.set(
            below=contract.below_stack,
            stack_mask=15 if program.isa is Isa.A64 else 3,
            sp_lowest=self._entry_sp - contract.stack if contract.declares_stack else self._stack_lowest,
            sp_highest=self._entry_sp,
        )

    def _allow_program_and_stack(self) -> None:
        on_stack = aw.READABLE | aw.WRITABLE | aw.STACK
        for segment in self._program.segments:
            self._shadow.allow(segment.address, segment.end, aw.READABLE | (aw.WRITABLE if segment.writable else 0))
        self._shadow.allow(self._stack_lowest, self._entry_sp, on_stack)
        for place in place_arguments(self._contract.isa, self._contract.signature, self._contract.float_abi):
            if place.stack_offset is not None:
                start = self._entry_sp + place.stack_offset
                slot = 8 if self._program.isa is Isa.A64 else -(-place.size // 4) * 4
                self._shadow.allow(start, start + slot, on_stack)
        self._shadow.keep()

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """Return one hook, called before each instruction of the program."""
        return self._watch.hooks()

    def reset(self, buffers: Sequence[PlacedBuffer]) -> None:
        """Allow the bytes of `buffers` that the contract allows, and no others."""
        self._placed = buffers
        self._shadow.clear()
        for item in buffers:
            buffer = item.buffer
            margin = aw.READABLE | aw.MARGIN
            self._shadow.allow(item.address - buffer.readable_before, item.address, margin)
            self._shadow.allow(item.end, item.end + buffer.readable_after, margin)
            self._shadow.allow(item.address, item.end, self._permissions(buffer))
        self._watch.reset()

    def _permissions(self, buffer: Buffer) -> int | npt.NDArray[np.uint8]:
        """Return the permissions of a buffer's bytes: one number for all, or one each."""
        argument = self._contract.by_name.get(buffer.name)
        if argument is None or self.integers.keys() != {a.name for a in self._contract.integers}:
            return aw.READABLE | (aw.WRITABLE if buffer.writable else 0)
        key = buffer.name, buffer.size, buffer.writable, tuple(self.integers.values())
        found = self._known.get(key)
        if found is None:
            found = permissions(argument, self.integers, buffer)
            if buffer.size <= _SMALL:
                if len(self._known) >= _MOST_KNOWN:
                    self._known.clear()
                self._known[key] = found
        return found

    @property
    def access_hash(self) -> int:
        """Return a hash of (pc, address, bytes) of all accesses of the last call in order; equal for equal runs."""
        return self._watch.get("hash")

    @property
    def accesses(self) -> int:
        """Return the number of loads and stores of the last call; `ld1 {v0.16b, v1.16b}` is one, of 32 bytes."""
        return self._watch.get("accesses")

    @property
    def stack_used(self) -> int:
        """Return how many bytes below the sp on entry the last call accessed."""
        return max(0, self._entry_sp - self._watch.get("lowest"))

    def collect(self, seed: int = 0) -> Fault | None:
        """Return the fault of the first violation in the last call, or None."""
        wrong = self._watch.get("wrong")
        if wrong == aw.NOTHING:
            return None
        wording = _Wording(
            self._program, self._contract, self._placed, self._shadow, self._watch, seed, self._space, self.integers
        )
        return wording.fault(wrong)


#: Faults of accesses that a contract may accept, with the watch's number of each.
_WATCHED = {
    FaultKind.OUT_OF_BOUNDS_READ: aw.FORBIDDEN,
    FaultKind.OUT_OF_BOUNDS_WRITE: aw.FORBIDDEN,
    FaultKind.READ_ONLY_WRITE: aw.FORBIDDEN,
    FaultKind.BELOW_STACK: aw.BELOW_STACK,
    FaultKind.ALIGNMENT_HINT: aw.MISALIGNED,
}


def _excused(program: Program, contract: Contract) -> Mapping[int, int]:
    """Return the violations that the watch ignores, by address of the instruction: bit n for violation n."""
    found: dict[int, int] = {}
    for address, kind in looked_past(program, contract):
        if kind in _WATCHED:
            found[address] = found.get(address, 0) | 1 << _WATCHED[kind]
    return found


def _alignment(instruction: Instruction, contract: Contract) -> int:
    """Return the alignment in bytes that the addresses of the instruction's accesses need."""
    if is_ordered(instruction, contract):
        return max((access.count for access in instruction.accesses), default=1)
    hint = max((access.alignment for access in instruction.accesses), default=1)
    return 4 if hint == 1 and instruction.isa is Isa.A32 and _needs_word(instruction) else hint


def is_ordered(instruction: Instruction, contract: Contract) -> bool:
    """Tell whether accesses of the instruction are ordered, exclusive or atomic, and need aligned addresses."""
    ordered = instruction.mnemonic.startswith(_ORDERED[instruction.isa]) and bool(instruction.accesses)
    return ordered and _RELAXED.match(contract.architecture) is None


def _needs_word(instruction: Instruction) -> bool:
    return instruction.mnemonic.startswith(_WORD_ALIGNED) and not instruction.mnemonic.endswith(".16")


class _Wording:
    """Turns one recorded violation into a Fault."""

    def __init__(
        self,
        program: Program,
        contract: Contract,
        placed: Sequence[PlacedBuffer],
        shadow: sh.Shadow,
        watch: aw.Watch,
        seed: int,
        space: AddressSpace,
        integers: Mapping[str, int],
    ) -> None:
        self._integers = integers
        self._program, self._contract, self._placed = program, contract, placed
        self._shadow, self._watch, self._seed, self._space = shadow, watch, seed, space
        self._entry_sp = entry_stack_pointer(contract, space)
        self._standard = "AAPCS64" if program.isa is Isa.A64 else "AAPCS32"
        self._at = watch.get("at")
        self._instruction = program.by_address.get(self._at)
        self._writes = bool(watch.get("writes"))
        self._start, self._size = watch.get("address"), watch.get("size")

    def _make(
        self,
        kind: FaultKind,
        message: str,
        clause: str,
        *,
        buffer: str | None = None,
        offset: int | None = None,
        register: str | None = None,
        address: int | None = None,
    ) -> Fault:
        address = self._at if address is None else address
        instruction = self._program.by_address.get(address)
        text = instruction.text if instruction else ""
        line = self._program.line_at(address)
        return Fault(kind, message, address, line, text, buffer, offset, self._seed, register, clause)

    @property
    def _verb(self) -> str:
        return "writes" if self._writes else "reads"

    def fault(self, wrong: int) -> Fault:
        if wrong == aw.FORBIDDEN:
            return self._forbidden()
        if wrong == aw.BELOW_STACK:
            return self._below_stack()
        if wrong == aw.MISALIGNED:
            return self._misaligned()
        if wrong == aw.UNKNOWN:
            message = f"executes the word at {self._at:#x}, which is not a known instruction"
            return self._make(FaultKind.UNDEFINED_INSTRUCTION, message, "isa = the instructions of the architecture")
        return self._stack_pointer(wrong)

    def _forbidden(self) -> Fault:
        needed = aw.WRITABLE if self._writes else aw.READABLE
        touched = range(self._start, self._start + self._size)
        bad = next((byte for byte in touched if not self._shadow.permissions(byte) & needed), self._start)
        near = min(self._placed, key=lambda item: item.distance(bad), default=None)
        if near is not None and near.distance(bad) <= _NEAR:
            return self._beyond_buffer(near, bad)
        if segment := next((s for s in self._program.segments if s.address <= bad < s.end), None):
            return self._program_written(segment)
        lowest = self._space.stack_top - stack_bytes_for(self._contract)
        if lowest - _NEAR <= bad < lowest and self._moves_sp():
            return self._stack_pointer(aw.SP_TOO_LOW, self._start)
        if lowest - _NEAR <= bad < self._entry_sp:
            return self._below_stack()
        kind = FaultKind.OUT_OF_BOUNDS_WRITE if self._writes else FaultKind.OUT_OF_BOUNDS_READ
        if self._entry_sp <= bad < self._space.stack_top + _NEAR:
            return self._caller_frame(kind)
        message = f"{self._verb} {_bytes(self._size)} at {self._start:#x}, where the kernel has no memory"
        return self._make(kind, message, "a kernel accesses only its arguments' buffers, its own data and its stack")

    def _beyond_buffer(self, near: PlacedBuffer, bad: int) -> Fault:
        buffer = near.buffer
        offset, size = self._start - near.address, buffer.size
        argument = self._contract.by_name.get(buffer.name)
        clause = _clause(argument, self._writes) if argument else ""
        access = f"{self._verb} {_bytes(self._size)} of `{buffer.name}` at offset {offset} of {size}"
        if self._writes and near.address <= bad < near.end:
            if not buffer.writable:
                message = f"{access}, which is read-only"
                return self._make(FaultKind.READ_ONLY_WRITE, message, clause, buffer=buffer.name, offset=offset)
            where = self._between_rows(argument, near) or (
                f"{_bytes(self._start + self._size - bad)} beyond what the kernel may write"
            )
        elif near.address <= bad < near.end:
            where = self._between_rows(argument, near)
        elif bad >= near.end:
            where = f"{_bytes(offset + self._size - size)} beyond its end"
        else:
            where = f"{_bytes(-offset)} before its start"
        margin = buffer.readable_after if bad >= near.end else buffer.readable_before
        if margin and not near.address <= bad < near.end:
            where += f", where {_bytes(margin)} may be read but not written"
        kind = FaultKind.OUT_OF_BOUNDS_WRITE if self._writes else FaultKind.OUT_OF_BOUNDS_READ
        return self._make(kind, f"{access}: {where}", clause, buffer=buffer.name, offset=offset)

    def _between_rows(self, argument: Argument | None, near: PlacedBuffer) -> str:
        if argument is None or not self._integers:
            return ""
        first = self._start - near.address
        return between_rows(argument, self._integers, first, first + self._size, written=self._writes)

    def _program_written(self, segment: Segment) -> Fault:
        where = f"at offset {self._start - segment.address} of {segment.name}"
        message = f"{self._verb} {_bytes(self._size)} {where}, which is read-only"
        clause = f"{self._standard}, Processes, Memory and the Stack: code and read-only data are not written"
        return self._make(FaultKind.READ_ONLY_WRITE, message, clause)

    def _caller_frame(self, kind: FaultKind) -> Fault:
        places = place_arguments(self._contract.isa, self._contract.signature, self._contract.float_abi)
        passed = max((p.stack_offset + p.size for p in places if p.stack_offset is not None), default=0)
        offset = self._start - self._entry_sp
        frame = f"beyond the {_bytes(passed)} of arguments there" if passed else "which holds no arguments"
        message = f"{self._verb} {_bytes(self._size)} at sp{offset:+d} (sp as on entry), in the caller's frame, {frame}"
        clause = f"{self._standard}, Parameter Passing: of that frame only the arguments are shared"
        return self._make(kind, message, clause)

    def _below_stack(self) -> Fault:
        declared, sp = self._contract.below_stack, self._watch.get("sp")
        message = f"{self._verb} {_bytes(self._size)} at sp{self._start - sp:+d}, below the stack pointer"
        if declared:
            message += f" and beyond the {_bytes(declared)} declared"
        clause = f"below_stack = {declared}; {self._standard}, Universal stack constraints: "
        clause += "only [sp, base - 1] may be accessed"
        return self._make(FaultKind.BELOW_STACK, message, clause, register="sp")

    def _misaligned(self) -> Fault:
        instruction = self._instruction
        access = instruction.accesses[0] if instruction else None
        near = min(self._placed, key=lambda item: item.distance(self._start), default=None)
        inside = near if near is not None and near.distance(self._start) == 0 else None
        name = inside.buffer.name if inside else None
        offset = self._start - inside.address if inside else None
        place = f"offset {offset} of `{name}`, at {self._start:#x}," if inside else f"{self._start:#x}"
        base = access.base.name(self._program.isa) if access is not None and access.base is not None else None
        if access is not None and access.alignment > 1:
            message, unit = f"promises an address aligned to {access.alignment} bytes", access.alignment
            clause = f"the hint in the text, :{8 * access.alignment}"
        elif instruction is not None and is_ordered(instruction, self._contract):
            unit = _alignment(instruction, self._contract)
            message, clause = f"needs an address aligned to {unit} bytes", _ORDERED_CLAUSE
        else:
            message, unit = "needs an address aligned to 4 bytes", 4
            clause = _WORD_CLAUSE
        message += f", but {place} is {_bytes(self._start % unit)} past a multiple of {unit}"
        argument = self._contract.by_name.get(name) if name is not None else None
        if argument is not None:
            clause = f"{clause}; {argument.name}: align = {argument.align}"
        return self._make(FaultKind.ALIGNMENT_HINT, message, clause, buffer=name, offset=offset, register=base)

    def _moves_sp(self) -> bool:
        """Tell whether the access writes its address back to sp, as a push does."""
        writeback = self._instruction.writeback if self._instruction is not None else None
        return writeback is not None and writeback.base.name(self._program.isa) == "sp"

    def _stack_pointer(self, wrong: int, moved_to: int | None = None) -> Fault:
        sp, at = self._watch.get("sp") if moved_to is None else moved_to, self._at
        if wrong == aw.SP_MISALIGNED:
            unit = 16 if self._program.isa is Isa.A64 else 4
            at = self._watch.get("sp_misaligned_by") or at
            message = f"leaves sp {sp % unit} bytes off a multiple of {unit}, and memory is accessed through it"
            clause = f"{self._standard}, Universal stack constraints: sp mod {unit} = 0"
        elif wrong == aw.SP_TOO_LOW:
            message = f"lowers sp to {_bytes(self._entry_sp - sp)} below its value on entry"
            clause = f"stack = {self._contract.stack}"
            if not self._contract.declares_stack:
                clause = f"{self._standard}, Universal stack constraints: sp stays within the stack, here of "
                clause += _bytes(stack_bytes_for(self._contract))
        else:
            message = f"raises sp to {_bytes(sp - self._entry_sp)} above its value on entry, into the caller's frame"
            clause = f"{self._standard}, The Stack: memory below sp may be overwritten at any time"
        return self._make(FaultKind.STACK_POINTER, message, clause, register="sp", address=at)


def _clause(argument: Argument, writes: bool) -> str:
    """Return what the contract says about the bytes that may be touched."""
    if writes:
        return f"{argument.name}: write = {argument.write.text}" if argument.write else f"{argument.name}: no write"
    size = argument.read or argument.write
    clause = f"{argument.name}: {'read' if argument.read else 'write'} = {size.text if size else 0}"
    for key, margin in (("over_read", argument.over_read), ("under_read", argument.under_read)):
        clause += f", {key} = {margin}" if margin else ""
    return clause

"""Convert instructions to the arrays that the compiled pipeline runs on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.isa.model.instruction import AccessKind, BranchKind, Instruction, InstructionClass
from neonlab.isa.model.isa import Register
from neonlab.measure.cores.pipeline import PipelineCore, Timing
from neonlab.measure.forms.form import form_of, registers_moved, repeats_of
from neonlab.measure.pipeline.registers import RegisterNumbers
from neonlab.measure.pipeline.state import ALWAYS, DATA, FORWARDED, INSTRUCTION, READ, SIMILAR, TURN, USE, WRITE

Rows = npt.NDArray[Any]
#: A register that is shifted or extended, and a register that says how far.
_SHIFTED = re.compile(r"\w+, *(?:lsl|lsr|asr|ror|rrx|[us]xt[bhwx])\b.*")
_NEON = (InstructionClass.NEON_MULTIPLY_ACCUMULATE, InstructionClass.NEON_OTHER)


@dataclass(frozen=True, slots=True)
class CompiledProgram:
    """Rows of INSTRUCTION, and of what instructions read, write and use: rows of READ, WRITE and USE."""

    code: Rows
    reads: Rows
    writes: Rows
    uses: Rows

    def reads_of(self, number: int) -> Rows:
        """Return the reads of one instruction."""
        return self.reads[self.code["first_read"][number] : self.code["past_reads"][number]]

    def writes_of(self, number: int) -> Rows:
        """Return its writes."""
        return self.writes[self.code["first_write"][number] : self.code["past_writes"][number]]

    def uses_of(self, number: int) -> Rows:
        """Return its uses of ports: which, as a bit set, and for how many cycles."""
        return self.uses[self.code["first_use"][number] : self.code["past_uses"][number]][["ports", "cycles"]]


def compile_instructions(instructions: Sequence[Instruction], core: PipelineCore) -> CompiledProgram:
    """Return the arrays of `instructions` on `core`.  Cumulative status bits (QC, exceptions) delay nothing."""
    families = {timing.family: number for number, timing in enumerate(core.timings.values(), start=1) if timing.family}
    code: list[tuple[int, ...]] = []
    reads: list[tuple[int, ...]] = []
    writes: list[tuple[int, ...]] = []
    uses: list[tuple[int, ...]] = []
    for before, instruction in zip((None, *instructions), instructions, strict=False):
        timing = core.timing(instruction, before)
        repeats = repeats_of(instruction)
        numbers = RegisterNumbers(instruction, halves=core.halves)
        first_read, first_write, first_use = len(reads), len(writes), len(uses)
        for register, late, similar in _reads(instruction, core, timing):
            reads.extend((number, late, similar) for number in numbers.read(register))
        base = instruction.writeback.base if instruction.writeback else None
        seen = 0
        for register in _in_order_written(instruction):
            if register.file == "status":
                continue
            if register == base and instruction.accesses:
                stores = instruction.accesses[0].kind is AccessKind.STORE
                latency = core.store_writeback if stores else _load_writeback(instruction, core)
                forwards = min(core.writeback_forwards, latency - 1)
                writes.extend((number, latency, forwards, True) for number in numbers.written(register))
                continue
            latency = (timing.second if seen else timing.latency) + (repeats - 1)
            writes.extend((number, latency, timing.forwards, False) for number in numbers.written(register))
            seen += register.file != "flags"
        wide = timing.slots > 1 and instruction.instruction_class in _NEON and not instruction.accesses
        places = core.wide_places if wide else 1
        uses.extend((use.ports, use.cycles * repeats, places) for use in timing.uses)
        if base is not None and instruction.accesses:
            uses.extend((use.ports, use.cycles, 1) for use in core.writeback_use)
        slots = timing.slots if core.in_order else _slots(instruction, core, timing)
        extra = core.writeback_slots * len(core.writeback_use) if base is not None and instruction.accesses else 0
        load = any(access.kind is AccessKind.LOAD for access in instruction.accesses)
        store = any(access.kind is AccessKind.STORE for access in instruction.accesses)
        neon = instruction.instruction_class in _NEON and not instruction.accesses
        vectors = (
            0 if core.vector_places == 0 else 2 * (timing.vectors > 0) if core.vector_places == 1 else timing.vectors
        )
        if core.vectors_in_order and (neon or _of_vectors(instruction)):
            reads.append((TURN, 0, ALWAYS))
            writes.append((TURN, 1, timing.forwards, False))
        alone = timing.alone or (core.vectors_alone and timing.vectors > 0)
        family = families.get(timing.family, 0)
        queued = neon or (core.queue_moves and _of_vectors(instruction))
        branch = instruction.branch is not BranchKind.NONE
        conditional = instruction.branch is BranchKind.CONDITIONAL
        part = timing.uses[0].part if timing.uses else 0
        code.append(
            (
                slots + extra, vectors, family, part, timing.latency_part, timing.late_part,
                min(2, len(timing.uses)) if neon and _between_vectors(instruction) else 0,
                _loaded(instruction) if core.load_results else 0, queued, alone,
                core.wide_first and neon and len(timing.uses) > 1, load, store, branch, conditional,
                branch and instruction.target is None,
                first_read, len(reads), first_write, len(writes), first_use, len(uses),
            )
        )  # fmt: skip
    return CompiledProgram(
        np.array(code, INSTRUCTION), np.array(reads, READ), np.array(writes, WRITE), np.array(uses, USE)
    )


def _between_vectors(instruction: Instruction) -> bool:
    """Tell whether the instruction sets vector registers, and not from a general one, which has a way of its own."""
    sets = any(register.file == "vector" for register in instruction.writes)
    return sets and not any(register.file == "general" for register in instruction.reads)


def _loaded(instruction: Instruction) -> int:
    """Return the number of whole vector registers that the instruction loads."""
    loads = [access for access in instruction.accesses if access.kind is AccessKind.LOAD]
    if not any(register.file == "vector" for register in instruction.writes):
        return 0
    return sum(access.count for access in loads) // 16


def _load_writeback(instruction: Instruction, core: PipelineCore) -> int:
    """Return the cycles from the issue of a load to its new address."""
    lane = core.lane_writeback and form_of(instruction).startswith("ld") and "[]*" in form_of(instruction)
    return core.lane_writeback if lane else core.load_writeback


def _of_vectors(instruction: Instruction) -> bool:
    """Tell whether the instruction loads vector registers, or stores them."""
    return bool(instruction.accesses) and any(
        register.file == "vector" for register in (*instruction.reads, *instruction.writes)
    )


def _slots(instruction: Instruction, core: PipelineCore, timing: Timing) -> int:
    """Return the slots of those dispatched in a cycle that the instruction takes, without its write-back."""
    slots = -(-timing.slots * registers_moved(instruction) // 2)
    moved = sum(access.count for access in instruction.accesses)
    wide = any(register.file == "vector" for register in (*instruction.writes, *instruction.reads))
    if core.wide_slots and wide:
        slots = min(slots, core.wide_slots * max(1, moved // 16))
    if wide and any(access.kind is AccessKind.LOAD for access in instruction.accesses):
        slots = max(slots, core.wide_load_slots * (moved // 16))
    return slots


def _in_order_written(instruction: Instruction) -> list[Register]:
    """Return the results in the order in which the text names them, flags last; `ldp` has its second result later."""
    named = re.findall(r"[a-z](\d+)", instruction.operands.lower()) if instruction.mnemonic.startswith("ld") else []

    def place(register: Register) -> tuple[bool, int, int]:
        number = str(register.index)
        return register.file == "flags", named.index(number) if number in named else -1, register.index

    return sorted(instruction.writes, key=place)


def _reads(instruction: Instruction, core: PipelineCore, timing: Timing) -> list[tuple[Register, int, int]]:
    address = {access.base for access in instruction.accesses} | {access.index for access in instruction.accesses}
    if instruction.writeback is not None:
        address |= {instruction.writeback.base, instruction.writeback.register}
    stores = any(access.kind is AccessKind.STORE for access in instruction.accesses)
    found = []
    accumulators = _accumulators(instruction)
    for register in instruction.reads:
        if register.file == "status":
            continue
        if stores and register not in address:
            general = register.file == "general" and core.general_data_late
            found.append((register, core.general_data_late if general else core.store_data_late, DATA))
        elif (
            instruction.accesses and register not in address and register.file == "vector"
        ):  # a lane load keeps the rest
            found.append((register, max(0, timing.latency - core.merge_latency), DATA))
        elif timing.family and timing.late and register in accumulators:
            found.append((register, timing.late, SIMILAR))
        elif not instruction.accesses and (late := _read_late(instruction, register, timing)):
            found.append((register, late, FORWARDED))
        else:
            found.append((register, 0, ALWAYS))
    return found


def _read_late(instruction: Instruction, register: Register, timing: Timing) -> int:
    """Return how many cycles after issue an instruction without accesses reads `register`."""
    shifted = _SHIFTED.search(instruction.operands) if timing.unshifted > timing.reads else None
    if shifted is None or re.search(rf"\b[wxr]{register.index}\b", shifted[0]):
        return timing.reads
    return timing.unshifted


def _accumulators(instruction: Instruction) -> frozenset[Register]:
    """Return the registers that are only accumulated into: written and read, and not an operand as well."""
    both = frozenset(instruction.reads) & frozenset(instruction.writes)
    if instruction.mnemonic.lower().startswith(
        ("fmadd", "fmsub", "fnm", "madd", "msub", "smadd", "umadd", "smsub", "umsub")
    ):
        last = instruction.operands.split(",")[-1].strip()
        others = [operand.strip()[1:] for operand in instruction.operands.split(",")[1:-1]]
        return frozenset(r for r in instruction.reads if str(r.index) == last[1:] and last[1:] not in others)
    operands = instruction.operands.lower().split(",", 1)[-1]
    names = operands.replace("{", " ").replace("}", " ").replace(",", " ").split()
    used = {name.split(".")[0].split("[")[0] for name in names}
    kept = set()
    for register in both:
        name = register.name(instruction.isa)
        quad = f"q{register.index // 2}" if instruction.isa.value == "a32" else name
        if name not in used and quad not in used:
            kept.add(register)
    return frozenset(kept)

"""Describe in words what each step of a slice did."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping

import numpy as np

from neonlab.contract.header import Contract
from neonlab.emulate.trace import Trace
from neonlab.isa.c.procedure_call import place_arguments
from neonlab.isa.dependence import dependence_of
from neonlab.isa.model.dependence import FLAG_N, MEMORY, places_of, register_of
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register, vector
from neonlab.verify.dataflow import Dataflow
from neonlab.verify.explain.slice_walk import Visit
from neonlab.verify.memory.sanitizer import entry_stack_pointer
from neonlab.verify.uninitialised.faults import argument_register

_LETTERS = {1: "b", 2: "h", 4: "s", 8: "d"}


class Words:
    """Names and values of places in one trace.  Elements are counted without the gaps between rows."""

    def __init__(self, trace: Trace, contract: Contract, integers: Mapping[str, int]) -> None:
        pointers = [argument for argument in contract.arguments if argument.is_pointer]
        self._dtypes = {argument.name: argument.dtype for argument in pointers}
        self._blocks = {argument.name: argument.block(integers) for argument in pointers}
        self._trace, self._flow = trace, Dataflow(trace)
        self._isa = trace.isa

    # Memory

    def element(self, name: str, offset: int) -> str:
        """Return the name of a buffer's element at a byte offset: `output[3]`."""
        number = self._number(name, offset)
        return f"{name}[{number}]" if number is not None else f"{name}, between rows"

    def _number(self, name: str, offset: int) -> int | None:
        if name in self._blocks and self._blocks[name].gaps:
            position = self._blocks[name].position(offset)
            return position // self._size(name) if position is not None else None
        return offset // self._size(name)

    def _size(self, name: str) -> int:
        return self._dtypes[name].itemsize if name in self._dtypes else 1

    def value_at_end(self, name: str, offset: int) -> str:
        """Return the final value of the element at a byte offset."""
        placed = next(item for item in self._trace.buffers if item.buffer.name == name)
        size = self._size(name)
        block = self._blocks.get(name)
        first = placed.address + offset - (offset - (block.origin if block is not None else 0)) % size
        data = bytes(self._byte_at_end(first + byte) for byte in range(size))
        dtype = self._dtypes.get(name, np.dtype(np.uint8))
        return str(np.frombuffer(data, dtype)[0])

    def _byte_at_end(self, address: int) -> int:
        origin = self._flow.memory_origin(len(self._trace), address)
        if origin.step is None or origin.place is None:
            return self._initial_byte(address)
        (source,) = self._flow.rule(origin.step).sources.get(origin.place) or (None,)
        return self._byte(origin.step, source) if source is not None else 0

    def _initial_byte(self, address: int) -> int:
        found = self._trace.buffer_at(address)
        return int(found[0].buffer.contents()[found[1]]) if found is not None else 0

    def _byte(self, step: int, place: int) -> int:
        """Return the value of a register's byte as `step` begins."""
        register, byte = register_of(place, self._isa)
        return self._trace.before(step, register) >> 8 * byte & 0xFF

    def elements(self, addresses: Iterable[int]) -> dict[str, tuple[int, ...]]:
        """Return the numbers of the elements that hold the bytes at `addresses`, ascending, by buffer."""
        found: dict[str, set[int]] = {}
        for address in addresses:
            if (at := self._trace.buffer_at(address)) is not None:
                name = at[0].buffer.name
                if (number := self._number(name, at[1])) is not None:
                    found.setdefault(name, set()).add(number)
        return {name: tuple(sorted(numbers)) for name, numbers in sorted(found.items())}

    def memory_name(self, address: int) -> str:
        """Name a byte of memory: an element of a buffer, a distance from a buffer, or an address."""
        if (at := self._trace.buffer_at(address)) is not None:
            return self.element(at[0].buffer.name, at[1])
        near = min(self._trace.buffers, key=lambda item: item.distance(address), default=None)
        if near is not None and near.distance(address) <= near.buffer.readable_after + near.buffer.readable_before:
            return f"{near.distance(address)} bytes outside {near.buffer.name}"
        return f"memory at {address:#x}"

    def is_given(self, address: int, contract: Contract) -> bool:
        """Tell whether a byte had contents when the call began: those of an input, the program, or a stack argument."""
        if any(segment.address <= address < segment.end for segment in self._trace.program.segments):
            return True
        if (at := self._trace.buffer_at(address)) is not None:
            argument = contract.by_name.get(at[0].buffer.name)
            return argument is None or argument.read is not None
        sp = entry_stack_pointer(contract)
        places = place_arguments(contract.isa, contract.signature, contract.float_abi)
        return any(
            sp + place.stack_offset <= address < sp + place.stack_offset + place.size
            for place in places
            if place.stack_offset is not None
        )

    # Registers

    def given_places(self, contract: Contract) -> set[int]:
        """Return the register places that carry arguments, and those of sp and lr."""
        found: set[int] = set()
        for place in place_arguments(contract.isa, contract.signature, contract.float_abi):
            for name in place.registers:
                register, first = argument_register(name, self._isa)
                width = -(-place.size // len(place.registers))
                found.update(places_of(register, self._isa)[first : first + width])
        for index in (30, 31) if self._isa is Isa.A64 else (13, 14):
            found.update(places_of(Register("general", index), self._isa))
        return found

    def register_name(self, place: int) -> str:
        """Return the name of the register that holds a place."""
        return register_of(place, self._isa)[0].name(self._isa)

    def _lane_name(self, register: Register, first: int, width: int) -> str:
        name = register.name(self._isa)
        whole = len(places_of(register, self._isa))
        if register.file != "vector":
            return name.replace("x", "w") if width <= 4 and self._isa is Isa.A64 else name
        if width == whole:
            return name
        if width in _LETTERS and first % width == 0:
            suffix = _LETTERS[width] if self._isa is Isa.A64 else str(8 * width)
            return f"{name}.{suffix}[{first // width}]"
        return f"{name} bytes {first}-{first + width - 1}"

    def _runs(self, places: Iterable[int]) -> list[tuple[Register, int, int]]:
        """Return register places as runs of (register, first byte, bytes), in ascending order."""
        runs: list[tuple[Register, int, int]] = []
        for place in sorted(place for place in places if place < FLAG_N):
            register, byte = register_of(place, self._isa)
            if runs and runs[-1][0] == register and runs[-1][1] + runs[-1][2] == byte:
                runs[-1] = (register, runs[-1][1], runs[-1][2] + 1)
            else:
                runs.append((register, byte, 1))
        return runs

    def _value(self, instruction: Instruction, step: int, run: tuple[Register, int, int]) -> str:
        """Return the value of a run of bytes as `step` begins, as a number of the instruction's type."""
        register, first, width = run
        raw = self._trace.before(step, register) >> 8 * first & (1 << 8 * width) - 1
        if width not in (1, 2, 4, 8):
            return f"{raw:#x}"
        data = raw.to_bytes(width, "little")
        if _is_floating(instruction) and width >= 4:
            return f"{struct.unpack('<f' if width == 4 else '<d', data)[0]:.6g}"
        return str(int.from_bytes(data, "little", signed=not _is_unsigned(instruction)))

    # Steps

    def detail(self, visit: Visit) -> str:
        """Describe what a step did to the bytes that the slice follows."""
        instruction = self._trace.instruction(visit.step)
        if instruction is None:
            return ""
        rule = dependence_of(instruction)
        stored = sorted(place for place in visit.produced if place >= MEMORY)
        if stored:
            return self._memory_detail(visit.step, stored)
        if visit.loaded:
            return self._load_detail(instruction, visit)
        lane = self._first_lane(visit.produced, rule.sources)
        made = self._runs(lane)
        if not made:
            return ""
        sources = self._runs(set().union(*(rule.sources.get(place, frozenset()) for place in lane)))
        accumulates = made[0] in sources and made[0][0] not in _named_sources(instruction)
        before = f"{self._value(instruction, visit.step, made[0])} → " if accumulates else ""
        text = f"{self._lane_name(*made[0])} = {before}{self._value(instruction, visit.step + 1, made[0])}"
        operands = [
            self._operand(instruction, visit.step, run) for run in sources if not (accumulates and run == made[0])
        ]
        if not operands:
            return text
        return f"{text}; {', '.join(operands[:3])}" + (" …" if len(operands) > 3 else "")

    def _operand(self, instruction: Instruction, step: int, run: tuple[Register, int, int]) -> str:
        """Describe an operand: `v0.b[2] = 5`, or `v4.h[0-1] = 5, 7` where the run holds several of its lanes."""
        register, first, width = run
        lane = _source_lane(instruction, register)
        if not lane or width <= lane or width % lane or first % lane or register.file != "vector":
            return f"{self._lane_name(*run)} = {self._value(instruction, step, run)}"
        lanes = [(register, first + at, lane) for at in range(0, width, lane)]
        suffix = _LETTERS[lane] if self._isa is Isa.A64 else str(8 * lane)
        values = ", ".join(self._value(instruction, step, each) for each in lanes[:4])
        numbers = f"{first // lane}-{(first + width) // lane - 1}"
        return f"{register.name(self._isa)}.{suffix}[{numbers}] = {values}" + (" …" if len(lanes) > 4 else "")

    def _first_lane(self, produced: set[int], sources: Mapping[int, frozenset[int]]) -> list[int]:
        """Return the lowest run of produced places with the same sources, or with sources that run in parallel."""
        places = sorted(place for place in produced if place < FLAG_N)
        lane = places[:1]
        for place in places[1:]:
            same = sources.get(place) == sources.get(lane[0])
            together = len(sources.get(place, ())) <= 1
            in_one = register_of(place, self._isa)[0] == register_of(lane[0], self._isa)[0]
            if place != lane[-1] + 1 or not in_one or not (same or together):
                break
            lane.append(place)
        return lane

    def _memory_detail(self, step: int, places: list[int]) -> str:
        names = self.elements(self._flow.address(step, place) for place in places)
        if names:
            return ", ".join(f"→ {name}[{number}]" for name, numbers in names.items() for number in numbers[:3])
        return "→ stack"

    def _load_detail(self, instruction: Instruction, visit: Visit) -> str:
        parts = []
        for name, numbers in self.elements(visit.loaded).items():
            shown = ", ".join(
                f"{name}[{number}]{self._loaded_value(name, number, visit.step)}" for number in numbers[:3]
            )
            parts.append(shown + (f" … {len(numbers) - 3} more" if len(numbers) > 3 else ""))
        return "← " + ", ".join(parts) if parts else "← stack"

    def _loaded_value(self, name: str, number: int, step: int) -> str:
        """Return ` = 5` for an element of a read-only buffer, else an empty string."""
        placed = next(item for item in self._trace.buffers if item.buffer.name == name)
        if placed.buffer.writable:
            return ""
        size = self._size(name)
        contents = placed.buffer.contents()
        if name in self._blocks and self._blocks[name].gaps:
            contents = contents[self._blocks[name].read]
        data = contents[number * size : (number + 1) * size]
        return f" = {data.view(self._dtypes[name])[0]}" if data.size == size and name in self._dtypes else ""


def _is_floating(instruction: Instruction) -> bool:
    if instruction.isa is Isa.A64:
        return instruction.mnemonic.startswith("f") and instruction.mnemonic != "fmov"
    return ".f32" in instruction.mnemonic or ".f64" in instruction.mnemonic


def _is_unsigned(instruction: Instruction) -> bool:
    if instruction.isa is Isa.A64:
        return instruction.mnemonic.startswith(("u", "sqxtun", "sqshrun"))
    return ".u" in instruction.mnemonic


_A64_OPERAND = re.compile(r"\bv(\d+)\.(?:\d*)([bhsd])")
_A32_OPERAND = re.compile(r"\b([qd])(\d+)")
_A32_TYPE = re.compile(r"\.[a-z]?(8|16|32|64)$")


def _named_sources(instruction: Instruction) -> set[Register]:
    """Return the vector registers that the text names after its first operand."""
    _, _, rest = instruction.operands.partition(",")
    if instruction.isa is Isa.A64:
        return {vector(int(found[1])) for found in _A64_OPERAND.finditer(rest)}
    named: set[Register] = set()
    for found in _A32_OPERAND.finditer(rest):
        index = int(found[2])
        named.update({vector(2 * index), vector(2 * index + 1)} if found[1] == "q" else {vector(index)})
    return named


def _source_lane(instruction: Instruction, register: Register) -> int:
    """Return the bytes of a lane of a source operand as the text gives them; 0 if it gives none."""
    if instruction.isa is Isa.A32:
        found = _A32_TYPE.search(instruction.mnemonic)
        return int(found[1]) // 8 if found else 0
    _, _, rest = instruction.operands.partition(",")
    for operand in _A64_OPERAND.finditer(rest):
        if int(operand[1]) == register.index:
            return {"b": 1, "h": 2, "s": 4, "d": 8}[operand[2]]
    return 0

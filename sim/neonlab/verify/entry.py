"""What a caller does not promise: that the upper halves of narrow arguments hold anything in particular."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE

from neonlab.assemble.contract import Contract
from neonlab.assemble.program import Program
from neonlab.emulate.buffer import PlacedBuffer
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.native import BLOCK_OR_CODE, NativeHook, native, uc_emu_stop
from neonlab.emulate.probe import Probe
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.isa.instruction import Instruction
from neonlab.isa.isa import Isa, general
from neonlab.isa.procedure_call import Location, place_arguments
from neonlab.verify.sanitized_machine import SanitizedMachine
from neonlab.verify.sanitizer import SanitizerProbe, stack_bytes_for

_CLAUSE = (
    "AAPCS64, Parameter Passing: the bits of a register or stack slot above an argument narrower than it have "
    "unspecified values"
)


FIRST = np.dtype([("code", np.uint64), ("words", np.int64), ("at", np.uint64)])
_HEADER = FIRST.itemsize


@native(BLOCK_OR_CODE)
def _stop_at_marked(uc, at, _size, user):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    first = carray(user, 1, FIRST)[0]
    word = np.int64((np.uint64(at) - first.code) >> np.uint64(1))
    if first.at == 0 and 0 <= word < first.words:
        marks = carray(user, (_HEADER + first.words,), np.uint8)
        if marks[_HEADER + word]:
            first.at = np.uint64(at)
            uc_emu_stop(uc)


class FirstExecuted:
    """Stops a call at the first of the instructions at the addresses given, before it is executed."""

    def __init__(self, program: Program, addresses: Iterable[int]) -> None:
        first = program.instructions[0].address
        words = (program.instructions[-1].address - first) // 2 + 1
        self._state = np.zeros(_HEADER + words, np.uint8)
        self._first = self._state[:_HEADER].view(FIRST)
        self._first["code"], self._first["words"] = first, words
        for address in addresses:
            self._state[_HEADER + (address - first) // 2] = 1

    def hooks(self, _isa: Isa) -> Sequence[NativeHook]:
        """One, before each instruction."""
        return (NativeHook(UC_HOOK_CODE, _stop_at_marked, self._state),)

    def reset(self, _buffers: Sequence[PlacedBuffer] = ()) -> None:
        """Forget the last call."""
        self._first["at"] = 0

    def collect(self) -> int | None:
        """Where the call was stopped, or None."""
        return int(self._first["at"][0]) or None


def depends_on_upper_half(
    program: Program,
    contract: Contract,
    arguments: Sequence[Passed],
    failed: Callable[[Run | Fault], bool],
    *,
    seed: int = 0,
    step_budget: int = DEFAULT_STEP_BUDGET,
) -> Fault | None:
    """Why a call that fails comes right once narrow arguments are widened to 64 bits; None where it does not.

    `failed` says of an outcome on a SanitizedMachine whether it is wrong.  The fault names the argument and its
    register, and is placed at the first instruction executed that reads all 64 bits of it.
    """
    if program.isa is not Isa.A64:
        return None
    places = place_arguments(contract.isa, contract.signature, contract.float_abi)
    narrow = {
        parameter.name: place
        for parameter, place in zip(contract.signature.parameters, places, strict=True)
        if parameter.ctype.kind == "integer" and parameter.ctype.size < 8
    }
    if not narrow:
        return None

    def call(machine: Machine | SanitizedMachine, widened: Mapping[str, bool]) -> Run | Fault:
        with machine:
            return machine.call(
                contract.name,
                arguments,
                contract.signature,
                float_abi=contract.float_abi,
                step_budget=step_budget,
                seed=seed,
                widened=widened,
            )

    def fails(widened: Mapping[str, bool]) -> bool:
        return failed(call(SanitizedMachine(program, contract), widened))

    def watch(probe: Probe) -> None:
        call(Machine(program, probes=(probe,), stack_bytes=stack_bytes_for(contract)), {})

    if not fails({}):
        return None
    clean = next((c for s in (False, True) if not fails(c := dict.fromkeys(narrow, s))), None)
    if clean is None:
        return None
    name = next((n for n in narrow if fails({k: v for k, v in clean.items() if k != n})), next(iter(narrow)))
    place = narrow[name]
    at = _first_reader(program, contract, place, watch)
    register = place.registers[0].replace("w", "x") if place.registers else str(place)
    size = place.size * 8
    how = "sign" if clean[name] else "zero"
    message = (
        f"the result depends on bits {size}-63 of {register}, above the {size}-bit argument `{name}`: it comes right "
        f"when the caller {how}-extends it"
    )
    instruction = program.by_address.get(at)
    return Fault(
        FaultKind.UPPER_HALF_ARGUMENT,
        message,
        at,
        program.line_at(at),
        instruction.text if instruction else "",
        seed=seed,
        register=register,
        clause=_CLAUSE,
    )


def _first_reader(program: Program, contract: Contract, place: Location, call: Callable[[Probe], object]) -> int:
    """Address of the first executed instruction that reads the argument's place beyond its size, else of the kernel."""
    entry = program.addresses[contract.name]
    if place.stack_offset is not None:
        strict = SanitizerProbe(program, contract, strict_slots=True)
        call(strict)
        fault = strict.collect()
        return fault.address if fault is not None else entry
    number = int(place.registers[0][1:])
    readers = {i.address for i in program.instructions if reads_whole(i, number)}
    writers = {i.address for i in program.instructions if general(number) in i.writes}
    first = FirstExecuted(program, readers | writers)
    call(first)
    at = first.collect()
    return at if at in readers and at is not None else entry


_KEEPS_DESTINATION = ("movk", "bfi", "bfxil", "bfc")
_LOW_BITS_ONLY = re.compile(r"(?:sxt[bhw]|uxt[bh])\b")


def reads_whole(instruction: Instruction, number: int) -> bool:
    """Whether an A64 instruction takes bits 32-63 of x`number` into account.

    Told from the text, where the register is named by its 64-bit view other than as a destination.  Extractions that
    stay within the low 32 bits do not count.
    """
    if general(number) not in instruction.reads:
        return False
    operands = re.split(r",\s*(?![^\[]*\])", instruction.operands)
    destination = operands[0].strip() == f"x{number}" and general(number) in instruction.writes
    if destination and not instruction.mnemonic.startswith(_KEEPS_DESTINATION):
        operands = operands[1:]
    if _LOW_BITS_ONLY.match(instruction.mnemonic) or _extracts_low_bits(instruction):
        return False
    return any(re.search(rf"\bx{number}\b", operand) for operand in operands)


def _extracts_low_bits(instruction: Instruction) -> bool:
    numbers = [int(value, 0) for value in re.findall(r"#(-?(?:0x[0-9a-f]+|\d+))", instruction.operands)]
    if instruction.mnemonic in ("and", "ands", "tst") and len(numbers) == 1:
        return 0 <= numbers[0] < 1 << 32
    if instruction.mnemonic in ("ubfx", "sbfx") and len(numbers) == 2:
        return sum(numbers) <= 32
    if instruction.mnemonic in ("ubfiz", "sbfiz") and len(numbers) == 2:
        return numbers[1] <= 32
    if instruction.mnemonic in ("tbz", "tbnz") and numbers:
        return numbers[0] < 32
    return False

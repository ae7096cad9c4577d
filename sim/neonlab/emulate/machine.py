"""Emulate a CPU that calls functions of one program."""

from __future__ import annotations

import operator
import struct
import time
from collections.abc import Mapping, Sequence

import numpy as np

from neonlab.assemble.program import Program
from neonlab.emulate.access_fault import AccessFault
from neonlab.emulate.diagnosis import Diagnosis
from neonlab.emulate.engine import new_engine, set_thread_pointer, uclib
from neonlab.emulate.guest.address_space import HOME, AddressSpace
from neonlab.emulate.guest.buffer import Buffer, PlacedBuffer, distinct_buffers
from neonlab.emulate.guest.float_control import control_on_entry
from neonlab.emulate.guest.memory import CallError, Memory
from neonlab.emulate.guest.noise import Noise
from neonlab.emulate.guest.registers import RegisterFile, RegisterState
from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.hooks.newer_instructions import ExceptionHandler
from neonlab.emulate.hooks.pointer_authentication import sign_pointers
from neonlab.emulate.hooks.served import ServedCalls
from neonlab.emulate.native import add_native_hook
from neonlab.emulate.probe import Probe
from neonlab.emulate.run import Fault, Run
from neonlab.host.closing import Closing
from neonlab.isa.c.ctype import CType
from neonlab.isa.c.procedure_call import FloatAbi, Location, place_arguments, place_result, stack_argument_bytes
from neonlab.isa.c.prototype import Signature
from neonlab.isa.model.isa import Isa

Argument = int | float | Buffer
DEFAULT_STEP_BUDGET = 1_000_000_000


class Machine(Closing):
    """Emulate a CPU that calls functions of one Program, any number of times.  Most callers want `load` instead.

    Each call starts from memory and registers of its own.  What the AAPCS does not promise to a callee is noise drawn
    from the call's seed: other registers, flags, the upper bits of narrow arguments, the stack of `stack_bytes` bytes.
    `probes` observe the run.  `meter=False` runs without counting, hence without a step budget.  `space` says at which
    addresses the stack, the caller and the buffers lie.

    A Machine is a context manager; `close` frees its memory.  Use it from one thread at a time.  A Machine made before
    a fork can be used on both sides of it.
    """

    def __init__(
        self,
        program: Program,
        *,
        probes: Sequence[Probe] = (),
        stack_bytes: int = 65536,
        meter: bool = True,
        space: AddressSpace = HOME,
    ) -> None:
        self.program = program
        self.space = space
        self.isa = program.isa
        self._access = AccessFault()
        self._float_control = control_on_entry(program.instructions)
        self._exceptions = ExceptionHandler(signs=space.signs)
        self._calls = ServedCalls(program)
        self._probes: list[Probe] = [self._access, self._exceptions, self._calls, *probes]
        # A probe that is a meter serves as the budget too: two block hooks would only cost time.
        self._meter = next((probe for probe in probes if isinstance(probe, BlockMeter)), None)
        if self._meter is None and meter:
            self._meter = BlockMeter(program)
            self._probes.append(self._meter)
        self.engine = new_engine(self.isa)
        set_thread_pointer(self.engine, self.isa, space.thread_pointer)
        if space.signs:
            sign_pointers(self.engine)
        self._hooks = [hook for probe in self._probes for hook in probe.hooks(self.isa)]
        for hook in self._hooks:
            add_native_hook(self.engine, hook)
        self._memory = Memory(self.engine, program, stack_bytes, space)
        self._entry = RegisterFile(self.isa, self.engine)
        self._exit = RegisterFile(self.isa, self.engine)
        self._located: tuple[Signature, FloatAbi, tuple[Location, ...], int] | None = None
        self.guest_seconds = 0.0  # time the guest itself took in the last call

    def call(
        self,
        symbol: str,
        arguments: Sequence[Argument],
        signature: Signature,
        *,
        float_abi: FloatAbi = FloatAbi.HARD,
        step_budget: int = DEFAULT_STEP_BUDGET,
        seed: int = 0,
        noise: Noise | None = None,
        widened: Mapping[str, bool] | None = None,
        keep_data: bool = False,
    ) -> Run | Fault:
        """Call the function `symbol` and return a Run, or the Fault that ended the call.

        Give one argument for each parameter of `signature` (see `parse_prototype`): numbers, and for pointers Buffers
        or plain addresses such as 0.  `step_budget` is the most instructions that the call may execute.

        In A64, the bits of a register or stack slot above an integer narrower than 64 bits hold noise.  `widened` names
        parameters that are extended to 64 bits instead: True extends the sign, False zeros.  `noise` replaces the
        noise that is drawn from `seed`.  The program's writable data start as they were linked, or with `keep_data` as
        the last call left them.

        Raises CallError, an InputError, for an unknown symbol and for arguments that do not fit the signature.
        """
        entry = self.program.symbols.get(symbol)
        if entry is None:
            raise CallError(f"{self.program.path}: no symbol `{symbol}`")
        if noise is None:
            noise = Noise.drawn(seed)
        buffers = _distinct_buffers(arguments)
        placed = self._memory.place(buffers, noise.margins)
        if not keep_data:
            self._memory.restore_data()
        self._set_up(arguments, signature, float_abi, placed, noise, widened or {})
        self._calls.take(noise)
        for probe in self._probes:
            probe.reset(placed)
        if self._meter is not None:
            self._meter.budget = step_budget
        start = time.perf_counter()
        status = uclib.uc_emu_start(self.engine._uch, entry, self.space.return_address, 0, 0)
        self.guest_seconds = time.perf_counter() - start
        self._exit.load()
        fault = self._fault(status, placed, seed, step_budget)
        if fault is not None:
            return self.at_caller(fault)
        return Run(
            returned=self._returned(signature, float_abi),
            outputs={
                item.buffer.name: self._memory.contents(index, item)
                .view(item.buffer.data.dtype)
                .reshape(item.buffer.data.shape)
                for index, item in enumerate(placed)
                if item.buffer.writable
            },
            addresses={item.buffer.name: item.address for item in placed},
            seed=seed,
            steps=self._meter.steps if self._meter is not None else 0,
        )

    def at_caller(self, fault: Fault) -> Fault:
        """Return a fault of the last call; one inside a function that neonlab supplies moves to the calling line."""
        return self._calls.at_caller(fault)

    @property
    def entry_state(self) -> RegisterState:
        """Return the registers at the start of the last call; pc has no meaning."""
        return self._entry.snapshot()

    @property
    def exit_state(self) -> RegisterState:
        """Return the registers at the end of the last call."""
        return self._exit.snapshot()

    def close(self) -> None:
        """Free the emulator and its memory; the Machine cannot be used afterwards."""
        if hasattr(self, "engine"):
            del self._entry, self._exit, self._memory
            del self.engine

    def _set_up(
        self,
        arguments: Sequence[Argument],
        signature: Signature,
        float_abi: FloatAbi,
        placed: Sequence[PlacedBuffer],
        noise: Noise,
        widened: Mapping[str, bool],
    ) -> None:
        if len(arguments) != len(signature.parameters):
            raise CallError(f"{len(arguments)} arguments for {len(signature.parameters)} parameters")
        addresses = {id(item.buffer): item.pointer for item in placed}
        locations, on_stack = self._locations(signature, float_abi)
        stack = self._memory.stack
        if on_stack > stack.size:
            raise CallError(f"{on_stack} bytes of stack arguments do not fit a stack of {stack.size} bytes")
        for first in range(0, stack.size, noise.stack.size):
            stack[first : first + noise.stack.size] = noise.stack[: stack.size - first]
        top, back = self.space.stack_top - on_stack, self.space.return_address
        self._entry.scramble(noise.registers, top, back, self._float_control)
        for argument, parameter, location in zip(arguments, signature.parameters, locations, strict=True):
            value: int | float = addresses[id(argument)] if isinstance(argument, Buffer) else argument
            data = argument_bytes(value, parameter.ctype, parameter.name, self.isa)
            if self.isa is Isa.A64 and parameter.name in widened and parameter.ctype.kind == "integer":
                number = int.from_bytes(data, "little", signed=widened[parameter.name])
                data = (number % (1 << 64)).to_bytes(8, "little")
            if location.stack_offset is not None:
                start = stack.size - on_stack + location.stack_offset
                stack.data[start : start + len(data)] = data
            else:
                width = -(-len(data) // len(location.registers))
                for part, register in enumerate(location.registers):
                    chunk = data[part * width : (part + 1) * width]
                    self._entry.put(register, int.from_bytes(chunk, "little"), len(chunk))
        self._entry.store()

    def _locations(self, signature: Signature, float_abi: FloatAbi) -> tuple[tuple[Location, ...], int]:
        """Return where the arguments go, and the bytes of those on the stack; most calls have one signature."""
        known = self._located
        if known is None or known[0] is not signature or known[1] is not float_abi:
            locations = place_arguments(self.isa, signature, float_abi)
            known = self._located = signature, float_abi, locations, stack_argument_bytes(locations)
        return known[2], known[3]

    def _returned(self, signature: Signature, float_abi: FloatAbi) -> int | float | None:
        location, ctype = place_result(self.isa, signature, float_abi), signature.returns
        if location is None or ctype is None:
            return None
        return _decode(self._exit.snapshot(), location, ctype)

    def _fault(self, status: int, placed: Sequence[PlacedBuffer], seed: int, budget: int) -> Fault | None:
        pc = self._exit.read_control("pc")
        thumb = self.isa is Isa.A32 and self._exit.read_control("cpsr") & 0x20
        stopped = self._meter is not None and self._meter.stopped
        came_back = status == 0 and pc == self.space.return_address and not thumb
        if came_back and not stopped and self._exceptions.exception is None and not self._calls.misaligned:
            return None
        if self._calls.misaligned:
            return self._calls.stack_fault(seed)
        diagnosis = Diagnosis(self.program, placed, self._memory.stack_size, seed, self.space.stack_top)
        left_from = self._meter.last_instruction if self._meter is not None else None
        if self._meter is not None and stopped:
            executed = self._meter.endless()
            places = (np.flatnonzero(executed) * 2 + self._meter.base).tolist()
            return diagnosis.budget(pc, budget, places)
        if (access := self._access.access) is not None:
            return diagnosis.access(*access, left_from)
        if (exception := self._exceptions.exception) is not None:
            return diagnosis.exception(*exception, left_from)
        if pc == self.space.return_address and thumb:
            return diagnosis.departure(pc | 1, left_from)
        return diagnosis.stopped(status, pc)


def _distinct_buffers(arguments: Sequence[Argument]) -> list[Buffer]:
    """Return the buffers passed and pointed to.  Raises CallError where two of them have one name."""
    found = distinct_buffers(arguments)
    names = [buffer.name for buffer in found]
    if len(set(names)) != len(names):
        raise CallError(f"two different buffers have one name: {', '.join(sorted(names))}")
    return found


def argument_bytes(value: int | float, ctype: CType, name: str, isa: Isa) -> bytes:
    """Return the bytes of an argument as the caller passes it.

    They have the size of its type, except that A32 widens integers to a word.  Raises CallError for a value that does
    not fit.
    """
    try:
        if ctype.kind == "float":
            return struct.pack("<d" if ctype.size == 8 else "<f", value)
        number, bits = operator.index(value), 8 * ctype.size  # type: ignore[arg-type]
    except (TypeError, struct.error, OverflowError) as error:
        raise CallError(f"argument `{name}` is not {ctype.name}: {value!r}") from error
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise CallError(f"argument `{name}` does not fit {ctype.name}: {number}")
    data = (number % (1 << bits)).to_bytes(ctype.size, "little")
    if isa is Isa.A32 and ctype.size < 4:
        data = int.from_bytes(data, "little", signed=ctype.signed).to_bytes(4, "little", signed=ctype.signed)
    return data


def _decode(state: RegisterState, location: Location, ctype: CType) -> int | float:
    width = -(-ctype.size // len(location.registers))
    data = b"".join(state.read(register, width).to_bytes(width, "little") for register in location.registers)
    if ctype.kind == "float":
        return float(struct.unpack("<d" if ctype.size == 8 else "<f", data)[0])
    return int.from_bytes(data, "little", signed=ctype.signed)

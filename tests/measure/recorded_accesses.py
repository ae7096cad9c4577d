"""Accesses of a call recorded three ways: by the compiled plan, one instruction at a time, and as the emulator sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.np.numpy_support import carray
from unicorn import UC_HOOK_CODE, UC_HOOK_MEM_READ, UC_HOOK_MEM_WRITE, arm64_const, arm_const
from unicorn.unicorn_const import UC_MEM_WRITE

from neonlab.assemble.program import Program
from neonlab.emulate.guest.buffer import PlacedBuffer
from neonlab.emulate.machine import Machine
from neonlab.emulate.native import native
from neonlab.emulate.run import Fault, Run
from neonlab.isa.model.addressing import address_of
from neonlab.isa.model.condition import holds
from neonlab.isa.model.instruction import AccessKind
from neonlab.isa.model.isa import FLAGS, Isa, Register
from neonlab.measure.traffic.address_feed import CONSUMER, EVENT, RUN, AddressFeed
from neonlab.measure.traffic.block_addresses import make_plan

LIMIT = 1 << 18
RECORD = np.dtype([("used", np.int64), ("runs", np.int64), ("events", EVENT, LIMIT)])

#: (pc, address, bytes, kind)
Access = tuple[int, int, int, str]
Call = Callable[[Machine], Run | Fault]


@native(CONSUMER)
def _record(state, events, count):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    record = carray(state, 1, RECORD)[0]
    given = carray(events, (count,), EVENT)
    for event in range(count):
        if given[event].site == RUN:
            record.runs += 1
        elif record.used < LIMIT:
            record.events[record.used].address = given[event].address
            record.events[record.used].site = given[event].site
            record.used += 1


class Recorder:
    """A consumer that keeps everything."""

    function = _record

    def __init__(self) -> None:
        self.state: npt.NDArray[Any] = np.zeros(1, RECORD)

    def begin(self, _buffers: Sequence[PlacedBuffer]) -> None:
        """Forget."""
        self.state["used"] = self.state["runs"] = 0


def planned(program: Program, call: Call, *, stepwise: bool | None = None) -> tuple[list[Access], AddressFeed]:
    """What the plan says, and the feed."""
    recorder = Recorder()
    feed = AddressFeed(make_plan(program, stepwise=stepwise), (recorder,))
    with Machine(program, probes=(feed,)) as machine:
        outcome = call(machine)
        assert isinstance(outcome, Run), outcome
        feed.flush()
    used = int(recorder.state["used"][0])
    assert used < LIMIT
    found = []
    for address, site in zip(
        recorder.state["events"]["address"][0][:used].tolist(),
        recorder.state["events"]["site"][0][:used].tolist(),
        strict=True,
    ):
        where = feed.plan.sites[site]
        found.append((where.instruction.address, address, where.size, where.kind.value))
    return found, feed


def stepped(program: Program, call: Call) -> tuple[list[Access], list[tuple[int, int, int, bool]]]:
    """Accesses from the registers before each instruction, and (pc, address, bytes, writes) of the memory hook."""
    constants: Any = arm64_const if program.isa is Isa.A64 else arm_const
    prefix = "UC_ARM64_REG_" if program.isa is Isa.A64 else "UC_ARM_REG_"
    found: list[Access] = []
    events: list[tuple[int, int, int, bool]] = []
    with Machine(program) as machine:

        def value(register: Register) -> int:
            name = register.name(program.isa).upper()
            if register == FLAGS:
                name = "NZCV" if program.isa is Isa.A64 else "CPSR"
            return int(machine.engine.reg_read(getattr(constants, prefix + name)))

        pc = 0

        def before(_engine: Any, at: int, _size: int, _user: object) -> None:
            nonlocal pc
            pc = at
            instruction = program.by_address.get(at)
            if instruction is None or not instruction.accesses:
                return
            if program.isa is Isa.A32 and instruction.condition and not holds(instruction.condition, value(FLAGS)):
                return
            found.extend(
                (at, address_of(access, program.isa, value), access.count, access.kind.value)
                for access in instruction.accesses
            )

        def touched(_engine: Any, kind: int, address: int, size: int, _value: int, _user: object) -> None:
            events.append((pc, address, size, kind == UC_MEM_WRITE))

        machine.engine.hook_add(UC_HOOK_CODE, before)
        machine.engine.hook_add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, touched)
        outcome = call(machine)
        assert isinstance(outcome, Run), outcome
    return found, events


def bytes_of(accesses: Sequence[Access]) -> list[tuple[int, frozenset[tuple[int, bool]]]]:
    """By stretch of accesses of one instruction: its pc and the (byte, written) that it touched."""
    return _merged(
        (pc, address, size, kind == AccessKind.STORE.value)
        for pc, address, size, kind in accesses
        if kind != AccessKind.PREFETCH.value
    )


def bytes_seen(events: Sequence[tuple[int, int, int, bool]]) -> list[tuple[int, frozenset[tuple[int, bool]]]]:
    """The same of the memory hook's pieces."""
    return _merged(events)


def _merged(pieces: Any) -> list[tuple[int, frozenset[tuple[int, bool]]]]:
    found: list[tuple[int, set[tuple[int, bool]]]] = []
    for pc, address, size, writes in pieces:
        if not found or found[-1][0] != pc:
            found.append((pc, set()))
        found[-1][1].update((byte, writes) for byte in range(address, address + size))
    return [(pc, frozenset(touched)) for pc, touched in found]

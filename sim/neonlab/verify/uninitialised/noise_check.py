"""Check that a kernel does not depend on uninitialised registers or memory, on addresses of buffers, or on the clock.

The same call is made several times with different noise, the contents of everything that the caller leaves open:
registers without an argument, upper parts of those with a narrow one, flags, the stack, bytes of buffers that are only
written, and the margins of buffers.  All bits are drawn at random, then inverted, then zero, since a register is never
0 by chance; flags are then such that each condition has held in one call and failed in another.  Everything observable
must stay the same: the bytes that the contract says are written, the returned value, the fault if there is one, the
accesses in order, and how often each instruction ran.

So a kernel may copy, spill, reload or compute with uninitialised values, as long as they have no effect.

Only if something differs, the two calls are recorded.  The difference is followed backwards from its effect to the byte
where it began (`neonlab.verify.uninitialised.walk`).  A call in which only that byte differs confirms it.  The first
instruction that does more than copy an uninitialised register is blamed, or the load that fetched an uninitialised byte
of memory.

Not seen: a dependence whose effects cancel for all the contents tried, on the data of the case; and one on bytes of a
writable buffer that are declared as written and never are: those bytes are wrong, and the comparison with a reference
shows it.

A call whose result changes when everything lies elsewhere, or when it is merely repeated, is not deterministic.  The
call is repeated with the stack, the caller, the thread pointer, the code (linked again) and the buffers at other
addresses, in another order, with other low bits beyond the promised alignment.  There the path may differ, as in a loop
that first handles the bytes up to an aligned address; the result may not.  Nor may it depend on the contents of the
kernel's own writable data after an earlier call.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from neonlab.assemble.program import Program
from neonlab.contract.header import Argument, Contract
from neonlab.emulate.guest.address_space import ELSEWHERES
from neonlab.emulate.guest.buffer import Buffer, buffers_by_name, changed_buffers
from neonlab.emulate.guest.noise import Noise
from neonlab.emulate.guest.registers import offset_of
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.run import Fault
from neonlab.emulate.trace import Trace
from neonlab.host.closing import Closing
from neonlab.isa.model.isa import Isa
from neonlab.verify.uninitialised.faults import UnsetReport
from neonlab.verify.uninitialised.moved_report import MovedReport, at_home
from neonlab.verify.uninitialised.observed import Observed, ObservedPart, Setting, World, integers_in
from neonlab.verify.uninitialised.walk import PairedTraces

Bytes = npt.NDArray[np.uint8]
#: Most steps of a trace; the fault of a longer call is reported without its instruction.
_LONGEST_TRACE = 1 << 20
#: Calls made to confirm where a difference begins.
_MOST_CONFIRMATIONS = 24


#: Different places of buffers and of the stack.
_TURNS = 64
#: Calls in a row of a kernel that has data of its own, and for how many cases with results.
_CALLS, _CALLED_OFTEN = 64, 3
#: Calls made to separate random results from dependence on uninitialised data, if the walk cannot.
_FURTHER_REPEATS = 8

#: Added to the seed for further random noise.
_FURTHER_SEEDS = (1 << 20, 2 << 20, 3 << 20, 4 << 20)
#: Number of all further noises that a call is tried with after the first.
EVERY_ROUND = 3 + len(_FURTHER_SEEDS)


class UnsetCheck(Closing):
    """Makes the calls for one kernel, on machines that are kept between them."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self._called_often = 0  # for so many cases
        self.program, self.contract = program, contract
        self._worlds: dict[tuple[frozenset[ObservedPart], int], World] = {}

    def find(
        self,
        arguments: Sequence[Passed],
        *,
        seed: int = 0,
        step_budget: int = DEFAULT_STEP_BUDGET,
        rounds: int = 2,
    ) -> Fault | None:
        """Return the first dependence found on uninitialised data, on time, or on addresses; None if there is none.

        `arguments` are as for `Machine.call`, in the contract's order.  A correct kernel takes 2 + `rounds` calls.  Two
        rounds are enough for a result that is right.  For a known failure, all `EVERY_ROUND` rounds find whether
        uninitialised data is the cause: the third round is for an uninitialised count, whose every large value fails in
        the same way, and the random ones for effects that few values show, as of an uninitialised index.

        A fault that is the same in all calls is not reported.  A fault that only other addresses cause
        (`alignment-hint`) is returned unchanged.
        """
        call = _Call(self, arguments, seed, step_budget)
        first = call.observe(call.first)
        for other in call.others()[:rounds]:
            second = call.observe(other)
            if call.differ(first, second):
                again = call.observe(call.first)
                if call.differ(first, again):
                    return call.report().repeated(*call.traces(call.first, call.first), first, again)
                return self._explain(call, first, second, other)
        return self._moved(call, first) or self._called_before(call, first) if first.fault is None else None

    def _moved(self, call: _Call, first: Observed) -> Fault | None:
        """Return the effect of moving everything at once; the first part that causes it alone is blamed."""
        everything = call.moved(*ObservedPart)
        elsewhere = call.observe(everything)
        if elsewhere.fault is not None:
            return at_home(call.explained(elsewhere.fault, everything), self.program, call.world(everything).program)
        if not first.differs_in_result(elsewhere):
            return None
        for setting in (call.moved(part) for part in ObservedPart):
            alone = call.observe(setting)
            if alone.fault is None and first.differs_in_result(alone):
                return self._blame_move(call, first, setting, alone)
        return self._blame_move(call, first, everything, elsewhere)

    def _called_before(self, call: _Call, first: Observed) -> Fault | None:
        """Return the fault of a kernel whose result depends on what an earlier call left in its own data, or None.

        The earlier call is the same one, or has other inputs at the same addresses.
        """
        if not any(segment.writable for segment in self.program.segments):
            return None
        for before in call.earlier():
            if before is not call.first and call.observe(before).fault is not None:
                continue
            setting = replace(call.first, after=before)
            second = call.observe(setting)
            if first.differs_in_result(second):
                return call.report().kept(*call.traces(call.first, setting), first, second)
        # Each case has called twice.  An empty one does not show which call it is.
        is_empty = bool(first.outputs) and not any(map(len, first.outputs.values()))
        if self._called_often == _CALLED_OFTEN or is_empty:
            return None
        self._called_often += 1
        for setting, second in call.repeated(_CALLS):
            if first.differs_in_result(second):
                return call.report().kept(*call.traces(call.first, setting), first, second)
        return None

    def _blame_move(self, call: _Call, first: Observed, setting: Setting, other: Observed) -> Fault:
        a, b = call.traces(call.first, setting)
        return MovedReport(call.report(), setting.moved, call.world(setting).space).fault(a, b, first, other)

    def _explain(self, call: _Call, first: Observed, second: Observed, other: Setting) -> Fault:
        report = call.report()
        a, b = call.traces(call.first, other)
        paired = PairedTraces(a, b, report.initial_differs(a, b))
        # For calls too long to record, only a branch or an address that differs early can be explained.
        whole = not (a.overflow or b.overflow)
        outputs = list(report.output_addresses(a, first, second)) if whole else []
        effect = paired.effect(outputs, report.returned_places() if whole else [])
        if effect is None:
            return self._repeated(call, first) or report.untraced(first, second)
        sources = paired.sources(effect)
        tried: dict[str, bool] = {}
        for source in sources:
            place = report.place_name(source, a)
            if place not in tried:
                if len(tried) >= _MOST_CONFIRMATIONS:
                    break
                tried[place] = call.differ(first, call.observe(call.only(place, other)))
            if tried[place]:
                return report.unset(paired, effect, source)
        if sources:
            return report.unset(paired, effect, sources[0])
        return self._repeated(call, first) or report.untraced(first, second)

    def _repeated(self, call: _Call, first: Observed) -> Fault | None:
        """Return the fault of a result that changes on further repetitions, such as a random bit, or None."""
        for _ in range(_FURTHER_REPEATS):
            again = call.observe(call.first)
            if call.differ(first, again):
                return call.report().repeated(*call.traces(call.first, call.first), first, again)
        return None

    def world(self, moved: frozenset[ObservedPart] = frozenset(), turn: int = 0) -> World:
        """Return the kernel with the parts `moved` at other addresses, those of `turn`."""
        parts = moved - {ObservedPart.ALIGNMENT}
        key = parts, turn % ELSEWHERES if parts else 0
        if key not in self._worlds:
            self._worlds[key] = World(self.program, self.contract, *key)
        return self._worlds[key]

    def close(self) -> None:
        """Free the machines."""
        for world in self._worlds.values():
            world.close()
        self._worlds.clear()


def find_unset(
    program: Program,
    contract: Contract,
    arguments: Sequence[Passed],
    *,
    seed: int = 0,
    step_budget: int = DEFAULT_STEP_BUDGET,
) -> Fault | None:
    """Run `UnsetCheck.find` for a single call."""
    with UnsetCheck(program, contract) as check:
        return check.find(arguments, seed=seed, step_budget=step_budget)


def _beside(value: Any, argument: Argument) -> Any:
    """Return a number near `value` that the contract allows; the same where it allows no other."""
    if argument.dtype.kind not in "iu":
        low, high = argument.value_range or (0.0, 1.0)
        return value / 2 if low <= value / 2 <= high else low + (value - low) / 2
    limits = np.iinfo(argument.dtype)
    low, high = argument.value_range or (limits.min, limits.max)
    return value + 1 if value < high else value - 1 if value > low else value


class _Call:
    """One call, and the settings that vary it."""

    def __init__(self, check: UnsetCheck, arguments: Sequence[Passed], seed: int, step_budget: int) -> None:
        self._check, self._seed, self._step_budget = check, seed, step_budget
        self._contract, self._isa = check.contract, check.program.isa
        self.first = Setting(tuple(arguments), Noise.drawn(seed), check.contract)
        # Other places for other sizes: a bit of an address that decides is not seen at every place.
        sizes = [value.size if isinstance(value, Buffer) else value for value in arguments]
        self._turn = 1 + (seed + zlib.crc32(repr(sizes).encode())) % _TURNS
        self._traced_steps = 0
        self._compared: tuple[Setting, Setting] | None = None
        self._really_written: dict[str, npt.NDArray[np.bool_]] = {}

    def others(self) -> list[Setting]:
        """Return settings with the noise inverted, zero, 1 in each register and word, and drawn again."""
        noise = self.first.noise
        registers, calls = (_zeros_but_flags(image, self._isa) for image in (noise.registers, noise.calls))
        zeros = replace(Noise.zeros(), registers=registers, calls=calls)
        return [
            replace(self.first, noise=noise.inverted(), passed=tuple(self._contents(lambda data: ~data))),
            replace(self.first, noise=zeros, passed=tuple(self._contents(np.zeros_like))),
            replace(self.first, noise=noise.ones(self._isa)),
            *(replace(self.first, noise=Noise.drawn(self._seed + further)) for further in _FURTHER_SEEDS),
        ]

    def only(self, place: str, other: Setting) -> Setting:
        """Return the first setting with one place from `other`, named as `UnsetReport.place_name` does."""
        if place.startswith("contents "):
            name = place.removeprefix("contents ")
            theirs = buffers_by_name(other.passed)[name]
            passed = changed_buffers(
                self.first.passed, lambda ours: replace(ours, data=theirs.data) if ours.name == name else ours
            )
            return replace(self.first, passed=tuple(passed))
        return replace(self.first, noise=self.first.noise.with_some_of(other.noise, self._isa, [place]))

    def _contents(self, change: Callable[[Bytes], Bytes]) -> list[Passed]:
        """Return the arguments with changed contents in bytes that no `read` declares: in outputs, and between rows."""
        integers = integers_in(self._contract, self.first.passed)

        def changed(buffer: Buffer) -> Buffer:
            argument = self._contract.by_name.get(buffer.name)
            block = argument.block(integers) if argument is not None else None
            if argument is None or block is None or (argument.write is None and not block.gaps):
                return buffer
            data = buffer.contents().copy()
            unset = ~block.read_mask()[: data.size]
            data[unset] = change(data[unset])
            whole = data.size % buffer.data.dtype.itemsize == 0
            return replace(buffer, data=data.view(buffer.data.dtype).reshape(buffer.data.shape) if whole else data)

        return changed_buffers(self.first.passed, changed)

    def earlier(self) -> Iterator[Setting]:
        """Yield this call, then calls with other inputs: other in the second half, in the first half, and in both.

        Each second element takes the place of the one before it, so that all are elements that the contract allows; a
        single one, such as a zero point, becomes the next that it allows.
        One half stays, as a kernel may compare a part of its inputs with what it keeps.
        """
        yield self.first

        def changed(buffer: Buffer, first: int, last: int) -> Buffer:
            argument = self._contract.by_name.get(buffer.name)
            if argument is None or argument.fields or argument.rows is not None or buffer.writable:
                return buffer
            data = np.ascontiguousarray(buffer.data).reshape(-1).copy()
            some = data[first * data.size // 2 : last * data.size // 2]
            if some.size == 1:
                some[0] = _beside(some[0], argument)
            some[: some.size // 2 * 2 : 2] = some[1::2]
            return replace(buffer, data=data.reshape(buffer.data.shape))

        for ends in ((1, 2), (0, 1), (0, 2)):
            change = functools.partial(changed, first=ends[0], last=ends[1])
            yield replace(self.first, passed=tuple(changed_buffers(self.first.passed, change)))

    def moved(self, *parts: ObservedPart) -> Setting:
        """Return the first setting with `parts` at other addresses."""
        return replace(self.first, moved=frozenset(parts), turn=self._turn)

    def world(self, setting: Setting) -> World:
        """Return the machine for a setting."""
        return self._check.world(setting.moved, setting.turn)

    def observe(self, setting: Setting) -> Observed:
        """Return what the call does in `setting`."""
        found = self.world(setting).observed(setting, self._seed, self._step_budget)
        self._traced_steps = max(self._traced_steps, found.steps)
        return found

    def repeated(self, calls: int) -> Iterator[tuple[Setting, Observed]]:
        """Make the first call so often in a row, and yield the setting and effects of each."""
        return self.world(self.first).repeated(self.first, calls, self._seed, self._step_budget)

    def explained(self, fault: Fault, setting: Setting) -> Fault:
        """Return the cause of `fault`, a fault of the last call, which was made in `setting`."""
        return self.world(setting).explained(fault, setting, self._seed, self._step_budget)

    def differ(self, first: Observed, second: Observed) -> bool:
        """Tell whether anything observable differs."""
        if first.path != second.path or first.differs_in_result(second):
            return True
        # Bytes that differ as they did before the calls were either not written, which is not checked here, or
        # overwritten with their own value.
        for name, offsets in first.untouched(second).items():
            if name not in self._really_written:
                home = self._check.world()
                self._really_written[name] = home.written_bytes(self.first, self._seed, self._step_budget, name)
            if self._really_written[name][offsets].any():
                return True
        return False

    def traces(self, first: Setting, second: Setting) -> tuple[Trace, Trace]:
        """Return the traces of both calls."""
        limit = min(self._traced_steps + 64, _LONGEST_TRACE)
        a, b = (
            self.world(setting).traced(setting, self._seed, self._step_budget, limit) for setting in (first, second)
        )
        return a, b

    def report(self) -> UnsetReport:
        """Return the object that words the fault."""
        return UnsetReport(self._check.program, self._contract, self.first.arguments, self._seed)


def _zeros_but_flags(image: Bytes, isa: Isa) -> Bytes:
    """Return zeros for all registers but the flags, those of float comparisons too, which get a third value."""
    registers = np.zeros_like(image)
    registers[-4:] = third_flags(image[-4:])
    if isa is Isa.A32:
        start = offset_of(isa, "fpscr")
        registers[start : start + 4] = third_flags(image[start : start + 4])
    return registers


def third_flags(first: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return flags with which each condition differs from its result with `first`, or with its inverse.

    Conditions on one flag differ between these two anyway.  The conditions hi and ls may not, so here Z is clear and C
    set.  The conditions ge and lt do not, since N = V holds in both or in neither, so here it is the opposite; gt and
    le follow.
    """
    third = ~first
    negative, overflow = first[3] & 0x80, 0x10 if first[3] & 0x10 == 0 else 0
    third[3] = third[3] & 0x0F | negative | 0x20 | overflow
    return third

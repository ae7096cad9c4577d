"""Whether what a kernel does depends on registers or memory that nobody set, on where buffers lie, or on the clock.

The same call is made several times with other contents in everything that the caller leaves open: registers that
carry no argument, the upper parts of those that carry a narrow one, flags, the stack, bytes of buffers that are only
written, and the margins that may be read beyond buffers.  All bits are drawn at random, then inverted, then zero (a
register compared with 0 is never 0 by chance).  What can be observed must stay: the bytes that the contract says are
written, the returned value, the fault if there is one, the accesses in their order, and how often each instruction ran.
So a kernel may copy, spill, reload or compute with unset values as much as it likes, as long as nothing comes of it.

Only where something differs, the two calls are recorded, and the difference is followed backwards from what it changed
to the byte it began with (`neonlab.verify.unset_walk`); that it begins there is then confirmed by a call in which
nothing else is different.  Blamed is the first instruction that does more with an unset register than copy it, or the
load that fetched an unset byte of memory.

What this cannot see: a dependence whose effects cancel for all the contents tried, on the data of the case; and one on
bytes that lie in a writable buffer, are declared as written, and never are: those bytes are wrong, and comparing with a
reference says so.

A call that changes when its buffers move to other addresses, aligned as the contract promises, or when it is merely
repeated, is not deterministic.  Blamed then is the last writer of the first byte that differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from neonlab.assemble.contract import Contract
from neonlab.assemble.program import Program
from neonlab.emulate.block_meter import BlockMeter
from neonlab.emulate.buffer import Buffer
from neonlab.emulate.last_writer import LastWriterProbe
from neonlab.emulate.machine import DEFAULT_STEP_BUDGET, Machine
from neonlab.emulate.machine import Argument as Passed
from neonlab.emulate.noise import Noise
from neonlab.emulate.run import Fault, Run
from neonlab.emulate.trace import Trace, TraceProbe
from neonlab.verify.placement import place_arguments
from neonlab.verify.sanitizer import SanitizerProbe, stack_bytes_for
from neonlab.verify.unset_report import UnsetReport
from neonlab.verify.unset_walk import PairedTraces

#: Steps beyond which no trace is recorded; the fault is then reported without its instruction.
_LONGEST_TRACE = 1 << 20
#: Calls made to confirm where a difference begins.
_MOST_CONFIRMATIONS = 24


@dataclass(frozen=True, eq=False)
class Observed:
    """What one call did, as far as it must not depend on anything unset.

    `outputs` holds the bytes that the contract says are written, `before` what was in them when the call began.
    """

    outcome: Run | Fault
    fault: Fault | None
    outputs: dict[str, npt.NDArray[np.uint8]]
    before: dict[str, npt.NDArray[np.uint8]]
    path: tuple[int, bytes]  # hash of all accesses in their order, and how often each instruction ran
    steps: int

    def differs_in_result(self, other: Observed) -> bool:
        """Whether the fault, the returned value or an output byte is another, unwritten bytes aside."""
        if (self.fault is None) != (other.fault is None):
            return True
        if self.fault is not None and other.fault is not None:
            return (self.fault.kind, self.fault.address) != (other.fault.kind, other.fault.address)
        if _returned(self.outcome) != _returned(other.outcome):
            return True
        return any(self.changed(other, name).any() for name in self.outputs)

    def changed(self, other: Observed, name: str) -> npt.NDArray[np.bool_]:
        """Bytes of an output that differ, but for those that both calls left as they had been."""
        ours, theirs = self.outputs[name], other.outputs[name]
        untouched = (ours == self.before[name]) & (theirs == other.before[name])
        changed: npt.NDArray[np.bool_] = (ours != theirs) & ~untouched
        return changed

    def untouched(self, other: Observed) -> dict[str, npt.NDArray[np.int64]]:
        """Offsets of output bytes that differ as they did before the calls: never written, or written as they were."""
        found = {}
        for name, ours in self.outputs.items():
            theirs = other.outputs[name]
            same = (ours == self.before[name]) & (theirs == other.before[name]) & (ours != theirs)
            if same.any():
                found[name] = np.flatnonzero(same)
        return found


def _returned(outcome: Run | Fault) -> str:
    return repr(outcome.returned) if isinstance(outcome, Run) else ""


class UnsetCheck:
    """Makes the calls for one kernel, on machines that are kept between them."""

    def __init__(self, program: Program, contract: Contract) -> None:
        self.program, self.contract = program, contract
        self._stack_bytes = stack_bytes_for(contract)
        self._meter = BlockMeter(program)
        self._memory = SanitizerProbe(program, contract)
        self._machine = Machine(program, probes=(self._meter, self._memory), stack_bytes=self._stack_bytes)

    def find(
        self,
        arguments: Sequence[Passed],
        *,
        seed: int = 0,
        step_budget: int = DEFAULT_STEP_BUDGET,
        rounds: int = 2,
        placements: int = 1,
    ) -> Fault | None:
        """The first dependence found on anything unset, on time, or on addresses; None where there is none.

        `arguments` as for `Machine.call`, in the contract's order.  A right kernel costs 1 + `rounds` + `placements`
        calls; `rounds` is at most 2.  A fault that is the same in all calls is none of this; one that only other places
        of the buffers bring about (`alignment-hint`) is returned as it is.
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
        for turn in range(placements if first.fault is None else 0):
            moved = replace(call.first, turn=2 * turn + 1 + seed % 2)
            elsewhere = call.observe(moved)
            if elsewhere.fault is not None:
                return elsewhere.fault
            if first.differs_in_result(elsewhere):
                return call.report().moved(*call.traces(call.first, moved), first, elsewhere)
        return None

    def _explain(self, call: _Call, first: Observed, second: Observed, other: Setting) -> Fault:
        report = call.report()
        a, b = call.traces(call.first, other)
        paired = PairedTraces(a, b, report.initial_differs(a, b))
        # Of calls too long to record, only a way or an address that differs early on can be explained.
        whole = not (a.overflow or b.overflow)
        outputs = list(report.output_addresses(a, first, second)) if whole else []
        effect = paired.effect(outputs, report.returned_places() if whole else [])
        if effect is None:
            return report.untraced(first, second)
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
        return report.unset(paired, effect, sources[0]) if sources else report.untraced(first, second)

    def call(self, machine: Machine, setting: Setting, seed: int, step_budget: int) -> Run | Fault:
        """One call on any machine of this kernel."""
        return machine.call(
            self.contract.name,
            setting.arguments,
            self.contract.signature,
            float_abi=self.contract.float_abi,
            step_budget=step_budget,
            seed=seed,
            noise=setting.noise,
        )

    def observed(self, setting: Setting, seed: int, step_budget: int) -> Observed:
        """One call on the machine that watches."""
        self._memory.integers = _integers(self.contract, setting.arguments)
        outcome = self.call(self._machine, setting, seed, step_budget)
        fault = self._memory.collect(seed) or (outcome if isinstance(outcome, Fault) else None)
        outputs, before = {}, {}
        for name, size in _written(self.contract, setting.arguments):
            buffer = next(b for b in setting.arguments if isinstance(b, Buffer) and b.name == name)
            before[name] = buffer.contents()[:size]
            if isinstance(outcome, Run):
                outputs[name] = np.ascontiguousarray(outcome.outputs[name]).reshape(-1).view(np.uint8)[:size]
        path = self._memory.access_hash, self._meter.executions().tobytes()
        return Observed(outcome, fault, outputs, before, path, self._meter.steps)

    def traced(self, setting: Setting, seed: int, step_budget: int, limit: int) -> Trace:
        """One call recorded."""
        probe = TraceProbe(self.program, limit)
        with Machine(self.program, probes=(probe,), stack_bytes=self._stack_bytes) as machine:
            self.call(machine, setting, seed, step_budget)
            return probe.collect(machine)

    def written_bytes(self, setting: Setting, seed: int, step_budget: int, name: str) -> npt.NDArray[np.bool_]:
        """Which bytes of an output a call writes."""
        probe = LastWriterProbe()
        with Machine(self.program, probes=(probe,), stack_bytes=self._stack_bytes) as machine:
            self.call(machine, setting, seed, step_budget)
            written: npt.NDArray[np.bool_] = probe.collect(name) != 0
        return written

    def close(self) -> None:
        """Free the machine."""
        self._machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def find_unset(
    program: Program,
    contract: Contract,
    arguments: Sequence[Passed],
    *,
    seed: int = 0,
    step_budget: int = DEFAULT_STEP_BUDGET,
) -> Fault | None:
    """`UnsetCheck.find` for a single call."""
    with UnsetCheck(program, contract) as check:
        return check.find(arguments, seed=seed, step_budget=step_budget)


@dataclass(frozen=True, eq=False)
class Setting:
    """All that a call is given: the arguments, and what it finds where nobody set anything."""

    passed: tuple[Passed, ...]
    noise: Noise
    contract: Contract
    turn: int = 0  # where buffers lie: 0 on 64 bytes, else as `place_arguments` says

    @property
    def arguments(self) -> Sequence[Passed]:
        """With their buffers placed."""
        if self.turn:
            return place_arguments(self.contract, self.passed, self.turn)
        placed: list[Passed] = []
        for argument, value in zip(self.contract.arguments, self.passed, strict=True):
            if isinstance(value, Buffer):
                value = replace(
                    value,
                    alignment=max(64, argument.align),
                    offset=0,
                    readable_before=argument.under_read,
                    readable_after=argument.over_read,
                )
            placed.append(value)
        return placed


class _Call:
    """One call and its variations."""

    def __init__(self, check: UnsetCheck, arguments: Sequence[Passed], seed: int, step_budget: int) -> None:
        self._check, self._seed, self._step_budget = check, seed, step_budget
        self._contract, self._isa = check.contract, check.program.isa
        self.first = Setting(tuple(arguments), Noise.drawn(seed), check.contract)
        self._traced_steps = 0
        self._compared: tuple[Setting, Setting] | None = None
        self._really_written: dict[str, npt.NDArray[np.bool_]] = {}

    def others(self) -> list[Setting]:
        """The same with all that is unset inverted, and with zeros."""
        noise = self.first.noise
        zeros = replace(Noise.zeros(), registers=_zeros_but_flags(noise))
        return [
            replace(self.first, noise=noise.inverted(), passed=tuple(self._contents(lambda data: ~data))),
            replace(self.first, noise=zeros, passed=tuple(self._contents(np.zeros_like))),
        ]

    def only(self, place: str, other: Setting) -> Setting:
        """The first setting, but for one place: a name as `UnsetReport.place_name` gives it."""
        if place.startswith("contents "):
            name = place.removeprefix("contents ")
            passed = [
                theirs if isinstance(theirs, Buffer) and theirs.name == name else ours
                for ours, theirs in zip(self.first.passed, other.passed, strict=True)
            ]
            return replace(self.first, passed=tuple(passed))
        return replace(self.first, noise=self.first.noise.with_some_of(other.noise, self._isa, [place]))

    def _contents(self, change: object) -> Iterator[Passed]:
        """The arguments, with other contents in the bytes that are written and not read."""
        integers = _integers(self._contract, self.first.passed)
        for argument, value in zip(self._contract.arguments, self.first.passed, strict=True):
            if isinstance(value, Buffer) and argument.write is not None:
                given = argument.read.evaluate(integers) if argument.read is not None else 0
                data = value.contents().copy()
                data[given:] = change(data[given:])  # type: ignore[operator]
                whole = data.size % value.data.dtype.itemsize == 0
                shaped = data.view(value.data.dtype).reshape(value.data.shape) if whole else data
                value = replace(value, data=shaped)
            yield value

    def observe(self, setting: Setting) -> Observed:
        """What the call does in `setting`."""
        found = self._check.observed(setting, self._seed, self._step_budget)
        self._traced_steps = max(self._traced_steps, found.steps)
        return found

    def differ(self, first: Observed, second: Observed) -> bool:
        """Whether anything observable differs."""
        if first.path != second.path or first.differs_in_result(second):
            return True
        # Bytes that differ as they did at first are either not written, which is no concern here, or written anew with
        # what they held.
        for name, offsets in first.untouched(second).items():
            if name not in self._really_written:
                self._really_written[name] = self._check.written_bytes(self.first, self._seed, self._step_budget, name)
            if self._really_written[name][offsets].any():
                return True
        return False

    def traces(self, first: Setting, second: Setting) -> tuple[Trace, Trace]:
        """Both calls recorded."""
        limit = min(self._traced_steps + 64, _LONGEST_TRACE)
        return (
            self._check.traced(first, self._seed, self._step_budget, limit),
            self._check.traced(second, self._seed, self._step_budget, limit),
        )

    def report(self) -> UnsetReport:
        """What words the fault."""
        return UnsetReport(self._check.program, self._contract, self.first.arguments, self._seed)


def _zeros_but_flags(noise: Noise) -> npt.NDArray[np.uint8]:
    """Zeros in all registers; flags inverted, for zero is just another value of theirs."""
    registers = np.zeros_like(noise.registers)
    registers[-4:] = ~noise.registers[-4:]
    return registers


def _integers(contract: Contract, arguments: Sequence[Passed]) -> dict[str, int]:
    return {
        argument.name: value
        for argument, value in zip(contract.arguments, arguments, strict=True)
        if argument.ctype.kind == "integer" and isinstance(value, int)
    }


def _written(contract: Contract, arguments: Sequence[Passed]) -> Iterator[tuple[str, int]]:
    """Name and bytes written of each output."""
    integers = _integers(contract, arguments)
    for argument, value in zip(contract.arguments, arguments, strict=True):
        if isinstance(value, Buffer) and argument.write is not None:
            yield value.name, min(value.size, argument.write.evaluate(integers))

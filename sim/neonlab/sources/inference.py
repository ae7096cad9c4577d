"""Infer how far a function reaches: run it with room on all sides, and fit sizes to the runs.

Each pointer points into the middle of far more memory than it can need.  A run is recorded, and for each pointer the
first and last byte read and written are noted, relative to the pointer.  After several runs with different numbers, the
ends are expressed in these numbers: the simplest sum of their products with whole coefficients that fits.  A fit needs
more runs than coefficients, so that it means something.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from neonlab.assemble.program import Program
from neonlab.contract.header import Contract
from neonlab.emulate.guest.buffer import Buffer, PointerField
from neonlab.emulate.machine import Argument, Machine
from neonlab.emulate.run import Fault
from neonlab.emulate.trace import TraceProbe
from neonlab.errors import InputError
from neonlab.isa.c.ctype import CType
from neonlab.isa.model.instruction import AccessKind

_ROOM = 1 << 20  # bytes around a pointer, which points to the middle
_STEPS = 1 << 20
#: Number of pointers in an array of pointers, each to its own row, and bytes of a row.
_POINTERS, _ROW = 256, 1 << 14
_UNITS = (4, 8, 16, 32)
_MOST_TERMS = 3


@dataclass
class Reach:
    """Bytes touched at one pointer in one run, relative to it: [low, high) read and written, None if none."""

    read: tuple[int, int] | None = None
    written: tuple[int, int] | None = None

    def add(self, low: int, high: int, *, store: bool) -> None:
        """Extend the bytes read, or with `store` written, by [low, high)."""
        before = self.written if store else self.read
        new = (low, high) if before is None else (min(low, before[0]), max(high, before[1]))
        if store:
            self.written = new
        else:
            self.read = new


@dataclass(frozen=True)
class Learned:
    """The runs: their numbers and, by pointer, the bytes touched; and the expressions for the ends by pointer.

    Names are those of contracts: `params.bias`, and `rows[]` for the target of the pointers in `rows`.  An entry of
    `sizes` has the keys "from", the offset of the first byte if it is not at the pointer, and "read" and "write", the
    bytes from there.  A key is missing if nothing fits.
    """

    samples: tuple[Mapping[str, int], ...]
    extents: tuple[Mapping[str, Reach], ...]
    sizes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def learn(program: Program, contract: Contract, samples: Sequence[Mapping[str, int]]) -> Learned:
    """Run the function once for each sample, the values of its numbers by name.  Raises InputError if a run fails."""
    probe = TraceProbe(program, _STEPS)
    extents = []
    with Machine(program, probes=(probe,)) as machine:
        for sample in samples:
            call = _Room(contract, sample)
            outcome = machine.call(
                contract.name,
                call.arguments(),
                contract.signature,
                float_abi=contract.float_abi,
                step_budget=_STEPS,
                seed=1,
            )
            shown = ", ".join(f"{name} = {value}" for name, value in sample.items()) or "no numbers"
            if isinstance(outcome, Fault):
                where = f"{outcome.source.path}:{outcome.source.line}: " if outcome.source else ""
                raise InputError(f"{where}`{contract.name}` does not run with {shown}: {outcome.message}")
            extents.append(_touched(probe, machine))
    return Learned(tuple(samples), tuple(extents), _sizes(samples, extents))


class _Room:
    """Arguments with room around every pointer."""

    def __init__(self, contract: Contract, sample: Mapping[str, int]) -> None:
        self._contract, self._sample = contract, sample
        self._random = np.random.default_rng(1)

    def arguments(self) -> list[Argument]:
        passed: list[Argument] = []
        for parameter in self._contract.signature.parameters:
            if parameter.ctype.kind == "pointer":
                passed.append(self._buffer(parameter.name, parameter.ctype))
            elif parameter.ctype.kind == "float":
                passed.append(1.0)
            else:
                passed.append(self._sample.get(parameter.name, 1))
        return passed

    def _buffer(self, name: str, ctype: CType, depth: int = 0) -> Buffer:
        data = self._random.integers(0, 8, _ROOM, np.uint8)
        origin = _ROOM // 2
        pointers: list[PointerField] = []
        pointee = ctype.pointee
        width = self._contract.isa.pointer_bytes
        if depth < 4 and pointee is not None and pointee.kind == "pointer":
            rows = Buffer(f"{name}[]", self._random.integers(0, 8, (_POINTERS + 1) * _ROW, np.uint8), True)
            middles = [(origin + width * index, index * _ROW + _ROW // 2) for index in range(_POINTERS)]
            pointers = [PointerField(at, rows, middle) for at, middle in middles]
        elif depth < 4 and pointee is not None and pointee.layout is not None:
            for member in pointee.layout.members:
                at, path = origin + member.offset, f"{name}.{member.name}"
                if member.ctype.kind == "pointer" and member.count == 1:
                    target = self._buffer(path, member.ctype, depth + 1)
                    pointers.append(PointerField(at, target))
                elif member.ctype.kind == "integer":
                    value = np.full(member.count, self._sample.get(path, 1)).astype(f"<i{member.ctype.size}")
                    data[at : at + value.nbytes] = value.view(np.uint8)
                elif member.ctype.kind == "float":
                    value = np.ones(member.count, f"<f{member.ctype.size}")
                    data[at : at + value.nbytes] = value.view(np.uint8)
        elif pointee is not None and pointee.kind == "float":
            data = self._random.uniform(-1, 1, _ROOM // pointee.size).astype(f"<f{pointee.size}").view(np.uint8)
        return Buffer(name, data, True, pointers=tuple(pointers), origin=origin)


def _touched(probe: TraceProbe, machine: Machine) -> dict[str, Reach]:
    trace = probe.collect(machine)
    if trace.overflow:
        raise InputError(f"a run takes more than {_STEPS} instructions: give smaller numbers")
    found: dict[str, Reach] = {}
    buffers = sorted(trace.buffers, key=lambda item: item.address)
    starts = np.array([item.address for item in buffers], np.uint64)
    for pc in trace.executions:
        instruction = trace.program.by_address.get(pc)
        for number, access in enumerate(instruction.accesses if instruction is not None else ()):
            if access.kind is AccessKind.PREFETCH:
                continue
            _, addresses = trace.addresses(pc, number)
            which = np.searchsorted(starts, addresses, side="right").astype(np.int64) - 1
            for index in np.unique(which).tolist():
                if index < 0:
                    continue
                item = buffers[index]
                offsets = (addresses[which == index] - np.uint64(item.address)).astype(np.int64)
                offsets = offsets[offsets < item.buffer.size] - item.buffer.origin
                if item.buffer.name.endswith("[]"):
                    offsets = offsets % _ROW - _ROW // 2
                if offsets.size:
                    extent = found.setdefault(item.buffer.name, Reach())
                    store = access.kind is AccessKind.STORE
                    extent.add(int(offsets.min()), int(offsets.max()) + access.count, store=store)
    return found


def _sizes(samples: Sequence[Mapping[str, int]], extents: Sequence[Mapping[str, Reach]]) -> dict[str, dict[str, str]]:
    """Return expressions for the ends of the touched bytes, by pointer."""
    found: dict[str, dict[str, str]] = {}
    for name in sorted({name for one in extents for name in one}):
        touched = [one.get(name, Reach()) for one in extents]
        lows = [min((ends[0] for ends in (t.read, t.written) if ends is not None), default=0) for t in touched]
        entry = {"from": fitted(samples, lows) if any(lows) else "0"}
        for verb, ends in (("read", [t.read for t in touched]), ("write", [t.written for t in touched])):
            if any(ends):
                sizes = [end[1] - low if end is not None else 0 for end, low in zip(ends, lows, strict=True)]
                entry[verb] = fitted(samples, sizes) if entry["from"] is not None else None
        found[name] = {key: text for key, text in entry.items() if text is not None and (key, text) != ("from", "0")}
    return found


def fitted(samples: Sequence[Mapping[str, int]], values: Sequence[int]) -> str | None:
    """Return the simplest expression of the numbers with these values; None if none is certain enough.

    An expression of t terms counts if it fits more than t runs.
    """
    if len(set(values)) == 1 and (len(values) == 1 or all(len({s[n] for s in samples}) == 1 for n in samples[0])):
        # One run cannot show what a size depends on, unless there are no numbers.
        return str(values[0]) if not samples[0] or not values[0] else None
    target = np.array(values, float)
    terms = list(_terms(samples))
    for count in range(1, _MOST_TERMS + 1):
        if len(values) <= count:
            break
        for chosen in itertools.combinations(terms, count):
            table = np.array([term.values for term in chosen], float).T
            if np.linalg.matrix_rank(table) < count:
                continue
            factors = np.linalg.lstsq(table, target, rcond=None)[0]
            whole = np.rint(factors)
            if (whole == 0).any() or not np.array_equal(table @ whole, target):
                continue
            return _spelled([int(factor) for factor in whole], [term.text for term in chosen])
    return None


@dataclass(frozen=True)
class _Term:
    text: str
    values: tuple[int, ...]


def _terms(samples: Sequence[Mapping[str, int]]) -> Iterator[_Term]:
    """Yield the terms of sizes, simple ones first: numbers, 1, products, numbers rounded up, products of those."""
    names = [name for name in samples[0] if len({sample[name] for sample in samples}) > 1]
    for name in names:
        yield _Term(name, tuple(sample[name] for sample in samples))
    yield _Term("1", (1,) * len(samples))
    for size in (2, 3):
        for group in itertools.combinations(names, size):
            products = tuple(int(np.prod([sample[name] for name in group])) for sample in samples)
            yield _Term("*".join(group), products)
    for size in (0, 1, 2):
        for name, unit in itertools.product(names, _UNITS):
            rounded = [-(-sample[name] // unit) * unit for sample in samples]
            if rounded == [sample[name] for sample in samples]:
                continue
            for group in itertools.combinations([other for other in names if other != name], size):
                values = tuple(
                    r * int(np.prod([sample[n] for n in group])) for r, sample in zip(rounded, samples, strict=True)
                )
                text = f"(({name} + {unit - 1})//{unit}*{unit})"
                yield _Term("*".join([*group, text]), values)


def _spelled(factors: Sequence[int], texts: Sequence[str]) -> str:
    parts = []
    for factor, text in zip(factors, texts, strict=True):
        if text == "1":
            parts.append(str(factor))
        elif factor in (1, -1):
            parts.append(text if factor == 1 else f"-{text}")
        else:
            parts.append(f"{factor}*{text}")
    # negative terms come last
    parts.sort(key=lambda part: part.startswith("-"))
    return " + ".join(parts).replace("+ -", "- ")


def points(text: str) -> Iterator[dict[str, int]]:
    """Yield the samples of `n=16,24,k=4:12:4`: every combination, where a range is first:last:step.

    Raises InputError for text that is not of this form.
    """
    axes: dict[str, list[int]] = {}
    name = ""
    for part in text.split(","):
        before, equals, value = part.rpartition("=")
        name = before.strip() if equals else name
        numbers = value.split(":")
        if not name or not 1 <= len(numbers) <= 3:
            raise InputError(f"--learn {text}: give NAME=VALUE,... or NAME=FIRST:LAST:STEP,...")
        try:
            first, *rest = (int(number, 0) for number in numbers)
        except ValueError:
            raise InputError(f"--learn {text}: `{value}` is not an integer") from None
        last = rest[0] if rest else first
        step = rest[1] if len(rest) > 1 else 1
        if step == 0 or len(range(first, last + 1, step)) > _MOST_POINTS:
            raise InputError(f"--learn {text}: `{value}` is not a range of at most {_MOST_POINTS} numbers")
        axes.setdefault(name, []).extend(range(first, last + (1 if step > 0 else -1), step) or [first])
    count = int(np.prod([len(values) for values in axes.values()]))
    if count > _MOST_POINTS:
        raise InputError(f"--learn {text}: {count} combinations; at most {_MOST_POINTS} are allowed")
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


_MOST_POINTS = 64

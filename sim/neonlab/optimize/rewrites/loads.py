"""Load in other pieces: 64 bits at a time where a core issues these beside its multiplies.

An in-order core with a 64-bit path to its caches is busy for two cycles with a load of 128 bits, and issues nothing of
vectors beside it.  Two loads of 64 bits cost as much of the path, and a multiply fits beside each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neonlab.contract.model import Contract
from neonlab.isa.model.isa import Isa
from neonlab.optimize.loop.code import Change, LoopCode
from neonlab.optimize.rewrites.rewrite import Rewrite, with_texts

_LDR = re.compile(r"ldu?r q(\d+), \[(x\d+|sp)(?:, #(-?\w+))?\](?:, #(-?\w+))?")
_LDP = re.compile(r"ldp q(\d+), q(\d+), \[(x\d+|sp)(?:, #(-?\w+))?\](?:, #(-?\w+))?")
_LD1 = re.compile(r"ld1 \{((?:v\d+\.16b(?:, )?)+)\}, \[(x\d+|sp)\](?:, #(-?\w+))?")
_VLD1 = re.compile(r"(vld1\.\d+) \{((?:d\d+(?:, )?)+)\}, \[(\w+)(?::\d+)?\](!?)")
_TEMPORARIES = 4  # general registers to load through, at most


@dataclass(frozen=True, slots=True)
class _Load:
    """Loads of 128 bits: registers and their offsets from `base`, which grows by `step`."""

    registers: tuple[tuple[int, int], ...]
    base: str
    step: int


def _load(text: str) -> _Load | None:
    if found := _LDP.fullmatch(text):
        offset = _number(found[4])
        return _Load(((int(found[1]), offset), (int(found[2]), offset + 16)), found[3], _number(found[5]))
    if found := _LDR.fullmatch(text):
        return _Load(((int(found[1]), _number(found[3])),), found[2], _number(found[4]))
    if found := _LD1.fullmatch(text):
        numbers = [int(one) for one in re.findall(r"v(\d+)", found[1])]
        return _Load(tuple((one, 16 * at) for at, one in enumerate(numbers)), found[2], _number(found[3]))
    return None


def _number(text: str | None) -> int:
    return int(text, 0) if text else 0


def _by_lane(load: _Load) -> list[str] | None:
    """Return loads of halves that each move the pointer on; None where the load does not move it by what it loads."""
    if load.step != 16 * len(load.registers) or load.registers[0][1]:
        return None
    return [
        text
        for register, _ in load.registers
        for text in (f"ldr d{register}, [{load.base}], #8", f"ld1 {{v{register}.d}}[1], [{load.base}], #8")
    ]


def _by_insert(load: _Load, temporaries: Iterator[str]) -> list[str] | None:
    """Return loads of halves, the upper ones through general registers; None where an offset is out of reach."""
    texts: list[str] = []
    moved = 0
    for register, offset in load.registers:
        for half in (0, 8):
            target = f"d{register}" if not half else next(temporaries)
            if load.step and not texts and not offset + half:
                texts.append(f"ldr {target}, [{load.base}], #{load.step}")
                moved = load.step
                continue
            at = offset + half - moved
            if not (-256 <= at < 256 or (at >= 0 and at % 8 == 0 and at < 32768)):
                return None
            texts.append(f"{'ldr' if at >= 0 and at % 8 == 0 else 'ldur'} {target}, [{load.base}, #{at}]")
            if half:
                texts.append(f"ins v{register}.d[1], {target}")
    if load.step and not moved:
        texts.append(f"add {load.base}, {load.base}, #{load.step}")
    return texts


def _temporaries(code: LoopCode) -> list[str]:
    free = sorted(one.index for one in code.free if one.file == "general")
    return [f"x{one}" for one in free[:_TEMPORARIES]]


def _replaced(code: LoopCode, change: Change, texts: dict[int, list[str]]) -> LoopCode | None:
    return with_texts(code, texts, replace(change, places=len(texts)))


def by_lanes(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with 128-bit loads as two of 64 bits each, the upper half into its lane."""
    if code.isa is not Isa.A64:
        return None
    texts = {}
    for at, step in enumerate(code.body):
        load = _load(step.text)
        halves = _by_lane(load) if load is not None else None
        if halves is not None:
            texts[at] = halves
    return _replaced(code, Change("halves by lanes", 0, "a multiply issues beside each load of 64 bits"), texts)


def by_inserts(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with 128-bit loads as two of 64 bits each, the upper half through a general register."""
    names = _temporaries(code)
    if code.isa is not Isa.A64 or not names:
        return None
    texts = {}
    turn = 0
    for at, step in enumerate(code.body):
        load = _load(step.text)
        if load is None:
            continue
        halves = _by_insert(load, iter([names[(turn + one) % len(names)] for one in range(len(load.registers))]))
        turn += len(load.registers)
        if halves is not None:
            texts[at] = halves
    reason = "a multiply issues beside each load of 64 bits, and the insert takes half of the vector unit"
    return _replaced(code, Change("halves by inserts", 0, reason), texts)


def _smaller_lists(registers: int) -> Rewrite:
    def apply(code: LoopCode, _contract: Contract) -> LoopCode | None:
        if code.isa is not Isa.A32:
            return None
        texts = {}
        for at, step in enumerate(code.body):
            found = _VLD1.fullmatch(step.text)
            numbers = re.findall(r"d\d+", found[2]) if found else []
            if found and found[4] and len(numbers) > registers:
                texts[at] = [f"{found[1]} {{{', '.join(part)}}}, [{found[3]}]!" for part in _parts(numbers, registers)]
        reason = f"loads of {64 * registers} bits issue between multiplies"
        return _replaced(code, Change(f"loads of {64 * registers} bits", 0, reason), texts)

    return Rewrite(f"loads of {64 * registers} bits", apply)


def _parts(names: Sequence[str], size: int) -> list[Sequence[str]]:
    return [names[at : at + size] for at in range(0, len(names), size)]


LOADS = (
    Rewrite("halves by lanes", by_lanes),
    Rewrite("halves by inserts", by_inserts),
    _smaller_lists(2),
    _smaller_lists(1),
)

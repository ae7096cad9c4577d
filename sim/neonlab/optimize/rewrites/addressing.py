"""Read and write accesses as text: which registers go to or from which offset, and how the pointer moves."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from neonlab.isa.model.isa import Isa

_NUMBER = r"(?:, #(-?(?:0x[0-9a-f]+|\d+)))?"
_SINGLE = re.compile(rf"(ldu?r|stu?r) ([qdsxw]\d+), \[(x\d+|sp){_NUMBER}\]{_NUMBER}")
_PAIR = re.compile(rf"(ldp|stp) ([qdx]\d+), ([qdx]\d+), \[(x\d+|sp){_NUMBER}\]{_NUMBER}")
_LIST = re.compile(rf"(ld1|st1) \{{(v\d+\.(\w+)(?:, v\d+\.\3)?)\}}, \[(x\d+|sp)\]{_NUMBER}")
_LIST_A32 = re.compile(r"v(ld|st)1\.\d+ \{((?:d\d+(?:, )?)+)\}, \[(\w+)(?::\d+)?\](!?)")
_SINGLE_A32 = re.compile(rf"(vldr|vstr|ldr|str) (\w+), \[(\w+){_NUMBER}\]{_NUMBER}")
_MOVED = re.compile(r"(add|sub) (\w+), \2, #(0x[0-9a-f]+|\d+)")
_BYTES = {"q": 16, "d": 8, "x": 8, "s": 4, "w": 4}
_ONES = {16: "q", 8: "d"}
_FULL = {"16b": "q", "8h": "q", "4s": "q", "2d": "q", "8b": "d", "4h": "d", "2s": "d", "1d": "d"}


@dataclass(frozen=True, slots=True)
class Moved:
    """The pointer `base` moves on by `step` bytes, which accesses nothing."""

    base: str
    step: int


@dataclass(frozen=True, slots=True)
class Accessed:
    """Registers of `size` bytes each, side by side from `offset` on from `base`, which moves on by `step` afterwards.

    `is_load` says which way.
    """

    is_load: bool
    registers: tuple[str, ...]
    size: int
    base: str
    offset: int
    step: int

    def texts(self, isa: Isa) -> list[str] | None:
        """Return the instructions that do this; None where there are none that reach so far."""
        return self._texts_a32() if isa is Isa.A32 else self._texts_a64()

    def _texts_a64(self) -> list[str] | None:
        if self.step and self.offset:
            return None
        place = f"[{self.base}], #{self.step}" if self.step else _place(self.base, self.offset)
        reached = self.step or self.offset
        name = "ld" if self.is_load else "st"
        if len(self.registers) == 2:
            near = reached % self.size == 0 and -64 * self.size <= reached < 64 * self.size
            return [f"{name}p {', '.join(self.registers)}, {place}"] if near else self._apart()
        if not self.step and self.offset >= 0 and self.offset % self.size == 0 and self.offset < 4096 * self.size:
            return [f"{name}r {self.registers[0]}, {place}"]
        if not -256 <= reached < 256:
            return None
        return [f"{name}{'' if self.step else 'u'}r {self.registers[0]}, {place}"]

    def _apart(self) -> list[str] | None:
        """Return one instruction for each register; None where one cannot reach so far, or the pointer moves."""
        found: list[str] = []
        for at, one in enumerate(self.registers):
            alone = replace(self, registers=(one,), offset=self.offset + self.size * at)._texts_a64()
            if alone is None or self.step:
                return None
            found += alone
        return found

    def _texts_a32(self) -> list[str] | None:
        name = "ld" if self.is_load else "st"
        if not self.registers[0].startswith("d"):
            if (self.step and self.offset) or abs(self.step or self.offset) > 4095:
                return None
            place = f"[{self.base}], #{self.step}" if self.step else _place(self.base, self.offset)
            return [f"{name}r {self.registers[0]}, {place}"]
        if self.step:
            whole = self.size * len(self.registers)
            if self.offset or self.step != whole:
                return None
            return [f"v{name}1.8 {{{', '.join(self.registers)}}}, [{self.base}]!"]
        ends = (self.offset, self.offset + self.size * (len(self.registers) - 1))
        if any(abs(one) > 1020 or one % 4 for one in ends):
            return None
        return [f"v{name}r {one}, {_place(self.base, self.offset + 8 * at)}" for at, one in enumerate(self.registers)]

    def at(self, offset: int, step: int = 0) -> Accessed:
        """Return the same from another offset, with another step."""
        return replace(self, offset=offset, step=step)


def read(text: str, isa: Isa) -> Accessed | Moved | None:
    """Return what an instruction does with a pointer; None for one of another kind."""
    if found := _MOVED.fullmatch(text):
        return Moved(found[2], int(found[3], 0) * (1 if found[1] == "add" else -1))
    return _read_a64(text) if isa is Isa.A64 else _read_a32(text)


def _read_a64(text: str) -> Accessed | None:
    if found := _SINGLE.fullmatch(text):
        return Accessed(
            found[1].startswith("l"), (found[2],), _BYTES[found[2][0]], found[3], _number(found[4]), _number(found[5])
        )
    if found := _PAIR.fullmatch(text):
        return Accessed(
            found[1].startswith("l"), (found[2], found[3]), _BYTES[found[2][0]], found[4], _number(found[5]),
            _number(found[6]),
        )  # fmt: skip
    found = _LIST.fullmatch(text)
    kind = _FULL.get(found[3]) if found else None
    if found is None or kind is None:
        return None
    names = tuple(f"{kind}{number}" for number in re.findall(r"v(\d+)", found[2]))
    return Accessed(found[1] == "ld1", names, _BYTES[kind], found[4], 0, _number(found[5]))


def _read_a32(text: str) -> Accessed | None:
    if found := _LIST_A32.fullmatch(text):
        names = tuple(re.findall(r"d\d+", found[2]))
        return Accessed(found[1] == "ld", names, 8, found[3], 0, 8 * len(names) if found[4] else 0)
    if found := _SINGLE_A32.fullmatch(text):
        size = 8 if found[2].startswith("d") else 4
        if found[1].startswith("v") and size != 8:
            return None
        return Accessed("ld" in found[1], (found[2],), size, found[3], _number(found[4]), _number(found[5]))
    return None


def _place(base: str, offset: int) -> str:
    return f"[{base}, #{offset}]" if offset else f"[{base}]"


def _number(text: str | None) -> int:
    return int(text, 0) if text else 0

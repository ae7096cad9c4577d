"""Collect literals of `ldr x0, =value` in pools, which are laid out as GNU as does."""

from __future__ import annotations

from dataclasses import dataclass, field

from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.values.expressions import Node, Value, evaluate
from neonlab.assemble.values.symbols import Symbol

_MAX_ENTRIES = 1024  # as's own limit for A32; A64 loads reach 1 MiB, so its 512 is no architectural one either


@dataclass(slots=True)
class _Entry:
    key: object
    node: Node
    place: Symbol
    is_filler: bool = False


@dataclass(slots=True)
class PoolWord:
    """A value to write: `node` in `size` bytes; the symbol `place` is its location."""

    node: Node
    size: int
    place: Symbol


@dataclass
class A64Pool:
    """Entries of 4, 8 and 16 bytes in separate groups, in this order, each aligned to its size."""

    _entries: dict[int, list[_Entry]] = field(default_factory=lambda: {4: [], 8: [], 16: []})

    def add(self, node: Node, size: int) -> Symbol:
        """Return the location of the value; equal values share one."""
        entries = self._entries[size]
        key = _key(node)
        for entry in entries:
            if entry.key == key:
                return entry.place
        if len(entries) >= _MAX_ENTRIES:
            raise SyntaxFault(f"more than {_MAX_ENTRIES} values in a literal pool; place `.ltorg` earlier")
        entries.append(_Entry(key, node, Symbol("")))
        return entries[-1].place

    def groups(self) -> list[tuple[int, list[PoolWord]]]:
        """Empty the pool; return, for each size, the alignment as a power of two and the words behind it."""
        result = []
        for size, power in ((4, 2), (8, 3), (16, 4)):
            if self._entries[size]:
                result.append((power, [PoolWord(entry.node, size, entry.place) for entry in self._entries[size]]))
                self._entries[size] = []
        return result


@dataclass
class A32Pool:
    """Words; a value of 8 bytes is two words at a multiple of 8 from the start, which is then aligned to 8."""

    _entries: list[_Entry] = field(default_factory=list)
    _power: int = 2

    def add(self, node: Node, size: int) -> Symbol:
        """Return the location of the value; equal values share one where GNU as shares them."""
        if len(self._entries) >= _MAX_ENTRIES:
            raise SyntaxFault(f"more than {_MAX_ENTRIES} values in a literal pool; place `.ltorg` earlier")
        return self._add_word(node) if size == 4 else self._add_pair(node)

    def _add_word(self, node: Node) -> Symbol:
        key = _key(node)
        for entry in self._entries:
            if entry.key == key and not entry.is_filler:
                return entry.place
            if entry.is_filler:  # as looks no further than the first gap
                entry.key, entry.node, entry.is_filler = key, node, False
                return entry.place
        self._entries.append(_Entry(key, node, Symbol("")))
        return self._entries[-1].place

    def _add_pair(self, node: Node) -> Symbol:
        if not isinstance(node, int):
            value = evaluate(node)
            if not value.is_absolute:
                raise SyntaxFault("a value of 8 bytes in a literal pool must be a number")
            node = value.number
        low, high = node & 0xFFFFFFFF, node >> 32 & 0xFFFFFFFF
        for index in range(0, len(self._entries) - 1, 2):
            if self._entries[index].key == low and self._entries[index + 1].key == high:
                return self._entries[index].place
        if len(self._entries) % 2:
            self._entries.append(_Entry(None, 0, Symbol(""), is_filler=True))
        self._power = 3
        self._entries += [_Entry(low, low, Symbol("")), _Entry(high, high, Symbol(""))]
        return self._entries[-2].place

    def groups(self) -> list[tuple[int, list[PoolWord]]]:
        """Empty the pool; return the alignment as a power of two, and the words behind it."""
        words = [PoolWord(entry.node, 4, entry.place) for entry in self._entries]
        self._entries = []
        # once 8, as keeps the alignment for later pools of the same section
        return [(self._power, words)] if words else []


def _key(node: Node) -> object:
    try:
        value = evaluate(node)
    except SyntaxFault:
        return object()
    return value.number if value.is_absolute else value


def constant(node: Node) -> int | None:
    """Return the number that `node` is by now, or None."""
    try:
        value: Value = evaluate(node)
    except SyntaxFault:
        return None
    return value.number if value.is_absolute else None


def a32_immediate(value: int) -> bool:
    """Return whether an A32 data-processing instruction can hold the value: 8 bits rotated right by an even count."""
    value &= 0xFFFFFFFF
    return any(((value << turn) | (value >> (32 - turn))) & 0xFFFFFFFF < 256 for turn in range(0, 32, 2))

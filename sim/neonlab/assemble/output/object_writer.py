"""Convert the parsed source to an object file: lay out sections, encode instructions, name relocations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from neonlab.assemble.encode.encoder import Encoder, EncodingError
from neonlab.assemble.encode.encoder import EncoderStatement as Encodable
from neonlab.assemble.output.fixups import FixupRules, Hole, adrl_words
from neonlab.assemble.output.object_file import ObjectFile, ObjectSymbol, Relocation, Section
from neonlab.assemble.source import AssemblyError, SourceLine
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.text.mnemonics import Place
from neonlab.assemble.text.unknown import unknown_mnemonic
from neonlab.assemble.values.expressions import Node, Value, evaluate
from neonlab.assemble.values.operands import ParsedInstruction, Slot
from neonlab.assemble.values.sections import Fragment, SectionBuilder
from neonlab.assemble.values.symbols import Symbol as Name
from neonlab.isa.model.isa import Isa

_GENERAL = re.compile(r"r\d+")
# Sections start here while instructions are encoded, so that no target is a negative number.
_ENCODING_BASE = 0x10000000


@dataclass(frozen=True, slots=True)
class PendingInstruction:
    """An instruction whose word is still zeros at `offset` of `fragment`."""

    fragment: Fragment
    offset: int
    parsed: ParsedInstruction
    source: SourceLine

    @property
    def address(self) -> int:
        """The offset in the section."""
        return self.fragment.address + self.offset


@dataclass(frozen=True, slots=True)
class PendingData:
    """A number of `size` bytes that will be written at `offset` of `fragment`."""

    fragment: Fragment
    offset: int
    size: int
    node: Node
    source: SourceLine
    operator: str = ""

    @property
    def address(self) -> int:
        """The offset in the section."""
        return self.fragment.address + self.offset


@dataclass(frozen=True, slots=True)
class EmittedRange:
    """Bytes that a statement emitted, for the line table; `is_code` marks instructions."""

    fragment: Fragment
    offset: int
    size: int
    source: SourceLine
    is_code: bool


@dataclass(frozen=True, slots=True)
class ReadSource:
    """All that reading a source produces."""

    isa: Isa
    path: str
    sections: Sequence[SectionBuilder]
    names: Iterable[Name]
    instructions: Sequence[PendingInstruction]
    data: Sequence[PendingData]
    ranges: Sequence[EmittedRange]
    nop: int
    macros: Sequence[str]
    warnings: Sequence[str]


def write_object(read: ReadSource) -> ObjectFile:
    """Return the object file.  Raises AssemblyError at the first statement that cannot be encoded."""
    for section in read.sections:
        section.lay_out()
    rules = FixupRules(read.isa)
    relocations: list[Relocation] = []
    for datum in read.data:
        with _FaultsAt(datum.source):
            home = datum.fragment.section.name
            number, relocation = rules.data(datum.address, home, datum.size, evaluate(datum.node), datum.operator)
            datum.fragment.data[datum.offset : datum.offset + datum.size] = number.to_bytes(datum.size, "little")
            if relocation is not None:
                relocations.append(relocation)
    _encode(read, rules, relocations)
    nop = read.nop.to_bytes(4, "little")
    sections = {section.name: _section(section, nop) for section in read.sections}
    relocations.sort(key=lambda relocation: (relocation.section, relocation.offset))
    referred_to = {relocation.symbol for relocation in relocations}
    return ObjectFile(
        isa=read.isa,
        path=read.path,
        sections=sections,
        symbols={name.name: _symbol(name) for name in read.names if _is_kept(name, referred_to)},
        relocations=tuple(relocations),
        lines=_lines(read),
        code={
            section.name: runs
            for section in read.sections
            if (runs := _code_runs(section, [r for r in read.ranges if r.fragment.section is section]))
        },
        warnings=tuple(read.warnings),
    )


def _lines(read: ReadSource) -> dict[tuple[str, int], SourceLine]:
    """Return the source of each statement that emitted bytes, and of each alignment that padded."""
    lines = {(r.fragment.section.name, r.fragment.address + r.offset): r.source for r in read.ranges if r.size}
    for section in read.sections:
        for fragment in section.fragments():
            if fragment.padding_bytes and fragment.padding_source is not None:
                lines[section.name, fragment.end] = fragment.padding_source
    return lines


class _FaultsAt:
    """Adds the source line to faults inside a `with` block."""

    def __init__(self, source: SourceLine | None) -> None:
        self._source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SyntaxFault) and self._source is not None:
            raise error.at(point_at(self._source, error.token)) from None


def point_at(source: SourceLine, token: str) -> SourceLine:
    """Return the same line with the column of `token`, if the quoted line contains it."""
    found = source.text.find(token, source.column - 1) if token else -1
    if found < 0:
        return source
    return SourceLine(source.path, source.line, found + 1, source.text, source.expanded, source.trail)


def _encode(read: ReadSource, rules: FixupRules, relocations: list[Relocation]) -> None:
    statements: list[Encodable] = []
    encodable: list[PendingInstruction] = []
    for pending in read.instructions:
        with _FaultsAt(pending.source):
            if pending.parsed.mnemonic.place is Place.ADRL:
                _write_adrl(pending)
                continue
            parts: list[str] = []
            for part in pending.parsed.parts:
                if isinstance(part, str):
                    parts.append(part)
                    continue
                try:
                    hole = _fill(rules, pending, part)
                except SyntaxFault as fault:
                    raise _unknown(read, pending) or fault from None
                parts.append(hole.text)
                if hole.relocation is not None:
                    relocations.append(hole.relocation)
            encodable.append(pending)
            statements.append(Encodable("".join(parts), _ENCODING_BASE + pending.address))
    with Encoder(read.isa) as encoder:
        words = encoder.encode(statements)
    for pending, word in zip(encodable, words, strict=True):
        if isinstance(word, EncodingError):
            with _FaultsAt(pending.source):
                unknown = _unknown(read, pending)
                if unknown is not None:
                    raise unknown
            raise AssemblyError(word.message, pending.source, word.hint)
        pending.fragment.data[pending.offset : pending.offset + 4] = word.to_bytes(4, "little")


def _unknown(read: ReadSource, pending: PendingInstruction) -> SyntaxFault | None:
    return unknown_mnemonic(read.isa, pending.parsed.mnemonic.text, pending.source.expanded, read.macros)


def _write_adrl(pending: PendingInstruction) -> None:
    head, *slots = pending.parsed.parts
    assert isinstance(head, str)
    name, _, register = head.rstrip(", ").partition(" ")
    if len(slots) != 1 or not isinstance(slots[0], Slot) or _GENERAL.fullmatch(register) is None:
        raise SyntaxFault("`adrl` takes a general register and an address", name)
    value = evaluate(slots[0].node)
    target = value.plus
    if value.minus is not None or target is None or target.fragment is None:
        raise SyntaxFault(f"`{slots[0].token}` must be defined in this section", slots[0].token)
    if target.fragment.section is not pending.fragment.section:
        raise SyntaxFault(f"`{slots[0].token}` must be defined in this section", slots[0].token)
    distance = target.address + value.number - pending.address - 8
    words = adrl_words(name.removeprefix("adrl"), int(register[1:]), distance, slots[0].token)
    data = b"".join(word.to_bytes(4, "little") for word in words)
    pending.fragment.data[pending.offset : pending.offset + 8] = data


def _fill(rules: FixupRules, pending: PendingInstruction, slot: Slot) -> Hole:
    value: Value = evaluate(slot.node)
    section = pending.fragment.section.name
    return rules.operand(pending.address, section, pending.parsed.mnemonic, slot, value, _ENCODING_BASE)


def _section(section: SectionBuilder, nop: bytes) -> Section:
    data = section.image(nop)
    return Section(
        section.name,
        b"" if section.is_bss else data,
        1 << section.alignment_power,
        section.executable,
        section.writable,
        len(data) if section.is_bss else 0,
    )


def _is_kept(name: Name, referred_to: Collection[str]) -> bool:
    if name.is_local_name:
        return name.is_defined and name.name in referred_to
    return name.is_defined or name.is_global


def _symbol(name: Name) -> ObjectSymbol:
    flags = {"is_global": name.is_global or name.is_weak, "is_function": name.is_function}
    if name.fragment is not None:
        return ObjectSymbol(name.name, name.fragment.section.name, name.address, **flags)
    if name.equated is not None:
        with _FaultsAt(name.set_at):
            value = evaluate(name.equated)
        if value.is_absolute:
            return ObjectSymbol(name.name, "*ABS*", value.number, **flags)
        place = value.plus
        if value.minus is None and place is not None and place.fragment is not None:
            return ObjectSymbol(name.name, place.fragment.section.name, place.address + value.number, **flags)
    return ObjectSymbol(name.name, None, 0, **flags)


def _code_runs(section: SectionBuilder, ranges: Sequence[EmittedRange]) -> tuple[tuple[int, int], ...]:
    """Return the runs of instructions, with NOPs of alignment."""
    pieces = [(r.fragment.address + r.offset, r.size) for r in ranges if r.is_code]
    if section.executable:
        for fragment in section.fragments():
            padding = fragment.padding
            if fragment.padding_bytes and padding is not None and padding.fill is None:
                odd = fragment.padding_bytes % 4
                pieces.append((fragment.end + odd, fragment.padding_bytes - odd))
    runs: list[tuple[int, int]] = []
    for start, size in sorted(pieces):
        if not size:
            continue
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], start + size)
        else:
            runs.append((start, start + size))
    return tuple(runs)

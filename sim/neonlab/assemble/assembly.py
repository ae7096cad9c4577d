"""The state that reading a source builds up, and the operations that statements perform on it."""

from __future__ import annotations

from neonlab.assemble.output.literal_loads import load_literal
from neonlab.assemble.output.literal_pool import A32Pool, A64Pool
from neonlab.assemble.output.object_writer import EmittedRange, PendingData, PendingInstruction
from neonlab.assemble.source import SourceLine
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.assemble.text.mnemonics import Place
from neonlab.assemble.text.registers import RegisterNames
from neonlab.assemble.values.expressions import ExpressionParser, Node, evaluate
from neonlab.assemble.values.operands import InstructionParser, ParsedInstruction
from neonlab.assemble.values.sections import Padding, SectionBuilder, Subsection
from neonlab.assemble.values.symbols import Symbol, SymbolTable
from neonlab.isa.model.isa import Isa

_A64_NOP = 0xD503201F
_A32_NOP = 0xE320F000
_A32_OLD_NOP = 0xE1A00000  # mov r0, r0, before ARMv6K had a hint


class Assembly:
    """Sections, symbols, register names, literal pools, and instructions and data that wait for their bytes."""

    def __init__(self, isa: Isa) -> None:
        self.isa = isa
        self.symbols = SymbolTable()
        self.registers = RegisterNames(isa)
        self.expressions = ExpressionParser(self.symbols, self.here)
        self.instructions_parser = InstructionParser(isa, self.registers, self.expressions)
        self.sections: dict[str, SectionBuilder] = {}
        self.previous: Subsection | None = None
        self.stack: list[tuple[Subsection, Subsection | None]] = []
        self.instructions: list[PendingInstruction] = []
        self.data: list[PendingData] = []
        self.ranges: list[EmittedRange] = []
        self.warnings: list[str] = []
        self.source = SourceLine("", 0, 1, "")
        self.has_hint_nop = True
        self._pools: dict[Subsection, A32Pool | A64Pool] = {}
        for name, executable, writable, is_bss in (
            (".text", True, False, False),
            (".data", False, True, False),
            (".bss", False, True, True),
        ):
            self.section(name, executable=executable, writable=writable, is_bss=is_bss)
        self.current = self.sections[".text"].subsection(0)

    @property
    def nop(self) -> int:
        """The word that fills alignment in code."""
        if self.isa is Isa.A64:
            return _A64_NOP
        return _A32_NOP if self.has_hint_nop else _A32_OLD_NOP

    def section(self, name: str, *, executable: bool, writable: bool, is_bss: bool) -> SectionBuilder:
        """Return the section of that name, which is created if it is new."""
        if name not in self.sections:
            self.sections[name] = SectionBuilder(name, executable=executable, writable=writable, is_bss=is_bss)
        return self.sections[name]

    def switch(self, subsection: Subsection) -> None:
        """Make `subsection` the one that bytes go to."""
        self.previous, self.current = self.current, subsection

    def here(self) -> Symbol:
        """Return a nameless symbol at the present location."""
        symbol = Symbol("")
        symbol.fragment = self.current.last
        symbol.offset = len(self.current.last.data)
        return symbol

    def warn(self, message: str) -> None:
        """Note what GNU as would warn about."""
        self.warnings.append(f"{self.source.where}: warning: {message}")

    def number(self, text: str) -> int:
        """Return the value of an expression.  Raises SyntaxFault where it is not a number yet."""
        return self.number_of(self.expressions.parse_all(text), text)

    def number_of(self, node: Node, text: str) -> int:
        """Return the value of a tree; `text` is for the error.  Raises SyntaxFault where it is not a number yet."""
        value = evaluate(node)
        if value.is_absolute:
            return value.number
        symbol = value.plus or value.minus
        assert symbol is not None
        if symbol.name and not symbol.is_defined:
            raise SyntaxFault(f"`{symbol.name}` has no value yet, and one is needed here", symbol.name)
        raise SyntaxFault(f"`{text}` is not a number", text)

    def label(self, name: str) -> None:
        """Define a label here."""
        if name.isascii() and name.isdecimal():
            self.symbols.define_local(name, self.current.last, len(self.current.last.data))
        else:
            self.symbols.define_label(name, self.current.last, len(self.current.last.data))

    def emit(self, data: bytes, *, is_code: bool = False) -> None:
        """Append bytes."""
        fragment = self.current.last
        if fragment.section.is_bss and any(data):
            raise SyntaxFault("a section without contents cannot hold values other than zero")
        fragment.section.reserve(len(data))
        self.ranges.append(EmittedRange(fragment, len(fragment.data), len(data), self.source, is_code))
        fragment.data += data

    def emit_number(self, node: Node, size: int) -> None:
        """Append a number of `size` bytes, now or after layout."""
        if isinstance(node, int):
            mask = (1 << 8 * size) - 1
            if not -(1 << 8 * size) < node <= mask:
                self.warn(f"{node:#x} is cut to {size} byte{'s' * (size > 1)}")
            self.emit((node & mask).to_bytes(size, "little"))
            return
        self.emit_relocated(node, size, "")

    def emit_relocated(self, node: Node, size: int, operator: str) -> None:
        """Append a number that waits for layout; `operator` is as in `symbol(got)`."""
        fragment = self.current.last
        self.data.append(PendingData(fragment, len(fragment.data), size, node, self.source, operator))
        if fragment.section.is_bss:
            raise SyntaxFault("a section without contents cannot hold an address")
        self.emit(bytes(size))

    def align(self, padding: Padding) -> None:
        """Pad to an alignment."""
        self.current.align(padding, self.source)

    def align_for_instruction(self) -> None:
        """Align to 4 bytes where A64 data comes before; A32 instructions stay where they come."""
        section = self.current.section
        section.alignment_power = max(section.alignment_power, 2)
        if self.isa is Isa.A64 and self.current.last.end % 4:
            self.align(Padding(2, b"\0"))

    def emit_instruction(self, parsed: ParsedInstruction) -> None:
        """Append an instruction; its word is encoded after layout."""
        if self.current.section.is_bss:
            raise SyntaxFault("a section without contents cannot hold instructions")
        self.align_for_instruction()
        if parsed.literal is not None:
            parsed = load_literal(self.isa, parsed, parsed.literal, self._pool())
        fragment = self.current.last
        self.instructions.append(PendingInstruction(fragment, len(fragment.data), parsed, self.source))
        self.emit(bytes(8 if parsed.mnemonic.place is Place.ADRL else 4), is_code=True)

    def emit_word(self, word: int) -> None:
        """Append an instruction given as its word."""
        self.align_for_instruction()
        self.emit(word.to_bytes(4, "little"), is_code=True)

    def _pool(self) -> A32Pool | A64Pool:
        pool = self._pools.get(self.current)
        if pool is None:
            pool = self._pools[self.current] = A32Pool() if self.isa is Isa.A32 else A64Pool()
        return pool

    def place_pool(self) -> None:
        """Write the waiting literals of this subsection here (`.ltorg`)."""
        pool = self._pools.get(self.current)
        for power, words in pool.groups() if pool is not None else ():
            self.align(Padding(power, b"\0"))
            for word in words:
                word.place.fragment, word.place.offset = self.current.last, len(self.current.last.data)
                node: Node = word.node
                self.emit_number(node & ((1 << 8 * word.size) - 1) if isinstance(node, int) else node, word.size)

    def finish(self) -> None:
        """End the source: write the remaining pools, and pad code sections as GNU as does."""
        for subsection in list(self._pools):
            self.current = subsection
            self.place_pool()
        if self.isa is Isa.A32:
            for section in self.sections.values():
                if section.executable:
                    last = section.subsections[max(section.subsections)]
                    last.align(Padding(min(2, section.alignment_power), b"\0"), self.source)

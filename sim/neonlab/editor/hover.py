"""Say what an editor shows at an instruction: what it does, what it reads and writes, and what it takes on cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonlab.editor.assembled import AssembledText, Emitted
from neonlab.errors import InputError
from neonlab.isa.equation import equation
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa, Register
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.form_table.figures import FormFigures, figures_of
from neonlab.measure.forms.form import form_of

_MOST = 12  # instructions shown of a macro


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say of an instruction: its disassembly, what it does, its registers, and its cost by core."""

    text: str
    does: str
    registers: str
    figures: tuple[FormFigures, ...]

    @property
    def markdown(self) -> str:
        """Return it as Markdown, which editors show."""
        parts = [f"```asm\n{self.text}\n```", self.does, self.registers]
        parts += [f"**{one.core}**: {cost_of(one)}  \n*{one.known}; {one.source}*" for one in self.figures]
        return "\n\n".join(part for part in parts if part)


def hover(text: AssembledText, now: str, line: int, cores: Sequence[ModelledCore]) -> str:
    """Return Markdown for line `line` (from 1) of the text as it is `now`; "" where it says nothing of code."""
    own, called = text.at(now, line)
    if own:
        return hover_of(own, cores)
    return expansion(called) if called else ""


def hover_of(emitted: Sequence[Emitted], cores: Sequence[ModelledCore]) -> str:
    """Return Markdown for what one line emits: the first instruction, and how the others differ."""
    shown = {one.instruction.text: one.instruction for one in emitted}
    first, *others = shown.values()
    told = tell(first, cores).markdown
    if others:
        more = "\n".join(one.text for one in others[:_MOST])
        left = f"\n… {len(others) - _MOST} more" if len(others) > _MOST else ""
        told += f"\n\nthis line also assembles to\n```asm\n{more}{left}\n```"
    return told


def expansion(emitted: Sequence[Emitted]) -> str:
    """Return Markdown for a line that calls a macro: its instructions."""
    count = len(emitted)
    lines = "\n".join(one.instruction.text for one in emitted[:_MOST])
    left = f"\n… {count - _MOST} more" if count > _MOST else ""
    return f"{count} instruction{'s' * (count != 1)}\n```asm\n{lines}{left}\n```"


def tell(instruction: Instruction, cores: Sequence[ModelledCore]) -> Told:
    """Return what there is to say of an instruction, with its cost on those of `cores` that execute its kind."""
    isa = instruction.isa
    parts = [
        f"{word} {names(isa, registers)}"
        for word, registers in (("reads", instruction.reads), ("writes", instruction.writes))
        if registers
    ]
    figures = []
    for core in cores:
        if isa in core.chip.instruction_sets:
            try:
                figures.append(figures_of(form_of(instruction), core, instruction))
            except InputError:  # no timing for its kind
                continue
    return Told(instruction.text, equation(instruction), "; ".join(parts), tuple(figures))


def names(isa: Isa, registers: Sequence[Register]) -> str:
    """Return the names of registers, separated by commas."""
    return ", ".join(one.name(isa) for one in registers)


def cost_of(figures: FormFigures) -> str:
    """Return the cost in words: latency, rate and ports."""
    if figures.refusal:
        return figures.refusal
    told = []
    if figures.latency is not None:
        told.append(f"latency {figures.latency:g}")
        extra = [
            f"{cycles:g} to {what}"
            for what, cycles in (("an address", figures.to_address), ("an accumulator", figures.accumulator))
            if cycles is not None
        ]
        told[0] += f" ({', '.join(extra)})" if extra else ""
    return ", ".join([*told, f"{figures.rate:.3g} a cycle", f"ports {figures.ports}"])

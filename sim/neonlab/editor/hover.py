"""Say what an editor shows at an instruction: what it does, what it reads and writes, and what it takes on cores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neonlab.editor.assembled import AssembledText
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
    """Hold what there is to say of an instruction: its text, what it does, its registers, and its cost by core."""

    text: str
    does: str
    registers: str
    figures: tuple[FormFigures, ...]


@dataclass(frozen=True, slots=True)
class Hover:
    """Hold what to show at a line: an instruction, and under a title the code that the line also stands for."""

    told: Told | None
    title: str = ""
    code: tuple[str, ...] = ()

    @property
    def markdown(self) -> str:
        """Return it as Markdown, which editors show."""
        parts = []
        if self.told is not None:
            parts += [f"```asm\n{self.told.text}\n```", self.told.does, self.told.registers]
            parts += [f"**{one.core}**: {cost_of(one)}  \n*{one.known}; {one.source}*" for one in self.told.figures]
        if self.code:
            parts.append(self.title + "\n```asm\n" + "\n".join(self.code) + "\n```")
        return "\n\n".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        """Return the values for a page's script."""
        told = self.told
        costs = [(one.core, cost_of(one), f"{one.known}; {one.source}") for one in told.figures] if told else []
        return {
            "text": told.text if told else "",
            "does": told.does if told else "",
            "registers": told.registers if told else "",
            "costs": costs,
            "title": self.title,
            "code": list(self.code),
        }


def hover(text: AssembledText, now: str, line: int, cores: Sequence[ModelledCore]) -> Hover | None:
    """Return what to show at line `line` (from 1) of the text as it is `now`; None where it says nothing of code."""
    own, called = text.at(now, line)
    if own:
        first, *others = {one.instruction.text: one.instruction for one in own}.values()
        title = "this line also assembles to" if others else ""
        return Hover(tell(first, cores), title, _some([one.text for one in others]))
    if not called:
        return None
    count = len(called)
    return Hover(None, f"{count} instruction{'s' * (count != 1)}", _some([one.instruction.text for one in called]))


def _some(lines: Sequence[str]) -> tuple[str, ...]:
    left = len(lines) - _MOST
    return (*lines[:_MOST], f"… {left} more") if left > 0 else tuple(lines)


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

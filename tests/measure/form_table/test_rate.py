"""The rate of a form is that of an endless stream of it in the model of the pipeline."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.isa.model.instruction import BranchKind, Instruction
from neonlab.isa.model.isa import Isa
from neonlab.measure.cores.pipeline import Timing, Use, load_pipeline
from neonlab.measure.form_table.rate import busy_ports, rate_of
from neonlab.measure.forms.form import form_of
from neonlab.measure.pipeline.cost import steady_cycles
from neonlab.measure.silicon.encoded import encoded

EXAMPLES = Path(__file__).parents[2] / "isa" / "forms_a64.txt"
LENGTH = 12


def independent(text: str) -> list[Instruction]:
    """The instruction some times, each time with other registers, none of which waits for another."""

    def renamed(turn: int) -> str:
        if "{" in text:
            return text  # registers that follow each other
        return re.sub(r"\b([vqdshb])(\d+)\b", lambda found: f"{found[1]}{(int(found[2]) + turn * 4) % 16}", text)

    found = encoded(Isa.A64, [renamed(turn) for turn in range(LENGTH)])
    return [
        dataclasses.replace(one, reads=tuple(r for r in one.reads if one.accesses and r.file == "general"))
        for one in found
    ]


def examples() -> dict[str, str]:
    """One line for each form, without branches, and without accesses that wait for the address of the one before."""
    found: dict[str, str] = {}
    for line in EXAMPLES.read_text().splitlines():
        text = line.partition("//")[0].strip()
        if not text or text.startswith("#"):
            continue
        try:
            (instruction,) = encoded(Isa.A64, [text])
        except InputError:
            continue
        waits = instruction.writeback is not None or instruction.mnemonic.startswith(("cas", "swp", "ldadd"))
        if instruction.branch is BranchKind.NONE and not waits:
            found.setdefault(form_of(instruction), text)
    return found


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a9", "cortex-a73", "neoverse-v1"])
@pytest.mark.thorough("test_ports_are_spelled_as_they_are_used and the page of forms try the same on a few forms")
def test_the_rate_is_that_of_a_stream_in_the_model(core: str) -> None:
    pipeline = load_pipeline(core)
    for form, text in examples().items():
        stream = independent(text)
        modelled = LENGTH / steady_cycles(stream, pipeline)
        assert rate_of(form, pipeline.timing(stream[0]), pipeline) == pytest.approx(modelled, rel=0.05), form


@pytest.mark.parametrize(
    ("form", "rate"), [("smlal.8b", 1.0), ("add", 2.0), ("mul", 0.5), ("ldr.q", 0.5), ("add.8b", 2.0)]
)
def test_a_few_rates_of_cortex_a53_are_those_of_its_measurements(form: str, rate: float) -> None:
    pipeline = load_pipeline("cortex-a53")
    assert rate_of(form, pipeline.timings[form], pipeline) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("core", "uses", "spelled"),
    [
        ("cortex-a53", (Use(1 << 6, 1), Use(1 << 7, 1)), "N0 N1"),
        ("cortex-a53", (Use(3, 1),), "A0/A1"),
        ("cortex-a53", (Use(1 << 4, 2),), "L×2"),
        ("apple-m1", (Use(0b111111, 1, part=8),), "I0–5×1.5"),
        ("cortex-a53", (), "none"),
    ],
)
def test_ports_are_spelled_as_they_are_used(core: str, uses: tuple[Use, ...], spelled: str) -> None:
    assert busy_ports(Timing(1, uses, 1, 1), load_pipeline(core)) == spelled

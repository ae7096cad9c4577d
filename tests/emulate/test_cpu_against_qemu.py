"""The emulated CPU itself: every integer NEON form on the lab's CPU, by our lane arithmetic, and under qemu-user.

Three answers, all equal.  qemu-user is a separate and newer build (Debian's) than the one inside Unicorn; the lane
arithmetic is written from the architecture's text.  Set NEONLAB_CPU_STATES to try more states of each form than usual.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.emulate.lane_programs import GENERALS, SATURATED, STATE_BYTES, STATUS, Bytes, LanePrograms
from tests.isa.lane_forms import forms, shape_of
from tests.kernel_sources import FILES

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.linking import link
from neonlab.emulate.machine import Machine
from neonlab.isa.a64.lanes import lane_operation_a64
from neonlab.isa.from_path import isa_of_path
from neonlab.isa.lanes import clamps, execute, lane_operation
from neonlab.isa.model.isa import Isa
from neonlab.isa.model.lane_operation import file_bytes, general_start

STATES = int(os.environ.get("NEONLAB_CPU_STATES", "192"))
SEED = 20
_VECTORS = {Isa.A64: 128, Isa.A32: 64}

# (instruction set, form): which of "lab" and "qemu" departs from the architecture's text, and how.
DISAGREEMENTS: dict[tuple[Isa, str], tuple[str, str]] = {}


def random_states(count: int, seed: int) -> Bytes:
    """States whose lanes are, a quarter each: any bits; extremes of 8, 16, 32 or 64 bits; small numbers; a mixture."""
    rng = np.random.default_rng(seed)
    states = rng.integers(0, 256, (count, STATE_BYTES), np.uint8)
    for row in range(count):
        kind, width = row % 4, 1 << row // 4 % 4
        unsigned = np.dtype(f"<u{width}")
        lanes = states[row, :STATUS].view(unsigned)
        top = 1 << 8 * width - 1
        extremes = np.array([0, 1, top - 1, top, top + 1, 2 * top - 1], unsigned)
        if kind == 1:
            lanes[:] = rng.choice(extremes, lanes.size)
        elif kind == 2:
            lanes[:] = rng.integers(-20, 21, lanes.size).astype(np.int64).astype(unsigned)
        elif kind == 3:
            some = rng.integers(0, 2, lanes.size).astype(bool)
            lanes[some] = rng.choice(extremes, int(some.sum()))
    states[:, STATUS:] = 0
    return states


def all_byte_pairs() -> Bytes:
    """Every pair of bytes meets in registers 1 and 2, in the low eight bytes; the others repeat it reversed."""
    states = np.tile(random_states(256, SEED + 1), (32, 1))
    pairs = np.arange(1 << 16, dtype=np.int64).reshape(-1, 8)
    for register, values in ((1, pairs >> 8), (2, pairs & 255)):
        states[:, 16 * register : 16 * register + 8] = values
        states[:, 16 * register + 8 : 16 * register + 16] = values[:, ::-1]
    return states


def byte_states(isa: Isa, form: str) -> Bytes:
    """`all_byte_pairs` where the form looks for them: in q registers as in v, in d1 and d2, or in v0 and v1."""
    states = all_byte_pairs()
    if isa is Isa.A32 and " d1, d2" in form:
        states[:, 8:16], states[:, 16:24] = states[:, 16:24].copy(), states[:, 32:40].copy()
    elif isa is Isa.A32 and "d1" in form:
        states[:, 8:16] = states[:, 16:24].copy()
    elif form.startswith(("suqadd", "usqadd")):
        states[:, :16] = states[:, 32:48].copy()
    return states


def is_of_bytes(form: str) -> bool:
    """Whether the form combines vectors of bytes lane by lane, so that 65536 pairs are all that there is."""
    name, _, operands = form.partition(" ")
    if "[" in operands or "{" in operands or name.startswith(("ext", "vext", "zip", "uzp", "trn", "vp", "dup", "vdup")):
        return False
    if "mmla" in name or "movi" in name or "vmov" in name:
        return False
    if "." in name:  # A32: the type is in the name
        return name.endswith("8") and "r2" not in operands
    parts = [part for part in operands.split(", ")[1:] if not part.startswith("#")]
    return bool(parts) and all(part.endswith(("8b", "16b")) for part in parts)


def as_register_file(isa: Isa, states: Bytes) -> Bytes:
    """A state of the programs as the lane arithmetic's rows."""
    files = np.zeros((len(states), file_bytes(isa)), np.uint8)
    files[:, : _VECTORS[isa]] = states[:, : _VECTORS[isa]]
    generals = states[:, GENERALS:STATUS].reshape(-1, 4, 8).copy()
    if isa is Isa.A32:
        generals[:, :, 4:] = 0
        generals[:, 2:] = 0  # only r2 and r3 take part
    start = general_start(isa, 2)
    files[:, start : start + 32] = generals.reshape(-1, 32)
    return files


def by_lane_arithmetic(programs: LanePrograms, number: int, states: Bytes) -> tuple[Bytes, np.ndarray]:
    """(registers that form `number` leaves, whether it saturated) by the pure functions."""
    operation = lane_operation(programs.instructions[number])
    assert operation is not None, programs.instructions[number].text
    before = as_register_file(programs.isa, states)
    return execute(operation, before), np.asarray(clamps(operation, before).any(axis=-1))


def comparable(isa: Isa, states: Bytes) -> tuple[Bytes, np.ndarray]:
    """(register file, QC) of states that a CPU left."""
    status = np.ascontiguousarray(states[:, STATUS : STATUS + 4]).view("<u4")[:, 0]
    return as_register_file(isa, states), (status & SATURATED) != 0


@pytest.fixture(scope="module", params=list(Isa), ids=lambda isa: isa.value)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LanePrograms:
    return LanePrograms(request.param, Path(tmp_path_factory.mktemp("lanes")))


def runs_of(isa: Isa) -> list[tuple[int, Bytes]]:
    usual = random_states(STATES, SEED)
    found = []
    for number, form in enumerate(forms(isa)):
        found.append((number, usual))
        if is_of_bytes(form):
            found.append((number, byte_states(isa, form)))
    return found


def differences(programs: LanePrograms) -> Iterator[tuple[str, str]]:
    """(form, which answers differ) over all forms and states."""
    isa = programs.isa
    runs = runs_of(isa)
    with Machine(programs.program, meter=False) as machine:
        lab = [programs.on_the_lab(machine, number, states) for number, states in runs]
    batch = 64
    for first in range(0, len(runs), batch):
        some = runs[first : first + batch]
        for (number, states), on_lab, on_qemu in zip(some, lab[first:], programs.under_qemu(some), strict=False):
            pure, saturated = by_lane_arithmetic(programs, number, states)
            answers = {"lab": comparable(isa, on_lab), "qemu": comparable(isa, on_qemu)}
            for name, (registers, qc) in answers.items():
                wrong = (registers != pure).any(axis=-1) | (qc != saturated)
                if wrong.any():
                    row = int(np.argmax(wrong))
                    what = "registers" if (registers[row] != pure[row]).any() else "QC"
                    yield forms(isa)[number], f"{name} differs in {what}, state {row}"


@pytest.mark.slow
def test_three_answers_agree_on_every_form_but_for_what_is_recorded(programs: LanePrograms) -> None:
    print(f"seed {SEED}, {STATES} states a form")
    found: dict[str, str] = {}
    for form, text in differences(programs):
        found.setdefault(form, text)
    unrecorded = {form: text for form, text in found.items() if (programs.isa, shape_of(form)) not in DISAGREEMENTS}
    assert not unrecorded, "\n".join(f"{form}: {text}" for form, text in unrecorded.items())
    expected = {shape for isa, shape in DISAGREEMENTS if isa is programs.isa}
    assert expected <= {shape_of(form) for form in found}, "a recorded disagreement is gone"


def test_the_comparison_notices_an_arithmetic_that_is_wrong_in_one_corner() -> None:
    operation = lane_operation_a64("sqrdmulh", "v0.8h, v1.8h, v2.8h")
    assert operation is not None
    files = as_register_file(Isa.A64, random_states(STATES, SEED))
    unrounded = replace(operation, rounds=False)
    unsaturated = replace(operation, saturates=False)
    for wrong in (unrounded, unsaturated):
        assert (execute(wrong, files) != execute(operation, files)).any()


@pytest.mark.slow
@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_every_vector_form_of_the_library_is_among_the_forms_tried(isa: Isa) -> None:
    known = {shape_of(form) for form in forms(isa)}
    used: set[str] = set()
    for path in FILES:
        if isa_of_path(path) is not isa:
            continue
        for instruction in link(assemble_file(path)).instructions:
            if lane_operation(instruction) is not None:
                used.add(shape_of(instruction.text))
    assert used
    assert used <= known, sorted(used - known)

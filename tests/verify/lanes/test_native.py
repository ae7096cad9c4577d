"""The compiled check against the pure lane arithmetic, for every form that can wrap, under every way to read it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.emulate.lane_programs import LanePrograms
from tests.emulate.test_cpu_against_qemu import as_register_file, random_states
from tests.isa.lane_forms import forms
from tests.verify.lane_kernels import contract_of

from neonlab.emulate.machine import Machine
from neonlab.isa.lanes import LaneOperation, lane_operation
from neonlab.isa.model.isa import Isa
from neonlab.verify.lanes.views import Checked, View, can_wrap
from neonlab.verify.lanes.wording import lost_lanes
from neonlab.verify.lanes.wrap import LaneWrapProbe

SEED = 31
STATES = 96


@pytest.fixture(scope="module", params=list(Isa), ids=lambda isa: isa.value)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LanePrograms:
    return LanePrograms(request.param, Path(tmp_path_factory.mktemp("lanes")))


def signs(operation: LaneOperation, signed: bool) -> tuple[bool, ...]:
    return tuple(signed if lanes.signed is None else lanes.signed for lanes in operation.sources)


def views_of(operation: LaneOperation, kind: str) -> tuple[View, ...]:
    signed, unsigned = View(signs(operation, True), True, False), View(signs(operation, False), False, True)
    either = View(signs(operation, True), True, True)
    return {"signed": (signed,), "unsigned": (unsigned,), "either": (either,), "both": (signed, unsigned)}[kind]


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("kind", ["signed", "unsigned", "either", "both"])
def test_the_compiled_check_finds_the_lanes_that_the_arithmetic_finds(programs: LanePrograms, kind: str) -> None:
    print(f"seed {SEED}")
    isa = programs.isa
    states = random_states(STATES, SEED)
    files = as_register_file(isa, states)
    checked = {}
    for number, instruction in enumerate(programs.instructions):
        operation = lane_operation(instruction)
        if operation is not None and can_wrap(operation):
            checked[number] = Checked(instruction, operation, views_of(operation, kind))
    assert len(checked) > 150
    probe = LaneWrapProbe(programs.program, contract_of(isa), checked=list(checked.values()))
    wrong = []
    with Machine(programs.program, probes=(probe,), meter=False) as machine:
        for number, item in checked.items():
            programs.on_the_lab(machine, number, states)
            expected = lost_lanes(item, files)
            rows = np.flatnonzero(expected.any(axis=1))
            mask = int((expected[rows[0]] << np.arange(expected.shape[1])).sum()) if rows.size else 0
            if probe.hits(item) != (rows.size, mask):
                wrong.append(f"{forms(isa)[number]}: {probe.hits(item)}, not {(rows.size, mask)}")
    assert not wrong, "\n".join(wrong)

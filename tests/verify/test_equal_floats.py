"""A float result is right if it equals the expected number, whatever its bits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.verify.small_kernels import kernel

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.model.isa import Isa
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, Expected
from neonlab.verify.check_case import find_mismatch, is_right, run_case

_COPIES = {Isa.A64: "ldr s0, [x0]\nstr s0, [x1]\nret", Isa.A32: "ldr r2, [r0]\nstr r2, [r1]\nbx lr"}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
@pytest.mark.parametrize(
    ("got", "expected", "equals"),
    [(0.0, 0.0, True), (-0.0, 0.0, True), (0.0, -0.0, True), (1.0, np.nextafter(np.float32(1), np.float32(2)), False),
     (np.nan, np.nan, False), (np.nan, 0.0, False)],
)  # fmt: skip
def test_zeros_equal_each_other_and_nan_equals_nothing(isa: Isa, got: float, expected: float, equals: bool) -> None:
    arguments = {"x": 'read = "4"', "out": 'write = "4"'}
    program, contract, _ = kernel(isa, "void k(const float *x, float *out)", arguments, _COPIES[isa])
    one, other = (np.array([value], np.float32) for value in (got, expected))
    case = Case(Shape((), ()), "random", 1, {}, {"x": one}, {"out": Expected(other, ("element",))})
    with Machine(program) as machine:
        run = run_case(machine, contract, case)
    assert isinstance(run, Run)
    assert is_right(contract, case, run) is equals
    assert (find_mismatch(program, contract, case, run) is None) is equals

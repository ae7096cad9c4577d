"""What is written as JSON is read back as it was; text that is no value of the lab is refused, and runs nothing."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from neonlab.emulate.run import Fault, FaultKind
from neonlab.lab.cache.plain import NotPlain, read, written
from neonlab.lab.run.judgement import Tried
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, CaseName, Depth, Expected
from neonlab.verify.coverage import Coverage
from neonlab.verify.verdict import Failure, RangeAnswer

SHAPE = Shape(("rows", "columns"), (3, 5))
FAULT = Fault(FaultKind.OUT_OF_BOUNDS_READ, "reads \udce4 × 2", 0x1000, clause="a: read = n")


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, -(1 << 70), 0.1, math.inf, "text \udcff \n", (1, (2,), ()), [1, (2, 3)], {1: ("a", 2), "b": [3]},
        frozenset({3, 1, 2}), b"\0\xff", SHAPE, CaseName(SHAPE, "random", 4, Depth.LARGE), FAULT,
        Failure(CaseName(SHAPE, "worst", 1), FAULT), RangeAnswer("safe", SHAPE, "", 2),
        Tried([None, Failure(None, FAULT)], Coverage(frozenset({4, 8}), {12: ("a.S", 3)}), None, (1, 2)),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_value_is_read_back_as_it_was(value: Any) -> None:
    text = written(value)
    found = read(text)
    assert found == value and type(found) is type(value) and written(found) == text
    assert text.isascii()


def test_arrays_keep_their_types_shapes_and_bits() -> None:
    inputs: dict[str, np.ndarray] = {
        "a": np.arange(6, dtype=np.int8).reshape(2, 3),
        "f": np.array([np.nan, -0.0], np.float32),
    }
    case = Case(SHAPE, "witness", 1, {"n": 3}, inputs, {"c": Expected(np.zeros((0, 4), np.int32), ("row", "element"))})
    found = read(written(case))
    for name, array in inputs.items():
        assert found.inputs[name].dtype == array.dtype and found.inputs[name].tobytes() == array.tobytes()
        assert found.inputs[name].shape == array.shape and found.inputs[name].flags.writeable
    assert found.expected["c"].array.shape == (0, 4) and found.integers == {"n": 3}


@pytest.mark.parametrize(
    "text",
    [
        "", "{", '{"of":["subprocess:Popen",{"args":"true"}]}', '{"of":["measure.shape:Shape",{"names":{"()":[]}}]}',
        '{"enum":["verify.cases.case:Depth","deep"]}',
        '{"array":["|O",[1],"AAAAAAAAAAA="]}', '{"array":["|i1",[9],"AA=="]}', '{"a":1,"b":2}', '{"eval":"1"}', "{}",
        '{"of":["lab.parallel.pool:Workers",{}]}', '{"enum":["emulate.run:Fault",1]}',
        '{"of":["verify.cases.case:np",{}]}', '{"of":["verify.nowhere:A",{}]}', '{"of":["verify.verdict:Shape",{}]}',
        '{"of":["verify.checker:Checker",{}]}', '{"of":["measure/../lab.parallel.forked_from:a",{}]}',
    ],
)  # fmt: skip
def test_text_that_is_no_value_of_the_lab_is_refused(text: str) -> None:
    with pytest.raises(NotPlain):
        read(text)


@pytest.mark.parametrize("value", [object(), lambda: 1, Shape, np.array([object()]), [{1: print}]])
def test_a_value_with_code_or_without_a_form_is_not_written(value: Any) -> None:
    with pytest.raises(NotPlain):
        written(value)


def test_a_field_more_or_less_is_refused() -> None:
    plain = json.loads(written(FAULT))
    assert set(plain["of"][1]) == {field.name for field in fields(FAULT)}
    plain["of"][1]["more"] = 1
    with pytest.raises(NotPlain):
        read(json.dumps(plain))

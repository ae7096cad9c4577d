"""Functions of a table under the conditions of their rows, against profiles under the same conditions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonlab
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.silicon.table import read_functions
from neonlab.lab.silicon.truth import FunctionFigure, measure_functions
from neonlab.measure.options import MemoryOptions

#: Loads of 16 bytes at distances that are in memory, and a call of a function in another file.
GATHER = """\
    .text
    .globl gather
    .globl helper
gather:
    stp     x29, x30, [sp, #-16]!
again:
    ldr     w4, [x1], #4
    add     x5, x0, w4, uxtw
    ldr     q0, [x5]
    ldr     q2, [x5]
    ldr     q3, [x5]
    ldr     q4, [x5]
    subs    x2, x2, #1
    b.ne    again
    bl      helper
    ldp     x29, x30, [sp], #16
    ret
"""
HELPER = """\
    .text
    .globl helper
helper:
    adrp    x3, table
    ldr     q1, [x3, :lo12:table]
    ret
    .section .rodata
    .balign 16
table:
    .quad   1, 2
"""
ARGS = """
[function.args]
a = { read = "4*n+16"%s }
p = { read = "4*n", dtype = "uint32", range = [0, 1024]%s }
n = { range = [1, 1024] }
"""
ROW = """
[[function]]
name = "%s"
files = ["gather.S", "helper.S"]
isa = "armv8"
prototype = "void gather(const uint8_t *a, const uint32_t *p, size_t n)"
symbol = "gather"
shapes = %s
per = "n"
source = "counted"
measured = { cortex-a53 = 1 }
%s
"""


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(1) as found:
        yield found


def row(name: str, said: str = "", a: str = "", p: str = "", shapes: str = '["64"]') -> str:
    return ROW % (name, shapes, said) + ARGS % (a, p)


def test_units_of_what_is_no_argument_are_refused_by_name(tmp_path: Path, workers: Workers) -> None:
    (tmp_path / "gather.S").write_text(GATHER, encoding="utf-8")
    (tmp_path / "helper.S").write_text(HELPER, encoding="utf-8")
    (tmp_path / "table.toml").write_text(row("units").replace('per = "n"', 'per = "n*rows"'), encoding="utf-8")
    (figure,) = measure_functions(workers, read_functions(tmp_path / "table.toml"), tmp_path)
    assert figure.reason == "`per = n*rows`: `rows` is no integer argument; the function has: n"


def test_conditions_of_a_row_are_those_of_a_profile(tmp_path: Path, workers: Workers) -> None:
    (tmp_path / "gather.S").write_text(GATHER, encoding="utf-8")
    (tmp_path / "helper.S").write_text(HELPER, encoding="utf-8")
    np.save(tmp_path / "even.npy", np.arange(0, 256, 4, dtype=np.uint32))
    ramp = ", data = { start = 0, step = 4 }"
    rows = {
        "plain": row("plain", p=ramp),
        "file": row("file", p=', data = "even.npy"'),
        "offset": row("offset", a=", offset = 3", p=ramp),
        "calls": row("calls", "calls = 4", p=ramp),
        "cold caches": row("cold caches", "warm = false", p=ramp),
        "cold weights": row("cold weights", a=", cold = true", p=ramp),
        "grown": row("grown", p=ramp, shapes='["64", { shape = "128", args = { a = { offset = 3 } } }]'),
    }
    (tmp_path / "table.toml").write_text("".join(rows.values()), encoding="utf-8")
    figures = measure_functions(workers, read_functions(tmp_path / "table.toml"), tmp_path)
    assert all(one.reason == "" for one in figures), figures
    found = {one.name: one.modelled or 0.0 for one in figures}
    assert found["plain"] == found["file"] < found["offset"]
    assert found["plain"] < found["cold weights"] < found["cold caches"]
    assert {one.file for one in figures} == {"gather.S + helper.S"}

    def of(n: int, *, warm: bool = True, calls: int = 0, **contract: object) -> float:
        single = tmp_path / "single.S"
        single.write_text(GATHER.replace("    .globl helper\n", "") + HELPER, encoding="utf-8")
        settings = {
            "a.read": "4*n+16", "p.read": "4*n", "p.dtype": "uint32", "p.range": [0, 1024], "p.data.start": 0,
            "p.data.step": 4, "n.range": [1, 1024], **contract,
        }  # fmt: skip
        one = neonlab.load(
            single, isa="armv8", symbol="gather", contract=settings,
            prototype="void gather(const uint8_t *a, const uint32_t *p, size_t n)",
        )  # fmt: skip
        assert one.kernel is not None
        memory = MemoryOptions("cortex-a53", warm, calls=calls)
        profile = neonlab.profile(one.kernel, str(n), memory=memory)
        assert isinstance(profile, neonlab.Profile) and profile.cycles is not None
        return profile.cycles.per_call

    offset: dict[str, Any] = {"a.offset": 3}
    assert found["plain"] == of(64) / 64
    assert found["offset"] == of(64, **offset) / 64
    assert found["calls"] == of(64, warm=False, calls=4) / 64
    assert found["grown"] == (of(128, **offset) - of(64)) / 64


@pytest.mark.parametrize(
    ("said", "files", "words"),
    [
        ("", '["gather.S"]', "helper"),
        ("", '["gather.S", "absent.S"]', "absent.S"),
        ("", '["gather.S", "table.toml"]', "is not assembly (.S), C (.c, .cc, .cpp), or an ELF object"),
        (', data = "absent.bin"', '["gather.S", "helper.S"]', "absent.bin: no such file"),
        (", offset = 4096", '["gather.S", "helper.S"]', "offset of `a` is a number of bytes"),
    ],
)
def test_a_row_that_cannot_run_says_why(tmp_path: Path, workers: Workers, said: str, files: str, words: str) -> None:
    (tmp_path / "gather.S").write_text(GATHER, encoding="utf-8")
    (tmp_path / "helper.S").write_text(HELPER, encoding="utf-8")
    text = row("gather", a=said).replace('["gather.S", "helper.S"]', files)
    (tmp_path / "table.toml").write_text(text, encoding="utf-8")
    (one,) = measure_functions(workers, read_functions(tmp_path / "table.toml"), tmp_path)
    assert isinstance(one, FunctionFigure) and one.modelled is None
    assert words in one.reason, one.reason

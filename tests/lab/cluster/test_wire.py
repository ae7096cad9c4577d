"""A unit of work travels as text, and text of a stranger runs nothing but units of neonlab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.errors import InputError
from neonlab.lab.cache.plain import read, written
from neonlab.lab.cluster.wire import answer, each_alone, fingerprint, units_text, without
from neonlab.lab.parallel import checks, searches
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.parallel.unit import is_kept, is_unit, name_of, unit_named
from neonlab.lab.repository.library import read_members
from neonlab.lab.run.plan import plan_cases


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # a unit changes the folder of its process
    return new_repository(tmp_path / "repository")


def test_units_give_what_their_function_gives_together_and_alone(root: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    handle, cases = KernelHandle.of(kernel), plan_cases(kernel)[:3]
    tasks = [(handle, few, False, None) for few in (cases[:1], cases[1:])]
    text = units_text(checks._check_chunk, tasks, fingerprint(kernel))
    assert json.loads(text)
    results = read(answer(text))
    assert [value for value, _ in results] == [checks._check_chunk(handle, few) for few in (cases[:1], cases[1:])]
    assert all(seconds > 0 for _, seconds in results)
    assert each_alone(text) == [units_text(checks._check_chunk, [one], fingerprint(kernel)) for one in tasks]


def test_units_of_several_kernels_do_not_travel_together(root: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    handle = KernelHandle.of(kernel)
    with pytest.raises(ValueError, match="too many values"):
        units_text(checks._check_chunk, [(handle, []), (KernelHandle(Path("/x.S"), None), [])], "")


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "lab.parallel.pool:_told",
        "lab.parallel.checks:check_all",
        "lab.cluster.wire:answer",
        "",
        "a b:c",
        "lab.parallel.checks:_check_chunk.__call__",
        "..os:system",
        "lab.parallel.checks:KernelHandle",
    ],
)
def test_what_is_no_unit_does_not_run(name: str) -> None:
    with pytest.raises(LookupError):
        unit_named(name)
    with pytest.raises(InputError, match="no unit of work"):
        answer(written([name, "/", "/x.S", None, None, "", ["touch /tmp/never"]]))


@pytest.mark.parametrize("text", ["", "[]", '{"!": 1}', "[1, 2]", '["a", "b", "c", "d", "e", "f"]', "null"])
def test_what_is_no_text_of_a_unit_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no unit of work"):
        answer(text)


def test_a_kernel_that_is_not_the_caller_s_is_refused(root: Path) -> None:
    [kernel] = read_members(root / "asm" / f"{ADD}.S")
    text = units_text(checks._check_chunk, [(KernelHandle.of(kernel), [], False, None)], fingerprint(kernel))
    changed = kernel.path.read_text().replace("range = [1, 1048576]", "range = [1, 1048577]")
    assert changed != kernel.path.read_text()
    kernel.path.write_text(changed)
    with pytest.raises(InputError, match="its contract is another one"):
        answer(text)


def test_units_are_found_by_their_names_and_marks_say_which_are_kept() -> None:
    for function in (checks._check_chunk, checks._explain, searches._search):
        assert is_unit(function) and unit_named(name_of(function)) is function
    assert is_kept(checks._check_chunk) and not is_kept(searches._search) and not is_kept(checks.check_all)


def test_the_place_of_files_is_taken_out_of_text_and_of_json() -> None:
    assert without('["/tmp/pl\\u00e4ce/home/x.S"]', "/tmp/pläce") == '["/home/x.S"]'
    assert without("/tmp/pläce/home/x.S: bad", "/tmp/pläce") == "/home/x.S: bad" and without("a", "") == "a"

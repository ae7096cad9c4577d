"""A kernel that nothing was compared with is `unchecked`, which fails, unless its contract asks for it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.command_line import neonlab

import neonlab as lab

TEMPLATE = Path(lab.__file__).parent / "lab" / "start" / "template"
KERNEL = "armv8/add_s8_saturated"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a repository of one kernel, which its operator does not claim, for a slip in `claims`."""
    for folder in ("asm", "kernels"):
        shutil.copytree(TEMPLATE / folder, tmp_path / folder)
    shutil.rmtree(tmp_path / "asm" / "armv7")
    edit(tmp_path / "kernels" / "add.py", 'startswith("add_s8_")', 'startswith("adx_s8_")')
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def waive(root: Path) -> None:
    edit(root / "asm" / f"{KERNEL}.S", "[args]\n", 'reference = "none"\n[args]\n')


FEW = ("--shape", "5")


@pytest.mark.slow
def test_a_slip_in_claims_fails_and_says_where_it_is(root: Path) -> None:
    done = neonlab("check", *FEW, cwd=root)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "unchecked armv8/add_s8_saturated" in done.stdout and "1 unchecked (seed 1)" in done.stdout
    line = (root / "kernels" / "add.py").read_text().split("    def claims")[0].count("\n") + 1
    assert f"nearest to add, whose `claims` is at kernels/add.py:{line}" in done.stdout
    assert "exact" not in done.stdout and "passed" not in done.stdout
    (verdict,) = json.loads(neonlab("check", *FEW, "--json", cwd=root).stdout)["verdicts"]
    assert (verdict["status"], verdict["passed"], verdict["has_reference"]) == ("unchecked", False, False)
    assert "claims" in verdict["advice"]


@pytest.mark.slow
def test_a_contract_that_says_so_passes_and_is_told_apart_from_exact(root: Path) -> None:
    waive(root)
    done = neonlab("check", *FEW, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'ran without a fault, results not compared (reference = "none")' in done.stdout
    assert "all passed, 1 not compared" in done.stdout and "exact" not in done.stdout
    (verdict,) = json.loads(neonlab("check", *FEW, "--json", cwd=root).stdout)["verdicts"]
    assert (verdict["status"], verdict["passed"]) == ("ran", True) and "advice" not in verdict


def test_a_kernel_that_wants_no_reference_and_is_claimed_contradicts_itself(root: Path) -> None:
    waive(root)
    edit(root / "kernels" / "add.py", 'startswith("adx_s8_")', 'startswith("add_s8_")')
    done = neonlab("check", *FEW, cwd=root)
    assert done.returncode == 2 and 'reference = "none", but operator add claims the kernel' in done.stderr


@pytest.mark.slow
def test_a_file_alone_is_unchecked_too_and_may_say_so_on_the_command_line(root: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.S"
    path.write_text((root / "asm" / f"{KERNEL}.S").read_text().replace("add_s8_saturated", "mine"))
    shutil.rmtree(root / "kernels")
    alone = neonlab("check", str(path), "--shape", "5")
    assert alone.returncode == 1 and "unchecked" in alone.stdout and "--reference" in alone.stdout
    said = neonlab("check", str(path), "--shape", "5", "--set", "reference=none")
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.slow
def test_compare_and_mutate_do_not_take_it_for_right(root: Path) -> None:
    for words, left in (((), "add_s8_saturated unchecked"), (("--markdown",), "| unchecked |")):
        assert left in neonlab("compare", KERNEL, *FEW, *words, cwd=root).stdout
    mutants = neonlab("mutate", KERNEL, "--limit", "1", cwd=root)
    assert mutants.returncode == 2 and "claims" in mutants.stderr


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[args]", 'reference = "nothing"\n[args]', 'reference is "none" in a file with the code'),
        ("[args]", 'platform_register = "x18"\n[args]', 'platform_register is "free"'),
        ("[args]", 'accept = "oob-read"\n[args]', "accept is a table such as"),
        ("[args]", 'accept = { fault = "oob-raed", line = 3, why = "x" }\n[args]', "did you mean `oob-read`?"),
        ("[args]", 'accept = { fault = "oob-read", line = 3 }\n[args]', "`why` is missing"),
        ("[args]", 'accept = { fault = "oob-read", line = 3, why = " " }\n[args]', "`why` is missing"),
        ("[args]", 'accept = { fault = "oob-read", why = "x" }\n[args]', "by `line` or by `text`"),
        ("[args]", 'accept = { fault = "oob-read", line = 0, why = "x" }\n[args]', "number of a line"),
        ("[args]", 'accept = { fault = "mismatch", line = 3, why = "x" }\n[args]', "mismatch cannot be accepted"),
        ("[args]", 'accept = { fault = "oob-read", lien = 3, why = "x" }\n[args]', "did you mean `line`?"),
    ],
)
def test_a_mistake_in_what_is_allowed_is_told_with_its_line(old: str, new: str, said: str) -> None:
    path = TEMPLATE / "asm" / f"{KERNEL}.S"
    with pytest.raises(lab.InputError, match=":5: contract: ") as error:
        from neonlab.contract.header import parse_contract

        parse_contract(path.read_text().replace(old, new), str(path))
    assert said in str(error.value)

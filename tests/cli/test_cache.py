"""A check that is found again prints the same bytes; `neonlab cache` shows what is kept, and cleans it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ADD, SUM, edit, neonlab, new_repository

from neonlab.report.json.documents import schemas

CHECK = ("check", ADD, "--shape", "33", "--pattern", "random")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NEONLAB_CACHE", str(tmp_path / "kept"))
    monkeypatch.delenv("NEONLAB_QUIET", raising=False)
    return new_repository(tmp_path / "repository")


def kinds(root: Path) -> dict[str, int]:
    done = neonlab("cache", "--json", cwd=root)
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["cache"])
    return {one["kind"]: one["results"] for one in document["kinds"]}


@pytest.mark.slow
def test_a_second_check_says_the_same_from_the_cache_and_a_changed_kernel_is_checked_anew(root: Path) -> None:
    first, second, anew = (neonlab(*CHECK, *more, cwd=root) for more in ((), (), ("--no-cache",)))
    assert first.stdout == second.stdout == anew.stdout and first.returncode == second.returncode == 0
    assert "1 of 1 verdicts from the cache" in second.stderr
    assert "from the cache" not in first.stderr + anew.stderr
    edit(root, SUM, SUM.replace("sqadd", "sqsub"))
    wrong, again = neonlab(*CHECK, cwd=root), neonlab(*CHECK, cwd=root)
    assert wrong.returncode == again.returncode == 1 and wrong.stdout == again.stdout and "WRONG" in wrong.stdout
    assert "from the cache" not in wrong.stderr and "1 of 1 verdicts from the cache" in again.stderr
    edit(root, SUM.replace("sqadd", "sqsub"), SUM)
    assert kinds(root)["verdicts"] == 2
    cleaned = neonlab("cache", "--clean", cwd=root)
    assert cleaned.stdout.startswith("removed ") and kinds(root) == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--older-than", "3d"], "give --clean too"),
        (["--clean", "--older-than", "soon"], "such as 30d"),
        (["--clean", "--larger-than", "-1"], "such as 1G"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: list[str], said: str, root: Path) -> None:
    done = neonlab("cache", *options, cwd=root)
    assert done.returncode == 2 and said in done.stderr and not done.stdout


def test_without_a_folder_nothing_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONLAB_CACHE", "off")
    assert "nothing is kept" in neonlab("cache", cwd=root).stdout


@pytest.mark.thorough("checks are found again of every run")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("prove", ADD, "--shape", "17"), "1 of 1 proofs from the cache"),
        (("mutate", ADD, "--limit", "12"), "1 of 1 groups of mutants from the cache"),
        (("profile", ADD, "--shape", "17", "--core", "cortex-a53"), "1 of 1 profiles from the cache"),
    ],
)
def test_proofs_mutants_and_profiles_are_found_again_and_print_the_same(
    command: tuple[str, ...], said: str, root: Path
) -> None:
    first, second, anew = (neonlab(*command, "--json", *more, cwd=root) for more in ((), (), ("--no-cache",)))
    assert first.stdout and first.stdout == second.stdout == anew.stdout, first.stderr
    assert first.returncode == second.returncode == anew.returncode
    assert said in second.stderr and "from the cache" not in first.stderr + anew.stderr

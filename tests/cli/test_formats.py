"""`check --format` in the terminal, and the shell steps of the action, with a `gh` that notes what it is told."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.command_line import ADD, ROOT, edit, git, neonlab, new_repository

STEPS = ROOT / ".github" / "action"


@pytest.fixture
def wrong(tmp_path: Path) -> tuple[Path, int]:
    """A repository with a kernel that does not saturate, and the line of the mistake."""
    root = new_repository(tmp_path / "repository")
    return root, edit(root, "sqadd   v0.16b, v0.16b, v1.16b", "add     v0.16b, v0.16b, v1.16b")


@pytest.mark.slow
def test_each_format_names_the_file_and_the_line_of_a_failure(wrong: tuple[Path, int]) -> None:
    root, line = wrong
    short = neonlab("-q", "check", ADD, "--format", "short", cwd=root)
    assert short.returncode == 1
    assert re.match(rf"asm/{ADD}\.S:{line}: WRONG: lane-wrap: .* \[{ADD}\]$", short.stdout.splitlines()[0])
    github = neonlab("-q", "check", ADD, "--format", "github", cwd=root)
    assert github.returncode == 1 and f"::error file=asm/{ADD}.S,line={line},endLine={line}," in github.stdout
    sarif = neonlab("-q", "check", ADD, "--format", "sarif", cwd=root)
    (result, *_) = json.loads(sarif.stdout)["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line


@pytest.mark.slow
def test_json_is_what_it_was_under_either_name(wrong: tuple[Path, int]) -> None:
    root, _ = wrong
    one = neonlab("-q", "check", ADD, "--shape", "5", "--json", cwd=root)
    other = neonlab("-q", "check", ADD, "--shape", "5", "--format", "json", cwd=root)
    assert one.stdout == other.stdout and json.loads(one.stdout)["command"] == "check"


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("options", "words"),
    [(("--format", "xml"), "--format is one of text, short, github, sarif, json, not `xml`"),
     (("--format", "short", "--json"), "leave out one of them")],
)  # fmt: skip
def test_other_formats_are_refused(options: tuple[str, ...], words: str) -> None:
    done = neonlab("-q", "check", *options)
    assert done.returncode == 2 and words in done.stderr


def programs(folder: Path, comments: str = "") -> dict[str, str]:
    """An environment with this `neonlab`, and a `gh` that writes its arguments to calls, and prints `comments`."""
    folder.mkdir()
    for name, script in (
        ("neonlab", f"exec '{sys.executable}' -m neonlab \"$@\""),
        ("gh", f"printf '%s\\n' \"$*\" >>'{folder}/calls'\ncase \"$*\" in *--jq*) printf '%s' '{comments}';; esac"),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "sim"),
        "GITHUB_REPOSITORY": "some/body",
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "HOME": str(folder),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
    }


def step(name: str, root: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(STEPS / name)], cwd=root, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.slow
def test_the_step_that_checks_prints_annotations_and_fails(wrong: tuple[Path, int], tmp_path: Path) -> None:
    root, line = wrong
    environment = programs(tmp_path / "bin")
    done = step("check", root, {**environment, "NEONLAB_KERNELS": f"\n{ADD}\n\n", "NEONLAB_OPTIONS": "--shape 33"})
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(f"::add-matcher::{STEPS}/problem-matcher.json\n")
    assert f"::error file=asm/{ADD}.S,line={line}," in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("comments", "method"), [("", "POST"), ("4711\n", "PATCH")])
def test_the_step_that_compares_keeps_one_comment(
    wrong: tuple[Path, int], tmp_path: Path, comments: str, method: str
) -> None:
    root, _ = wrong
    environment = programs(tmp_path / "bin", comments)
    asked = {"NEONLAB_AGAINST": "HEAD", "NEONLAB_PULL_REQUEST": "12", "NEONLAB_KERNELS": ADD, "NEONLAB_CORES": ""}
    done = step("compare", root, {**environment, **asked})
    assert done.returncode == 1, done.stderr  # the kernel is wrong
    summary = (tmp_path / "bin" / "summary").read_text()
    assert summary.startswith("<!-- neonlab -->\n**neonlab: kernels against ") and ADD in summary
    calls = (tmp_path / "bin" / "calls").read_text().splitlines()
    assert len(calls) == 2 and calls[0].startswith("api --paginate repos/some/body/issues/12/comments --jq")
    place = "issues/12/comments" if method == "POST" else "issues/comments/4711"
    assert calls[1].startswith(f"api --silent --method {method} repos/some/body/{place} --field body=@")


@pytest.mark.slow
def test_the_step_that_compares_fetches_a_branch_that_is_not_there(tmp_path: Path) -> None:
    origin = new_repository(tmp_path / "origin")
    git(origin, "branch", "--move", "main")
    git(tmp_path, "clone", "--quiet", str(origin), "copy")
    copy = tmp_path / "copy"
    git(copy, "update-ref", "-d", "refs/remotes/origin/main")
    done = step("compare", copy, {**programs(tmp_path / "bin"), "NEONLAB_AGAINST": "origin/main", "NEONLAB_CORES": ""})
    assert done.returncode == 0, done.stderr
    assert "to the same code as then" in (tmp_path / "bin" / "summary").read_text()
    assert not (tmp_path / "bin" / "calls").exists()


def test_the_action_runs_steps_that_are_there_with_inputs_that_it_names() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    for one in steps:
        assert one["shell"] == "bash" and "${{" not in one["run"], "an input in a script could run anything"
        for path in re.findall(r"\$GITHUB_ACTION_PATH/([\w./-]+)", one["run"]):
            assert os.access(ROOT / path, os.X_OK), path
    used = re.findall(r"inputs\.(\w+)", (ROOT / "action.yml").read_text())
    assert set(used) == set(action["inputs"])

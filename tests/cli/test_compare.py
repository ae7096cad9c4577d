"""`neonlab compare`: variants, and the working tree against a revision, in git repositories of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import copy_library, git, neonlab

from neonlab.report.schemas import schemas

HWC = "armv8/conv1x1_s8s32_hwc_4x4"
CHW = "armv8/conv1x1_s8s32_chw_8x4"
SHAPE = "1x8x64x8"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    copy_library(tmp_path)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "as it was")
    return tmp_path


def edit(root: Path, title: str, old: str, new: str) -> None:
    path = root / "asm" / f"{title}.S"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def cells(markdown: str, kernel: str) -> list[list[str]]:
    return [[c.strip() for c in line.split("|")[1:-1]] for line in markdown.splitlines() if f"| {kernel} |" in line]


def test_variants_are_set_side_by_side_in_80_columns() -> None:
    shown = neonlab("compare", CHW, HWC, "--shape", SHAPE, "--core", "cortex-a53")
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert shown.stdout.count(HWC) == 3  # counts, cycles, hot loop
    document = json.loads(neonlab("compare", CHW, HWC, "--shape", SHAPE, "--core", "cortex-a53", "--json").stdout)
    jsonschema.validate(document, schemas()["compare"])
    base, other = (side["figures"] for side in document["groups"][0]["sides"])
    share = other["instructions"] / base["instructions"] - 1
    assert document["groups"][0]["sides"][1]["relative"]["instructions"] == pytest.approx(share, abs=1e-6)
    assert f"{other['instructions']:,}" in shown.stdout and f"{other['cycles']['cortex-a53']:,}" in shown.stdout


def test_against_a_revision_only_what_changed_is_shown_with_what_it_costs(repository: Path) -> None:
    before = (repository / ".git" / "index").read_bytes()
    same = neonlab("compare", "--against", "HEAD", cwd=repository)
    count = len(list(repository.glob("asm/*/*.S")))
    assert same.returncode == 0 and f"{count} kernels assemble to the same code as then." in same.stdout
    assert "| kernel |" not in same.stdout

    edit(repository, HWC, "12:  ", "12: nop\n")  # the head of the hot loop
    edit(repository, CHW, "\n    .arch", "\n    // a remark changes no code\n    .arch")
    shown = neonlab("compare", "--against", "HEAD", "--shape", SHAPE, "--core", "cortex-a53", cwd=repository)
    assert shown.returncode == 0, shown.stderr
    assert git(repository, "rev-parse", "--short", "HEAD").strip() in shown.stdout
    assert cells(shown.stdout, CHW) == []
    [row] = cells(shown.stdout, HWC)
    assert row[1:3] == [SHAPE, "yes"]
    found = re.fullmatch(r"([\d,]+) → ([\d,]+) \(\+[\d.]+ %\)", row[3])
    assert found is not None
    old, new = (int(text.replace(",", "")) for text in found.groups())
    profiled = json.loads(neonlab("profile", HWC, "--shape", SHAPE, "--json", cwd=repository).stdout)["profiles"][0]
    nops = [line["executions"] for line in profiled["counts"]["lines"] if line["text"] == "12: nop"]
    assert new - old == sum(nops) > 0 and new == profiled["counts"]["instructions"]
    assert row[4].endswith("(=)") and row[5].endswith("(=)")
    assert re.search(r"^\+ +\d+ +[\d.]+ +12: nop$", shown.stdout, re.MULTILINE)
    assert f"{count - 1} kernels assemble to the same code" in shown.stdout
    assert (repository / ".git" / "index").read_bytes() == before and git(repository, "worktree", "list").count(
        "\n"
    ) == 1


def test_new_removed_and_wrong_kernels_are_told(repository: Path) -> None:
    new = "conv1x1_s8s32_chw_8x5"
    text = (repository / "asm" / f"{CHW}.S").read_text()
    (repository / "asm" / "armv8" / f"{new}.S").write_text(text.replace("conv1x1_s8s32_chw_8x4", new))
    (repository / "asm" / "armv7" / "conv1x1_s8s32_hwc_2x4.S").unlink()
    edit(repository, HWC, "    smull   ", "    umull   ")
    shown = neonlab("compare", "--against", "HEAD", "--shape", SHAPE, cwd=repository)
    assert shown.returncode == 1
    assert f"New: armv8/{new}." in shown.stdout and "Removed: armv7/conv1x1_s8s32_hwc_2x4." in shown.stdout
    [row] = cells(shown.stdout, f"armv8/{new}")
    assert row[3].endswith("(new)")
    [row] = cells(shown.stdout, HWC)
    assert row[2] == "yes → **no** (mismatch)" and row[3].endswith("(=)")
    document = json.loads(neonlab("compare", "--against", "HEAD", "--shape", SHAPE, "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["compare"])
    assert document["added"] == [f"armv8/{new}"] and document["removed"] == ["armv7/conv1x1_s8s32_hwc_2x4"]


def test_a_change_in_an_included_file_is_a_change_of_the_kernel(repository: Path) -> None:
    (repository / "include").mkdir()
    edit(repository, HWC, "\n    .arch", '\n#include "../../include/extra.h"\n    .arch')
    edit(repository, HWC, "12:  ", "12: EXTRA\n")
    (repository / "include" / "extra.h").write_text("#define EXTRA nop\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "with an include")
    (repository / "include" / "extra.h").write_text("#define EXTRA nop ; nop\n")
    shown = neonlab("compare", "--against", "HEAD", "--shape", SHAPE, cwd=repository)
    assert shown.returncode == 0, shown.stderr
    [row] = cells(shown.stdout, HWC)
    assert " → " in row[3] and "(+" in row[3]
    further = neonlab("compare", HWC, "--against", "HEAD~1", "--shape", SHAPE, cwd=repository)
    [earlier] = cells(further.stdout, HWC)
    assert int(row[3].split()[0].replace(",", "")) > int(earlier[3].split()[0].replace(",", ""))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare",), "say which kernels"),
        (("compare", HWC, "--against", "no-such-revision"), "git knows no revision `no-such-revision`"),
        (("compare", HWC, "--against=--help"), "git knows no revision `--help`"),
        (("compare", HWC, CHW, "--warm"), "on which --core"),
        (("compare", HWC, "--core", "cortex-a99"), "there are apple-m1"),
    ],
)
def test_bad_usage_gets_one_clear_message(repository: Path, arguments: tuple[str, ...], words: str) -> None:
    shown = neonlab(*arguments, cwd=repository)
    assert shown.returncode == 2 and words in shown.stderr and not shown.stdout and "Traceback" not in shown.stderr


def test_a_folder_that_git_does_not_know_is_named(tmp_path: Path) -> None:
    copy_library(tmp_path)
    shown = neonlab("compare", HWC, "--against", "HEAD", "--shape", SHAPE, cwd=tmp_path)
    assert shown.returncode == 2 and "lies in no git repository" in shown.stderr

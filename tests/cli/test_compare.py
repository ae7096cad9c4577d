"""`neonlab compare`: variants, and the working tree against a revision, in git repositories of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ADD, HEAD, LAYER, ROOT, SUM, edit, git, neonlab, new_repository
from tests.tools import require, require_compiler

from neonlab.isa.model.isa import Isa
from neonlab.lab.start.repository import start_repository
from neonlab.report.json.documents import schemas

OTHER = "armv8/add_s8_other"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path, "add_s8_other")


def cells(markdown: str, kernel: str) -> list[list[str]]:
    return [[c.strip() for c in line.split("|")[1:-1]] for line in markdown.splitlines() if f"| {kernel} |" in line]


@pytest.mark.slow
def test_variants_are_set_side_by_side_in_80_columns(repository: Path) -> None:
    edit(repository, HEAD, f"    nop\n{HEAD}", OTHER)
    shown = neonlab("compare", ADD, OTHER, "--core", "cortex-a53", cwd=repository)
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert shown.stdout.count(OTHER) == 3  # counts, cycles, hot loop
    assert "MAC" not in shown.stdout  # it multiplies nothing: bytes are told as they are
    assert re.search(rf"^{OTHER} .* {2 * int(LAYER):,} +{int(LAYER):,} +\d+/32", shown.stdout, re.MULTILINE)
    assert re.search(r"^ *\+ +\d+ +[\d.]+ +nop$", shown.stdout, re.MULTILINE)
    document = json.loads(neonlab("compare", ADD, OTHER, "--core", "cortex-a53", "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["compare"])
    base, other = (side["figures"] for side in document["groups"][0]["sides"])
    assert other["instructions"] - base["instructions"] == int(LAYER) // 16
    share = other["instructions"] / base["instructions"] - 1
    assert document["groups"][0]["sides"][1]["relative"]["instructions"] == pytest.approx(share, abs=1e-6)
    assert f"{other['instructions']:,}" in shown.stdout and f"{other['cycles']['cortex-a53']:,}" in shown.stdout


@pytest.mark.slow
def test_against_a_revision_only_what_changed_is_shown_with_what_it_costs(repository: Path) -> None:
    index = (repository / ".git" / "index").read_bytes()
    same = neonlab("compare", "--against", "HEAD", cwd=repository)
    assert same.returncode == 0 and "3 kernels assemble to the same code as then." in same.stdout
    assert "| kernel |" not in same.stdout

    edit(repository, HEAD, f"    nop\n{HEAD}")
    edit(repository, HEAD, f"    // a remark changes no code\n{HEAD}", OTHER)
    shown = neonlab("compare", "--against", "HEAD", "--core", "cortex-a53", cwd=repository)
    assert shown.returncode == 0, shown.stderr
    assert git(repository, "rev-parse", "--short", "HEAD").strip() in shown.stdout
    assert cells(shown.stdout, OTHER) == []
    [row] = cells(shown.stdout, ADD)
    assert row[1:3] == [LAYER, "yes"]
    found = re.fullmatch(r"([\d,]+) → ([\d,]+) \(\+[\d.]+ %\)", row[3])
    assert found is not None
    old, new = (int(text.replace(",", "")) for text in found.groups())
    assert new - old == int(LAYER) // 16
    assert row[4:6] == [f"{2 * int(LAYER):,} (=)", f"{int(LAYER):,} (=)"]
    assert re.search(r"^\+ +\d+ +[\d.]+ +nop$", shown.stdout, re.MULTILINE)
    assert "2 kernels assemble to the same code as then." in shown.stdout
    assert (repository / ".git" / "index").read_bytes() == index
    assert git(repository, "worktree", "list").count("\n") == 1


@pytest.mark.slow
def test_a_kernel_that_has_moved_to_another_folder_is_compared_with_itself(repository: Path) -> None:
    path = repository / "asm" / f"{ADD}.S"
    (path.parent / "add").mkdir()
    path.rename(path.parent / "add" / path.name)
    same = neonlab("compare", "--against", "HEAD", cwd=repository)
    assert same.returncode == 0 and "3 kernels assemble to the same code as then." in same.stdout
    alone = neonlab("compare", ADD, "--against", "HEAD", cwd=repository)
    [row] = cells(alone.stdout, ADD)
    assert alone.returncode == 0 and row[2] == "yes" and all(figure.endswith("(=)") for figure in row[3:6])


@pytest.mark.thorough("a change of a kernel's own file is tried of every run")
def test_new_removed_and_wrong_kernels_are_told(repository: Path) -> None:
    text = (repository / "asm" / f"{ADD}.S").read_text()
    (repository / "asm" / "armv8" / "add_s8_new.S").write_text(text.replace("add_s8_saturated", "add_s8_new"))
    (repository / "asm" / f"{OTHER}.S").unlink()
    edit(repository, SUM, SUM.replace("sqadd", "sqsub"))
    shown = neonlab("compare", "--against", "HEAD", cwd=repository)
    assert shown.returncode == 1
    assert "New: armv8/add_s8_new." in shown.stdout and f"Removed: {OTHER}." in shown.stdout
    [row] = cells(shown.stdout, "armv8/add_s8_new")
    assert row[3].endswith("(new)")
    [row] = cells(shown.stdout, ADD)
    assert row[2] == "yes → **no** (mismatch)" and row[3].endswith("(=)")
    document = json.loads(neonlab("compare", "--against", "HEAD", "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["compare"])
    assert document["added"] == ["armv8/add_s8_new"] and document["removed"] == [OTHER]


@pytest.mark.thorough("a change of a kernel's own file is tried of every run")
def test_a_change_in_an_included_file_is_a_change_of_the_kernel(repository: Path) -> None:
    (repository / "include").mkdir()
    edit(repository, "\n    .arch", '\n#include "../../include/extra.h"\n    .arch')
    edit(repository, HEAD, f"    EXTRA\n{HEAD}")
    (repository / "include" / "extra.h").write_text("#define EXTRA nop\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "with an include")
    (repository / "include" / "extra.h").write_text("#define EXTRA nop ; nop\n")
    for revision, nops in (("HEAD", 1), ("HEAD~1", 2)):
        shown = neonlab("compare", ADD, "--against", revision, "--json", cwd=repository)
        assert shown.returncode == 0, shown.stderr
        before, after = (side["figures"] for side in json.loads(shown.stdout)["groups"][0]["sides"])
        assert after["instructions"] - before["instructions"] == nops * int(LAYER) // 16


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("compare",), "name the kernels"),
        (("compare", ADD, "--against", "no-such-revision"), "git knows no revision `no-such-revision`"),
        (("compare", ADD, "--against=--help"), "git knows no revision `--help`"),
        (("compare", ADD, OTHER, "--warm"), "name one with --core"),
        (("compare", ADD, OTHER, "--core", "cortex-a53", "--warm", "--calls", "4"), "give one of them"),
        (("compare", ADD, OTHER, "--core", "cortex-a53", "--cold-weights"), "no buffer is known to hold weights"),
        (("compare", ADD, "--core", "cortex-a99"), "there are apple-m1"),
    ],
)
@pytest.mark.sweep(keep=2)
def test_bad_usage_gets_one_clear_message(repository: Path, arguments: tuple[str, ...], words: str) -> None:
    shown = neonlab(*arguments, cwd=repository)
    assert shown.returncode == 2 and words in shown.stderr and not shown.stdout and "Traceback" not in shown.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--warm",), ("--cold-weights",), ("--calls", "4")])
def test_both_sides_find_what_a_profile_finds(words: tuple[str, ...]) -> None:
    call = ("--shape", "3x3x16x8", "--core", "cortex-a53", "--json", *words)
    names = ["armv8/conv1x1_s8s32_hwc_4x4", "armv8/conv1x1_s8s32_hwc_4x4_inorder"]
    compared = json.loads(neonlab("compare", *names, *call).stdout)["groups"][0]["sides"]
    for name, side in zip(names, compared, strict=True):
        profiled = json.loads(neonlab("profile", name, *call).stdout)["profiles"][0]
        assert side["figures"]["cycles"]["cortex-a53"] == profiled["cycles"]["events"]["CPU_CYCLES"]


@pytest.mark.slow
def test_where_there_are_no_kernels_of_ones_own_files_must_be_named(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    path = tmp_path / "mine.S"
    path.write_text(
        (ROOT / "sim/neonlab/lab/start/template/asm" / f"{ADD}.S").read_text().replace("add_s8_saturated", "mine")
    )
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "mine")
    shown = neonlab("compare", "--against", "HEAD", cwd=tmp_path)
    assert shown.returncode == 2 and not shown.stdout
    assert f"{tmp_path} is in no repository of kernels" in shown.stderr
    assert "neonlab compare FILE... --against HEAD" in shown.stderr
    path.write_text(path.read_text().replace(HEAD, f"    nop\n{HEAD}"))
    named = neonlab("compare", path.name, "--against", "HEAD", cwd=tmp_path)
    [row] = cells(named.stdout, "mine.S")
    assert named.returncode == 0 and "(+" in row[3]


@pytest.mark.slow
def test_a_folder_that_git_does_not_know_is_named(tmp_path: Path) -> None:
    start_repository(tmp_path)
    shown = neonlab("compare", ADD, "--against", "HEAD", cwd=tmp_path)
    assert shown.returncode == 2 and "lies in no git repository" in shown.stderr


@pytest.mark.slow
def test_a_changed_contract_is_a_change(repository: Path) -> None:
    edit(repository, "range = [1, 1048576]", "range = [1, 524288]")
    shown = neonlab("compare", "--against", "HEAD", cwd=repository)
    assert shown.returncode == 0, shown.stderr
    assert f"The contract of {ADD} has changed: `args.count.value_range`." in shown.stdout
    assert "2 kernels assemble to the same code as then." in shown.stdout
    [row] = cells(shown.stdout, ADD)
    assert row[1] == LAYER and row[3].endswith("(=)"), "the code is what it was"
    document = json.loads(neonlab("compare", "--against", "HEAD", "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["compare"])
    [change] = document["contracts"]
    assert change["kernel"] == ADD and ADD not in document["same"]


@pytest.mark.slow
def test_a_c_file_is_compared_with_a_kernel_at_several_flags_in_one_command() -> None:
    require("aarch64-linux-gnu-gcc")
    kernel, file = "armv8/conv1x1_s8s32_hwc_4x4", "docs/tutorial/conv1x1_s8s32_hwc_1x1.c"
    words = (kernel, f"{file}@gcc:-O1", f"{file}@:-O3 -funroll-loops")
    done = neonlab("-q", "compare", *words, "--shape", "2x2x32x8", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["compare"])
    [group] = document["groups"]
    assert [side["label"] for side in group["sides"]] == list(words)
    assert [side["exact"] for side in group["sides"]] == [True] * 3
    compilers = [side["compiler"] for side in group["sides"]]
    assert compilers[0] == ""
    assert [one.partition(" -")[2] for one in compilers[1:]] == ["O1", "O3 -funroll-loops"], "no -O2 before these"
    counts = [side["figures"]["instructions"] for side in group["sides"]]
    assert len(set(counts)) == 3 and counts[0] < counts[2]


@pytest.mark.slow
def test_rows_are_labelled_by_the_words_alone_where_an_option_is_for_all_files() -> None:
    require("aarch64-linux-gnu-gcc")
    words = ("docs/tutorial/conv1x1_s8s32_hwc_1x1.c@gcc:-O1", "docs/tutorial/conv1x1_s8s32_7_any.S")
    done = neonlab("-q", "compare", *words, "--isa", "armv8", "--shape", "2x2x32x8", "--json")
    assert done.returncode == 0, done.stderr
    [group] = json.loads(done.stdout)["groups"]
    assert [side["label"] for side in group["sides"]] == list(words)


@pytest.mark.slow(keep=1)
def test_rows_of_both_instruction_sets_say_which() -> None:
    require_compiler(Isa.A32)
    require_compiler(Isa.A64)
    found = neonlab("-q", "compare", "tests/c/dot_s8.c@:-O1", "--shape", "100", "--json")
    assert found.returncode == 0, found.stderr
    [group] = json.loads(found.stdout)["groups"]
    labels = [side["label"] for side in group["sides"]]
    assert labels == ["tests/c/dot_s8.c@:-O1 --isa armv7", "tests/c/dot_s8.c@:-O1 --isa armv8"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("x.S@clang:-O3",), "x.S is not compiled"),
        (("armv8/no@clang",), "armv8/no is not compiled"),
        (("x.c@",), "nothing follows @"),
        (("x.c@gcc:'-O2",), "No closing quotation"),
        (("x.c@gcc:-O2",), "no such file"),
        (("docs/tutorial/conv1x1_s8s32_hwc_1x1.c@no-such-compiler",), "no-such-compiler: no such program"),
    ],
)
def test_options_of_a_file_that_make_no_sense_are_refused(words: tuple[str, ...], said: str) -> None:
    done = neonlab("-q", "compare", *words, "--shape", "2x2x32x8")
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1

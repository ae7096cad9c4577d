"""The shards of a command, merged, print and write byte for byte what one machine does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import ADD, SUM, edit, neonlab, new_repository

CHECK = ("check", "--shape", "33", "--pattern", "random")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = new_repository(tmp_path_factory.mktemp("merge") / "repository")
    edit(root, SUM, SUM.replace("sqadd", "sqsub"))  # one kernel of two is wrong
    return root


def merged(root: Path, into: Path, command: tuple[str, ...], *own: str) -> None:
    """Run the command at once and in two shards, with what is only its own, and compare what is printed."""
    one = neonlab(*command, *own, cwd=root)
    for number in (1, 2):
        part = neonlab(*command, "--shard", f"{number}/2", "--shards", str(into), cwd=root)
        assert part.returncode == 0, part.stderr
        assert part.stdout.startswith(f"shard {number}/2 of `neonlab {command[0]}"), part.stdout
    both = neonlab("merge", str(into), *own, cwd=root)
    assert (both.stdout, both.returncode) == (one.stdout, one.returncode), both.stderr
    assert one.stdout and one.returncode in (0, 1), one.stderr


@pytest.mark.slow
@pytest.mark.parametrize("own", [(), ("--json",), ("--format", "short")])
def test_a_check_in_shards_says_what_a_whole_one_says(own: tuple[str, ...], root: Path, tmp_path: Path) -> None:
    merged(root, tmp_path / "parts", CHECK, *own)


@pytest.mark.thorough("shards of checks are merged in every run")
@pytest.mark.parametrize(
    "command",
    [
        ("check", ADD),
        ("prove", ADD, "--shape", "17", "--shape", "33", "--shape", "5"),
        ("mutate", ADD, "--limit", "90"),
        ("mutate", ADD, "--limit", "90", "--prove", "--shape", "17"),
    ],
    ids=" ".join,
)
def test_proofs_and_mutants_in_shards_are_those_of_one_machine(
    command: tuple[str, ...], root: Path, tmp_path: Path
) -> None:
    merged(root, tmp_path / "parts", command, "--json")


@pytest.mark.thorough("shards of checks are merged in every run")
def test_the_tables_and_pages_of_shards_are_those_of_one_machine(root: Path, tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "both"
    whole = neonlab("report", "--into", str(folders[0]), cwd=root)
    for number in (1, 2):
        neonlab("report", "--shard", f"{number}/2", "--shards", str(tmp_path / "parts"), cwd=root)
    both = neonlab("merge", str(tmp_path / "parts"), "--into", str(folders[1]), cwd=root)
    assert both.returncode == whole.returncode == 1 and both.stderr == ""
    files = [{p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in folders]
    assert files[0] == files[1] and len(files[0]) >= 4


@pytest.mark.slow
def test_a_kernel_that_is_not_what_the_shards_ran_on_is_named(root: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        neonlab(*CHECK, "--shard", f"{number}/2", "--shards", str(tmp_path), cwd=root)
    text = (root / "asm" / f"{ADD}.S").read_text()
    (root / "asm" / f"{ADD}.S").write_text(f"{text}\n")
    done = neonlab("merge", str(tmp_path), cwd=root)
    (root / "asm" / f"{ADD}.S").write_text(text)
    assert done.returncode == 2 and not done.stdout
    assert f"{ADD}: the shards have no result for it as it is here" in done.stderr


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "--shard", "9/8"), "such as 2/8"),
        (("mutate", "--shard", "x"), "such as 2/8"),
        (("check", "--shard", "1/2", "--fail-fast"), "leave it out"),
        (("report", "--shard", "1/2", "--few-pages"), "leave it out"),
        (("merge", "nowhere"), "nowhere: No such file"),
    ],
    ids=" ".join,
)
def test_shards_that_cannot_be_are_refused(words: tuple[str, ...], said: str, root: Path) -> None:
    done = neonlab(*words, cwd=root)
    assert done.returncode == 2 and said in done.stderr and not done.stdout

"""A new repository is committed where that can be done, and is there all the same where it cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.command_line import git

from neonlab.lab.start.repository import bring_along, commit_all, start_repository


@pytest.fixture
def new(tmp_path: Path) -> Path:
    start_repository(tmp_path / "new")
    bring_along(tmp_path / "new", "neonlab-1-py3-none-any.whl", b"wheel")
    return tmp_path / "new"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "nobody")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "nobody@localhost")


@pytest.mark.usefixtures("known")
def test_everything_is_in_the_first_commit(new: Path) -> None:
    assert commit_all(new) == "a git repository with one commit"
    assert git(new, "status", "--porcelain") == "" and git(new, "rev-list", "--count", "HEAD") == "1\n"
    files = {str(path.relative_to(new)) for path in new.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert set(git(new, "ls-files").split()) == files
    assert (new / "requirements.txt").read_text().splitlines()[0] == "./vendor/neonlab-1-py3-none-any.whl"
    assert (new / "vendor" / "neonlab-1-py3-none-any.whl").read_bytes() == b"wheel"


def test_a_folder_within_a_repository_is_left_to_that(new: Path) -> None:
    git(new.parent, "init", "--quiet")
    assert commit_all(new) == "not committed: the folder lies in a git repository already"
    assert not (new / ".git").exists()


def test_without_a_name_to_commit_under_it_says_so(new: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, "/dev/null")
    for number, (key, value) in enumerate({"user.useConfigOnly": "true"}.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    for name in ("EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    assert commit_all(new).startswith("not committed: git commit: ")
    staged = subprocess.run(["git", "-C", new, "ls-files"], capture_output=True, text=True, check=True)
    assert "README.md" in staged.stdout


def test_without_git_it_says_so(new: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_all(new) == "no git repository: git is not installed"
    assert not (new / ".git").exists()

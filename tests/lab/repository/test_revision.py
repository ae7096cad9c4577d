"""A repository at a revision, which nobody waits for any longer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository

from neonlab.errors import InputError
from neonlab.lab.repository.revision import tree_at


def test_files_are_those_of_the_commit(tmp_path: Path) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    committed = path.read_text()
    path.write_text("changed")
    with tree_at("HEAD", root) as tree:
        assert tree.then(path).read_text() == committed
    assert not tree.folder.exists()


def test_a_checkout_that_is_given_up_ends_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = new_repository(tmp_path / "repository")
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_text(
        f'#!/bin/sh\ncase "$*" in *checkout-index*) exec sleep 600;; esac\nexec {shutil.which("git")} "$@"\n'
    )
    git.chmod(0o755)
    monkeypatch.setenv("PATH", str(git.parent), prepend=":")
    looks = iter([False, True])
    with pytest.raises(InputError, match="cannot be read"), tree_at("HEAD", root, given_up=lambda: next(looks)):
        pass
    assert next(looks, None) is None, "asked again until it was given up"

"""Boards to test with: an exported bench is built for Linux and runs under qemu-user, or behind a false ssh or adb."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.tools import require, require_compiler

from neonlab.isa.model.isa import Isa
from neonlab.lab.board.compiling import find_board_compiler
from neonlab.lab.board.export import export_kernels
from neonlab.lab.repository.library import Kernel
from neonlab.measure.shape import Shape

QEMU = {Isa.A64: "qemu-aarch64", Isa.A32: "qemu-arm"}


def require_board_compiler(isa: Isa) -> str:
    """Return the command of a compiler of static programs, as `neonlab board run` finds it; skip without one."""
    return find_board_compiler(isa) or shlex.join(require_compiler(isa))


def build(folder: Path, isa: Isa) -> Path:
    """Build the bench in `folder`; a warning is an error.  Skip the test where nothing could run it."""
    require(QEMU[isa])
    compiler = require_board_compiler(isa)
    words = [require("make"), "-s", "-C", str(folder), f"CC={compiler}", "CFLAGS=-O1 -Werror"]
    made = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stderr
    return folder / "bench"


def run(bench: Path, isa: Isa, *options: str) -> tuple[int, str]:
    """Run a bench under qemu-user; return its exit status and what it printed."""
    done = subprocess.run(
        [require(QEMU[isa]), str(bench), *options], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def on_board(
    kernels: Sequence[Kernel], folder: Path, *options: str, shapes: Sequence[Shape] = (), budget: int = 128 << 10
) -> Any:
    """Return the result.json of kernels that were exported, built, and run under qemu-user, as a document."""
    require(QEMU[kernels[0].isa])
    exported = export_kernels([(kernel, shapes) for kernel in kernels], folder, budget=budget)
    build(folder, exported.isa)
    status, text = run(folder / "bench", exported.isa, *options)
    document = json.loads(text)
    assert status == any(one["verdict"] == "WRONG" for one in document["kernels"])
    return document


def false_program(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a shell script called `name` in front of all other programs, and return the file that it may log to."""
    folder.mkdir(exist_ok=True)
    log = folder / f"{name}.log"
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\n{script}\n', encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log

"""Completion in the shell: real bash asks the command, as it does when a person presses Tab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.tools import require

from neonlab.int8.requantize import SCHEMES
from neonlab.lab.repository.library import open_library
from neonlab.measure.cores.caches import core_names
from neonlab.report.json.documents import schemas
from neonlab.verify.cases.case import PATTERNS

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "armv8/conv1x1_s8s32_hwc_4x4"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `neonlab` is this checkout, with nothing of the person's own shell."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "neonlab"
    command.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m neonlab \"$@\"\n")
    command.chmod(0o755)
    paths = f"{folder}:{os.environ['PATH']}"
    return {"PATH": paths, "PYTHONPATH": str(ROOT / "sim"), "HOME": str(folder), "LC_ALL": "C.UTF-8"}


def offered(shell: dict[str, str], line: str, cwd: Path = ROOT) -> list[str]:
    """The words that bash offers at the end of `line`."""
    require("bash")
    # `--show-completion` detects the shell that called it, so bash itself asks for the script.
    script = """
        eval "$(neonlab --show-completion)" || exit 1
        COMP_WORDS=($LINE); [[ $LINE == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _neonlab_completion neonlab
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**shell, "LINE": line},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_kernels_are_offered_by_their_names_with_and_without_folder(shell: dict[str, str]) -> None:
    kernels = open_library(ROOT).kernels
    assert offered(shell, "neonlab check armv8/conv1x1_s8s32_hwc") == sorted(
        kernel.title for kernel in kernels if kernel.title.startswith("armv8/conv1x1_s8s32_hwc")
    )
    assert set(offered(shell, "neonlab profile lut_")) == {k.name for k in kernels if k.name.startswith("lut_")}
    assert offered(shell, "neonlab report pad_s8s8_rows_6") == ["pad_s8s8_rows_64"], "once, of two instruction sets"
    assert sorted(offered(shell, "neonlab compare ")) == sorted(kernel.title for kernel in kernels)


def test_shapes_of_the_kernel_named_are_offered(shell: dict[str, str]) -> None:
    (kernel,) = open_library(ROOT).find(KERNEL)
    assert kernel.operator is not None
    layers = {
        str(shape) for shape in kernel.operator.layers.values() if kernel.operator.accepts(kernel.contract, shape)
    }
    assert layers and set(offered(shell, f"neonlab profile {KERNEL} --shape ")) == layers


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"neonlab profile {KERNEL} --core ", set(core_names())),
        (f"neonlab check {KERNEL} --pattern ", set(PATTERNS)),
        ("neonlab schemes --scheme ", set(SCHEMES)),
        ("neonlab schemes --scheme qnn", {name for name in SCHEMES if name.startswith("qnn")}),
        ("neonlab list --operator ma", {"matmul"}),
        ("neonlab list --feature ", {"neon", "dotprod", "i8mm", "fp16"}),
        ("neonlab schema ", set(schemas())),
        ("neonlab check --isa ", {"armv7", "armv8"}),
        ("neonlab sch", {"schemes", "schema"}),
    ],
)
@pytest.mark.sweep(keep=3)
def test_words_that_options_take_are_offered(shell: dict[str, str], line: str, expected: set[str]) -> None:
    assert set(offered(shell, line)) == expected


@pytest.mark.slow
def test_a_broken_repository_offers_nothing_and_says_nothing(shell: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "asm" / "armv8").mkdir(parents=True)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "broken.py").write_text("OPERATOR = 1\n")
    (tmp_path / "asm" / "armv8" / "mine.S").write_text("mine: ret\n")
    assert offered(shell, "neonlab list --operator ", tmp_path) == []
    assert offered(shell, "neonlab profile armv8/mine --shape ", tmp_path) == []
    assert offered(shell, "neonlab check armv8/m", tmp_path) == ["armv8/mine"]


def test_completion_is_installed_for_the_shell_that_asks(shell: dict[str, str], tmp_path: Path) -> None:
    require("bash")
    home = {**shell, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["bash", "--norc", "-c", "neonlab --install-completion; exit $?"],
        env=home,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    scripts = list(tmp_path.rglob("neonlab.sh"))
    assert len(scripts) == 1 and "_NEONLAB_COMPLETE" in scripts[0].read_text()
    assert str(scripts[0]) in (tmp_path / ".bashrc").read_text()

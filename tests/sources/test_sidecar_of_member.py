"""A contract beside a file in a repository's own asm/ counts however the file is named, and by whom."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.command_line import neonlab
from tests.test_pytest_plugin import run

import neonlab as lab
from neonlab.isa.model.isa import Isa
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.repository.library import open_library
from neonlab.verify.verdict import Status

TEMPLATE = Path(lab.__file__).parent / "lab" / "start" / "template"
NAME = "add_s8_saturated"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose kernel has its contract in a file of its own."""
    root = tmp_path / "repository"
    for folder in ("asm", "kernels"):
        shutil.copytree(TEMPLATE / folder, root / folder)
    path = root / "asm" / "armv8" / f"{NAME}.S"
    _, block, code = path.read_text().replace("*/", "/*toml", 1).split("/*toml", 2)
    path.write_text(code)
    (path.parent / f"{NAME}.contract.toml").write_text(block)
    (root / "elsewhere").symlink_to(root / "asm")
    return root


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "name"),
    [
        (".", f"asm/armv8/{NAME}.S"),
        (".", f"ROOT/asm/armv8/{NAME}.S"),
        (".", f"ROOT/asm/../asm/armv8/{NAME}.S"),
        (".", f"elsewhere/armv8/{NAME}.S"),
        ("asm/armv8", f"{NAME}.S"),
        ("kernels", f"../asm/armv8/{NAME}.S"),
        ("/", f"ROOT/asm/armv8/{NAME}.S"),
        (".", f"armv8/{NAME}"),
        (".", NAME),
    ],
)
@pytest.mark.sweep(keep=3)
def test_it_counts_by_every_name_of_the_file(root: Path, folder: str, name: str) -> None:
    done = neonlab("check", name.replace("ROOT", str(root)), "--shape", "5", cwd=root / folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("exact")


def test_the_library_and_the_processes_beside_find_it(root: Path) -> None:
    (kernel,) = (one for one in open_library(root).kernels if one.isa is Isa.A64)
    assert (kernel.title, kernel.operator is not None) == (f"armv8/{NAME}", True)
    opened = KernelHandle.of(kernel).open()
    assert (opened.title, opened.contract) == (kernel.title, kernel.contract)
    link = root / "asm" / "armv8" / "add_s8_linked.S"
    outside = root.parent / "outside.S"
    outside.write_text(kernel.path.read_text().replace(NAME, "add_s8_linked"))
    link.symlink_to(outside)
    shutil.copy(kernel.path.with_suffix(".contract.toml"), link.with_suffix(".contract.toml"))
    assert lab.check(lab.open_kernel(link), shapes=[lab.Shape(("count",), (5,))]).status is Status.EXACT


@pytest.mark.slow
def test_the_pytest_plugin_collects_it_once_for_each_function(root: Path) -> None:
    path = root / "asm" / "armv8" / f"{NAME}.S"
    text = path.read_text()
    path.write_text(f"{text}\n{text.replace(NAME, 'add_s8_again')}")
    contract = path.with_suffix(".contract.toml")
    shared = contract.read_text()
    contract.write_text(f"{shared}\n[functions.{NAME}]\n[functions.add_s8_again]\n")
    done = run(root, "--collect-only", "-q", "asm")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"kernel[a64-{NAME}-cases]" in done.stdout and "kernel[a64-add_s8_again-cases]" in done.stdout
    found = [kernel.title for kernel in open_library(root).kernels]
    assert found == [f"armv7/{NAME}", f"armv8/{NAME}", "armv8/add_s8_again"]
    done = neonlab("check", "add_s8_again", "--shape", "5", cwd=root)
    assert done.returncode == 0 and done.stdout.startswith("exact armv8/add_s8_again")

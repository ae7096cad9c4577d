"""Options about a file, where several are named: they are refused where they do not fit them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab.cli.shared import find_kernels
from neonlab.contract.options import Build, Given
from neonlab.errors import InputError

KERNELS = sorted((Path(__file__).resolve().parents[2] / "asm" / "armv8").rglob("clip_*.S"))[:1] * 2


@pytest.mark.parametrize(
    ("names", "given", "said"),
    [
        (KERNELS, Given(symbol="f"), "--symbol f names a function of one file, and 2 are named"),
        (KERNELS[:1], Given(build=Build(flags=("-O3",))), "--cflags is for the compiler of C, and .*clip_.* is not"),
        (["a.c", *KERNELS[:1]], Given(build=Build(flags=("-O3",))), "--cflags is for the compiler of C, and .*clip_"),
        (["a.c", "b.o"], Given(build=Build(compiler="clang")), r"--compiler is for the compiler of C, and b\.o is not"),
    ],
)
def test_options_that_do_not_fit_every_file_are_refused(names: list[str | Path], given: Given, said: str) -> None:
    with pytest.raises(InputError, match=said):
        find_kernels([str(name) for name in names], given)


def test_options_that_fit_every_file_are_taken() -> None:
    name = str(KERNELS[0])
    (kernel,) = find_kernels([name], Given(symbol=KERNELS[0].stem))
    assert kernel.name == KERNELS[0].stem
    assert len(find_kernels([name, name], Given(settings=(("stack", "64"),)))) == 1

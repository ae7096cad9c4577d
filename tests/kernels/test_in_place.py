"""Kernels whose comments allow a call in place: each is checked in place, on every pointer that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.saboteurs.library import LibrarySaboteur

from neonlab import check
from neonlab.lab.repository.library import Kernel, find_root, open_kernel, open_library

_PROMISE = re.compile(r"In place is allowed: (\w+) may be (\w+)(?: or (\w+))?\.")


def promises() -> Iterator[tuple[Kernel, tuple[str, str]]]:
    """Yield each kernel whose comment says that its output may be an input, with both names."""
    for kernel in open_library(find_root()).kernels:
        text = re.sub(r"\s*\n//\s*", " ", kernel.path.read_text(encoding="utf-8"))
        for output, *inputs in _PROMISE.findall(text):
            yield from ((kernel, (output, name)) for name in inputs if name)


PROMISES = list(promises())


def in_place(kernel: Kernel, pointers: tuple[str, str]) -> Kernel:
    """Return the kernel with a contract that passes one address for both pointers."""
    return replace(kernel, code=replace(kernel.code, contract=replace(kernel.contract, alias=pointers)))


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "pointers"), PROMISES, ids=[f"{k.title} {p[1]}" for k, p in PROMISES])
@pytest.mark.sweep(keep=4)
def test_a_kernel_that_allows_calls_in_place_is_right_in_place(kernel: Kernel, pointers: tuple[str, str]) -> None:
    verdict = check(in_place(kernel, pointers))
    assert not verdict.failures
    assert verdict.cases > 100


@pytest.mark.slow
def test_one_that_writes_before_it_reads_is_wrong_only_in_place(tmp_path: Path) -> None:
    name, loads = "include/flat_64_bytes.inc", "    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [input], #64\n"
    text = (find_root() / "asm/armv8" / name).read_text(encoding="utf-8")
    clears = text.replace(loads, "    str     xzr, [output]\n" + loads)
    assert clears != text
    saboteur = LibrarySaboteur("clears_first", "armv8/relu_s8s8_flat_64", name, clears, "mismatch", "")
    kernel = open_kernel(saboteur.write(tmp_path))
    assert not check(kernel).failures
    assert {one.identifier for one in check(in_place(kernel, ("output", "input"))).failures} == {"mismatch"}


def test_the_comments_are_found() -> None:
    assert len(PROMISES) > 15

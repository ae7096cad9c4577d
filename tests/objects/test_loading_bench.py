"""The object that loading is timed with is one that GNU ld links as the lab does; no time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.objects.build import A64, run

from neonlab.objects.load import load_image
from neonlab.objects.loading_bench import FUNCTIONS, bench_load, made_object


def test_the_bench_says_what_it_loaded() -> None:
    result = bench_load(40, repetitions=1)
    assert (result.sections, result.relocations) == (40, 120)
    assert result.size == len(made_object(40))
    assert result.seconds > 0
    assert set(result.to_json()) == {"bytes", "sections", "relocations", "seconds"}
    assert "40 sections, 120 relocations" in result.line()


@pytest.mark.parametrize("functions", [50, FUNCTIONS])
def test_the_object_made_is_linked_to_the_same_bytes_by_gnu_ld(functions: int, tmp_path: Path) -> None:
    path, out, raw = tmp_path / "made.o", tmp_path / "made", tmp_path / "made.bin"
    path.write_bytes(made_object(functions))
    image = load_image([path])
    assert image.problems == ()
    (text,) = [part for part in image.parts if part.executable]
    run(A64.tool("ld"), path, "-e", "f0", f"-Ttext={text.address:#x}", "-o", out)
    run(A64.tool("objcopy"), "-O", "binary", "-j", ".text", out, raw)
    start = text.address - image.base
    assert raw.read_bytes() == image.memory[start : start + text.size].tobytes()


def test_it_is_as_large_as_it_says() -> None:
    assert 5_000_000 <= len(made_object(FUNCTIONS)) < 5_500_000

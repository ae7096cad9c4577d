"""Cycles in 80 columns."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from neonlab.lab.repository.library import open_library
from neonlab.lab.run.plan import parse_shape
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.bands import band_of
from neonlab.measure.options import MemoryOptions
from neonlab.measure.profile import Profile
from neonlab.report.band_words import band_text
from neonlab.report.terminal.cycles import print_cycles, print_layers


def profiled(shape: str, core: str = "cortex-a53", name: str = "conv1x1_s8s32_chw_8x4") -> Profile:
    kernel = next(one for one in open_library(Path(__file__).parents[3]).kernels if one.title == f"armv8/{name}")
    found = profile(kernel, parse_shape(kernel, shape), memory=MemoryOptions(core))
    assert isinstance(found, Profile)
    return found


def printed(show: object, *arguments: object) -> list[str]:
    stream = io.StringIO()
    show(Console(file=stream, width=80, highlight=False, soft_wrap=True), *arguments)  # type: ignore[operator]
    return stream.getvalue().splitlines()


def test_a_profile_says_what_its_cycles_went_to_and_that_a_model_did() -> None:
    one = profiled("5x5x16x16")
    assert one.cycles is not None
    lines = printed(print_cycles, one)
    text = "\n".join(lines)
    assert all(len(line) <= 80 for line in lines)
    assert lines[0] == "  cycles on cortex-a53, cold (estimate of a model)"
    assert lines[1].startswith(f"    the model: {one.cycles.model_error.split()[0]}")
    assert f" {one.cycles.cycles:,}  {one.cycles.ipc:.2f} instructions per cycle" in text
    assert one.cycles.band is not None and one.cycles.to_json()["band"]["low"] < one.cycles.to_json()["band"]["high"]
    band = f" {band_text(one.cycles.band, one.cycles.cycles)}  errors on {one.cycles.band.figures} functions"
    assert f"    80 % band {'':<15}" in text and band in text
    assert f" {one.macs_per_cycle:.2f}  of 8 with smull.8b alone" in text
    assert all(name in text for name in ("STALL_FRONTEND", "STALL_BACKEND", "BR_MIS_PRED", "<- most", "ports busy"))
    assert all(f"    {cause} " in text for cause, count in one.cycles.causes.items() if count)
    worst = max(one.cycles.lines, key=lambda line: line.cycles)
    assert f"{Path(worst.path).name}:{worst.line}  " in text


def test_a_core_without_rows_prints_its_pooled_band() -> None:
    one = profiled("5x5x16x16", "apple-m1")
    (line,) = (line for line in printed(print_cycles, one) if line.startswith("    80 % band"))
    band = band_of("out of order")
    assert band is not None and one.cycles is not None
    assert f" {band_text(band, one.cycles.cycles)}  errors on {band.figures} functions, pooled" in line
    assert "cortex-a53" not in line and one.cycles.to_json()["band"]["of"] == "out of order"


def test_layers_are_rows_and_their_sum() -> None:
    profiles = [profiled("5x5x16x16"), profiled("7x7x16x24")]
    lines = printed(print_layers, profiles)
    assert all(len(line) <= 80 for line in lines)
    assert lines[-3].startswith("  5x5x16x16 ") and "% of it" in lines[-3] and lines[-2].startswith("  7x7x16x24 ")
    cycles = [one.cycles.cycles for one in profiles if one.cycles is not None]
    assert lines[-1].split()[:2] == ["all", f"{sum(cycles):,}"]

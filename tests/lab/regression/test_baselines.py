"""Baselines: what is written is read back, in one order, and what is above them is told."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest

from neonlab import InputError
from neonlab.lab.compare.figures import Figures
from neonlab.lab.regression.baselines import Baselines, read_baselines

ALLOWED = Figures(100, 20, 10, {"cortex-a53": 1000})


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_back_and_its_order_is_that_of_kernels_and_sizes(seed: int, tmp_path: Path) -> None:
    generator = random.Random(seed)

    def shape() -> str:
        return "x".join(str(generator.randrange(200)) for _ in range(3))

    def figures() -> Figures:
        instructions, loaded, stored = (generator.randrange(10**9) for _ in range(3))
        return Figures(instructions, loaded, stored, {"cortex-a72": 5, "cortex-a53": 7})

    rows = [(f"armv{generator.choice('78')}/kernel{generator.randrange(4)}", shape()) for _ in range(20)]
    made = [figures() for _ in rows]
    texts = []
    for order in (list(range(20)), list(reversed(range(20)))):
        baselines = Baselines(("cortex-a53", "cortex-a72"), 2.5, "", {"armv8/by_hand": {"1x2": None}})
        for at in {rows[at]: at for at in sorted(order)}.values():
            baselines = baselines.with_figures(*rows[at], made[at])
        texts.append(baselines.to_toml())
    assert texts[0] == texts[1]
    path = tmp_path / "baselines.toml"
    path.write_text(texts[0])
    found = read_baselines(path)
    assert found is not None and found.to_toml() == texts[0]
    assert (found.entries, found.cores, found.tolerance) == (baselines.entries, baselines.cores, 2.5)
    # An independent reader agrees, and finds the kernels in order.
    table = tomllib.loads(texts[0])
    kernels = [name for name in table if name != "settings"]
    assert kernels == sorted(kernels)
    for kernel in kernels:
        sizes = [[int(size) for size in shape.split("x")] for shape in table[kernel]]
        assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("figures", "above"),
    [
        (ALLOWED, []),
        (Figures(101, 20, 10, {"cortex-a53": 1000}), ["instructions"]),
        (Figures(99, 21, 10, {"cortex-a53": 900}), ["loaded_bytes"]),
        (Figures(100, 20, 11, {"cortex-a53": 1010}), ["stored_bytes"]),
        (Figures(100, 20, 10, {"cortex-a53": 1011}), ["cycles cortex-a53"]),
        (Figures(100, 20, 10, {"cortex-a72": 9999}), []),
    ],
)
def test_counts_have_no_tolerance_and_cycles_the_one_stated(figures: Figures, above: list[str]) -> None:
    baselines = Baselines(tolerance=1.0).with_figures("armv8/one", "4x4", ALLOWED)
    assert [change.name for change in baselines.exceeded("armv8/one", "4x4", figures)] == above
    assert baselines.exceeded("armv8/one", "8x8", figures) == () == baselines.exceeded("armv8/two", "4x4", figures)


def test_figures_below_are_told_as_beaten() -> None:
    baselines = Baselines().with_figures("armv8/one", "4x4", ALLOWED)
    found = baselines.beaten("armv8/one", "4x4", Figures(99, 20, 10, {"cortex-a53": 1005}))
    assert [(change.name, change.difference) for change in found] == [("instructions", -1)]


def test_no_file_is_no_baselines(tmp_path: Path) -> None:
    assert read_baselines(tmp_path / "baselines.toml") is None


@pytest.mark.parametrize(
    "text", ["[", "settings = 1", '["armv8/x"."4x4"]\ninstructions = 1', '["armv8/x"]\nshape = 3', "\xff"]
)
def test_a_malformed_file_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "baselines.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=r"baselines\.toml"):
        read_baselines(path)

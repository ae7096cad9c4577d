"""The ladder names kernels that there are, in order, and its figures are those of other reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.sample import KERNELS

from neonlab.errors import InputError
from neonlab.lab.repository.able_cores import runs_on
from neonlab.lab.repository.kernel_name import KernelName
from neonlab.lab.repository.library import Library, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.modelled import ModelledCore, cores_named
from neonlab.measure.profile import Profile
from neonlab.report.tables.ladder import CORES, Cost, Ladder, Step, ladder_document, read_ladders

ROOT = Path(__file__).resolve().parents[3]
LADDERS = read_ladders(open_library(ROOT))
STEPS = [(ladder, step) for ladder in LADDERS for step in ladder.steps]
SCHEMES = {"ruy", "gemmlowp", "fp32"}


def cells_of(ladder: Ladder, title: str) -> list[str]:
    """The table's row of the kernel, without number and name."""
    section = (ROOT / "reports" / "ladder.md").read_text().split(f"## {ladder.title}\n")[1].split("\n## ")[0]
    row = re.search(rf"^\| \d+ \| `{title.split('/')[1]}` \| (.*) \|$", section, re.MULTILINE)
    assert row is not None
    return [cell.strip(" *") for cell in row[1].split("|")]


def test_every_conv1x1_and_matmul_is_a_step_but_for_other_schemes_of_one_and_tables_behind_it() -> None:
    def work(title: str) -> tuple[object, ...]:
        isa, name = title.split("/")
        parsed = KernelName.parse(name)
        variants = tuple("scheme" if variant in SCHEMES else variant for variant in parsed.variants if variant != "lut")
        return isa, parsed.operator, parsed.output, parsed.layout, parsed.tile, parsed.level, variants

    there = {k.title for k in KERNELS if k.operator is not None and k.operator.name in ("conv1x1", "matmul")}
    steps = {step.kernel.title for _, step in STEPS}
    assert {work(title) for title in there} == {work(title) for title in steps & there}
    depthwise = {k.title for k in KERNELS if k.name.startswith("dwconv")}
    assert depthwise <= steps


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize(("ladder", "step"), STEPS[::4], ids=[step.kernel.title for _, step in STEPS[::4]])
def test_a_step_costs_what_a_profile_says(ladder: Ladder, step: Step) -> None:
    kernel = step.kernel
    found = profile(kernel, step.shape)
    assert isinstance(found, Profile)
    cells = cells_of(ladder, kernel.title)
    assert cells[1] == f"{found.instructions_per_mac:.4f}"
    assert cells[3:5] == [f"{found.loaded_per_mac:.4f}", f"{found.stored_per_mac:.4f}"]


def test_a_core_without_the_instructions_has_no_figure() -> None:
    for ladder, step in STEPS:
        cells = cells_of(ladder, step.kernel.title)[5:]
        assert [bool(cell) for cell in cells] == [runs_on(step.kernel, core) for core in cores_named(CORES)]
    assert {runs_on(step.kernel, ModelledCore.named("cortex-a7")) for _, step in STEPS} == {True, False}


def test_the_fewest_of_each_column_is_bold() -> None:
    ladder = LADDERS[0]
    costs = {
        (ladder.title, step.kernel.title): Cost(0.5 - number / 100, 1.0, None, 1.0 + number, 2.0, {"cortex-a53": 0.3})
        for number, step in enumerate(ladder.steps)
    }
    document = ladder_document([ladder], costs, ())
    rows = re.findall(r"^\| \d+ \| .*$", document, re.MULTILINE)
    assert [row.split("|")[3].strip().startswith("**") for row in rows] == [False] * (len(rows) - 1) + [True]
    assert all("**1.0000**" in row and "**0.3000**" in row for row in rows[:1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[ladder]]\ntitle = "x"\nshape = "1x1"\nstep = [{ kernel = "armv9/x" }]', "no kernel"),
        ('[[ladder]]\ntitle = "x"\n', "shape"),
        ("ladder = 3", "ladder.toml"),
        ("[[ladder", "ladder.toml"),
    ],
)  # fmt: skip
def test_a_ladder_that_cannot_be_read_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "ladder.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read_ladders(Library(tmp_path, (), ()))


def test_a_library_without_ladders_has_none(tmp_path: Path) -> None:
    assert read_ladders(Library(tmp_path, (), ())) == ()

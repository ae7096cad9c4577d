"""The choice of numbers without a family: plans, the choice itself, and functions whose truth is a known variant."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from neonlab.errors import InputError
from neonlab.lab.run.variants import cycles_on_variants
from neonlab.lab.silicon.fit.choose import choose, fit, named_version
from neonlab.lab.silicon.fit.grid import GridRow
from neonlab.lab.silicon.fit.plan import FitPlan, Group, Number, read_plan
from neonlab.lab.silicon.left_out import left_out_text, read_left_out
from neonlab.lab.silicon.table import read_functions
from neonlab.lab.silicon.truth import called_with, case_of
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.cores.pipeline import varied
from neonlab.report.json.documents import schemas

ROOT = Path(__file__).resolve().parents[4]
PLAN = ROOT / "docs" / "functions" / "fit.toml"
HEAD = 'origin = "a board"\n[families]\nloads = ["load*"]\nstores = ["store*"]\n'
GROUP = '[[group]]\ncores = ["cortex-a53"]\n'
NUMBER = '[[group.number]]\nname = "store_writeback"\nvalues = [1, 2, 3]\n'
#: Without the cost of a structure that crosses.
ALIGNED = '[[group.number]]\nname = "crossing"\nchoices = [{ crossing = [] }, {}]\n'


def number(name: str, choices: int, *cores: str) -> Number:
    return Number(name, cores, tuple({"pipeline": {name: n}} for n in range(choices)), tuple(map(str, range(choices))))


def grid_row(family: str, *modelled: float, core: str = "cortex-a53", function: str = "f") -> GridRow:
    return GridRow(core, family, function, 100.0, {(n,): one for n, one in enumerate(modelled)})


def test_the_choice_is_the_best_on_the_other_families_each_with_the_same_weight() -> None:
    group = Group(("cortex-a53",), (number("queue", 3, "cortex-a53"),))
    many = [grid_row("many", 100, 110, 120) for _ in range(9)]
    few = [grid_row("few", 140, 104, 120)]
    own = [grid_row("own", 120, 120, 100)]
    assert choose(group, [*many, *few, *own], "own").combination == (1,)  # means of 20, 7 and 20 %
    assert choose(group, [*many, *own], "own").combination == (0,)
    assert choose(group, own, "own").combination is None
    found = choose(group, [*many, *few, *own], "few")
    assert found.combination == (0,) and found.error == pytest.approx((0 + 0.2) / 2)


def test_what_only_the_family_left_out_shows_is_left_out_with_it() -> None:
    group = Group(("cortex-a53",), (number("rule", 2, "cortex-a53"),))
    rows = [grid_row("shows it", 80, 100, function="a before"), grid_row("other", 95, 95, function="b")]
    fitted = fit(FitPlan("a board", {}, (group,)), rows)
    assert {one.family: one.combination for one in fitted.choices} == {"": (1,), "shows it": (0,), "other": (1,)}
    assert {(one.function, one.version): one.modelled for one in fitted.table.rows} == {
        ("a", "before"): 80,
        ("b", ""): 95,
    }


def test_a_number_of_one_core_does_not_change_another() -> None:
    cores = "cortex-a53", "cortex-a55"
    group = Group(cores, (number("queue", 2, "cortex-a53"), number("results", 3, *cores)))
    assert len(list(group.combinations())) == 6
    assert list(group.tables("cortex-a55")) == [(0, 0), (0, 1), (0, 2)]
    assert group.tables("cortex-a53")[1, 2] == {"pipeline": {"queue": 1, "results": 2}}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("pred8x8_dc 870b before", ("pred8x8_dc 870b", "before")),
        ("libav 5eb5 after a32 idct", ("libav 5eb5 a32 idct", "after")),
        ("keccak", ("keccak", "")),
    ],
)
def test_the_version_is_a_word_of_the_name(name: str, found: tuple[str, str]) -> None:
    assert named_version(name) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "plan.toml"),
        (HEAD.split("\n", 1)[1] + GROUP + NUMBER, "`origin` must say"),
        ('origin = "x"\n' + GROUP + NUMBER, "[families] must have"),
        (HEAD, "has no [[group]]"),
        (HEAD + GROUP, "a [[group.number]] for each"),
        (HEAD + GROUP.replace("a53", "m0") + NUMBER, "group 1: there is no model of `cortex-m0`"),
        (HEAD + GROUP + NUMBER + GROUP + NUMBER, "a core stands in two groups"),
        (HEAD + GROUP + NUMBER.replace("store_writeback", "storewriteback"), "[pipeline] has no `storewriteback`"),
        (HEAD + GROUP + NUMBER.replace("[1, 2, 3]", "[1.5]"), "a list of whole numbers"),
        (HEAD + GROUP + NUMBER.replace("[1, 2, 3]", str(list(range(1025)))), "more than 1024 combinations"),
        (HEAD + GROUP + NUMBER + "choices = [{}]\n", "give `values` or `choices`"),
        (HEAD + GROUP + NUMBER + 'cores = ["cortex-a72"]\n', "must be some of the group's"),
        (HEAD + GROUP + ALIGNED.replace("crossing = []", "ports = 1"), "a choice may have crossing, pipeline, timing"),
        (HEAD + GROUP + ALIGNED.replace("crossing = []", "crossing = [{ of = 1 }]"), "cortex-a53: KeyError"),
        (HEAD + "other = 1\n", "[families] must have"),
        ("other = 1\n" + HEAD, "unknown key `other`"),
    ],
)
def test_a_file_that_is_no_plan_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_plan(path)
    assert words in str(caught.value)


def test_the_plan_of_the_repository_judges_the_rows_of_the_repository() -> None:
    """A number that the tables have is one of those that are tried, and every row is of a core and family of the plan.

    The rows are modelled with choices of the plan, so they are the same however often they are computed.
    """
    plan, table = read_plan(PLAN), read_left_out(PLAN.with_name("left_out.csv"))
    assert table.origin == plan.origin
    assert {row.core for row in table.rows} == {core for group in plan.groups for core in group.cores}
    assert {row.family for row in table.rows} == set(plan.families)
    assert left_out_text(table).encode() == PLAN.with_name("left_out.csv").read_bytes()


FUNCTION = """\
    .text
    .globl load_it
    .globl store_it
    .globl store_more
load_it:
    mov     x2, #64
1:  ld1     {v0.16b, v1.16b}, [x0]
    add     v2.16b, v0.16b, v1.16b
    subs    x2, x2, #1
    b.ne    1b
    ret
store_it:
    mov     x2, #32
1:  str     x3, [x1], #8
    str     x3, [x1], #8
    subs    x2, x2, #1
    b.ne    1b
    ret
store_more:
    mov     x2, #32
1:  str     d0, [x1], #8
    str     d1, [x1], #8
    subs    x2, x2, #1
    b.ne    1b
    ret
"""
ROW = """
[[function]]
name = "%s"
file = "functions.S"
symbol = "%s"
isa = "armv8"
prototype = "void f(const uint8_t *a, uint8_t *b)"
shapes = ["fixed"]
source = "a variant of the model"
measured = { cortex-a53 = %s }
[function.args]
a = { read = 64%s }
b = { write = 512 }
"""


def written(folder: Path) -> tuple[Path, Path]:
    """Write functions whose measured cycles are those of a core that takes 3 cycles for the write-back of stores."""
    names = ["load_it", "store_it", "store_more"]
    (folder / "functions.S").write_text(FUNCTION, encoding="utf-8")
    truth = dict.fromkeys(names, 1.0)
    table, plan = folder / "table.toml", folder / "plan.toml"

    def write() -> None:
        rows = [ROW % (name, name, truth[name], ", offset = 3" if name == "load_it" else "") for name in names]
        table.write_text("".join(rows), encoding="utf-8")

    write()
    core = ModelledCore.named("cortex-a53")
    assert core.pipeline is not None
    for one in read_functions(table).functions:
        (called, *_), _ = called_with(one, folder)
        found = cycles_on_variants(
            called[0], case_of(called[1]), core, [varied(core.pipeline, {"pipeline": {"store_writeback": 3}})]
        )
        assert isinstance(found, list)
        truth[one.name] = found[0]
    write()
    families = 'loads = ["load*"]\nstores = ["store_it"]\nmore = ["store_more"]\n'
    plan.write_text('origin = "a variant"\n[families]\n' + families + GROUP + NUMBER + ALIGNED, encoding="utf-8")
    return table, plan


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from neonlab.cli import main; main()", "cores", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=os.environ)


@pytest.mark.slow
def test_the_command_finds_the_number_that_functions_have_and_misses_the_rule_that_one_family_shows(
    tmp_path: Path,
) -> None:
    table, plan = written(tmp_path)
    result = run("--functions", str(table), "--fit", str(plan), "--into", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "with all: 0.0% on the others; store_writeback 3, crossing as it is" in result.stdout
    assert "without loads: 0.0% on the others; store_writeback 3, crossing otherwise" in result.stdout
    rows = {row.function: row for row in read_left_out(tmp_path / "left_out.csv").rows}
    assert rows["load_it"].ratio < 0.95  # too fast without what it alone shows
    assert rows["store_it"].ratio == rows["store_more"].ratio == 1.0
    document = json.loads(run("--functions", str(table), "--fit", str(plan), "--json").stdout)
    jsonschema.validate(document, schemas()["cores"])
    assert document["left_out"]["errors"][0]["title"] == "cortex-a53"


@pytest.mark.slow
def test_a_function_in_no_family_is_named(tmp_path: Path) -> None:
    table, plan = written(tmp_path)
    plan.write_text(plan.read_text(encoding="utf-8").replace("store_more", "other"), encoding="utf-8")
    result = run("--functions", str(table), "--fit", str(plan))
    assert result.returncode == 2 and "`store_more` is in no family" in result.stderr


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("more", [("--record",), ("--core", "cortex-a53"), ("--calls", "4"), ("--mca", "x")])
def test_what_does_not_go_with_it_is_refused(more: tuple[str, ...]) -> None:
    result = run("--functions", "x.toml", "--fit", "y.toml", *more)
    assert result.returncode == 2 and "--fit goes with --functions, --files, --into and --json alone" in result.stderr
    assert "needs --functions" in run("--fit", "y.toml").stderr

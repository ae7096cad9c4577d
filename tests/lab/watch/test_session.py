"""Watching a kernel: after each save the verdict, the figures, and what changed since the last save and the commit."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import ADD, HEAD, SUM, edit, git, interrupted, neonlab, new_repository, started
from tests.tools import require_compiler

from neonlab import InputError, Profile
from neonlab.contract.options import Given
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_kernel, open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.saved import saved_case
from neonlab.lab.run.shapes import integers_of
from neonlab.lab.watch import questions
from neonlab.lab.watch import reading as reader
from neonlab.lab.watch.layer import layer_to_watch, tile_of
from neonlab.lab.watch.questions import WatchedFile
from neonlab.lab.watch.session import Session, Watcher
from neonlab.measure.cores.modelled import cores_named
from neonlab.measure.shape import Shape
from neonlab.report.terminal.watch import session_text, session_view
from neonlab.sources import program as code

ROOT = Path(__file__).parents[3]
NAME, SHAPE, WRONG = f"{ADD}.S", Shape(("count",), (4096,)), SUM.replace("sqadd", "sqsub")
CORES = cores_named(["cortex-a53"])

#: One of each kind of shape.
TITLES = [
    next(kernel.title for kernel in open_library(ROOT).kernels if kernel.operator is operator)
    for operator in open_library(ROOT).operators
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("watched")
    new_repository(root)
    edit(root, "\n    .arch", '\n#include "extra.h"\n    .arch')
    edit(root, HEAD, f"    EXTRA\n{HEAD}")
    (root / "asm" / "armv8" / "extra.h").write_text("#define EXTRA\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "with an include")
    return root


@pytest.fixture
def path(root: Path) -> Iterator[Path]:
    yield root / "asm" / NAME
    git(root, "checkout", "--quiet", "--", ".")


@pytest.fixture(scope="module")
def watcher(root: Path) -> Iterator[Watcher]:
    with Watcher(root / "asm" / NAME, shape=SHAPE, cores=CORES) as watcher:
        yield watcher


def look(watcher: Watcher) -> Session:
    for _ in watcher.look():
        pass
    return watcher.session


def instructions(path: Path, shape: Shape) -> int:
    code.forget_programs()
    kernel = open_kernel(path)
    profile = profiling.profile(kernel, shape)
    assert isinstance(profile, Profile)
    return profile.counts.instructions


def change(session: Session, *, layer: bool, committed: bool = False) -> int:
    since = session.committed if committed else session.saved
    return {one.name: one.difference for one in session.changes(since, layer=layer)}["instructions"]


@pytest.mark.slow
def test_changes_are_against_the_last_save_and_the_commit(watcher: Watcher, path: Path) -> None:
    first = look(watcher)
    assert first.latest.complete and first.latest.verdict is not None and first.latest.verdict.passed
    assert first.latest.verdict.cases == first.latest.planned > 40 and first.latest.verdict.ranges is not None
    assert first.committed is not None and first.commit is not None
    assert git(path.parent, "rev-parse", "HEAD").startswith(first.commit)
    assert first.tile is not None
    was = {shape: instructions(path, shape) for shape in (first.tile, SHAPE)}
    assert first.latest.tile_figures is not None and first.latest.tile_figures.instructions == was[first.tile]
    assert first.latest.layer_figures is not None and first.latest.layer_figures.instructions == was[SHAPE]
    assert change(first, layer=True, committed=True) == 0

    path.write_text(path.read_text().replace("    EXTRA", "    nop"))
    second = look(watcher)
    once = {shape: instructions(path, shape) - was[shape] for shape in was}
    assert second.tile is not None and once[SHAPE] > once[second.tile] > 0
    assert change(second, layer=True) == change(second, layer=True, committed=True) == once[SHAPE]
    assert change(second, layer=False) == once[second.tile]

    path.write_text(path.read_text().replace("    nop\n", "    nop; nop\n"))
    third = look(watcher)
    assert change(third, layer=True) == once[SHAPE] and change(third, layer=True, committed=True) == 2 * once[SHAPE]
    assert third.saves == second.saves + 1 == first.saves + 2


@pytest.mark.slow
def test_a_save_that_changes_no_code_is_none(watcher: Watcher, path: Path) -> None:
    before = look(watcher)
    path.write_text(path.read_text() + "\n// a remark\n")
    assert list(watcher.look()) == [] and watcher.session is before


def test_a_file_it_includes_belongs_to_the_kernel(watcher: Watcher, path: Path) -> None:
    look(watcher)
    was = instructions(path, SHAPE)
    (path.parent / "extra.h").write_text("#define EXTRA nop\n")
    assert change(look(watcher), layer=True) == instructions(path, SHAPE) - was > 0


def test_what_cannot_be_tried_is_a_problem_and_no_save_to_compare_with(watcher: Watcher, path: Path) -> None:
    whole = look(watcher)
    text = path.read_text()
    for broken, words in (
        (text.replace(SUM, "    sqadq   v0.16b, v0.16b\n"), f"{NAME}:"),
        ("// nothing\n", "no contract"),
        (text.replace("count = {", "count = ["), NAME),
    ):
        path.write_text(broken)
        session = look(watcher)
        assert session.latest.problem is not None and words in session.latest.problem, session.latest
        assert session.latest.complete and session.changes(session.saved, layer=True) == ()
    path.write_text(text.replace("    EXTRA", "    nop"))
    mended = look(watcher)
    assert mended.latest.problem is None
    assert mended.saved is not None and mended.saved.digest == whole.latest.digest and change(mended, layer=True) > 0


def test_a_wrong_kernel_is_told_at_its_line_at_once_and_then_in_full(watcher: Watcher, path: Path) -> None:
    look(watcher)
    text = path.read_text()
    path.write_text(text.replace(SUM, WRONG))
    sessions = list(watcher.look())
    first, last = sessions[0].latest, sessions[-1].latest
    for reading in (first, last):
        assert reading.verdict is not None and not reading.verdict.passed
        assert reading.verdict.failures[0].identifier == "mismatch"
    assert first.verdict is not None and first.verdict.cases < first.planned and first.tile and not first.layer
    assert first.verdict.failed == 1  # others follow: each takes as long as ten that pass
    assert last.verdict is not None and any(failure.explanation for failure in last.verdict.failures)


@pytest.mark.slow
def test_c_is_watched_as_it_is_compiled_for_the_instruction_set_that_is_said(tmp_path: Path) -> None:
    require_compiler(Isa.A64)
    for name in ("dot_s8.c", "dot_s8.contract.toml"):
        (tmp_path / name).write_text((ROOT / "tests" / "c" / name).read_text())
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "as it was"]):
        git(tmp_path, *command)
    path = tmp_path / "dot_s8.c"
    text = path.read_text()
    with Watcher(path, given=Given(isa=Isa.A64)) as watcher:
        first = look(watcher)
        assert first.latest.verdict is not None and first.latest.verdict.passed and first.latest.verdict.isa == "a64"
        assert change(first, layer=True, committed=True) == 0
        path.write_text(text.replace("total += a[i] * b[i];", "total += b[i] * b[i];", 1))
        wrong = look(watcher)
        assert wrong.latest.verdict is not None and not wrong.latest.verdict.passed
        path.write_text(text.replace("size_t i = 0;", "size_t i = 0", 1))
        broken = look(watcher)
        assert broken.latest.problem is not None and "dot_s8.c:" in broken.latest.problem
        (tmp_path / "dot_s8.contract.toml").write_text("")
        path.write_text(text)
        assert look(watcher).latest.problem is not None


@pytest.mark.slow
def test_a_kernel_without_end_is_told_and_the_next_save_is_read(watcher: Watcher, path: Path) -> None:
    text = path.read_text()
    path.write_text(text.replace("    EXTRA\n", "    b 1b\n"))
    endless = look(watcher)
    assert endless.latest.verdict is not None
    assert {failure.identifier for failure in endless.latest.verdict.failures} == {"step-budget"}
    path.write_text(text)
    mended = look(watcher)
    assert mended.latest.verdict is not None and mended.latest.verdict.passed


def test_a_look_may_be_left_for_the_next(watcher: Watcher, path: Path) -> None:
    look(watcher)
    path.write_text(path.read_text().replace("    EXTRA", "    nop; nop; nop"))
    left = next(iter(watcher.look()))
    assert not left.latest.complete and left.latest.seconds > 0
    again = look(watcher)
    assert again.latest.complete and again.latest.digest == left.latest.digest
    assert again.saved is not None and again.saved.digest != again.latest.digest


def test_an_interrupted_look_ends_where_it_is_and_the_next_is_whole(watcher: Watcher, path: Path) -> None:
    look(watcher)
    path.write_text(path.read_text().replace("    EXTRA", "    nop; nop; nop; nop"))
    looks = watcher.look()
    first = next(looks)
    watcher.interrupt()
    assert list(looks) == [] and watcher.session is first and not first.latest.complete
    again = look(watcher)
    assert again.latest.complete and again.latest.digest == first.latest.digest


@pytest.mark.slow
def test_figures_that_were_not_had_in_time_are_told_and_had_at_the_next_look(
    watcher: Watcher, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(watcher)
    path.write_text(path.read_text().replace("    EXTRA", "    nop; nop; nop; nop; nop"))
    monkeypatch.setattr(reader, "TIME_LIMIT", 0.001)
    late = look(watcher).latest
    assert late.complete and late.verdict is not None and late.verdict.passed and not late.layer
    assert late.unmeasured is not None and late.unmeasured.startswith("no end within 0.0")
    assert f"no counts and cycles: {late.unmeasured}" in session_text(watcher.session)
    monkeypatch.undo()
    again = look(watcher).latest
    assert again.layer and again.digest == late.digest and not again.unmeasured
    assert replace(again, layer=(), unmeasured="no end").complete > replace(again, layer=()).complete  # a tile alone
    assert "no counts" not in session_text(watcher.session)


@pytest.mark.slow
def test_a_commit_that_was_not_looked_at_in_full_is_looked_at_again(path: Path) -> None:
    with Watcher(path, shape=SHAPE, cores=CORES) as watcher:
        for session in watcher.look():
            if session.latest.complete:
                break
        watcher.interrupt()
        assert watcher.session.commit is None and watcher.session.latest.complete
        path.write_text(path.read_text().replace("    EXTRA", "    nop"))
        again = look(watcher)
    assert again.commit is not None and change(again, layer=True, committed=True) > 0


def test_what_is_shown_fits_80_columns_and_json(watcher: Watcher, path: Path) -> None:
    from rich.console import Console

    path.write_text(path.read_text().replace("    EXTRA", "    nop"))
    for session in watcher.look():
        out = Console(width=80, record=True, file=sys.stderr, highlight=False)
        out.print(session_view(session))
        lines = out.export_text().splitlines()
        assert max(map(len, lines)) <= 80
    shown = "\n".join(lines)
    assert session.latest.layer_figures is not None
    assert f"{session.latest.layer_figures.instructions:,}" in shown and f"since {session.commit}" in shown
    for width in (44, 60):  # where words go on in the next line, numbers are whole
        narrow = Console(width=width, record=True, file=sys.stderr, highlight=False)
        narrow.print(session_view(session))
        text = narrow.export_text()
        assert (
            all(f" {count:,} " in text for count in session.latest.layer_figures.named().values()) and "…" not in text
        )
    document = json.loads(json.dumps(session.to_json()))
    assert document["layer"]["since_committed"]["instructions"] == change(session, layer=True, committed=True)


def test_a_problem_names_files_as_one_would_from_here(
    watcher: Watcher, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.console import Console

    path.write_text("/*toml\n")
    session = look(watcher)
    monkeypatch.chdir(path.parent)
    out = Console(width=80, record=True, file=sys.stderr, highlight=False)
    out.print(session_view(session))
    problem = session.latest.problem
    assert problem is not None and f"{path}:1" in problem
    shown = out.export_text()
    assert f"{path.name}:1" in shown and str(path.parent) not in shown


@pytest.mark.parametrize("title", TITLES)
def test_a_tile_is_a_part_of_the_layer_that_the_contract_allows(title: str) -> None:
    [kernel] = open_library(ROOT).find(title)
    layer = layer_to_watch(kernel)
    tile = tile_of(kernel, layer)
    kernel.contract.check_values(integers_of(kernel, tile))
    assert all(small <= large for small, large in zip(tile.sizes, layer.sizes, strict=True))


@pytest.mark.parametrize("name", ["hwc_4x4", "chw_8x4"])
def test_a_tile_of_a_convolution_has_all_input_channels_and_runs_the_hot_loop(name: str) -> None:
    [kernel] = open_library(ROOT).find(f"armv8/conv1x1_s8s32_{name}")
    layer = layer_to_watch(kernel)
    tile = tile_of(kernel, layer)
    assert (str(layer), str(tile)) == ("14x14x256x256", "8x8x256x8")
    part, whole = (profiling.profile(kernel, shape) for shape in (tile, layer))
    assert isinstance(part, Profile) and isinstance(whole, Profile)
    assert part.counts.executions[int(whole.counts.executions.argmax())] > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shape": Shape(("rows", "cols"), (1, 2))}, "count"),
        ({"shape": Shape(("count",), (9999999,))}, "count"),
    ],
)
def test_what_cannot_be_watched_is_refused(path: Path, arguments: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Watcher(path, **arguments)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_command_says_what_there_is_to_say_once(path: Path) -> None:
    shown = neonlab("watch", str(path), "--once", "--shape", str(SHAPE), "--core", "cortex-a53")
    assert shown.returncode == 0 and "exact" in shown.stdout and f"layer {SHAPE}" in shown.stdout, shown.stderr
    path.write_text(path.read_text().replace(SUM, WRONG))
    wrong = neonlab("watch", str(path), "--once", "--shape", str(SHAPE), "--core", "cortex-a53")
    assert wrong.returncode == 1 and "WRONG" in wrong.stdout and "mismatch" in wrong.stdout
    unknown = neonlab("watch", str(path), "--once", "--core", "cortex-a99")
    assert unknown.returncode == 2 and "no core `cortex-a99`" in unknown.stderr
    many = neonlab("watch", "conv1x1_s8s32_chw_8x4", cwd=ROOT)
    assert many.returncode == 2 and "name one" in many.stderr


@pytest.mark.slow
def test_the_command_follows_saves_until_it_is_stopped(path: Path) -> None:
    with started("watch", str(path), "--shape", str(SHAPE)) as running:
        assert running.stdout is not None
        try:
            wait_for(running, "since ")  # the committed version is known: all of the first look is over
            text = path.read_text()
            replacement = path.with_suffix(".new")  # as editors do: another file takes the place of the old
            replacement.write_text(text.replace("    EXTRA", "    nop"))
            replacement.replace(path)
            wait_for(running, "save 2")
            path.write_text(text.replace(SUM, WRONG))
            wait_for(running, "WRONG")
        finally:
            errors = interrupted(running)[1]
        assert running.returncode == 130 and "Traceback" not in errors
    assert path.read_text() == text.replace(SUM, WRONG)


def wait_for(running: subprocess.Popen[str], words: str) -> None:
    """Read what is printed until a line has `words`; four minutes without end the command, and the wait."""
    assert running.stdout is not None
    watchdog = threading.Timer(240, running.kill)
    watchdog.start()
    try:
        seen = []
        for line in running.stdout:
            seen.append(line)
            if words in line:
                return
        raise AssertionError(f"ended before it said {words}; it said\n{''.join(seen)}")
    finally:
        watchdog.cancel()


@pytest.mark.thorough("compiling what replays a trace takes a minute; tests/report/terminal has the words without it")
def test_a_kernel_is_proved_after_its_cases_where_that_is_asked_for(path: Path) -> None:
    with Watcher(path, shape=SHAPE, cores=CORES, prove=True) as watcher:
        sessions = list(watcher.look())
        assert sessions[0].latest.proof is None and not sessions[0].latest.complete
        proof = watcher.session.latest.proof
        assert proof is not None and proof.status.value == "proved" and watcher.session.latest.complete
        assert json.loads(json.dumps(watcher.session.to_json()))["proof"]["status"] == "proved"
        assert not list(watcher.look())  # nothing is proved twice
        path.write_text(path.read_text().replace(SUM, WRONG, 1))
        session = look(watcher)
    assert session.latest.verdict is not None and not session.latest.verdict.passed
    assert session.latest.proof is None and session.latest.complete  # the cases have shown it


@pytest.mark.thorough("compiling what replays a trace takes a minute; tests/report/terminal has the words without it")
def test_inputs_that_refute_a_watched_kernel_are_explained_and_saved(path: Path) -> None:
    path.write_text(path.read_text().replace(SUM, WRONG, 1))
    source = WatchedFile(path)
    assert SHAPE in questions.to_prove(source, 1)
    failure = questions.proved(source, 1, Shape(("count",), (16,)), 1).failure
    assert failure is not None and failure.explanation is not None
    assert saved_case(source.open(), Path(failure.saved)).shape.sizes == (16,)


@pytest.mark.thorough("compiling what replays a trace takes a minute; tests/report/terminal has the words without it")
def test_a_look_that_asks_for_a_proof_says_its_word_and_passes_only_with_it(path: Path) -> None:
    shown = neonlab("watch", str(path), "--shape", "64", "--once", "--prove", cwd=path.parents[2])
    assert shown.returncode == 0 and "\nproved      armv8/add_s8_saturated" in shown.stdout, shown.stdout
    path.write_text(path.read_text().replace(SUM, f"    cnt     v5.16b, v0.16b\n{SUM}", 1))
    shown = neonlab("watch", str(path), "--shape", "64", "--once", "--prove", cwd=path.parents[2])
    assert shown.returncode == 1, shown.stdout
    assert "\nexact  " in shown.stdout and "\nnot proved  armv8/add_s8_saturated" in shown.stdout
    assert "no rule for this instruction: cnt" in shown.stdout

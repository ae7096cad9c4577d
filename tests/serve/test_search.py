"""A search for a cheaper loop of the text in an editor: as it goes, stopped, and where it cannot be made."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import ADD, HEAD, new_repository

from neonlab.editor.desk import Text
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check
from neonlab.optimize.outcome import Standing
from neonlab.serve.search import Search, Searcher

CORE, WAIT = "cortex-a53", 240
KERNEL = Path(__file__).parents[1] / "optimize/kernels/armv8/conv1x1_s8s32_hwc_4x4_safe.S"


class Told:
    """Keeps what a search told, in order."""

    def __init__(self) -> None:
        self.searches: list[Search] = []
        self.over = threading.Event()

    def __call__(self, search: Search) -> None:
        self.searches.append(search)
        if search.is_over:
            self.over.set()

    @property
    def last(self) -> Search:
        assert self.over.wait(WAIT), self.searches[-1:]
        return self.searches[-1]


@contextmanager
def searching(text: Text, steps: int, root: Path | None = None) -> Iterator[tuple[Searcher, Told]]:
    told = Told()
    with Searcher(root, {}, None, 1, told, steps) as searcher:
        assert searcher.begin(text, CORE)
        yield searcher, told


def text_of(path: Path, text: str = "") -> Text:
    saved = path.read_text()
    return Text(path, text or saved, saved)


@pytest.mark.slow
def test_a_search_tells_how_far_it_is_and_finds_a_text_that_is_exact(tmp_path: Path) -> None:
    with searching(text_of(KERNEL), 1000) as (searcher, told):
        assert not searcher.begin(text_of(KERNEL), CORE), "two searches at once"
        found = told.last.outcome
    assert found is not None and found.standing is Standing.PROVED, told.last
    assert found.new.cycles < found.old.cycles
    words = " ".join(one.words for one in told.searches)
    assert re.search(r"proving the new kernel.*, \d+ of \d+ shapes, best \d", words), words
    # An independent judgement of the text, as `check` makes it of any file, in the folder that it is for.
    written = KERNEL.with_name(f"{KERNEL.stem}_{tmp_path.name}.S")
    written.write_text(found.text.replace("/*toml", f'/*toml\nsymbol = "{KERNEL.stem}"', 1))
    try:
        assert check(open_kernel(written)).passed
    finally:
        written.unlink()


def test_a_search_that_is_stopped_judges_its_best_and_one_stopped_again_gives_up() -> None:
    with searching(text_of(KERNEL), 10**7) as (searcher, told):
        while not any("best" in one.words for one in told.searches):
            assert not told.over.wait(0.05), told.searches[-1]
        searcher.stop()
        while not any("new kernel" in one.words for one in told.searches):
            assert not told.over.wait(0.05), told.searches[-1]
        searcher.stop()
        assert told.last.problem == "stopped before its outcome was judged"
        assert not any("proving" in one.words for one in told.searches)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("ldr     q0", "ldr9    q0"), "ldr9"),
        (("    ret\n", "    b .\n"), "is wrong, so it is not optimized"),
    ],
    ids=["what does not assemble", "no end"],
)
def test_what_cannot_be_searched_is_said_by_its_own_path(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    root = new_repository(tmp_path, "add_s8_other")
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text().replace(*change)
    assert text != path.read_text(), HEAD
    with searching(text_of(path, text), 100, root) as (_, told):
        problem = told.last.problem
    assert words in problem and "/neonlab-" not in problem, problem


def test_a_search_ends_with_the_server_though_it_waits_for_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: Any, begin: Any, workers: Workers | None = None, **__: Any) -> None:
        begin("proving the new kernel", 1, "shapes")
        list((workers or Workers(1)).run(time.sleep, [(600.0,)]))

    monkeypatch.setattr("neonlab.serve.search.optimize", endless)
    with searching(text_of(KERNEL), 100) as (searcher, told):
        while not any("proving" in one.words for one in told.searches):
            assert not told.over.wait(0.05), told.searches[-1]
    assert not searcher.is_busy
    assert told.last.problem == "stopped before its outcome was judged"


def test_an_included_file_that_is_not_saved_is_to_be_saved_first() -> None:
    beside = KERNEL.with_name("common.inc")
    text = text_of(KERNEL)
    with searching(Text(KERNEL, text.text, text.saved, ((beside, "typed", "saved"),)), 100) as (_, told):
        assert told.last.problem == "save common.inc first: the kernel includes it"

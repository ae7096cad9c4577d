"""Another implementation beside the text in `neonlab serve`: C, assembly or a revision, judged as the kernel is."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.command_line import ADD, ROOT, git, new_repository
from tests.serve.served import DONE, WAIT, start, stop
from tests.tools import require_compiler

from neonlab.contract.options import NOTHING
from neonlab.editor.desk import Text
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.library import open_kernel
from neonlab.lab.run.check import check
from neonlab.serve.beside import Compared, Comparer, Other
from neonlab.verify.verdict import JudgedBy

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KERNEL = ROOT / "asm/armv8/conv1x1/conv1x1_s8s32_hwc_4x4.S"
CORE = "cortex-a53"
#: The compiler that is there: a bare machine has zig.
C = "gcc" if shutil.which("aarch64-linux-gnu-gcc") else "zig"
#: The same in C, as the tutorial has it.
LOOPS = (ROOT / "docs/tutorial/conv1x1_s8s32_hwc_1x1.c").read_text().partition("\n{\n")[2].rpartition("}")[0]


class Told:
    """Keeps what a comparer tells, and waits for the end."""

    def __init__(self) -> None:
        self.seen: list[Compared] = []
        self._over = threading.Event()

    def show(self, compared: Compared) -> None:
        self.seen.append(compared)
        if compared.is_over:
            self._over.set()

    @property
    def last(self) -> Compared:
        assert self._over.wait(300), self.seen
        return self.seen[-1]


def text_of(path: Path) -> Text:
    saved = path.read_text()
    return Text(path, saved, saved)


def compared(other: Other, path: Path = KERNEL, root: Path = ROOT, shape: str | None = "4x4x64x8") -> Compared:
    told = Told()
    with Comparer(root, {path: NOTHING}, shape, 1, told.show) as comparer:
        assert comparer.begin(text_of(path), other, CORE)
        assert not comparer.begin(text_of(path), other, CORE), "two comparisons at once"
        return told.last


def filled_in() -> str:
    with Comparer(ROOT, {}, None, 1, lambda _: None) as comparer:
        return comparer.skeleton(text_of(KERNEL)).replace("{\n}", f"{{\n{LOOPS}}}")


@pytest.fixture(scope="module")
def c_text() -> str:
    require_compiler(Isa.A64)
    return filled_in()


def test_the_function_to_begin_with_has_the_kernels_prototype() -> None:
    assert (
        "void conv1x1_s8s32_hwc_4x4(const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, "
        "size_t in_channels, size_t out_channels)"
    ) in filled_in()


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["-O1", "-O3 -fno-tree-vectorize"])
def test_c_is_compiled_with_its_flags_and_judged_by_the_kernels_contract(c_text: str, flags: str) -> None:
    found = compared(Other(C, c_text, flags))
    assert not found.problem and found.verdict is not None and found.verdict.passed and found.verdict.cases > 100
    assert found.comparison is not None
    (group,) = found.comparison.groups
    kernel, other = group.sides
    assert (kernel.name, other.name) == (KERNEL.name, f"{KERNEL.stem}.c@{C}:{flags}")
    assert other.compiler.endswith(flags) and kernel.exact and other.exact
    assert all(side.profiles[0].cycles is not None and side.profiles[0].cycles.warm for side in group.sides)
    (loop,) = found.comparison.loops
    assert (loop.before, loop.after) == (kernel.name, other.name) and loop.cycles_before != loop.cycles_after


def test_wrong_c_is_told_wrong_with_the_case(c_text: str) -> None:
    found = compared(Other(C, c_text.replace("i < in_channels", "i < (in_channels & ~(size_t)1)"), "-O2"))
    assert found.verdict is not None and not found.verdict.passed
    assert {failure.identifier for failure in found.verdict.failures} == {"mismatch"}


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(
    ("other", "words"),
    [
        (Other(C, "void conv1x1_s8s32_hwc_4x4(void) { return 1 }", "-O2"), "conv1x1_s8s32_hwc_4x4.c"),
        (Other(C, "int x;", "-O2"), "conv1x1_s8s32_hwc_4x4"),
        (Other(C, "int x;", "'"), "flags '"),
        (Other("assembly", "    nosuch x0\n"), "nosuch"),
        (Other("revision", "", "no-such-revision"), "git knows no revision `no-such-revision`"),
    ],
)
def test_what_cannot_be_built_is_said_in_a_sentence(other: Other, words: str) -> None:
    if other.is_c:
        require_compiler(Isa.A64)
    found = compared(other)
    assert found.verdict is None and words in found.problem and "internal error" not in found.problem
    assert re.search("/neonlab-[^/]+/", found.problem) is None, "paths are those of the repository"


@pytest.mark.slow
def test_assembly_without_a_contract_has_the_kernels() -> None:
    code = KERNEL.read_text().split("*/", 1)[1]
    found = compared(Other("assembly", code))
    assert found.verdict is not None and found.verdict.passed, found.problem
    assert found.comparison is not None and not found.comparison.loops[0].changed


@pytest.mark.parametrize(
    ("judged", "word"),
    [(JudgedBy.REFERENCE, "exact"), (JudgedBy.NOTHING_SAID, "ran"), (JudgedBy.NOTHING, "unchecked")],
)
def test_the_other_is_called_exact_only_where_results_were_compared(judged: JudgedBy, word: str) -> None:
    from neonlab.serve.pane import standing

    verdict = replace(check(open_kernel(KERNEL), shapes="1x4x8x8"), judged_by=judged)
    told = standing(Compared(text_of(KERNEL), Other("assembly"), verdict=verdict))
    assert f">{word}</b>" in told and ("exact" in told) is (word == "exact")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Path]:
    yield new_repository(tmp_path)


def test_a_revision_is_the_kernel_as_it_was(repository: Path) -> None:
    path = repository / "asm" / f"{ADD}.S"
    was = path.read_text()
    path.write_text(was.replace("    ret\n", "    nop\n    ret\n"))
    found = compared(Other("revision", "", "HEAD"), path, repository, shape=None)
    assert found.verdict is not None and found.verdict.passed, found.problem
    assert found.comparison is not None
    now, before = (side.profiles[0].counts.instructions for side in found.comparison.groups[0].sides)
    assert now == before + 1
    assert git(repository, "status", "--porcelain").split() == ["M", f"asm/{ADD}.S"]


@pytest.mark.thorough("a browser and a compiler; the comparison has tests of its own")
def test_c_is_set_beside_the_kernel_in_the_browser(browser: Browser, c_text: str) -> None:
    served = start(KERNEL, "--core", CORE, "--shape", "4x4x64x8")
    try:
        tab = browser.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(WAIT)
        tab.goto(served.address)
        tab.wait_for_selector(DONE)
        tab.locator(".neonlab-beside > summary").click()
        editor = tab.locator(".neonlab-second .cm-content")
        editor.wait_for()
        assert f"void {KERNEL.stem}(" in editor.inner_text()
        editor.click()
        tab.keyboard.press("Control+A")
        tab.keyboard.insert_text(c_text)
        tab.get_by_label("what to set beside it").select_option(C)
        tab.get_by_label("flags").fill("-O2")
        tab.get_by_role("button", name="Compare", exact=True).click()
        told = tab.locator(".neonlab-beside [role=status]")
        told.locator("b.good").wait_for()
        text = told.inner_text()
        assert f"exact {KERNEL.stem}.c@{C}:-O2" in text and "the loops differ in structure" in text
        assert tab.get_by_label("flags").input_value() == "-O2", "what a person typed stays"
        assert "cycles line before" in text and "MACs/c" in text
        tab.get_by_label("what to set beside it").select_option("revision")
        editor.wait_for(state="hidden")
        assert tab.get_by_label("revision").input_value() == "HEAD"
        tab.get_by_role("button", name="Compare", exact=True).click()
        told.get_by_text(f"{KERNEL.name} at HEAD", exact=False).first.wait_for()
    finally:
        assert "Traceback" not in stop(served)[1]

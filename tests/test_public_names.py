"""What `import neonlab` gives: every public name can be listed, and takes kernels by name and shapes as text."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import neonlab
from neonlab.lab.repository.library import open_library
from neonlab.lab.run.plan import draw_case, parse_shape
from neonlab.verify.cases.case import CaseName

ROOT = Path(__file__).resolve().parents[1]
HWC = "armv8/conv1x1_s8s32_hwc_4x4"
CHW = "armv8/conv1x1_s8s32_chw_8x4"
SMALL = "3x3x16x8"


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def add() -> neonlab.Function:
    """c[i] = a[i] + b[i], saturated; its contract states no multiply-accumulates."""
    return neonlab.load("sim/neonlab/lab/start/template/asm/armv8/add_s8_saturated.S")


@pytest.fixture
def bare(tmp_path: Path) -> neonlab.Function:
    """The same code without its contract."""
    text = Path("sim/neonlab/lab/start/template/asm/armv8/add_s8_saturated.S").read_text().partition("*/")[2]
    path = tmp_path / "add_s8_saturated.S"
    path.write_text(text)
    return neonlab.load(path, isa="armv8", prototype="void (const int8_t *a, const int8_t *b, int8_t *c, size_t n)")


def test_dir_lists_every_public_name_without_loading_one() -> None:
    program = "import neonlab; print(*dir(neonlab)); import sys; print(*(m for m in sys.modules if 'neonlab.' in m))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    listed, loaded = done.stdout.splitlines()
    assert set(neonlab.__all__) <= set(listed.split()) and loaded == ""
    assert {"MemoryOptions", "Failure", "Library", "check", "load", "profile"} <= set(neonlab.__all__)


@pytest.mark.parametrize("name", neonlab.__all__)
def test_every_public_name_loads_and_has_a_docstring_of_its_own(name: str) -> None:
    value = getattr(neonlab, name)
    if name == "Array":  # a type of numpy's, whose docstring it has
        return
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    assert own and not own.startswith(f"{name}("), name  # which is what a dataclass without one says
    if inspect.isclass(value):
        for member, found in vars(value).items():
            function = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
            if not member.startswith("_") and inspect.isfunction(function):
                assert function.__doc__, f"{name}.{member}"


def test_the_library_around_is_opened_without_saying_where() -> None:
    assert neonlab.open_library() is open_library(ROOT)
    with pytest.raises(neonlab.InputError, match="no repository of kernels"):
        neonlab.open_library(ROOT / "docs")


def test_outside_of_a_repository_the_installed_library_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert neonlab.open_library().find(HWC)


def test_a_kernel_is_checked_by_its_name_and_a_shape_as_text() -> None:
    named = neonlab.check(HWC, shapes=SMALL, patterns=["random"], seed=3)
    (kernel,) = open_library(ROOT).find(HWC)
    assert named == neonlab.check(kernel, shapes=[parse_shape(kernel, SMALL)], patterns=["random"], seed=3)
    assert named.passed and named.cases == 1


def html_of(profile: neonlab.Profile) -> str:
    html = profile._repr_html_()
    assert html is not None
    return html


def test_a_kernel_is_checked_by_the_path_of_its_file() -> None:
    path = ROOT / "tests" / "saboteurs" / "armv8" / "conv1x1_s8s32_hwc_4x4_wrong_pixel.S"
    for asked in (path, str(path)):
        assert neonlab.check(asked, shapes="1x16x1x1").failures[0].identifier == "mismatch"


def test_a_kernel_is_profiled_by_its_name_on_a_core() -> None:
    (kernel,) = open_library(ROOT).find(HWC)
    found = neonlab.profile(HWC, "14x14x32x32", core="cortex-a53", warm=True)
    memory = neonlab.MemoryOptions("cortex-a53", warm=True, loop=True)
    same = neonlab.profile(kernel, parse_shape(kernel, "14x14x32x32"), memory=memory)
    assert isinstance(found, neonlab.Profile) and isinstance(same, neonlab.Profile)
    assert found.to_json() == same.to_json()
    assert found.loop is not None and "<svg" in html_of(found)
    counted = neonlab.profile(HWC, "14x14x32x32")
    assert isinstance(counted, neonlab.Profile) and counted.macs == found.macs and counted.cycles is None
    assert counted.counts.to_json() == found.counts.to_json()


@pytest.mark.slow
def test_kernels_are_compared_by_their_names() -> None:
    kernels = [open_library(ROOT).find(name)[0] for name in (HWC, CHW)]
    shape = parse_shape(kernels[0], "14x14x32x32")
    expected = neonlab.compare(kernels, [shape], cores=["cortex-a53"]).to_json()
    assert neonlab.compare([HWC, CHW], "14x14x32x32", core="cortex-a53").to_json() == expected
    assert neonlab.compare([HWC, CHW], ["14x14x32x32"], cores="cortex-a53").to_json() == expected
    assert [side["kernel"] for side in expected["groups"][0]["sides"]] == [HWC, CHW]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: neonlab.check("armv8/conv1x1_s8s32_hwc_4x5"), "no kernel is called .*did you mean"),
        (lambda: neonlab.check("nowhere/mine.S"), "nowhere/mine.S: no such file"),
        (lambda: neonlab.check("avgpool2x2s2_s8s8_hwc_1x16"), "means 2 kernels: armv7/.*, armv8/.*; name one"),
        (lambda: neonlab.check(None), "a kernel is a neonlab.Kernel, a name or a path, not NoneType"),  # type: ignore
        (
            lambda: neonlab.check(HWC, shapes="3x3x16"),
            "shape `3x3x16`: give the 4 sizes height x width x in_channels x out_channels",
        ),
        (lambda: neonlab.check(HWC, patterns=["noise"]), "no pattern is called `noise`"),
        (lambda: neonlab.profile(HWC), "give a shape, which is height x width x in_channels x out_channels"),
        (lambda: neonlab.profile(HWC, (3, 3, 16, 8)), "a shape is a neonlab.Shape or text"),  # type: ignore
        (lambda: neonlab.profile(HWC, SMALL, core="cortex-a1"), "cortex-a1"),
        (lambda: neonlab.profile(HWC, SMALL, core="cortex-a7"), "A64"),
        (lambda: neonlab.profile(HWC, SMALL, warm=True), "give `core` too"),
        (
            lambda: neonlab.profile(HWC, SMALL, core="cortex-a53", memory=neonlab.MemoryOptions()),
            "either `memory` or `core`",
        ),
        (lambda: neonlab.compare([]), "no kernels to compare"),
        (lambda: neonlab.compare([HWC], SMALL, cores=["cortex-a1"]), "cortex-a1"),
        (lambda: neonlab.compare([HWC], SMALL, warm=True), "give `core` too"),
        (lambda: neonlab.compare([HWC, "armv8/nothing"], SMALL), "no kernel is called `armv8/nothing`"),
    ],
)
def test_what_is_not_known_is_refused_in_one_sentence(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(neonlab.InputError, match=message):
        call()


def test_a_function_shows_what_it_is(add: neonlab.Function, bare: neonlab.Function) -> None:
    where = "sim/neonlab/lab/start/template/asm/armv8/add_s8_saturated.S"
    arguments = "const int8_t *a, const int8_t *b, int8_t *c, size_t"
    assert repr(add) == f"<neonlab.Function add_s8_saturated of {where}, armv8: void ({arguments} count)>"
    shown = f"<neonlab.Function add_s8_saturated of {bare.path}, armv8: void ({arguments} n), without a contract>"
    assert repr(bare) == shown


def test_a_profile_of_a_function_on_a_core_has_its_hot_loop_and_a_picture(add: neonlab.Function) -> None:
    ones = np.ones(4096, np.int8)
    by_arrays = add.profile(ones, ones.copy(), np.zeros(4096, np.int8), 4096, core="cortex-a53")
    for profile in (by_arrays, add.profile(shape="4096", core="cortex-a53")):
        assert profile.loop is not None and profile.loop.instructions == 6  # as the file's header says
        assert "<svg" in html_of(profile)


def test_the_work_of_a_call_with_arrays_is_what_the_contract_says() -> None:
    kernel = "asm/armv8/conv1x1/conv1x1_s8s32_hwc_4x4.S"
    function = neonlab.load(kernel)
    assert function.kernel is not None and function.kernel.contract.macs is not None
    sizes = {"height": 2, "width": 2, "in_channels": 16, "out_channels": 8}
    case = draw_case(function.kernel, CaseName(parse_shape(function.kernel, "2x2x16x8"), "random", 1))
    given: dict[str, np.ndarray | int] = {**case.integers, **case.inputs}
    arguments = [given.get(a.name, np.zeros(2 * 2 * 8, np.int32)) for a in function.kernel.contract.arguments]
    profile = function.profile(*arguments)
    assert profile.macs == np.prod(list(sizes.values()))
    assert profile.instructions_per_mac == profile.counts.instructions / profile.macs
    assert function.profile(*arguments, macs=7).macs == 7
    assert "per MAC" in html_of(profile) and "></td>" not in html_of(profile)


def test_a_call_without_declared_work_has_no_column_for_it(add: neonlab.Function, bare: neonlab.Function) -> None:
    ones = np.ones(64, np.int8)
    for function in (add, bare):
        html = html_of(function.profile(ones, ones.copy(), np.zeros(64, np.int8), 64))
        assert "per MAC" not in html and "></td>" not in html and "bytes loaded" in html

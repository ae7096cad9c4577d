"""Discovery: what counts as a repository, and what is refused in one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.kernel_sources import file_of, standing_alone

from neonlab import check
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_files import kernel_file, kernel_files
from neonlab.lab.repository.library import find_members, find_root, is_member, open_kernel, open_library
from neonlab.lab.run.shapes import planned_shapes

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("asm", "kernels"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_repository_above_counts_and_elsewhere_the_built_in_library(tmp_path: Path) -> None:
    assert find_root(ROOT / "asm" / "armv8") == ROOT
    found = find_root(tmp_path)
    assert (found / "asm").is_dir() and (found / "kernels").is_dir()


def test_a_path_may_be_said_as_text_and_means_the_folder_that_it_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert open_library(".") is open_library(ROOT)
    kernel = open_library(ROOT).kernels[0]
    assert open_kernel(str(kernel.path)).contract == kernel.contract
    monkeypatch.chdir(ROOT / "sim" / "neonlab" / "lab" / "start" / "template")
    assert [kernel.name for kernel in open_library(".").kernels] == ["add_s8_saturated"] * 2


def test_every_kernel_of_ours_has_an_operator_and_is_found_by_name() -> None:
    library = open_library(ROOT)
    assert library.kernels
    for kernel in library.kernels:
        assert kernel.operator is not None, kernel.title
        assert kernel in library.find(kernel.name) and library.find(kernel.title) == (kernel,)


def test_a_kernel_may_lie_in_a_folder_below_that_of_its_instruction_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = ROOT / "sim" / "neonlab" / "lab" / "start" / "template"
    for name in ("asm", "kernels"):
        shutil.copytree(template / name, tmp_path / name)
    flat = tmp_path / "asm" / "armv8" / "add_s8_saturated.S"
    deep = flat.parent / "add" / "plain" / flat.name
    deep.parent.mkdir(parents=True)
    flat.rename(deep)
    library = open_library(tmp_path)
    titles = ["armv7/add_s8_saturated", "armv8/add_s8_saturated"]
    assert [kernel.title for kernel in library.kernels] == titles
    assert library.find(titles[1]) == (library.kernels[1],) and library.find(flat.stem) == library.kernels
    assert find_members(tmp_path, titles[1])[0].path == deep and is_member(tmp_path, deep)
    assert kernel_file(tmp_path, titles[1]) == deep and kernel_file(tmp_path, "armv8/other") is None
    monkeypatch.chdir(deep.parent)
    assert open_kernel(flat.name).contract.isa is Isa.A64 and find_root() == tmp_path
    shutil.copy(deep, flat)
    with pytest.raises(InputError, match=f"{deep} holds the kernel {titles[1]} already"):
        kernel_files(tmp_path)
    assert kernel_file(tmp_path, titles[1]) is None


def test_a_kernel_in_a_folder_must_be_of_the_instruction_set_that_its_folder_lies_in(repository: Path) -> None:
    path = repository / "asm" / "armv7" / "clip" / "mine.S"
    path.write_text('/*toml\nsummary="x"\nprototype="void (void)"\nisa=["armv8-a"]\nreference="none"\n*/\n')
    with pytest.raises(InputError, match="folder is armv7"):
        open_library(repository)


@pytest.mark.slow
def test_every_dispatch_chooses_a_kernel_that_exists_and_takes_the_shape() -> None:
    library = open_library(ROOT)
    for operator in library.operators:
        for dispatch in operator.dispatches:
            assert library.find(dispatch.name)
            members = [kernel for kernel in library.kernels if kernel.name in dispatch.members]
            small = [shape for kernel in members for shape in planned_shapes(kernel, 1).small]
            layers = [
                shape
                for shape in operator.layers.values()
                if any(operator.accepts(kernel.contract, shape) for kernel in members)  # some take 3 channels alone
            ]
            assert layers
            for shape in [*layers, *small]:
                chosen = [kernel for kernel in library.kernels if kernel.name == dispatch.choose(shape)]
                assert chosen and all(operator.accepts(kernel.contract, shape) for kernel in chosen)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("kernels/mine.py", "OPERATOR = 1\n", "no OPERATOR"),
        (
            "kernels/mine.py",
            "import nothing_of_it\n",
            r"mine\.py:1: ModuleNotFoundError: .*, where it is imported",
        ),
        ("kernels/mine.py", "def (\n", r"mine\.py:1: SyntaxError: .*, where it is imported"),
        ("asm/armv8/mine.S", "mine: ret\n", "no contract"),
        ("asm/armv7/mine.S", '/*toml\nsummary="x"\nprototype="void (void)"\nisa=["armv8-a"]\n*/\n', "folder is armv7"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(repository: Path, file: str, text: str, words: str) -> None:
    (repository / file).write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        open_library(repository)
    assert file.rpartition("/")[2] in str(caught.value)


@pytest.mark.parametrize("at", ["inputs", "expected"])
def test_a_mistake_in_an_operator_is_told_with_its_line(repository: Path, at: str) -> None:
    path = repository / "kernels" / "lut.py"
    lines = path.read_text().splitlines()
    line = next(n for n, text in enumerate(lines) if f"def {at}(" in text) + 1
    path.write_text("\n".join([*lines[:line], "        raise KeyError('mine')", *lines[line:]]))
    kernel = next(k for k in open_library(repository).kernels if k.operator is not None and k.operator.name == "lut")
    with pytest.raises(InputError, match=rf"lut.py:{line + 1}: KeyError: 'mine', where operator `lut`"):
        check(kernel)


def test_a_common_word_in_a_name_outside_of_a_repository_may_mean_anything(tmp_path: Path) -> None:
    text = (ROOT / "sim/neonlab/lab/start/template/asm/armv8/add_s8_saturated.S").read_text()
    path = tmp_path / "add_mine.S"
    path.write_text(text.replace("add_s8_saturated", "add_mine"))
    kernel = open_kernel(path)
    assert kernel.operator is None and check(kernel).faultless  # the library's own addition knows more arguments
    name = "clip_s8s8_flat_64"
    known = standing_alone(file_of(f"armv8/{name}"))
    for mine, title in (("clip_mine", "clip"), (name, "clip")):
        path = tmp_path / f"{mine}.S"
        path.write_text(known.replace(name, mine))
        operator = open_kernel(path).operator
        assert operator is not None and operator.name == title


def test_two_operators_may_not_claim_one_kernel(repository: Path) -> None:
    shutil.copy(repository / "kernels" / "conv1x1.py", repository / "kernels" / "again.py")
    with pytest.raises(InputError, match="two operators claim this kernel"):
        open_library(repository)


def test_operator_files_may_import_one_another(repository: Path) -> None:
    (repository / "kernels" / "_shared.py").write_text("NAME = 'shared'\n")
    path = repository / "kernels" / "conv1x1.py"
    path.write_text(path.read_text().replace('    name = "conv1x1"', "    from ._shared import NAME as name"))
    assert "shared" in [operator.name for operator in open_library(repository).operators]


def test_a_file_of_ones_own_is_claimed_by_its_name(repository: Path, tmp_path: Path) -> None:
    name = "conv1x1_s8s32_chw_mine"
    text = standing_alone(file_of("armv8/conv1x1_s8s32_chw_8x4"))
    path = repository / f"{name}.S"
    path.write_text(text)
    kernel = open_kernel(path)
    assert kernel.name == name and kernel.operator is not None and kernel.operator.name == "conv1x1"

"""No module, function or folder grows beyond what one can read, and names say what folders do not."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("sim/neonlab", "tests", "kernels", "docs")
MODULE_LINES, FUNCTION_LINES, FOLDER_MODULES = 400, 90, 16
#: Public modules, one to a paper or framework, that operators of other people import by these names.
PUBLIC_FOLDERS = {"sim/neonlab/int8"}
TEMPLATE = ROOT / "sim" / "neonlab" / "lab" / "start" / "template"


def modules() -> list[Path]:
    """Return every Python file of the repository."""
    return sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py") if ".venv" not in path.parts)


def long_functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the name and length of each function that is too long."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if (length := node.end_lineno - node.lineno + 1) > FUNCTION_LINES:
                yield node.name, length


def test_no_module_is_longer_than_400_lines() -> None:
    counts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in modules()}
    assert {path: lines for path, lines in counts.items() if lines > MODULE_LINES} == {}


@pytest.mark.slow
def test_no_function_is_longer_than_90_lines() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{name}": lines
        for path in modules()
        for name, lines in long_functions(path.read_text(encoding="utf-8"))
    }
    assert found == {}


def test_a_function_that_is_too_long_is_found() -> None:
    body = "    pass\n" * FUNCTION_LINES
    assert list(long_functions(f"def f():\n{body}\nclass C:\n    async def g():\n{body.replace('    ', ' ' * 8)}")) == [
        ("f", FUNCTION_LINES + 1), ("g", FUNCTION_LINES + 1)
    ]  # fmt: skip
    assert list(long_functions(f"def f():\n{body[: -len('    pass') - 1]}")) == []


def test_no_folder_of_the_lab_has_more_modules_than_one_sees_at_once() -> None:
    counts = Counter(str(path.parent.relative_to(ROOT)) for path in modules() if path.is_relative_to(ROOT / "sim"))
    assert {folder: n for folder, n in counts.items() if n > FOLDER_MODULES and folder not in PUBLIC_FOLDERS} == {}


def repeats_its_folder(path: Path) -> bool:
    """Tell whether the name of the module begins with that of its folder."""
    return f"{path.stem}_".startswith(f"{path.parent.name}_")


def test_no_module_repeats_the_name_of_its_folder() -> None:
    found = [path for path in modules() if path.is_relative_to(ROOT / "sim") and repeats_its_folder(path)]
    assert [path for path in found if not path.is_relative_to(TEMPLATE)] == []
    assert repeats_its_folder(Path("loop/loop_report.py")) and not repeats_its_folder(Path("loop/looping.py"))


def test_no_two_modules_at_work_on_different_things_have_a_vague_name() -> None:
    vague = {"bench", "listing", "utils", "util", "helpers", "misc", "common", "base"}
    assert [str(path) for path in modules() if path.is_relative_to(ROOT / "sim") and path.stem in vague] == []


def test_tests_mirror_the_folders_of_the_lab() -> None:
    apart = {"c", "corpus", "docs", "foreign", "fuzz", "kernels", "saboteurs", "tree", "int8/frameworks"}
    folders = {path.parent.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    mirrored = {folder for folder in folders if not any(folder == a or folder.startswith(f"{a}/") for a in apart)}
    assert {folder for folder in mirrored if not (ROOT / "sim" / "neonlab" / folder).is_dir()} == set()

"""Each answer to "Where is the rule that …" in CONTRIBUTING.md is the one file that defines the name it gives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "sim" / "neonlab"
_ROW = re.compile(r"^\| (?P<question>[^|]+?) \| `(?P<path>[\w/.]+)` \| `(?P<name>\w+)` \|$", re.MULTILINE)


def rows() -> list[tuple[str, str, str]]:
    """Return question, path below sim/neonlab and name of each row of the table."""
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Where is the rule that")[2].partition("\n## ")[0]
    return [(m["question"], m["path"], m["name"]) for m in _ROW.finditer(section)]


def defined(text: str) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, methods, and what it assigns at the top."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))


@cache
def definitions() -> dict[str, frozenset[str]]:
    """Return the names that each module defines, by its path below sim/neonlab."""
    return {
        path.relative_to(SOURCE).as_posix(): frozenset(defined(path.read_text(encoding="utf-8")))
        for path in SOURCE.rglob("*.py")
    }


def test_there_are_24_questions_and_none_twice() -> None:
    found = rows()
    assert len(found) >= 24 and len({question for question, _, _ in found}) == len(found)
    assert len({path for _, path, _ in found}) == len(found)


@pytest.mark.slow
@pytest.mark.parametrize(("question", "path", "name"), rows(), ids=lambda text: text[:60])
def test_the_answer_is_the_file_that_has_the_rule_and_no_other_has(question: str, path: str, name: str) -> None:
    assert {module for module, names in definitions().items() if name in names} == {path}, question

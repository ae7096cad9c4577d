"""Operators are people's Python: whatever their files raise or return, one message names file, line and exception."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import neonlab

from neonlab.errors import InputError
from neonlab.lab.repository.library import open_library
from neonlab.lab.run.check import check
from neonlab.lab.start.repository import start_repository

#: What is put at the head of a method, or of the module, and what is said of it.
RAISED = {
    "raise SystemExit(0)": "SystemExit: 0",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise ZeroDivisionError('mine')": "ZeroDivisionError: mine",
    "raise BaseException('mine')": "BaseException: mine",
    "import sys; sys.exit('mine')": "SystemExit: mine",
    "raise MemoryError": "MemoryError",
    "(lambda f: f(f))(lambda f: f(f))": "RecursionError",
    "raise ValueError('one\\ntwo')": "ValueError: one two",
}
METHODS = ("claims", "tails", "integers", "inputs", "expected")
#: What a method returns instead, and what is said of that.
RETURNED = {
    ("tails", "5"): "returns a int, not shapes",
    ("tails", "[3]"): "returns 3, not a Shape of count",
    ("integers", "None"): "returns a NoneType, not a mapping",
    ("integers", "{'count': 'many'}"): "returns `count` = 'many', not an integer",
    ("inputs", "[1]"): "returns a list, not a mapping",
    ("inputs", "{'a': [1], 'b': [2]}"): "returns a list for `a`, not an array",
    ("expected", "inputs"): "returns a ndarray for `a`, not an Expected",
    ("expected", "{'c': Expected(inputs['a'], ())}"): "names 0 axes of `c`",
}


#: A list of shapes of the operator's own.
TAILS = """    def tails(self):
        \"\"\"Name shapes.\"\"\"
        return (Shape(_DIMENSIONS, (count,)) for count in (3, 100))

"""


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """The operator's file in a repository of its own."""
    start_repository(tmp_path / "own")
    path = tmp_path / "own" / "kernels" / "add.py"
    before = "    def integers("
    path.write_text(path.read_text().replace(before, f"{TAILS}{before}"))
    return path


def put(operator: Path, method: str, statement: str) -> int:
    """Have `statement` done first in the method, or in the module where that is empty; its line."""
    lines = operator.read_text().splitlines()
    # After the docstring of a method, and after what is imported from the future.
    at = next(n for n, text in enumerate(lines) if (f"def {method}(" if method else "__future__") in text)
    lines.insert(at + 2, f"{'        ' if method else ''}{statement}")
    operator.write_text("\n".join(lines))
    return at + 3


def refused(operator: Path) -> str:
    """What `check` in this process raises."""
    with pytest.raises(InputError) as caught:
        for kernel in open_library(operator.parents[1]).kernels:
            check(kernel)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def said_of(operator: Path, *arguments: str) -> str:
    ended = neonlab(*arguments, cwd=operator.parents[1])
    assert ended.returncode == 2, ended
    assert ended.stdout == ""
    assert ended.stderr.startswith("neonlab: ") and ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr


@pytest.mark.parametrize("method", ["", *METHODS])
@pytest.mark.parametrize("statement", [text for text in RAISED if "Keyboard" not in text])
def test_what_a_file_raises_is_told_with_its_line(statement: str, method: str, operator: Path) -> None:
    line = put(operator, method, statement)
    said = refused(operator)
    assert f"add.py:{line}: {RAISED[statement]}" in said
    assert (f"where operator `add`.{method}() is called" if method else "where it is imported") in said


@pytest.mark.slow
@pytest.mark.parametrize("method", ["", "claims", "tails", "expected"])
@pytest.mark.parametrize("statement", ["raise SystemExit(0)", "raise KeyboardInterrupt"])
@pytest.mark.sweep(keep=3)
def test_no_file_ends_the_command_in_silence(statement: str, method: str, operator: Path) -> None:
    line = put(operator, method, statement)
    said = said_of(operator, "check", "add_s8_saturated", *(() if method == "tails" else ("--shape", "20")))
    assert f"add.py:{line}: {RAISED[statement]}" in said


@pytest.mark.parametrize(("method", "value"), RETURNED)
def test_what_a_method_should_not_return_is_told(method: str, value: str, operator: Path) -> None:
    put(operator, method, f"return {value}")
    said = refused(operator)
    assert re.search(r"add\.py: operator `add`\." + method, said)
    assert RETURNED[method, value] in said


def test_a_generator_that_raises_after_its_first_shape_is_told_with_its_line(operator: Path) -> None:
    text = operator.read_text()
    start, end = text.index("        return (Shape(_DIMENSIONS"), text.index("    def integers")
    body = "        yield Shape(_DIMENSIONS, (1,))\n        raise SystemExit(3)\n"
    operator.write_text(f"{text[:start]}{body}{text[end:]}")
    line = text[:start].count("\n") + 2
    assert f"add.py:{line}: SystemExit: 3, where operator `add`.tails() is called" in refused(operator)


@pytest.mark.slow
def test_an_operator_s_own_calls_raise_what_they_raise(operator: Path) -> None:
    put(operator, "claims", "import contextlib")
    text = operator.read_text().replace(
        "        import contextlib",
        "        import contextlib\n        with contextlib.suppress(KeyError):\n            self.integers({})",
    )
    operator.write_text(text)
    ended = neonlab("check", "add_s8_saturated", "--shape", "20", cwd=operator.parents[1])
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
def test_an_operator_that_ends_its_worker_is_a_verdict(operator: Path) -> None:
    put(operator, "expected", "import os; os._exit(3)")
    ended = neonlab("check", "add_s8_saturated", "--shape", "20", "--pattern", "random", cwd=operator.parents[1])
    assert ended.returncode == 1
    assert "died with exit code 3" in ended.stdout
    assert ended.stderr == ""

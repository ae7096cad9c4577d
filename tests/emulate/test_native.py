"""Compiled hooks: cached on disk between processes, wherever the package lies."""

from __future__ import annotations

import ctypes
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit, types

import neonlab
from neonlab.emulate import native

SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import neonlab.emulate.hooks.block_meter as meter, neonlab.emulate.hooks.newer_instructions
import neonlab.emulate.access_fault
import neonlab.emulate.last_writer as writer
assert meter.__file__.startswith({root!r}), meter.__file__
for function in (meter._enter_block, writer._written):
    assert function.address
    print(function.cache_hits if hasattr(function, "cache_hits") else function._cache_hits)
"""


def _copy_of_the_package(folder: Path) -> Path:
    root = folder / "site-packages"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(neonlab.__file__).parent, root / "neonlab", ignore=ignore)
    return root


def _run(root: Path, home: Path) -> list[int]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG", "PYTHON"))}
    environment |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", SCRIPT.format(root=str(root))]
    out = subprocess.run(command, env=environment, cwd=home, check=True, capture_output=True, text=True)
    return [int(word) for word in out.stdout.split()]


@pytest.mark.thorough("compiles all hooks anew")
def test_the_second_process_loads_what_the_first_compiled(tmp_path: Path) -> None:
    root = _copy_of_the_package(tmp_path)
    assert _run(root, tmp_path) == [0, 0]
    assert _run(root, tmp_path) == [1, 1]


@pytest.mark.thorough("compiles all hooks anew")
def test_a_package_that_cannot_be_written_is_cached_in_the_home(tmp_path: Path) -> None:
    root = _copy_of_the_package(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    # A file where the cache directory would be: it cannot be made, even by root.
    (root / "neonlab" / "emulate" / "__pycache__").write_text("")
    assert _run(root, home) == [0, 0]
    assert _run(root, home) == [1, 1]
    assert list(home.rglob("*.nbc"))


@pytest.mark.thorough("compiles all hooks anew")
def test_without_any_place_for_a_cache_hooks_are_compiled_each_time(tmp_path: Path) -> None:
    root = _copy_of_the_package(tmp_path)
    home = tmp_path / "home"
    home.write_text("not a directory")
    (root / "neonlab" / "emulate" / "__pycache__").write_text("")
    environment = {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]}
    script = SCRIPT.format(root=str(root)) + "print(meter._enter_block.address != 0)"
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "0", "True"]


AT_ONCE = """
import resource, time
from numba import types
from neonlab.emulate.native import native

@native(types.int64(types.int64))
def above(value):
    return value + 1

{before}
time.sleep(max(0, {begin} - time.time()))
assert above.address
print(above._cache_hits)
"""


def _at_once(folder: Path, count: int, before: str = "") -> list[int]:
    """Return how many functions each of `count` processes took from the disk, all of which want one at one moment."""
    (folder / "hook.py").write_text(AT_ONCE.format(before=before, begin=time.time() + 4))
    source = str(Path(neonlab.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
    run = [sys.executable, str(folder / "hook.py")]
    started = [subprocess.Popen(run, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return [int(process.communicate(timeout=60)[0]) for process in started]


@pytest.mark.slow
def test_of_processes_that_want_a_function_at_once_one_compiles_it(tmp_path: Path) -> None:
    assert sorted(_at_once(tmp_path, 3)) == [0, 1, 1]


@pytest.mark.slow
def test_a_function_that_a_full_disk_cannot_keep_is_compiled_all_the_same(tmp_path: Path) -> None:
    assert _at_once(tmp_path, 1, "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))") == [0]
    assert not list((tmp_path / "__pycache__").glob("*.nbc"))


def test_a_function_is_compiled_when_its_address_is_first_asked_for() -> None:
    made = native.native(types.int64(types.int64))(lambda value: value + 1)
    assert made._wrapper_address is None
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(made.address)(1) == 2


@pytest.mark.parametrize("decorator", [native.compiled, native.lean, native.makes_arrays])
def test_a_function_is_compiled_once_for_all_integers_that_int64_holds(decorator: Callable[[Any], Any]) -> None:
    """A uint64 is passed as it is, and each value arrives whole."""
    half = decorator(lambda value: value >> 1)

    def halves(narrow: Any, wide: Any) -> Any:
        return half(narrow), half(7), half(wide[0]), half(np.uint32(4_294_967_295))

    wide = np.array([2**63 + 6], np.uint64)
    assert njit(halves)(np.int8(-4), wide) == (-2, 3, 2**62 + 3, 2_147_483_647)
    assert set(half.overloads) == {(types.int64,), (types.uint64,)}


HOOK = """
import ctypes
from numba import types
from neonlab.emulate.native import native, native_call
from constants import LIMIT

@{decorator}
def above(value):
    return value + LIMIT

print({call})
"""


@pytest.mark.parametrize(
    ("decorator", "call"),
    [
        ("native(types.int64(types.int64))", "ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(above.address)(1)"),
        ("native_call", "above(1)"),
    ],
)
@pytest.mark.parametrize("by_module", [False, True])
@pytest.mark.thorough("compiles all hooks anew")
def test_a_constant_changed_in_another_module_is_noticed_by_the_cache(
    tmp_path: Path, decorator: str, call: str, by_module: bool
) -> None:
    text = HOOK.format(decorator=decorator, call=call)
    if by_module:
        text = text.replace("from constants import LIMIT", "import constants").replace("+ LIMIT", "+ constants.LIMIT")
    (tmp_path / "hook.py").write_text(text)
    source = str(Path(neonlab.__file__).parent.parent)
    results = []
    for limit in (10, 10, 99):
        (tmp_path / "constants.py").write_text(f"LIMIT = {limit}\n")
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"}
        run = [sys.executable, str(tmp_path / "hook.py")]
        shown = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
        results.append(shown.stdout.split()[0])
    assert results == ["11", "11", "100"]
    assert list((tmp_path / "__pycache__").glob("hook.above*.nbi")), "nothing was cached: the test proves nothing"


CALLER = """
import ctypes
from numba import types
from neonlab.emulate.native import native, native_call
from helper import above_limit

@{decorator}
def above(value):
    return above_limit(value)

print({call})
"""
HELPER = """
from neonlab.emulate.native import compiled

@compiled
def above_limit(value):
    return {change}
"""


@pytest.mark.parametrize(
    ("decorator", "call"),
    [
        ("native(types.int64(types.int64))", "ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(above.address)(1)"),
        ("native_call", "above(1)"),
    ],
)
@pytest.mark.thorough("compiles all hooks anew")
def test_a_compiled_function_changed_in_another_module_is_noticed_by_the_cache(
    tmp_path: Path, decorator: str, call: str
) -> None:
    (tmp_path / "hook.py").write_text(CALLER.format(decorator=decorator, call=call))
    source = str(Path(neonlab.__file__).parent.parent)
    results = []
    for change in ("value + 10", "value + 10", "value + 99", "value - 99"):  # only a literal, only an operation
        helper = (
            f"from neonlab.emulate.native import compiled\n\n@compiled\ndef above_limit(value):\n    return {change}\n"
        )
        (tmp_path / "helper.py").write_text(helper)
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{tmp_path}", "PYTHONDONTWRITEBYTECODE": "1"}
        run = [sys.executable, str(tmp_path / "hook.py")]
        shown = subprocess.run(run, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
        results.append(shown.stdout.split()[0])
    assert results == ["11", "11", "100", "-98"]
    assert list((tmp_path / "__pycache__").glob("hook.above*.nbi")), "nothing was cached: the test proves nothing"


def _cached_functions() -> Iterator[tuple[str, str, str]]:
    """The name of every function that is kept on disk, what it is known by, and what it compiles in."""
    for found in pkgutil.walk_packages(neonlab.__path__, "neonlab."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name, value in vars(module).items():
            function = getattr(value, "py_func", None) or getattr(value, "_pyfunc", None)
            cached = getattr(getattr(value, "_cache", None), "_cache_file", None)
            if function is not None and cached is not None and function.__module__ == module.__name__:
                yield f"{found.name}.{name}", cached._source_stamp[1], native._constants(function, set())


def test_what_is_kept_on_disk_is_known_by_all_that_it_compiles_in() -> None:
    # A function of the same file that stands below is not there yet when the name is made: it would never be compiled
    # anew, whatever changes in what it calls.
    cached = list(_cached_functions())
    assert len(cached) > 30
    assert [name for name, known_by, compiled_in in cached if known_by != compiled_in] == []

"""Find what an operator's results depend on: its module, those of kernels/ that it imports, and other packages."""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from neonlab.lab.cache.plain import NotPlain
from neonlab.lab.repository.operator_files import file_of
from neonlab.verify.cases.operator import Operator

#: Words of a module whose imports its text does not show.
_UNCLEAR = re.compile(r"\bimport_module\b|\b__import__\b|\bimportlib\b|\bexec\s*\(|\beval\s*\(|\bsys\.path\b")


def files_of_operator(root: Path | None, operator: Operator) -> list[Path]:
    """Return the operator's module, what it imports from kernels/, and every file there that is no module.

    All modules count where one imports in a way that its text does not show.  Raises NotPlain for an operator that no
    file of the repository holds.
    """
    path, folder = _home(root, operator)
    modules, clear, _ = _closure(path, folder)
    if not clear:
        modules |= set(folder.rglob("*.py"))
    data = {one for one in folder.rglob("*") if one.is_file() and one.suffix not in (".py", ".pyc")}
    return sorted(modules | data)


def packages_of(root: Path | None, operator: Operator) -> list[str]:
    """Return the other packages that the operator's modules import, with their versions.

    Raises NotPlain for one that is not installed, but found on the path: nothing tells its version.
    """
    path, folder = _home(root, operator)
    names = _closure(path, folder)[2]
    said = [_versions(name) for name in sorted(names - sys.stdlib_module_names - {"neonlab"})]
    if "" in said:
        raise NotPlain(f"{path}: imports a package that is not installed")
    return said


@functools.cache
def _versions(name: str) -> str:
    """Return the installed packages that a name to import belongs to, with their versions; "" for none."""
    try:
        return f"{name} {importlib.metadata.version(name)}"  # most packages are called what is imported
    except importlib.metadata.PackageNotFoundError:
        packages = sorted(set(_distributions().get(name, ())))
        return ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return importlib.metadata.packages_distributions()


def _home(root: Path | None, operator: Operator) -> tuple[Path, Path]:
    path = file_of(root, operator) if root is not None else None
    if root is None or path is None:
        raise NotPlain(f"no file of the repository holds the operator {operator.name}")
    return path, root / "kernels"


def _closure(path: Path, folder: Path) -> tuple[set[Path], bool, set[str]]:
    """Return a module with those of `folder` that it imports, whether text shows all imports, and other packages."""
    waiting, found, clear, packages = [path], {path}, True, set[str]()
    while waiting:
        one = waiting.pop()
        imports = _imports(one.read_text(encoding="utf-8"))
        clear = clear and imports.clear
        packages |= imports.packages
        for place in (one.parents[level - 1].joinpath(*parts) for level, parts in imports.relative):
            for other in (place.with_suffix(".py"), place / "__init__.py"):
                if other not in found and folder in other.parents and other.is_file():
                    found.add(other)
                    waiting.append(other)
    return found, clear, packages


@dataclass(frozen=True, slots=True)
class _Imports:
    """Say what a module imports: places by level and names, packages, and whether its text shows all of it."""

    relative: tuple[tuple[int, tuple[str, ...]], ...]
    packages: frozenset[str]
    clear: bool


@functools.lru_cache(maxsize=512)
def _imports(text: str) -> _Imports:
    relative, packages = dict[tuple[int, tuple[str, ...]], None](), set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            packages.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            parts = tuple((node.module or "").split(".")) if node.module else ()
            for names in (parts, *((*parts, alias.name) for alias in node.names)):
                if names:
                    relative[node.level, names] = None
    return _Imports(tuple(relative), frozenset(packages), not _UNCLEAR.search(text))

"""Import the Python files of a repository: operators in kernels/, and systems in folders below it."""

from __future__ import annotations

import functools
import importlib.util
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from neonlab.errors import InputError
from neonlab.host.user_code import mistakes_of
from neonlab.measure.shape import Shape
from neonlab.verify.cases.operator import Operator


@functools.lru_cache(maxsize=8)
def load_operators(root: Path) -> tuple[Operator, ...]:
    """Import the files in kernels/, in order of names, and return their operators.  Raises InputError."""
    package = _package_of(root)
    operators = []
    for path in sorted((root / "kernels").glob("*.py")):
        if path.stem.startswith("_"):
            continue
        module = _load_module(package, root / "kernels", path)
        operator = getattr(module, "OPERATOR", None)
        if not isinstance(operator, Operator):
            raise InputError(f"{path}: defines no OPERATOR, an instance of a subclass of neonlab.Operator")
        _check_attributes(path, operator)
        operators.append(operator)
    return tuple(operators)


def file_of(root: Path, operator: Operator) -> Path | None:
    """Return the file in kernels/ whose OPERATOR this is, among those that `load_operators` imported; else None."""
    package = _package_of(root)
    for path in sorted((root / "kernels").glob("*.py")):
        if getattr(sys.modules.get(f"{package}.{path.stem}"), "OPERATOR", None) is operator:
            return path
    return None


def _check_attributes(path: Path, operator: Operator) -> None:
    """Raise InputError unless the operator has a valid `name`, `dimensions` and `layers`."""
    dimensions = getattr(operator, "dimensions", None)
    if not isinstance(getattr(operator, "name", None), str):
        raise InputError(f"{path}: the operator has no `name`, a string")
    if not isinstance(dimensions, tuple) or not dimensions or not all(isinstance(item, str) for item in dimensions):
        raise InputError(f"{path}: `dimensions` is a tuple of the names of sizes, not {dimensions!r}")
    layers = operator.layers.values() if isinstance(operator.layers, Mapping) else (None,)
    if not all(isinstance(shape, Shape) and shape.names == dimensions for shape in layers):
        raise InputError(f"{path}: `layers` is a mapping of labels to Shapes of {', '.join(dimensions)}")


def load_package(root: Path, name: str) -> tuple[ModuleType, ...]:
    """Import the modules of the folder `name` in kernels/, in order of names.  They may import those of kernels/."""
    package, folder = _package_of(root), root / "kernels" / name
    _declare_package(package, root / "kernels")
    return tuple(
        _load_module(f"{package}.{name}", folder, path)
        for path in sorted(folder.glob("*.py"))
        if not path.stem.startswith("_")
    )


def _package_of(root: Path) -> str:
    # The folder becomes a package under a unique name, so that its modules may import one another, and `kernels` is
    # never looked up on the path, where another package may have that name.
    return f"neonlab_kernels_{zlib.crc32(str(root).encode()):08x}"


def _declare_package(package: str, folder: Path) -> None:
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(folder)]
        sys.modules[package] = parent


def _load_module(package: str, folder: Path, path: Path) -> ModuleType:
    _declare_package(package, folder)
    name = f"{package}.{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with mistakes_of(folder, path, "where it is imported"):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

"""Imports point one way: between packages, between folders of a package, and between modules; lazy ones included."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from architecture import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "sim" / "neonlab"
#: Packages from the top down: each imports only those below it.  The picture in the manual has the same order.
LAYERS = ["pytest_plugin", "__main__", *PACKAGES]
#: Neighbours that must not know each other in either direction.
SIBLINGS = [
    ("contract", "assemble"), ("contract", "objects"), ("objects", "emulate"), ("measure", "objects"),
    ("measure", "contract"), ("measure", "sources"), ("int8", "isa"), ("isa/a64", "isa/thumb"),
]  # fmt: skip
#: What `kernels/` and the operators of other people may import.
PUBLIC = ("neonlab", "neonlab.int8")


def modules(source: Path) -> dict[str, Path]:
    """Return the modules of neonlab by their dotted names, without what `neonlab init` copies."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        if parts[1:4] != ("lab", "start", "template"):
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """Return what of a file can import: its import statements and calls."""
    kinds = (ast.ImportFrom, ast.Import, ast.Call)
    return tuple(node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds))


def imported(path: Path) -> Iterator[str]:
    """Yield each name of neonlab that the file imports, at the top, inside functions, for types, or by its text."""
    for node in statements(path):
        if isinstance(node, ast.ImportFrom):
            if not node.level and (node.module or "").partition(".")[0] == "neonlab":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "neonlab")
        elif isinstance(node, ast.Call) and called(node) == "import_module":
            named = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if isinstance(named, str) and named.partition(".")[0] == "neonlab":
                yield named


def called(node: ast.Call) -> str:
    """Return the name of the function that is called, without the module that it is from."""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def graph_of(source: Path) -> dict[str, set[str]]:
    """Return which modules each module imports."""
    known = modules(source)

    def module_of(name: str) -> str:
        while name not in known:
            name = name.rpartition(".")[0]
        return name

    return {
        module: {module_of(name) for name in imported(path)} - {module, "neonlab"} for module, path in known.items()
    }


@cache
def graph() -> Mapping[str, set[str]]:
    return graph_of(SOURCE)


def upward(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the imports between packages that do not point down."""
    rank = {name: place for place, name in enumerate(LAYERS)}
    return [
        f"{module} imports {other}"
        for module, others in graph.items()
        if module != "neonlab"  # it has the public names, all of them lazily
        for other in sorted(others)
        if (here := module.split(".")[1]) != (there := other.split(".")[1]) and rank[here] > rank[there]
    ]


def cycle(graph: Mapping[str, set[str]], depth: int) -> list[str]:
    """Return a cycle between modules, their names cut to `depth` parts; nothing where there is none."""
    cut: dict[str, set[str]] = {}
    for module, others in graph.items():
        here = ".".join(module.split(".")[:depth])
        cut.setdefault(here, set()).update(".".join(other.split(".")[:depth]) for other in others)
    try:
        TopologicalSorter({here: others - {here} for here, others in cut.items()}).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.slow
def test_every_package_has_a_layer() -> None:
    packages = {module.split(".")[1] for module in graph() if module != "neonlab"}
    assert packages == set(LAYERS)


@pytest.mark.slow
def test_the_lab_imports_by_full_names() -> None:
    nodes = [(path, node) for path in modules(SOURCE).values() for node in statements(path)]
    assert [str(path) for path, node in nodes if isinstance(node, ast.ImportFrom) and node.level] == []


def test_imports_between_packages_point_down() -> None:
    assert upward(graph()) == []


@pytest.mark.parametrize("depth", [2, 3, 4, 9], ids=["packages", "folders", "folders within", "modules"])
def test_imports_make_no_cycle(depth: int) -> None:
    assert cycle(graph(), depth) == []


@pytest.mark.parametrize(("one", "other"), SIBLINGS, ids=lambda name: name)
def test_siblings_do_not_know_each_other(one: str, other: str) -> None:
    first, second = (f"neonlab.{name.replace('/', '.')}." for name in (one, other))
    assert any(f"{module}.".startswith(first) for module in graph())
    met = [
        f"{module} imports {imports}"
        for module, others in graph().items()
        for imports in sorted(others)
        if {first, second} == {p for p in (first, second) if f"{module}.".startswith(p) or f"{imports}.".startswith(p)}
    ]
    assert met == []


@pytest.mark.parametrize("path", sorted((ROOT / "kernels").rglob("*.py")), ids=lambda path: path.name)
def test_operators_import_public_names_only(path: Path) -> None:
    names = list(imported(path))
    assert [name for name in names if not name.startswith("neonlab.int8.") and name.count(".") > 1] == []


def importers(name: str) -> set[str]:
    """Return the modules that import `name` of neonlab, or something in it."""
    return {
        module
        for module, path in modules(SOURCE).items()
        if any(f"{one}.".startswith(f"{name}.") for one in imported(path))
    }


def test_one_module_alone_makes_contracts_of_files_and_options() -> None:
    assert importers("neonlab.contract.header.contract_of") == {"neonlab.sources.open"}
    sources = {module for module in graph() if module.startswith("neonlab.sources.contracts.")}
    assert len(sources) > 5
    assert importers("neonlab.sources.contracts") - sources == {"neonlab.sources.open"}
    assert "neonlab.sources.open" not in set().union(*(graph()[module] for module in sources))


def tree(folder: Path, **texts: str) -> Path:
    """Return a package like neonlab with one module of each text."""
    for name, text in texts.items():
        path = folder / "neonlab" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "neonlab"


@pytest.mark.parametrize(
    "text",
    [
        "from neonlab.report import tables",
        "def late():\n    from neonlab.report.tables import table",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import neonlab.report.tables",
        "import importlib\n\ndef late():\n    importlib.import_module('neonlab.report.tables')",
    ],
    ids=["at the top", "in a function", "for a type", "by its text"],
)
def test_an_import_that_points_up_is_found(tmp_path: Path, text: str) -> None:
    source = tree(tmp_path, verify__verdict=text, report__tables="from neonlab.verify import verdict")
    assert upward(graph_of(source)) == ["neonlab.verify.verdict imports neonlab.report.tables"]
    assert cycle(graph_of(source), 9) != [] and cycle(graph_of(source), 2) != []


def test_a_cycle_between_folders_is_found_where_modules_make_none(tmp_path: Path) -> None:
    source = tree(
        tmp_path,
        isa__a__one="from neonlab.isa.b import two",
        isa__b__two="",
        isa__b__three="import neonlab.isa.a.four",
        isa__a__four="",
    )
    assert cycle(graph_of(source), 9) == [] and cycle(graph_of(source), 3) != []

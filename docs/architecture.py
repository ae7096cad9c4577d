"""Draw the tree: folders with their contents, and the imports between packages, read from the files."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

#: Packages of sim/neonlab, those that import before those imported.
PACKAGES = {
    "cli": "the command line, and the pytest plugin",
    "serve": "the editor in the browser, and who may use it",
    "editor": "what a text says to an editor; the language server",
    "report": "terminal, pages, tables, JSON and its schemas",
    "network": "quantized models: graph, passes, layers on kernels",
    "optimize": "rewrites, schedules, search; each result proved",
    "lab": "libraries of kernels; check, profile, compare, watch",
    "prove": "kernels and references as expressions: a Proof",
    "verify": "cases, memory, unset values, lanes, ABI: a Verdict",
    "measure": "counts, traffic, caches, pipelines: a Profile",
    "sources": "a file of any kind to Program and Contract",
    "emulate": "Machine, Memory, native hooks: a Run or a Fault",
    "objects": "ELF: sections, relocations, line tables",
    "assemble": "text to Program",
    "contract": "what a kernel is called with and promises",
    "isa": "what an instruction reads, writes and does",
    "host": "files, memory and signals of this computer",
    "int8": "reference arithmetic in numpy",
    "errors": "InputError",
}
#: Modules that belong to a package in all but place.
_AT_HOME = {"pytest_plugin": "cli", "__main__": "cli", "errors": "errors"}
#: Not code of the lab: files that `neonlab init` copies.
_NOT_OURS = ("lab", "start", "template")
#: The other folders, their contents, and the files to count.
FOLDERS = {
    "asm": ("one kernel a file", "*/*.S"),
    "kernels": ("one operator a file", "[!_]*.py"),
    "kernels/systems": ("kernels in a row", "[!_]*.py"),
    "tests": ("mirror the tree", "**/*.py"),
    "tests/saboteurs": ("kernels, faults beside", "*/*.S"),
    "reports": ("what is found", "*.md"),
    "docs": ("these pages", "pages/*.md"),
}


@dataclass(frozen=True)
class Tree:
    """The contents of the tree: modules and lines of each package, imports between packages, files of each folder."""

    modules: Counter[str]
    lines: Counter[str]
    imports: Counter[tuple[str, str]]
    files: dict[str, int]

    @staticmethod
    def read(root: Path) -> Tree:
        """Read every module.  Raises KeyError for a package that the picture would leave out."""
        source = root / "sim" / "neonlab"
        modules, lines, imports = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            if parts[:3] == _NOT_OURS or parts == ("__init__",):
                continue
            home, text = _home(source, parts), path.read_text(encoding="utf-8")
            modules[home] += 1
            lines[home] += text.count("\n")
            imports.update((home, other) for other in _imported(source, text) if other != home)
        unknown = set(modules) ^ set(PACKAGES)
        if unknown:
            raise KeyError(f"packages and the picture's differ: {', '.join(sorted(unknown))}")
        counts = {folder: len(list((root / folder).glob(pattern))) for folder, (_, pattern) in FOLDERS.items()}
        return Tree(modules, lines, imports, counts)


def _home(source: Path, parts: tuple[str, ...]) -> str:
    return parts[0] if (source / parts[0]).is_dir() else _AT_HOME[parts[0]]


def _imported(source: Path, text: str) -> Iterator[str]:
    """Yield the package behind each `from neonlab... import`, those inside functions too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            first, *rest = node.module.split(".")
            if first == "neonlab":
                yield from (
                    [_home(source, tuple(rest))]
                    if rest
                    else (_home(source, (alias.name,)) for alias in node.names if (source / alias.name).is_dir())
                )


_LEFT, _TOP, _ROW, _NAME, _CELL = 10, 150, 40, 356, 38
_STYLE = """\
text { font: 13px sans-serif; fill: #1b1f24 } .small { font-size: 11px; fill: #57606a } .mid { text-anchor: middle }
.name { font-weight: 600 } rect { fill: #f6f8fa; stroke: #8c959f } .down { fill: #b6e3ff; stroke: none }
.up { fill: #ffb77c; stroke: none } .self { fill: #d0d7de; stroke: none } path { stroke: #57606a; fill: none }
svg { background: #fff }"""


def architecture_svg(tree: Tree) -> str:
    """Return the picture as SVG: the folders above, then a row for each package.

    A row has a cell for each package that it imports, with the number of import statements.
    """
    names = list(PACKAGES)
    width = _LEFT + _NAME + _CELL * len(names) + 20
    height = _TOP + _ROW * len(names) + 46
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>The tree: folders, packages, and who imports whom</title>",
        f"<style>{_STYLE}</style>",
        *_folders(tree, width),
        *_columns(names),
    ]
    for row, name in enumerate(names):
        y = _TOP + row * _ROW
        modules = tree.modules[name]
        size = f"{modules} module{'s' * (modules > 1)}, {tree.lines[name]:,} lines"
        parts += [
            f'<rect x="{_LEFT}" y="{y}" width="{_NAME - 8}" height="{_ROW - 6}" rx="4"/>',
            f'<text class="name" x="{_LEFT + 8}" y="{y + 15}">{name}</text>',
            f'<text class="small" x="{_LEFT + 84}" y="{y + 15}">{size}</text>',
            f'<text class="small" x="{_LEFT + 8}" y="{y + 29}">{escape(PACKAGES[name])}</text>',
        ]
        parts += _cells(tree, names, row)
    note = "A row's package imports those whose cells have a number: how many import statements. Orange: upwards."
    parts.append(f'<text class="small" x="{_LEFT}" y="{height - 16}">{note}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _folders(tree: Tree, width: int) -> Iterator[str]:
    wanted = {folder: max(7.5 * len(f"{folder}/"), 6.2 * len(what)) + 24 for folder, (what, _) in FOLDERS.items()}
    scale = (width - 2 * _LEFT) / sum(wanted.values())
    x = float(_LEFT)
    for folder, (what, _) in FOLDERS.items():
        yield f'<rect x="{x:.0f}" y="10" width="{wanted[folder] * scale - 8:.0f}" height="56" rx="4"/>'
        yield f'<text class="name" x="{x + 8:.0f}" y="28">{folder}/</text>'
        yield f'<text class="small" x="{x + 8:.0f}" y="44">{what}</text>'
        yield f'<text class="small" x="{x + 8:.0f}" y="59">{tree.files[folder]} files</text>'
        x += wanted[folder] * scale
    yield f'<text class="name" x="{_LEFT}" y="{_TOP - 14}">sim/neonlab/</text>'


def _columns(names: list[str]) -> Iterator[str]:
    for column, name in enumerate(names):
        x = _LEFT + _NAME + column * _CELL + 16
        yield f'<text class="small" transform="translate({x},{_TOP - 8}) rotate(-50)">{name}</text>'


def _cells(tree: Tree, names: list[str], row: int) -> Iterator[str]:
    for column, other in enumerate(names):
        x, y, count = _LEFT + _NAME + column * _CELL, _TOP + row * _ROW, tree.imports[names[row], other]
        if not count and row != column:
            continue
        kind = "self" if row == column else "down" if column > row else "up"
        title = f"{names[row]} imports {other}: {count}"
        yield f'<g><rect class="{kind}" x="{x}" y="{y}" width="{_CELL - 4}" height="{_ROW - 6}" rx="3"/>'
        if row != column:
            yield f'<text class="mid" x="{x + _CELL // 2 - 2}" y="{y + 21}">{count}</text><title>{title}</title>'
        yield "</g>"

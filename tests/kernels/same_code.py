"""Whether the kernels of the working tree are those of a revision: their bytes and their contracts.

    python -m tests.kernels.same_code REVISION [PART-OF-A-NAME ...]

A change to the text of kernels alone (folders, macros, comments) must leave everything that is compared here as it was:
of the object file each section, relocation, and symbol that others see; of the contract everything but where it stands.
Kernels are matched by instruction set and name, so they may have moved to another folder.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from neonlab.assemble.assembler import assemble_file
from neonlab.assemble.output.object_file import ObjectFile
from neonlab.contract.header import read_contract
from neonlab.isa.from_path import isa_of_path
from neonlab.lab.repository.revision import tree_at

ROOT = Path(__file__).resolve().parents[2]
#: A kernel's parts by what they are: "section .text", "relocations", "symbols", "contract".
Parts = Mapping[str, str]


def kernels_in(root: Path) -> dict[str, Path]:
    """The files with the kernels of the repository at `root`, by `armv8/NAME`."""
    found = sorted((root / "asm").glob("armv[78]/**/*.S"))
    return {f"{path.relative_to(root / 'asm').parts[0]}/{path.stem}": path for path in found}


def parts_of(path: Path) -> Parts:
    """Everything that is compared of the kernel at `path`.  Raises InputError for a file that is wrong."""
    contract = read_contract(path)
    if contract is not None:
        features = sorted(contract.features)  # of a set, the order may change from run to run
        promised = f"{features} {replace(contract, path=contract.name, line=0, features=frozenset())!r}"
    else:
        promised = ""
    return {**parts_of_object(assemble_file(path, isa=isa_of_path(path))), "contract": promised}


def parts_of_object(made: ObjectFile) -> dict[str, str]:
    """The same of an object file: a digest for each section that has bytes, and what there is besides."""
    sections = {
        f"section {name}": f"{section.alignment} {section.executable} {section.writable} {section.zeros} "
        f"{hashlib.sha256(section.data).hexdigest()}"
        for name, section in made.sections.items()
        if section.size
    }
    symbols = sorted(repr(symbol) for symbol in made.symbols.values() if symbol.is_global or symbol.section is None)
    return {**sections, "relocations": repr(made.relocations), "symbols": repr(symbols)}


def differences(then: Mapping[str, Parts], now: Mapping[str, Parts]) -> Iterator[str]:
    """A line for each kernel that is not what it was."""
    for name in sorted(then.keys() | now.keys()):
        if name not in now:
            yield f"{name}: is gone"
        elif name not in then:
            yield f"{name}: is new"
        else:
            before, after = then[name], now[name]
            changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
            if changed:
                yield f"{name}: differs in {', '.join(changed)}"


def parts_in(root: Path, words: Iterable[str] = ()) -> dict[str, Parts]:
    """The parts of each kernel of the repository at `root`; those whose `armv8/NAME` holds one of `words`, if any."""
    chosen = tuple(words)
    kernels = kernels_in(root).items()
    return {name: parts_of(path) for name, path in kernels if not chosen or any(word in name for word in chosen)}


def main(revision: str, *words: str) -> int:
    """Print what differs; 1 if anything does, and if no kernel was compared."""
    with tree_at(revision, ROOT) as tree:
        then = parts_in(tree.folder, words)
    now = parts_in(ROOT, words)
    found = list(differences(then, now))
    print("\n".join([*found, f"{len(now)} kernels compared with {revision}, {len(found)} differ"]))
    return 1 if found or not now else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

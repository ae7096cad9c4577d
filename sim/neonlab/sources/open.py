"""Open code: a path and options to the contract of a function, how it is built, and its program.

This is the only way from a file to a contract.  Four sources state a contract, each a function in `contracts`:

    command_line        --prototype and --set; it counts over all others
    sidecar             the file that --contract gives, or that stands beside the code
    header              the block in an assembly file, if there is neither a file beside nor --prototype
    debug_information   of an object, or of C compiled with -g, where no other states a prototype

What they state is merged entry by entry, and the contract is made from the merged table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.build import read_build, read_reference
from neonlab.contract.header import contract_of
from neonlab.contract.model import Contract
from neonlab.contract.options import NOTHING, PLAIN, Build, Given, Reference
from neonlab.errors import NoContract
from neonlab.sources.contracts.asked import SUFFIX, Asked, ask_each, ask_one
from neonlab.sources.contracts.bare import bare_contract
from neonlab.sources.contracts.command_line import command_line
from neonlab.sources.contracts.debug_information import debug_information
from neonlab.sources.contracts.header import header
from neonlab.sources.contracts.merge import Merged, Stated, merge
from neonlab.sources.contracts.sidecar import sidecar
from neonlab.sources.instruction_set import isa_for_contract, isa_of
from neonlab.sources.program import load_program
from neonlab.sources.toolchain import made_by, target_of

if TYPE_CHECKING:
    from neonlab.assemble.program import Program


@dataclass(frozen=True)
class Code:
    """One function of the file at `path`: its contract, how it is built, and the C reference that the contract names.

    `given` is the options that it was opened with.
    """

    contract: Contract
    path: Path
    given: Given = NOTHING
    build: Build = PLAIN
    reference: Reference | None = None

    @property
    def compiler(self) -> str:
        """Return the compiler that makes the program, with version and flags; "" for code that is not compiled here."""
        return made_by(self.path, target_of(self.contract), self.build)

    def program(self) -> Program:
        """Return the program, assembled or compiled anew if the file has changed.

        Raises InputError when that fails, or when it does not define the function.
        """
        return load_program(self.path, self.contract, self.build)


def open_code(path: Path, given: Given) -> Code:
    """Open the one function that `given` asks for.

    Raises NoContract if no source states how to call it, and InputError or ContractError for one that is wrong.
    """
    return _open(ask_one(path, given))


def open_each(path: Path, given: Given) -> Iterator[Code]:
    """Open every function that `given` allows, for each instruction set, as far as a contract file tells them apart.

    Raises as `open_code` does, when the next is taken.
    """
    for asked in ask_each(path, given):
        yield _open(asked)


def open_bare(path: Path, given: Given) -> Code:
    """Open a function by its prototype alone, to be called with arguments that give the sizes.

    Raises NoContract if the prototype is unknown, and InputError if it is wrong or the code cannot be read.
    """
    isa = isa_of(path, given)
    merged = _merged_sources(Asked(path, given))
    if "prototype" not in merged.table:
        raise NoContract(f"{path}: assembly has no C prototype: give --prototype 'void (const int8_t *a, size_t n)'")
    symbol = merged.text.string(merged.table, "symbol") or given.symbol or path.stem
    build = given.build.over(read_build(merged.table, merged.text, merged.folder))
    return Code(bare_contract(path, merged, isa, symbol), path, given, build)


def _open(asked: Asked) -> Code:
    path, given = asked.path, asked.given
    own = sidecar(asked) or header(asked)
    if own is None and not given.prototype and (path.suffix in ASSEMBLY or not given.settings):
        raise NoContract(
            f"{path}: no contract says how to call it: write one in {path.with_suffix('').name}{SUFFIX} beside it, "
            f"say --prototype and the sizes, or let `neonlab contract {path}` propose one"
        )
    whole = own.whole if own is not None else None
    if whole is not None and given.says_nothing:
        return Code(whole, path)
    merged = _merged_sources(asked, own)
    build = read_build(merged.table, merged.text, merged.folder)
    reference = read_reference(merged.table, merged.text, merged.folder)
    isa = given.isa or whole.isa if whole is not None else isa_for_contract(path, given, merged.table.get("isa"))
    symbol = given.symbol or (whole.name if whole is not None else path.stem)
    contract = contract_of(merged.table, merged.text, isa=isa, symbol=symbol)
    return Code(contract, path, given, given.build.over(build), given.reference or reference)


def _merged_sources(asked: Asked, own: Stated | None = None) -> Merged:
    """Merge what the sources state, the one that counts most last."""
    stated = [one for one in (own, command_line(asked)) if one is not None]
    merged = merge(stated)
    if "prototype" in merged.table:
        return merged
    # To tell the prototype, code is compiled as the others say, and the function that they name is looked for.
    given, named = asked.given, merged.table.get("symbol")
    symbol = given.symbol or (named if isinstance(named, str) else "")
    build = given.build.over(read_build(merged.table, merged.text, merged.folder))
    declared = debug_information(replace(asked, given=replace(given, symbol=symbol, build=build)))
    return merge([declared, *stated]) if declared is not None else merged

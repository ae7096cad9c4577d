"""Load a program with the requested function from a file of any kind."""

from __future__ import annotations

import difflib
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.header import Contract
from neonlab.contract.options import PLAIN, Build
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.sources.toolchain import Target, compile_c, is_c, target_of

if TYPE_CHECKING:
    from neonlab.assemble.program import Program
    from neonlab.objects.elf.archive import Archive
    from neonlab.objects.elf.module import Module
    from neonlab.objects.image.memory_image import Image


def load_program(path: Path, contract: Contract, build: Build = PLAIN) -> Program:
    """Return the program of a kernel, cached for each state of its file on disk.

    Raises InputError when it does not assemble or compile, or does not define the contract's symbol.
    """
    stamps = tuple(_stamp(one) for one in (path, *map(Path, build.link)))
    return _load(path, contract.name, target_of(contract), build, stamps)


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes if the file does: time and size.  Raises InputError where there is none."""
    try:
        stamp = path.stat()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return stamp.st_mtime_ns, stamp.st_size


def forget_programs() -> None:
    """Empty the cache, since an included file may have changed."""
    _load.cache_clear()


def check_symbol(names: list[str], path: Path, name: str) -> None:
    """Raise InputError unless `name` is among the defined names."""
    if name in names:
        return
    near = difflib.get_close_matches(name, names, 1)
    meant = f"; did you mean `{near[0]}`?" if near else ""
    shown = sorted(names)[:20]
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    of_file = ", the name of the file" if name == path.stem else ""
    hint = "; say which with --symbol" if of_file else ""
    raise InputError(
        f"{path}: does not define `{name}`{of_file}{meant} (symbols: {', '.join(shown) or 'none'}{more}){hint}"
    )


@functools.lru_cache(maxsize=64)
def _load(path: Path, symbol: str, target: Target, build: Build, _stamps: tuple[tuple[int, int], ...]) -> Program:
    if path.suffix in ASSEMBLY and not build.link:
        return _assembled(path, symbol, target.isa, build)
    from neonlab.objects.image.reach import program_of
    from neonlab.objects.load import is_object

    for one in (path, *map(Path, build.link)):
        if not (is_c(one) or is_object(one) or (build.link and one.suffix in ASSEMBLY)):
            raise InputError(
                f"{one}: is not assembly (.S), C (.c, .cc, .cpp), or an ELF object, archive or shared object"
            )
    image = linked_image(path, target, build, symbol)
    if image.named(symbol) is None:
        check_symbol(list(image.functions), path, symbol)
    return program_of(image, [symbol])


def _assembled(path: Path, symbol: str, isa: Isa, build: Build) -> Program:
    """Assemble the file; if it calls undefined functions, link it with those of the runtime library."""
    from neonlab.assemble.assembler import assemble_file
    from neonlab.assemble.linking import link

    assembled = assemble_file(
        path, isa=isa, include_paths=build.include, defines=build.defines, preprocess=build.preprocess
    )
    defined = [name for name, found in assembled.symbols.items() if found.section is not None]
    check_symbol(defined, path, symbol)
    known = {*defined, *assembled.sections, "*ABS*"}
    if all(relocation.symbol in known for relocation in assembled.relocations):
        return link(assembled)
    from neonlab.objects.from_assembly import assembled_module
    from neonlab.objects.image.reach import program_of
    from neonlab.objects.linker import link_modules
    from neonlab.sources.runtime import RuntimeLibrary

    return program_of(link_modules([assembled_module(assembled)], archives=[RuntimeLibrary(isa)]), [symbol])


def linked_image(path: Path, target: Target, build: Build, symbol: str) -> Image:
    """Return the linked object, compiled here if it is C, with the runtime functions that it calls and lacks.

    The files that `build` names to link are added; of archives among them only the members that are needed.  From an
    archive at `path`, the member that defines `symbol` and those it needs are linked; all members if none defines it.
    """
    from neonlab.objects.elf.module import Module
    from neonlab.objects.linker import link_modules
    from neonlab.sources.runtime import RuntimeLibrary

    found = _read(path, target, build)
    archives: list[Archive | RuntimeLibrary] = []
    if isinstance(found, Module):
        modules = [found]
    else:
        member = found.defining(symbol)
        modules = [member] if member is not None else list(found.modules())
        archives = [found] if member is not None else []
    if not modules:
        raise InputError(f"{path}: contains no objects")
    for further in (_read(Path(one), target, build) for one in build.link):
        if isinstance(further, Module):
            modules.append(further)
        else:
            archives.append(further)
    isa = modules[0].isa
    if isa is not target.isa:
        raise InputError(
            f"{path}: is {isa.value}, the contract is for {target.isa.value}: choose with --isa, or change the contract"
        )

    return link_modules(modules, archives=[*archives, RuntimeLibrary(isa)])


def _read(path: Path, target: Target, build: Build) -> Module | Archive:
    """Return the object or the archive at `path`, assembled or compiled here if it is a source."""
    from neonlab.assemble.assembler import assemble_file
    from neonlab.objects.from_assembly import assembled_module
    from neonlab.objects.load import elf_module, read_object

    if is_c(path):
        return elf_module(compile_c(path, target, build).data, str(path))
    if path.suffix in ASSEMBLY:
        return assembled_module(
            assemble_file(
                path,
                isa=target.isa,
                include_paths=build.include,
                defines=build.defines,
                preprocess=build.preprocess,
            )
        )
    return read_object(path)

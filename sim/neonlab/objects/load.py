"""Load object files, archives and shared objects by path into one image: the entry point of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from neonlab.errors import InputError
from neonlab.host.input_file import is_file, read_input
from neonlab.isa.model.isa import Isa
from neonlab.objects.elf import layout as elf
from neonlab.objects.elf.archive import MAGIC, THIN_MAGIC, Archive
from neonlab.objects.elf.file import ElfFile
from neonlab.objects.elf.module import Module
from neonlab.objects.elf.relocatable import module_of
from neonlab.objects.elf.shared import shared_module
from neonlab.objects.image.memory_image import Image
from neonlab.objects.linker import BASE, link_modules

#: Bytes that a file may have.
MOST_FILE_BYTES = 1 << 29
_MACH_O = (b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def is_object(path: Path) -> bool:
    """Return whether the file begins as an ELF file or an archive does."""
    try:
        if not is_file(path):
            return False
        with path.open("rb") as file:
            begin = file.read(8)
    except (OSError, ValueError):
        return False
    return begin[:4] == elf.MAGIC or begin in (MAGIC, THIN_MAGIC)


def isa_of_object(path: Path) -> Isa:
    """Return the instruction set of an object, or of the first in an archive.

    Raises InputError where the file is no object, or for another machine.
    """
    found = read_object(path)
    if isinstance(found, Module):
        return found.isa
    first = next(iter(found.modules()), None)
    if first is None:
        raise InputError(f"{path}: contains no objects")
    return first.isa


def read_object(path: str | Path) -> Module | Archive:
    """Return a relocatable or shared object, or an archive.  Raises InputError where the file is none, or damaged."""
    path = Path(path)
    data = read_input(path, MOST_FILE_BYTES)
    if data[:8] in (MAGIC, THIN_MAGIC):
        return Archive(data, str(path))
    if data[:4] in _MACH_O:
        raise InputError(f"{path}: is a Mach-O file; the lab reads ELF, as compilers for Linux and Android write it")
    return elf_module(data, str(path))


def elf_module(data: bytes | memoryview, title: str) -> Module:
    """Return the object in `data`, relocatable or shared.  Raises ObjectError where it is none, or damaged."""
    file = ElfFile(data, title)
    return shared_module(file) if file.type == elf.ET_DYN else module_of(file)


def load_image(
    paths: Sequence[str | Path],
    *,
    modules: Sequence[Module] = (),
    given: Mapping[str, int] | None = None,
    base: int = BASE,
) -> Image:
    """Return the image of the objects at `paths` and `modules`, linked; see `link_modules`.

    Of archives, only members that define missing names are added.  If there are only archives, all members are added.
    """
    opened = [read_object(path) for path in paths]
    objects = [*(item for item in opened if isinstance(item, Module)), *modules]
    archives = [item for item in opened if isinstance(item, Archive)]
    if not objects:
        objects = [module for archive in archives for module in archive.modules()]
        if not objects:
            raise InputError(f"{', '.join(str(path) for path in paths)}: contains no objects")
    return link_modules(objects, archives=archives, given=given, base=base)

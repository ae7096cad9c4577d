"""Assembly text to an object file: the one door to the front end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.object_file import ObjectFile
from neonlab.assemble.object_writer import ReadSource, write_object
from neonlab.assemble.preprocess import CPreprocessor, logical_lines, read_source
from neonlab.assemble.reader import Reader
from neonlab.assemble.source import AssemblyError
from neonlab.isa.isa import Isa
from neonlab.isa.isa_of_path import isa_of_path


def assemble_file(
    path: str | Path,
    *,
    isa: Isa | None = None,
    include_paths: Sequence[str | Path] = (),
    defines: Mapping[str, str] | None = None,
) -> ObjectFile:
    """Assembles a file; without `isa`, its name or the folder it lies in (armv7, armv8) decides.

    `include_paths` are searched as by `-I`, `defines` are as by `-D`.  As with gcc, a file whose name ends in a small
    `.s` does not go through the C preprocessor.  InputError, and AssemblyError with the place, when it cannot be done.
    """
    path = Path(path)
    text = read_source(path)
    if isa is None:
        isa = isa_of_path(path)
    return _assemble(text, isa, str(path), path.parent, include_paths, defines or {}, plain=path.suffix == ".s")


def assemble_text(
    text: str,
    *,
    isa: Isa,
    path: str = "<text>",
    include_paths: Sequence[str | Path] = (),
    defines: Mapping[str, str] | None = None,
) -> ObjectFile:
    """Assembles text as if it stood in `path`."""
    return _assemble(text, isa, path, Path(path).parent, include_paths, defines or {}, plain=False)


def _assemble(
    text: str,
    isa: Isa,
    path: str,
    folder: Path,
    include_paths: Sequence[str | Path],
    defines: Mapping[str, str],
    *,
    plain: bool,
) -> ObjectFile:
    paths = [Path(entry) for entry in include_paths]
    lines = logical_lines(text, path) if plain else CPreprocessor(isa, paths, defines).run(text, path, folder)
    assembly = Assembly(isa)
    try:
        reader = Reader(assembly, paths)
        reader.read(lines)
        return write_object(
            ReadSource(
                isa=isa,
                path=path,
                sections=list(assembly.sections.values()),
                names=list(assembly.symbols.by_name.values()),
                instructions=assembly.instructions,
                data=assembly.data,
                ranges=assembly.ranges,
                nop=assembly.nop,
                macros=reader.macro_names,
                warnings=assembly.warnings,
            )
        )
    except RecursionError:
        raise AssemblyError(f"{path}: expressions or macros are nested too deeply") from None

"""Assemble text to an object file: the entry point of the front end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from neonlab.assemble.assembly import Assembly
from neonlab.assemble.expand.c_lines import doubt, is_for_preprocessor
from neonlab.assemble.expand.c_preprocessor import CPreprocessor, logical_lines, read_source
from neonlab.assemble.output.object_file import ObjectFile
from neonlab.assemble.output.object_writer import ReadSource, write_object
from neonlab.assemble.reader import Reader
from neonlab.assemble.source import AssemblyError
from neonlab.assemble.text.lines import Line
from neonlab.isa.from_path import isa_of_path
from neonlab.isa.model.isa import Isa


def assemble_file(
    path: str | Path,
    *,
    isa: Isa | None = None,
    include_paths: Sequence[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    preprocess: bool | None = None,
) -> ObjectFile:
    """Assemble a file of A32, Thumb or A64 assembly into an ObjectFile, which `link` makes a Program of.

    Without `isa`, the file's name or its folder (armv7, armv8) says the instruction set.  `include_paths` are folders
    for #include, as with -I; `defines` are macros and their values, as with -D.  `preprocess` says whether the file
    goes through the C preprocessor.  Without it, every file does but one whose name ends in a small `.s`, as with gcc;
    such a file does too if it has lines that are for the preprocessor alone (`neonlab.assemble.expand.c_lines`).

    Raises AssemblyError, an InputError, with file and line where the text is wrong or uses what is not supported.
    """
    path = Path(path)
    if isa is None:
        isa = isa_of_path(path)
    paths = [Path(entry) for entry in include_paths]
    lines, hint = lines_of_file(path, isa, paths, defines, preprocess)
    return _assemble(lines, isa, str(path), paths, hint)


def assemble_text(
    text: str,
    *,
    isa: Isa,
    path: str = "<text>",
    include_paths: Sequence[str | Path] = (),
    defines: Mapping[str, str] | None = None,
) -> ObjectFile:
    """Assemble text as if it stood in the file `path`; otherwise as `assemble_file`."""
    paths = [Path(entry) for entry in include_paths]
    lines = CPreprocessor(isa, paths, defines).run(text, path, Path(path).parent)
    return _assemble(lines, isa, path, paths, "")


def lines_of_file(
    path: Path,
    isa: Isa,
    include_paths: Sequence[Path],
    defines: Mapping[str, str] | None = None,
    preprocess: bool | None = None,
) -> tuple[list[Line], str]:
    """Return the lines of a file that a Reader reads, and a hint for errors in them; the options of `assemble_file`."""
    text = read_source(path)
    if preprocess is None and path.suffix != ".s":
        preprocess = True
    lines = [] if preprocess else logical_lines(text, str(path))
    if preprocess or (preprocess is None and is_for_preprocessor(lines)):
        return CPreprocessor(isa, include_paths, defines).run(text, str(path), path.parent), ""
    return lines, doubt(lines)


def _assemble(lines: Sequence[Line], isa: Isa, path: str, paths: Sequence[Path], hint: str) -> ObjectFile:
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
    except AssemblyError as error:
        if not hint or error.hint:
            raise
        raise AssemblyError(error.message, error.at, hint) from None
    except RecursionError:
        raise AssemblyError(f"{path}: expressions or macros are nested too deeply") from None

"""`neonlab asm`: text to bytes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.shared import IsaOption, JsonOption, console, print_json
from neonlab.errors import InputError


def asm(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Assembly source, preprocessed as a compiler would.")],
    isa: IsaOption = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the bytes of .text here instead.")
    ] = None,
    include: Annotated[list[Path] | None, typer.Option("-I", "--include", help="Where #include looks.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", "--define", help="NAME or NAME=VALUE.")] = None,
    json: JsonOption = False,
) -> None:
    """Assemble FILE and list address, bytes, disassembly and source line; or write the bytes of .text."""
    from neonlab.assemble.assembler import assemble_file
    from neonlab.assemble.contract import read_contract
    from neonlab.assemble.listing import listing
    from neonlab.given import Build
    from neonlab.isa.isa import isa_named

    if not file.is_file():
        raise InputError(f"{file}: no such file")
    contract = read_contract(file) if isa is None else None
    spoken = isa_named(isa) if isa is not None else contract.isa if contract is not None else None
    defines = Build(define=tuple(define or ())).defines
    assembled = assemble_file(file, isa=spoken, include_paths=tuple(include or ()), defines=defines)
    if output is not None:
        text = assembled.sections.get(".text")
        write_whole(output, text.data if text is not None else b"")
        return
    rows = listing(assembled)
    if json:
        print_json(
            "asm",
            path=str(file),
            isa=assembled.isa.value,
            rows=[
                {"section": r.section, "address": r.address, "bytes": r.data.hex(), "disassembly": r.disassembly}
                | {"where": r.where, "source": r.source}
                for r in rows
            ],
        )
        return
    out = console()
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            out.print(f"{section}:", markup=False)
        out.print(
            f"{row.address:6x}  {row.data.hex():<8}  {row.disassembly:<40}  {row.where}  {row.source}",
            markup=False,
            soft_wrap=True,
        )


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path`, whole or not at all.  Raises InputError where the place cannot be written."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)  # a device such as /dev/stdout has nothing to replace
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None

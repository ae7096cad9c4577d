"""Implement `neonlab asm`: text to bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.shared import (
    DefineOption,
    IncludeOption,
    IsaOption,
    JsonOption,
    PreprocessOption,
    console,
    print_json,
)
from neonlab.host.input_file import is_file, no_file


def asm(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Assembly source, .S or .s.")],
    isa: IsaOption = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUTPUT", help="Write the bytes of .text to OUTPUT; list nothing."),
    ] = None,
    include: IncludeOption = None,
    define: DefineOption = None,
    preprocess: PreprocessOption = None,
    json: JsonOption = False,
) -> None:
    """Assemble FILE, and list addresses, words, disassembly and source lines.

    Instructions are listed as 32-bit words, as objdump prints them; data are listed as bytes in the order of memory.
    """
    from neonlab.assemble.assembler import assemble_file
    from neonlab.assemble.word_listing import listing
    from neonlab.contract.header import read_contract
    from neonlab.contract.options import Build
    from neonlab.host.output_file import write_whole
    from neonlab.isa.model.isa import isa_named

    if not is_file(file):
        raise no_file(file)
    contract = read_contract(file) if isa is None else None
    spoken = isa_named(isa) if isa is not None else contract.isa if contract is not None else None
    defines = Build(define=tuple(define or ())).defines
    assembled = assemble_file(
        file, isa=spoken, include_paths=tuple(include or ()), defines=defines, preprocess=preprocess
    )
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
            f"{row.address:6x}  {row.shown:<11}  {row.disassembly:<40}  {row.where}  {row.source}",
            markup=False,
            soft_wrap=True,
        )

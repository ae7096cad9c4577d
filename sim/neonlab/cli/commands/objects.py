"""Implement `neonlab symbols`: list the contents of an object file, an archive or a shared object."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.shared import DefineOption, IncludeOption, IsaOption, JsonOption, console, print_json
from neonlab.host.input_file import is_file, no_file

if TYPE_CHECKING:
    from neonlab.objects.symbol_listing import ListedObject


def symbols(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="An ELF object (.o), archive (.a) or shared object (.so), assembly (.S), C or C++."
        ),
    ],
    undefined: Annotated[bool, typer.Option("--undefined", "-u", help="List undefined names only.")] = False,
    isa: IsaOption = None,
    include: IncludeOption = None,
    define: DefineOption = None,
    json: JsonOption = False,
) -> None:
    """List the functions that FILE defines, and the undefined names with the functions that use them."""
    if not is_file(file):
        raise no_file(file)
    progress.begin(f"reading {file.name}")
    found = _listed(file, isa, tuple(include or ()), tuple(define or ()))
    if json:
        print_json("symbols", path=str(file), objects=[_as_json(one) for one in found])
        return
    out = console()
    for one in found:
        for line in _lines(one, only_undefined=undefined):
            out.print(line, markup=False, soft_wrap=True)


def _listed(file: Path, isa: str | None, include: tuple[str, ...], define: tuple[str, ...]) -> Sequence[ListedObject]:
    from neonlab.assemble.file_names import ASSEMBLY
    from neonlab.contract.options import Build, Given
    from neonlab.isa.model.isa import isa_named
    from neonlab.objects.from_assembly import assembled_module
    from neonlab.objects.load import elf_module
    from neonlab.objects.symbol_listing import list_module, list_objects
    from neonlab.sources.instruction_set import isa_of
    from neonlab.sources.toolchain import compile_c, is_c, plain_target

    said = Given(isa=isa_named(isa)) if isa is not None else Given()
    build = Build(include, define)
    if file.suffix in ASSEMBLY:
        from neonlab.assemble.assembler import assemble_file

        assembled = assemble_file(file, isa=said.isa, include_paths=build.include, defines=build.defines)
        return (list_module(assembled_module(assembled)),)
    if is_c(file):
        compiled = compile_c(file, plain_target(isa_of(file, said)), build)
        return (list_module(elf_module(compiled.data, str(file))),)
    return list_objects(file)


def _as_json(one: ListedObject) -> dict[str, object]:
    return {
        "title": one.title,
        "isa": one.isa.value,
        "shared": one.shared,
        "functions": [
            {
                "name": f.name,
                "demangled": f.readable,
                "address": f.address,
                "size": f.size,
                "section": f.section,
                "binding": f.binding,
                "state": f.state,
                "where": f.where or None,
            }
            for f in one.functions
        ],
        "undefined": [
            {"name": u.name, "demangled": u.readable, "weak": u.weak, "users": list(u.users)} for u in one.undefined
        ],
        "constructors": list(one.constructors),
    }


def _lines(one: ListedObject, *, only_undefined: bool) -> list[str]:
    many = len(one.functions)
    kind = "shared object, " if one.shared else ""
    lines = [f"{one.title}: {kind}{one.isa.value.upper()}, {many} function{'s' * (many != 1)}"]
    if one.functions and not only_undefined:
        wide = min(max(len(f.section) for f in one.functions), 24)
        lines.append(f"  {'address':>8} {'size':>6}  {'section':<{wide}}  {'binding':<7}  state  function")
        for f in one.functions:
            where = f"  {f.where}" if f.where else ""
            lines.append(
                f"  {f.address:8x} {f.size:6}  {f.section:<{wide}}  {f.binding:<7}  {f.state:<5}  {f.readable}{where}"
            )
    if one.undefined:
        lines.append("  undefined:")
        for u in one.undefined:
            weak = " (weak)" if u.weak else ""
            users = f"  used by {', '.join(u.users[:8])}" if u.users else ""
            more = f" and {len(u.users) - 8} more" if len(u.users) > 8 else ""
            lines.append(f"    {u.readable}{weak}{users}{more}")
    if one.constructors:
        lines.append(f"  not run before a call: {', '.join(one.constructors)}")
    return lines

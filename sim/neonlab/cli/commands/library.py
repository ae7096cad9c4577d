"""Implement `neonlab list` and `neonlab schema`."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.completion import (
    complete_features,
    complete_json_commands,
    complete_kernels,
    complete_operators,
)
from neonlab.cli.shared import IsaOption, JsonOption, console, core_option, print_json
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel, Library


def list_kernels(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="List kernels whose names contain NAME, or match it as a pattern with * and ?.",
            autocompletion=complete_kernels,
        ),
    ] = None,
    operator: Annotated[
        list[str] | None,
        typer.Option(
            "--operator",
            metavar="NAME",
            help="List kernels of this operator. Repeatable.",
            autocompletion=complete_operators,
        ),
    ] = None,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            "--feature",
            "--level",
            metavar="NAME",
            help="List kernels that need this extension: dotprod, i8mm, fp16; neon for none beyond NEON. Repeatable.",
            autocompletion=complete_features,
        ),
    ] = None,
    isa: IsaOption = None,
    core: Annotated[
        str | None,
        core_option("Leave out kernels in whose place others are picked on this core, such as cortex-a55."),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", "-s", help="Add what each kernel computes.")] = False,
    json: JsonOption = False,
) -> None:
    """List the kernels of the library, their operators and levels, and how many there are.

    A kernel is listed if it fits all of the options. An option given several times lists what fits any of its values.
    """
    from neonlab.lab.repository.library import open_library
    from neonlab.measure.cores.pipeline import load_pipeline
    from neonlab.report.tables.kernels import counts_of, kernel_json, kernel_lines

    library = open_library()
    kernels = _chosen(library, names or [], operator or [], feature or [], isa)
    if core is not None:
        load_pipeline(core)  # refuses a core that has no model
        passed_over = {name for one in library.dispatches.values() if one.cores for name in one.passed_over(core)}
        kernels = [kernel for kernel in kernels if kernel.name not in passed_over]
    listed = {kernel.name for kernel in kernels}
    dispatches = [one for one in library.dispatches.values() if listed & {one.name, *one.members}]
    if json:
        print_json(
            "list",
            root=str(library.root),
            kernels=[kernel_json(kernel) for kernel in kernels],
            dispatches=[
                {"name": one.name, "members": list(one.members), "reason": one.reason, "cores": dict(one.cores)}
                for one in dispatches
            ],
            counts=counts_of(kernels),
        )
        return
    out = console()
    for line in kernel_lines(kernels, dispatches, len(library.kernels), summaries=summary, core=core):
        out.print(line, markup=False)


def _chosen(
    library: Library, names: list[str], operators: list[str], features: list[str], isa: str | None
) -> list[Kernel]:
    """Return the kernels that fit.  Raises InputError for a word that no kernel could fit."""
    from neonlab.isa.model.architecture import FEATURES
    from neonlab.isa.model.isa import isa_named
    from neonlab.report.tables.kernels import has_feature, operator_of

    known = {operator.name for operator in library.operators}
    for name in operators:
        if name not in known:
            raise InputError(f"no operator is called `{name}`; there are {', '.join(sorted(known))}")
    for name in features:
        if name not in FEATURES:
            raise InputError(f"no feature is called `{name}`; there are {', '.join(sorted(FEATURES))}")
    wanted = isa_named(isa) if isa is not None else None

    def named(kernel: Kernel) -> bool:
        words = (kernel.title, kernel.name)
        return any(name in kernel.title or any(fnmatchcase(word, name) for word in words) for name in names)

    return [
        kernel
        for kernel in library.kernels
        if (not names or named(kernel))
        and (not operators or operator_of(kernel) in operators)
        and (not features or any(has_feature(kernel, feature) for feature in features))
        and (wanted is None or kernel.isa is wanted)
    ]


def schema(
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="COMMAND",
            help="The command whose --json output to describe.",
            autocompletion=complete_json_commands,
        ),
    ] = None,
) -> None:
    """Print the JSON schema of a command's --json output; without COMMAND, list the commands that have one."""
    import json

    from neonlab.report.json.documents import schemas

    known = schemas()
    if command is None:
        print("\n".join(known))
    elif command in known:
        print(json.dumps(known[command], indent=2))
    else:
        raise InputError(f"no schema for `{command}`; there are: {', '.join(known)}")

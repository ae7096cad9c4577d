"""`neonlab list` and `neonlab schema`: what there is."""

from __future__ import annotations

from typing import Annotated

import typer

from neonlab.cli.shared import JsonOption, console, find_kernels, print_json
from neonlab.errors import InputError


def list_kernels(json: JsonOption = False) -> None:
    """List the kernels, what each computes, and the dispatches among them."""
    from neonlab.library import find_root, open_library

    library = open_library(find_root())
    kernels = find_kernels(())
    if json:
        print_json(
            "list",
            root=str(library.root),
            kernels=[
                {
                    "kernel": kernel.title,
                    "isa": kernel.isa.value,
                    "path": str(kernel.path),
                    "operator": kernel.operator.name if kernel.operator else None,
                    "summary": kernel.contract.summary,
                    "prototype": kernel.contract.prototype,
                    "architecture": kernel.contract.architecture,
                    "features": sorted(kernel.contract.features),
                }
                for kernel in kernels
            ],
            dispatches=[
                {"name": dispatch.name, "members": list(dispatch.members), "reason": dispatch.reason}
                for dispatch in library.dispatches.values()
            ],
        )
        return
    out = console()
    for kernel in kernels:
        out.print(f"[bold]{kernel.title}[/]", markup=True)
        out.print(f"  {kernel.contract.summary}", markup=False)
    for dispatch in library.dispatches.values():
        out.print(f"[bold]{dispatch.name}[/] chooses by shape")
        out.print(f"  {dispatch.reason}", markup=False)


def schema(
    command: Annotated[str | None, typer.Argument(help="The command whose --json output to describe.")] = None,
) -> None:
    """Print the JSON schema of a command's --json output; without COMMAND, which have one."""
    import json

    from neonlab.report.schemas import schemas

    known = schemas()
    if command is None:
        print("\n".join(known))
    elif command in known:
        print(json.dumps(known[command], indent=2))
    else:
        raise InputError(f"no schema for `{command}`; there are: {', '.join(known)}")

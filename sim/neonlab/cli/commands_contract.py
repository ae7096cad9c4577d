"""`neonlab contract`: what a contract for a function could say, from its prototype and from running it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.given_options import takes_given
from neonlab.cli.shared import JsonOption, print_json
from neonlab.given import NOTHING, Given


@takes_given
def contract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Assembly, C or an object.")],
    learn: Annotated[
        list[str] | None,
        typer.Option(
            "--learn",
            metavar="N=VALUE,...",
            help="Run it with these numbers and say how far each pointer is followed; n=8:32:8 is a range. Repeatable.",
        ),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the contract here instead.")] = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> None:
    """Propose a contract for a function: TOML to stand beside its file, with a `?` where only you can know."""
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.errors import InputError
    from neonlab.proposal import propose

    if not file.is_file():
        raise InputError(f"{file}: no such file")
    proposal = propose(file, given or NOTHING, learn or ())
    if output is not None:
        write_whole(output, proposal.text.encode())
    if json:
        print_json("contract", path=str(file), **proposal.to_json())
    elif output is None:
        typer.echo(proposal.text, nl=False)
    if not json:
        typer.echo(proposal.question, err=True)

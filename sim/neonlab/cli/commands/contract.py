"""Implement `neonlab contract`: propose a contract for a function, from its prototype and from runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.options import takes_given
from neonlab.cli.shared import JsonOption, print_json
from neonlab.contract.options import NOTHING, Given
from neonlab.host.input_file import is_file, no_file


@takes_given
def contract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Assembly, C, C++ or object code.")],
    learn: Annotated[
        list[str] | None,
        typer.Option(
            "--learn",
            metavar="N=VALUE,...",
            help="Run the function with these arguments, and measure how far it follows each pointer. A value of "
            "8:32:8 is a range with a step. Repeatable.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUTPUT", help="Write the contract to OUTPUT; print nothing."),
    ] = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> None:
    """Propose a contract for a function, with a `?` for each entry that only you can know.

    The contract is TOML. Save it beside FILE as NAME.contract.toml.
    """
    from neonlab.host.output_file import write_whole
    from neonlab.sources.proposal import propose

    if not is_file(file):
        raise no_file(file)
    progress.begin("running the function" if learn else "reading the function")
    proposal = propose(file, given or NOTHING, learn or ())
    progress.clear()
    if output is not None:
        write_whole(output, proposal.text.encode())
    if json:
        print_json("contract", path=str(file), **proposal.to_json())
    elif output is None:
        typer.echo(proposal.text, nl=False)
    if not json:
        typer.echo(proposal.question, err=True)

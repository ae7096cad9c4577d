"""Implement `neonlab merge`: what one machine would have written, from the shards of a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from neonlab.cli import progress
from neonlab.cli.formats import FormatOption
from neonlab.cli.shared import JobsOption, JsonOption
from neonlab.errors import InputError

#: The commands that take --shard.
_COMMANDS = ("check", "prove", "mutate", "report", "network")


def merge(
    context: typer.Context,
    shards: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE|FOLDER",
            help="The files of all shards, or folders with them; the default is the folder shards.",
            show_default=False,
        ),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="FOLDER", help="As that of the command that was cut into shards.")
    ] = None,
    embed: Annotated[Path | None, typer.Option("--embed", metavar="FILE", help="As that of `neonlab report`.")] = None,
    witnesses: Annotated[
        Path | None, typer.Option("--witnesses", metavar="FOLDER", help="As that of `neonlab prove`.")
    ] = None,
    compiler: Annotated[
        str, typer.Option("--compiler", metavar="PROGRAM", help="As that of the command that was cut into shards.")
    ] = "",
    jobs: JobsOption = None,
    form: FormatOption = None,
    json: JsonOption = False,
) -> None:
    """Print and write what a command finds that ran in shards, byte for byte as one machine would have.

    Each shard is the same command with `--shard 1/8`, `--shard 2/8` and so on, in a folder of the same name, on the
    same kernels and by the same neonlab. Its file has the results and the command; say here where the documents go. The
    exit status is that of the command.
    """
    from neonlab.lab.shards.file import read_shards
    from neonlab.lab.shards.results import merge_here

    progress.begin("reading the shards")
    read = read_shards(shards or [Path("shards")])
    first = read[0]
    if first.command not in _COMMANDS:
        raise InputError(f"{first.name}: `neonlab {first.command}` has no shards")
    merge_here(read)
    parent = context.parent
    assert parent is not None
    command: Any = parent.command
    mine = {"--into": into, "--embed": embed, "--witnesses": witnesses, "--compiler": compiler, "--jobs": jobs}
    more = [word for option, value in mine.items() if value for word in (option, str(value))]
    more += ["--format", form] if form is not None else []
    more += ["--json"] if json else []
    inner = command.commands[first.command].make_context(
        first.command, [*more, *first.arguments], parent=parent, obj=tuple(read)
    )
    with inner:
        inner.command.invoke(inner)

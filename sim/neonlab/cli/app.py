"""The command tree: what can be typed, and which function answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer

from neonlab.cli.commands_assembly import asm
from neonlab.cli.commands_compare import compare
from neonlab.cli.commands_contract import contract
from neonlab.cli.commands_cores import cores
from neonlab.cli.commands_init import init
from neonlab.cli.commands_int8 import schemes
from neonlab.cli.commands_lab import bench, check, profile
from neonlab.cli.commands_library import list_kernels, schema
from neonlab.cli.commands_mutate import mutate
from neonlab.cli.commands_objects import symbols
from neonlab.cli.commands_report import report
from neonlab.cli.commands_serve import serve
from neonlab.cli.commands_watch import watch

_HELP = """Run, prove, count and compare hand-written ARM NEON int8 kernels, with no ARM device at hand.

KERNEL is a name that `neonlab list` shows, with or without its folder (armv7/, armv8/), or the path of a file: assembly
that opens with a contract; assembly, C, C++ or an object that has one beside it (`neonlab contract`). SHAPE is written
as the operator's sizes joined by x: 14x14x256x512 for conv1x1 (height x width x input channels x output channels).

Exit status: 0 all well, 1 a kernel failed, 2 bad usage or input.
"""

_COMMANDS: tuple[tuple[str, Callable[..., int | None]], ...] = (
    ("list", list_kernels),
    ("check", check),
    ("profile", profile),
    ("compare", compare),
    ("init", init),
    ("watch", watch),
    ("serve", serve),
    ("report", report),
    ("contract", contract),
    ("asm", asm),
    ("cores", cores),
    ("symbols", symbols),
    ("bench", bench),
    ("mutate", mutate),
    ("schemes", schemes),
    ("schema", schema),
)


def _exiting(function: Callable[..., int | None]) -> Callable[..., None]:
    """`function`, its result turned into the exit status."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> None:
        raise typer.Exit(function(*arguments, **options) or 0)

    return run


def build_app() -> Any:
    """The click command that `main` runs."""
    app = typer.Typer(
        name="neonlab",
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for name, function in _COMMANDS:
        app.command(name)(_exiting(function))

    @app.callback(invoke_without_command=True)
    def options(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
        if version:
            from neonlab import __version__

            typer.echo(f"neonlab {__version__}")
            raise typer.Exit

    return typer.main.get_command(app)

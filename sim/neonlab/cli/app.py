"""Build the command tree: the commands and the functions that run them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer

from neonlab.cli.commands.assembly import asm
from neonlab.cli.commands.board import BOARD_HELP, board_export, board_import, board_run
from neonlab.cli.commands.compare import compare
from neonlab.cli.commands.contract import contract
from neonlab.cli.commands.cores import cores, forms
from neonlab.cli.commands.editing.lsp import lsp
from neonlab.cli.commands.editing.serve import serve
from neonlab.cli.commands.editing.watch import watch
from neonlab.cli.commands.init import init
from neonlab.cli.commands.int8 import schemes
from neonlab.cli.commands.kept.cache import cache
from neonlab.cli.commands.kept.merge import merge
from neonlab.cli.commands.lab import check, profile
from neonlab.cli.commands.library import list_kernels, schema
from neonlab.cli.commands.loops.optimize import optimize
from neonlab.cli.commands.models.network import network
from neonlab.cli.commands.models.quantize import quantize
from neonlab.cli.commands.mutate import mutate
from neonlab.cli.commands.objects import symbols
from neonlab.cli.commands.prove import prove
from neonlab.cli.commands.report import report
from neonlab.cli.commands.speed import bench
from neonlab.cli.help import HELP_OPTIONS, Command, PlainGroup

_HELP = """Run, check, count and compare hand-written ARM NEON int8 kernels, with no ARM device at hand.

KERNEL is a name that `neonlab list` shows, with or without its folder (armv7/, armv8/). FILE is assembly with a
contract at its start, or assembly, C, C++ or object code with a contract in a file beside it, which `neonlab contract`
proposes. SHAPE is the sizes of the operator joined by x. For conv1x1 they are height x width x input channels x output
channels, as in 14x14x256x512.

The exit status is 0 if all is well, 1 if a kernel failed, and 2 for bad usage or bad input.
"""

_COMMANDS: tuple[tuple[str, Callable[..., int | None]], ...] = (
    ("list", list_kernels),
    ("check", check),
    ("prove", prove),
    ("profile", profile),
    ("compare", compare),
    ("optimize", optimize),
    ("network", network),
    ("quantize", quantize),
    ("init", init),
    ("watch", watch),
    ("serve", serve),
    ("lsp", lsp),
    ("report", report),
    ("contract", contract),
    ("asm", asm),
    ("cores", cores),
    ("forms", forms),
    ("symbols", symbols),
    ("bench", bench),
    ("mutate", mutate),
    ("cache", cache),
    ("merge", merge),
    ("schemes", schemes),
    ("schema", schema),
)

_BOARD_COMMANDS: tuple[tuple[str, Callable[..., int | None]], ...] = (
    ("export", board_export),
    ("run", board_run),
    ("import", board_import),
)


def _exiting(function: Callable[..., int | None]) -> Callable[..., None]:
    """Return `function` with its result as the exit status."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> None:
        raise typer.Exit(function(*arguments, **options) or 0)

    return run


def build_app() -> Any:
    """Return the command that `main` runs."""
    app = typer.Typer(
        name="neonlab",
        help=_HELP,
        no_args_is_help=True,
        cls=PlainGroup,
        context_settings={"help_option_names": HELP_OPTIONS},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for name, function in _COMMANDS:
        app.command(name, cls=Command)(_exiting(function))
    board = typer.Typer(
        name="board",
        help=BOARD_HELP,
        no_args_is_help=True,
        cls=PlainGroup,
        context_settings={"help_option_names": HELP_OPTIONS},
        rich_markup_mode=None,
    )
    for name, function in _BOARD_COMMANDS:
        board.command(name, cls=Command)(_exiting(function))
    app.add_typer(board)

    @app.callback(invoke_without_command=True)
    def options(
        version: bool = typer.Option(False, "--version", help="Print the version and exit."),
        quiet: bool = typer.Option(False, "--quiet", "-q", help="Print no progress on standard error."),
    ) -> None:
        if version:
            from neonlab import __version__

            typer.echo(f"neonlab {__version__}")
            raise typer.Exit

    return typer.main.get_command(app)

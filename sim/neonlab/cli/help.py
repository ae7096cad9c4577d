"""Lay out the help of a command: whole sentences at any width, and telling words for values."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

#: Options that ask for the help of every command.
HELP_OPTIONS = ("-h", "--help")
#: More characters than any first sentence has, so that none is cut.
_ALL = 10_000


class Command(TyperCommand):
    """A command whose help names each argument once, without its Python type."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the command's name in the line of usage: `[OPTIONS] FILE [KERNEL]...`."""
        pieces = [self.options_metavar or ""]
        for argument in _arguments(self.get_params(ctx)):
            name = _named(argument) if argument.required else f"[{_named(argument)}]"
            pieces.append(name + ("..." if argument.nargs != 1 else ""))
        return pieces

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options, each with its sentence."""
        params = self.get_params(ctx)
        arguments = [(_named(argument), argument.help or "") for argument in _arguments(params)]
        options = [param.get_help_record(ctx) for param in params if param.param_type_name == "option"]
        for title, rows in (("Arguments", arguments), ("Options", [row for row in options if row is not None])):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class PlainGroup(TyperGroup):
    """The parent command, whose help shows the first sentence of each command in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a row for each command."""
        rows = [(name, command.get_short_help_str(_ALL)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _arguments(params: list[Any]) -> list[Any]:
    return [param for param in params if param.param_type_name == "argument"]


def _named(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())

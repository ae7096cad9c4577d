"""The help of every command: nothing is cut at 80 or 60 columns, and each option says in a sentence what it does."""

from __future__ import annotations

import functools
import inspect
import os
import pickle
import re
from typing import Any

import pytest
from tests.cli.test_commands import neonlab

from neonlab.assemble.source import AssemblyError, SourceLine
from neonlab.cli.app import build_app

COMMANDS = sorted(build_app().commands)


@functools.cache
def shown(command: str, columns: int) -> str:
    """The help as a terminal of that width has it, made in this process: forty of them would take a minute else."""
    app = build_app()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(columns)
    try:
        context = app.make_context("neonlab", ["list"], resilient_parsing=True)
        if command:
            context = app.commands[command].make_context(command, [], parent=context, resilient_parsing=True)
        return str(context.command.get_help(context))
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow(keep=29)
@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_nothing_of_a_help_is_cut_at_any_width(command: str, columns: int) -> None:
    text = shown(command, columns)
    assert max(map(len, text.splitlines())) <= columns
    assert "…" not in text and not re.search(r"\w\.\.\.(?:\s|$)", text.replace("VALUE,...", "").replace("ARGS]...", ""))
    assert not re.search(r"<\w", text), "a type of Python's"
    app = build_app()
    described = app.commands[command] if command else app
    assert words(described.help) in words(text)
    for param in described.params:
        assert words(param.help) in words(text), param.name
    for name, other in app.commands.items() if not command else ():
        first = words(inspect.cleandoc(other.help)).split(". ")[0].rstrip(".")
        assert f"{name} {first}" in words(text)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_and_argument_is_described_by_sentences(command: str) -> None:
    described: Any = build_app().commands[command]
    assert words(described.help).endswith(".")
    for param in described.params:
        assert param.help and param.help[0].isupper() and param.help.rstrip("`'\")").endswith("."), param.name
        if param.param_type_name == "argument" or not param.is_flag:
            assert param.metavar and not re.search(r"[\[<]\w+(?!=)\]?\.\.\.", param.metavar), param.name


def test_h_asks_for_help_of_all_and_of_one_command() -> None:
    for arguments in ((), ("check",), ("profile",)):
        short, long = neonlab(*arguments, "-h"), neonlab(*arguments, "--help")
        assert (short.returncode, short.stderr) == (0, "") and short.stdout == long.stdout
        assert "-h, --help" in short.stdout


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("check", "Usage: check [OPTIONS] [KERNEL|FILE]..."),
        ("profile", "Usage: profile [OPTIONS] KERNEL|FILE"),
        ("asm", "Usage: asm [OPTIONS] FILE"),
        ("schema", "Usage: schema [OPTIONS] [COMMAND]"),
    ],
)
def test_the_usage_names_arguments_once(command: str, usage: str) -> None:
    assert re.sub(r"^Usage: neonlab ", "Usage: ", shown(command, 80)).splitlines()[0] == usage


def test_an_error_of_a_worker_process_says_error_once() -> None:
    line = SourceLine("f.S", 4, 2, " adr x0, far")
    for error in (AssemblyError("the target is too far away", line, "move it"), AssemblyError("nested too deeply")):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error) and str(again).count("error:") == 1
        assert (again.message, again.at, again.hint) == (error.message, error.at, error.hint)

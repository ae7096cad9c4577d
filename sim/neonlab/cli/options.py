"""Define the options that say how a file is built and called, shared by all commands that take a file."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from neonlab.cli.shared import DefineOption, IncludeOption, IsaOption, PreprocessOption
from neonlab.errors import InputError
from neonlab.host.input_file import is_file, no_file

if TYPE_CHECKING:
    from neonlab.contract.options import Given

T = TypeVar("T")

_Symbol = Annotated[
    str | None,
    typer.Option("--symbol", metavar="NAME", help="The function in FILE; the default is the file's name."),
]
_Contract = Annotated[
    Path | None, typer.Option("--contract", metavar="FILE", help="Read the contract from this TOML file.")
]
_Prototype = Annotated[
    str | None,
    typer.Option("--prototype", metavar="C", help="The prototype in C, such as 'void (const int8_t *a, size_t n)'."),
]
_Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set an entry of the contract, such as a.read=4*n, n.range=[1,64] or stack=64. Repeatable.",
    ),
]
_Flags = Annotated[
    str | None,
    typer.Option("--cflags", metavar="FLAGS", help="Flags for the C compiler, in quotes; -O2 unless one is -O."),
]
_Compiler = Annotated[str | None, typer.Option("--compiler", metavar="PROGRAM", help="The C compiler to use.")]
_ReferenceFile = Annotated[
    Path | None,
    typer.Option("--reference", metavar="FILE", help="The C file with the function that computes the right results."),
]
_ReferenceSymbol = Annotated[
    str | None,
    typer.Option(
        "--reference-symbol",
        metavar="NAME",
        help="The name of that function; without --reference it is a function of FILE.",
    ),
]
_OnHost = Annotated[
    bool, typer.Option("--reference-on-host", help="Run the reference on this computer, not on the emulated CPU.")
]

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "symbol": (_Symbol, None),
    "isa_name": (IsaOption, None),
    "contract": (_Contract, None),
    "prototype": (_Prototype, None),
    "settings": (_Settings, None),
    "include": (IncludeOption, None),
    "define": (DefineOption, None),
    "flags": (_Flags, None),
    "compiler": (_Compiler, None),
    "preprocess": (PreprocessOption, None),
    "reference": (_ReferenceFile, None),
    "reference_symbol": (_ReferenceSymbol, None),
    "reference_on_host": (_OnHost, False),
}


def takes_given(command: Callable[..., T]) -> Callable[..., T]:
    """Add these options to a command, and pass their values as its argument `given`."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "given"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> T:
        said = {name: options.pop(name, default) for name, (_, default) in _OPTIONS.items()}
        return command(*arguments, given=_given(said), **options)

    own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in own + more}
    return run


def _given(said: dict[str, Any]) -> Given:
    from neonlab.contract.options import Build, Given, Reference
    from neonlab.isa.model.isa import isa_named

    settings = []
    for text in said["settings"] or ():
        key, equals, value = text.partition("=")
        if not equals or not all(part.strip() for part in key.split(".")):
            raise InputError(f"--set {text}: give KEY=VALUE, such as a.read=4*n or n.range=[1,64]")
        settings.append((key.strip(), value.strip()))
    for name in ("contract", "reference"):
        if said[name] is not None and not is_file(said[name]):
            raise no_file(said[name])
    try:
        flags = tuple(shlex.split(said["flags"] or ""))
    except ValueError as error:
        raise InputError(f"--cflags {said['flags']}: {error}") from None
    reference = None
    if said["reference"] is not None or said["reference_symbol"] is not None:
        path = str(said["reference"]) if said["reference"] is not None else ""
        reference = Reference(path, said["reference_symbol"] or "", Build(), said["reference_on_host"])
    elif said["reference_on_host"]:
        raise InputError("--reference-on-host needs a reference: name its function with --reference-symbol")
    include, define = tuple(said["include"] or ()), tuple(said["define"] or ())
    build = Build(include, define, flags, said["compiler"] or "", said["preprocess"])
    return Given(
        isa_named(said["isa_name"]) if said["isa_name"] is not None else None,
        said["symbol"] or "",
        said["prototype"] or "",
        str(said["contract"]) if said["contract"] is not None else "",
        tuple(settings),
        build,
        reference,
    )

"""The options that say how a file is built and called, shared by every command that takes one."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from neonlab.cli.shared import IsaOption
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.given import Given

T = TypeVar("T")
_PANEL = "About a file that does not say so itself"

_Symbol = Annotated[
    str | None, typer.Option("--symbol", metavar="NAME", help="The function, if not named as the file.")
]
_Contract = Annotated[Path | None, typer.Option("--contract", metavar="FILE.toml", help="The contract to go by.")]
_Prototype = Annotated[
    str | None, typer.Option("--prototype", metavar="C", help="The contract's: 'void (const int8_t *a, size_t n)'.")
]
_Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An entry of the contract: a.read=4*n, n.range=[1,64], stack=64."),
]
_Include = Annotated[list[str] | None, typer.Option("-I", "--include", help="Where #include looks.")]
_Define = Annotated[list[str] | None, typer.Option("-D", "--define", help="NAME or NAME=VALUE.")]
_Flags = Annotated[str | None, typer.Option("--cflags", metavar="'FLAG...'", help="For the C compiler, after -O2.")]
_Compiler = Annotated[str | None, typer.Option("--compiler", metavar="PROGRAM", help="The C compiler.")]
_ReferenceFile = Annotated[
    Path | None, typer.Option("--reference", metavar="FILE.c", help="Where the C function is that says what is right.")
]
_ReferenceSymbol = Annotated[
    str | None, typer.Option("--reference-symbol", metavar="NAME", help="Its name; --reference may then be left out.")
]
_OnHost = Annotated[bool, typer.Option("--reference-on-host", help="Run it on this computer, not emulated.")]

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "symbol": (_Symbol, None),
    "isa_name": (IsaOption, None),
    "contract": (_Contract, None),
    "prototype": (_Prototype, None),
    "settings": (_Settings, None),
    "include": (_Include, None),
    "define": (_Define, None),
    "flags": (_Flags, None),
    "compiler": (_Compiler, None),
    "reference": (_ReferenceFile, None),
    "reference_symbol": (_ReferenceSymbol, None),
    "reference_on_host": (_OnHost, False),
}


def takes_given(command: Callable[..., T]) -> Callable[..., T]:
    """Gives a command these options besides its own, and their meaning as its argument `given`."""
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
    from neonlab.given import Build, Given, Reference
    from neonlab.isa.isa import isa_named

    settings = []
    for text in said["settings"] or ():
        key, equals, value = text.partition("=")
        if not equals or not all(part.strip() for part in key.split(".")):
            raise InputError(f"--set {text}: is to be KEY=VALUE, such as a.read=4*n or n.range=[1,64]")
        settings.append((key.strip(), value.strip()))
    for name in ("contract", "reference"):
        if said[name] is not None and not said[name].is_file():
            raise InputError(f"{said[name]}: no such file")
    try:
        flags = tuple(shlex.split(said["flags"] or ""))
    except ValueError as error:
        raise InputError(f"--cflags {said['flags']}: {error}") from None
    reference = None
    if said["reference"] is not None or said["reference_symbol"] is not None:
        path = str(said["reference"]) if said["reference"] is not None else ""
        reference = Reference(path, said["reference_symbol"] or "", Build(), said["reference_on_host"])
    elif said["reference_on_host"]:
        raise InputError("--reference-on-host says where to run a reference: say which with --reference-symbol")
    build = Build(tuple(said["include"] or ()), tuple(said["define"] or ()), flags, said["compiler"] or "")
    return Given(
        isa_named(said["isa_name"]) if said["isa_name"] is not None else None,
        said["symbol"] or "",
        said["prototype"] or "",
        str(said["contract"]) if said["contract"] is not None else "",
        tuple(settings),
        build,
        reference,
    )

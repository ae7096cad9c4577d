"""Provide what several commands need: reading KERNEL and SHAPE, and writing output."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_cores, complete_isas, complete_kernels, complete_shapes
from neonlab.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.contract.options import Given
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.options import Found
    from neonlab.measure.shape import Shape

IsaOption = Annotated[
    str | None,
    typer.Option("--isa", metavar="armv7|armv8", help="The instruction set of the code.", autocompletion=complete_isas),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document; `neonlab schema` describes its properties.")
]
PreprocessOption = Annotated[
    bool | None,
    typer.Option("--preprocess/--no-preprocess", help="Run assembly through the C preprocessor, whatever its name."),
]
JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Run N processes at a time; the default is one per CPU."),
]
SeedOption = Annotated[
    int,
    typer.Option("--seed", metavar="N", min=0, help="The seed of the data, and of what registers hold at entry."),
]
ShapeOption = Annotated[
    list[str] | None,
    typer.Option("--shape", metavar="SHAPE", help="Use this shape. Repeatable.", autocompletion=complete_shapes),
]
LayerOption = Annotated[
    str | None,
    typer.Option(
        "--shape",
        metavar="SHAPE",
        help="The layer to profile; the default is one of about 14x14x256x256.",
        autocompletion=complete_shapes,
    ),
]


def core_option(help_text: str) -> Any:
    """Return the option --core with this help, completed by the names of cores."""
    return typer.Option("--core", metavar="CORE", help=help_text, autocompletion=complete_cores)


CoresOption = Annotated[list[str] | None, core_option("Estimate the cycles on this core. Repeatable.")]
WarmOption = Annotated[
    bool, typer.Option("--warm", help="Estimate one of many calls back to back, which find the caches filled.")
]
KernelsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="KERNEL|FILE",
        help="Names of kernels, or files with kernels.",
        autocompletion=complete_kernels,
        show_default=False,
    ),
]
KernelArgument = Annotated[
    str,
    typer.Argument(
        metavar="KERNEL|FILE", help="The name of a kernel, or a file with one.", autocompletion=complete_kernels
    ),
]
IncludeOption = Annotated[
    list[str] | None, typer.Option("-I", "--include", metavar="FOLDER", help="Search FOLDER for #include. Repeatable.")
]
DefineOption = Annotated[
    list[str] | None,
    typer.Option("-D", "--define", metavar="NAME[=VALUE]", help="Define a macro of the preprocessor. Repeatable."),
]


def calls_option(words: str) -> Any:
    """Return the option --calls, described by `words`; 1024 is `neonlab.measure.options.MOST_CALLS`."""
    return typer.Option("--calls", metavar="N", min=0, max=1024, help=words)


CallsOption = Annotated[
    int, calls_option("Estimate the mean of N calls back to back, warm, from an empty pipeline until all is done.")
]
ColdWeightsOption = Annotated[
    bool,
    typer.Option(
        "--cold-weights", help="As --warm, but weights are in no cache when a call begins, as in a whole network."
    ),
]


def what_calls_find(warm: bool, cold_weights: bool, calls: int, *, on_core: bool) -> Found:
    """Return what modelled calls find.

    Raises InputError for options that need a core, and for two that exclude each other.
    """
    from neonlab.measure.options import Found

    said = {"--warm": warm, "--cold-weights": cold_weights, "--calls": calls}
    if not on_core and any(said.values()):
        option = next(name for name, given in said.items() if given)
        raise InputError(f"{option} changes the estimate for a core: name one with --core")
    if calls and warm:
        raise InputError("--warm is a call in a row without end, --calls one in a row of N: give one of them")
    return Found(warm, cold_weights, calls)


def console() -> Console:
    """Return standard output, 80 columns wide unless it is a terminal, and end the progress display."""
    from rich.console import Console

    progress.clear()

    return Console(width=None if sys.stdout.isatty() else 80, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_json(command: str, **parts: Any) -> None:
    """Print one document: the command, the version, and its parts in order."""
    from neonlab import __version__

    progress.clear()
    print(json.dumps({"command": command, "neonlab": __version__, **parts}, indent=2))


def find_kernels(names: Sequence[str], given: Given | None = None) -> list[Kernel]:
    """Return the kernels named on the command line; all of the library's if none is named.

    `given` holds the options about files; they do not apply to kernels of the library.
    """
    from neonlab.contract.options import NOTHING
    from neonlab.lab.repository.library import open_library
    from neonlab.lab.run.lookup import kernels_named, names_file

    given = given or NOTHING
    files = [name for name in names if names_file(name)]
    if not given.says_nothing and len(files) < max(1, len(names)):
        raise InputError(
            f"{shlex.join(given.options) or '--isa or --symbol'}: these options need a file, not a kernel's name"
        )

    _refuse_what_fits_not_all(names, given)
    if not names:
        return list(open_library().kernels)
    found = [kernel for name in names for kernel in kernels_named(name, given)]
    return list(dict.fromkeys(found))


def find_kernel(name: str, given: Given | None = None) -> Kernel:
    """Return the one kernel that the word on the command line means.  Raises InputError if it means several."""
    found = find_kernels([name], given)
    if len(found) > 1:
        raise InputError(f"`{name}` means {len(found)} kernels: {', '.join(one.title for one in found)}; name one")
    return found[0]


def _refuse_what_fits_not_all(names: Sequence[str], given: Given) -> None:
    """Raise InputError for options about one file, or about C, with files that they do not fit."""
    from neonlab.sources.toolchain import is_c

    if given.symbol and len(names) > 1:
        raise InputError(
            f"--symbol {given.symbol} names a function of one file, and {len(names)} are named: {shlex.join(names)}; "
            "say `symbol` in a contract beside each file, or name one file"
        )
    of_c = [option for option, said in (("--cflags", given.build.flags), ("--compiler", given.build.compiler)) if said]
    others = [name for name in names if not is_c(Path(name))]
    if of_c and others:
        raise InputError(f"{of_c[0]} is for the compiler of C, and {others[0]} is not compiled: leave out one of them")


def kernels_for(core: ModelledCore, kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return the kernels that the core can run, and report the others on standard error.

    Raises InputError if none is left.
    """
    refusals = {kernel: core.refusal(kernel.isa, kernel.contract.features) for kernel in kernels}
    left = [kernel for kernel, refusal in refusals.items() if refusal is None]
    refused = [f"{kernel.title}: {refusal}" for kernel, refusal in refusals.items() if refusal is not None]
    if not left:
        raise InputError("; ".join(refused))
    for text in refused:
        print(f"neonlab: skipped {text}", file=sys.stderr)
    return left


def shapes_by_kernel(kernels: Sequence[Kernel], texts: Sequence[str]) -> list[tuple[Kernel, list[Shape]]]:
    """Return each kernel with the named shapes that its contract allows, as `allowed_shapes` does."""
    from neonlab.lab.run.plan import parse_shape

    return allowed_shapes(kernels, lambda kernel: [parse_shape(kernel, text) for text in texts])


def shapes_asked(
    kernels: Sequence[Kernel], texts: Sequence[str] | None, doing: str
) -> list[tuple[Kernel, list[Shape]]]:
    """Return each kernel with its shapes of --shape, or with none if none is given, and report what is done now."""
    progress.begin(f"{doing} of {len(kernels)} kernel{'s' * (len(kernels) != 1)}")
    return shapes_by_kernel(kernels, texts) if texts else [(kernel, []) for kernel in kernels]


def allowed_shapes(
    kernels: Sequence[Kernel], shapes_of: Callable[[Kernel], Sequence[Shape]]
) -> list[tuple[Kernel, list[Shape]]]:
    """Return each kernel with those of its shapes that its contract allows, without kernels that allow none.

    Raises InputError if nothing is left, and for a single kernel if any shape is not allowed.
    """
    from neonlab.contract.header import ContractError
    from neonlab.lab.run.shapes import integers_of

    found: list[tuple[Kernel, list[Shape]]] = []
    refusal: ContractError | None = None
    for kernel in kernels:
        taken = []
        for shape in shapes_of(kernel):
            try:
                kernel.contract.check_values(integers_of(kernel, shape))
                taken.append(shape)
            except ContractError as error:
                if len(kernels) == 1:
                    raise
                refusal = refusal or error
        if taken:
            found.append((kernel, taken))
    if not found and refusal is not None:
        raise refusal
    return found

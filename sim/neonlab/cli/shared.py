"""What several commands need: how KERNEL and SHAPE are read, where output goes."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neonlab.errors import InputError
from neonlab.file_names import CODE

if TYPE_CHECKING:
    from rich.console import Console

    from neonlab.given import Given
    from neonlab.library import Kernel
    from neonlab.verify.case import Shape

IsaOption = Annotated[
    str | None, typer.Option("--isa", metavar="armv7|armv8", help="The instruction set, where nothing else says it.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on standard output (`neonlab schema`).")]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Processes at a time; all cores unless said.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of data and of register contents at entry.")]
ShapeOption = Annotated[list[str] | None, typer.Option("--shape", metavar="SHAPE", help="Only this shape; repeatable.")]


def console() -> Console:
    """Standard output, 80 columns wide unless a terminal says otherwise."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 80, highlight=False, soft_wrap=not sys.stdout.isatty())


def print_json(command: str, **parts: Any) -> None:
    """One document: the command, the version, and its parts in order."""
    from neonlab import __version__

    print(json.dumps({"command": command, "neonlab": __version__, **parts}, indent=2))


def find_kernels(names: Sequence[str], given: Given | None = None) -> list[Kernel]:
    """The kernels that the words on the command line name; all of the library's for none.

    `given` is what the options say of files; a kernel of the library needs nothing said.
    """
    from neonlab.given import NOTHING
    from neonlab.library import find_members, find_root, open_kernels, open_library

    given = given or NOTHING
    files = [name for name in names if _is_file_name(name)]
    if not given.says_nothing and len(files) < max(1, len(names)):
        raise InputError(f"{shlex.join(given.options) or '--isa or --symbol'}: options about code go with a file")

    if not names:
        return list(open_library(find_root()).kernels)
    found: list[Kernel] = []
    for name in names:
        if _is_file_name(name):
            if not Path(name).is_file():
                raise InputError(f"{name}: no such file")
            found += open_kernels(Path(name), given)
        else:
            found += find_members(find_root(), name)
    return list(dict.fromkeys(found))


def kernels_for(core: str, kernels: Sequence[Kernel]) -> list[Kernel]:
    """Those that the core can run; says on standard error which it cannot.  Raises InputError where none is left."""
    from neonlab.measure.core import load_core

    refusals = {kernel: load_core(core).refusal(kernel.isa, kernel.contract.features) for kernel in kernels}
    left = [kernel for kernel, refusal in refusals.items() if refusal is None]
    refused = [f"{kernel.title}: {refusal}" for kernel, refusal in refusals.items() if refusal is not None]
    if not left:
        raise InputError("; ".join(refused))
    for text in refused:
        print(f"neonlab: leaves out {text}", file=sys.stderr)
    return left


def _is_file_name(name: str) -> bool:
    return name.endswith(CODE) or Path(name).is_file()


def shapes_by_kernel(kernels: Sequence[Kernel], texts: Sequence[str]) -> list[tuple[Kernel, list[Shape]]]:
    """Each kernel with those of the shapes that its contract allows, kernels that take none left out.

    Raises InputError where nothing is left, and for one kernel where any shape is not allowed.
    """
    from neonlab.assemble.contract import ContractError
    from neonlab.plan import parse_shape
    from neonlab.plan_shapes import integers_of

    found: list[tuple[Kernel, list[Shape]]] = []
    refusal: ContractError | None = None
    for kernel in kernels:
        taken = []
        for shape in (parse_shape(kernel, text) for text in texts):
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


@contextmanager
def progress(title: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error while the block runs, where that is a terminal; yields what advances it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    errors = Console(stderr=True)
    if quiet or not errors.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)

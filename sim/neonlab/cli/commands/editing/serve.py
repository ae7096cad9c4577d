"""Implement `neonlab serve`: a kernel in an editor in the browser, checked as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.commands.editing.cores import CORES, EditedCoresOption
from neonlab.cli.options import takes_given
from neonlab.cli.shared import KernelArgument, LayerOption, SeedOption, find_kernel
from neonlab.contract.options import NOTHING, Given
from neonlab.host.input_file import is_file


@takes_given
def serve(
    kernel: KernelArgument,
    shape: LayerOption = None,
    core: EditedCoresOption = None,
    port: Annotated[
        int,
        typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port on 127.0.0.1; 0 takes any free port."),
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address in a browser.")] = True,
    seed: SeedOption = 1,
    given: Given | None = None,
) -> None:
    """Edit a kernel in the browser, which shows faults and costs beside the lines while you type.

    Other variants of the operator are in tabs. Only Save (Ctrl-S) writes the file. The server listens on 127.0.0.1, and
    answers only to the address that it prints, which contains a token. It needs `pip install 'neonlab[serve]'`.
    """
    from neonlab.lab.repository.library import find_root
    from neonlab.measure.cores.modelled import cores_named
    from neonlab.serve.server import serve as run

    cores = cores_named(core or CORES)
    path = Path(kernel)
    if not is_file(path):
        path = find_kernel(kernel, given).path
    path = path.resolve()
    run(
        path, find_root(path.parent), given=given or NOTHING, shape=shape, cores=cores, seed=seed, port=port,
        browser=browser, tell=_tell,
    )  # fmt: skip


def _tell(words: str) -> None:
    progress.clear()
    print(words, flush=True)

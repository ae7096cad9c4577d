"""`neonlab serve`: the kernel in an editor in the browser, checked as it is typed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.given_options import takes_given
from neonlab.cli.shared import SeedOption, find_kernels
from neonlab.errors import InputError
from neonlab.given import NOTHING, Given

_CORES = ("cortex-a53", "cortex-a72")


@takes_given
def serve(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL|FILE")],
    shape: Annotated[
        str | None, typer.Option("--shape", metavar="SHAPE", help="The layer; one of about 14x14x256x256 unless said.")
    ] = None,
    core: Annotated[
        list[str] | None,
        typer.Option("--core", metavar="CORE", help=f"Cycles on this core; repeatable; {' and '.join(_CORES)}."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port on 127.0.0.1; any free one for 0.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser at the address.")] = True,
    seed: SeedOption = 1,
    given: Given | None = None,
) -> None:
    """Edit a kernel in the browser: checked as it is typed, with what is wrong and what it costs beside its lines.

    Variants of the same operator have tabs. The file is written by Save (Ctrl-S) alone. Listens on 127.0.0.1; the
    address that is printed holds a token, without which nothing is answered. Needs `pip install 'neonlab[serve]'`.
    """
    from neonlab.comparison import check_cores
    from neonlab.library import find_root
    from neonlab.serve.server import serve as run

    cores = tuple(core or _CORES)
    check_cores(cores)
    path = Path(kernel)
    if not path.is_file():
        found = find_kernels([kernel], given)
        if len(found) > 1:
            raise InputError(f"`{kernel}` is {', '.join(one.title for one in found)}: say which")
        path = found[0].path
    path = path.resolve()
    run(
        path, find_root(path.parent), given=given or NOTHING, shape=shape, cores=cores, seed=seed, port=port,
        browser=browser, tell=lambda words: print(words, flush=True),
    )  # fmt: skip

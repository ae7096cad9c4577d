"""Implement `neonlab lsp`: a language server for editors."""

from __future__ import annotations

from typing import Annotated

from neonlab.cli.options import takes_given
from neonlab.cli.shared import LayerOption, SeedOption, core_option
from neonlab.contract.options import NOTHING, Given
from neonlab.errors import InputError

_CORES = ("cortex-a53",)


@takes_given
def lsp(
    shape: LayerOption = None,
    core: Annotated[
        list[str] | None,
        core_option(f"Show the cost on this core; the default is {_CORES[0]}. Repeatable; the first is shown by line."),
    ] = None,
    seed: SeedOption = 1,
    given: Given | None = None,
) -> None:
    """Serve an editor by the Language Server Protocol, on standard input and output.

    Faults appear as you type, with hover, completion and the cycles of each line. Editors start it; the manual has the
    set-up for VS Code, Neovim and Emacs. It needs `pip install 'neonlab[lsp]'`.
    """
    from neonlab.measure.cores.modelled import cores_named

    cores = cores_named(core or _CORES)
    try:
        from neonlab.editor.language_server import run
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise InputError("`neonlab lsp` needs pygls: pip install 'neonlab[lsp]'") from None
    run(cores=cores, shape=shape, seed=seed, given=given or NOTHING)

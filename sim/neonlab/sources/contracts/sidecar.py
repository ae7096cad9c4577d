"""Take a contract from a file beside the code, which cannot carry one itself, or from the file that is given.

Such a file is the table that would stand in the block of an assembly file, and may also hold

    [build]                                  # how the source is built
    include = ["include"]
    define  = ["ROWS=4"]
    flags   = ["-O3"]
    compiler = "clang"

    [reference]                              # the C function that gives the expected results
    file    = "scalar.c"
    symbol  = "dot_c"

    [functions.dot_s8]                       # one for each function, if there are several: entries that
    prototype = "..."                        # differ from those above

Folders and files in it are relative to its own folder.
"""

from __future__ import annotations

from neonlab.sources.contracts.asked import Asked
from neonlab.sources.contracts.merge import Stated, entries_of


def sidecar(asked: Asked) -> Stated | None:
    """Return what the contract file states of the function; None without a file."""
    file = asked.sidecar
    return Stated(entries_of(file.table), file.text, folder=file.path.parent) if file is not None else None

"""Take a contract from the block that opens an assembly file."""

from __future__ import annotations

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.contract.extends import find_block, toml_table
from neonlab.contract.header import header_of
from neonlab.host.input_file import read_input
from neonlab.sources.contracts.asked import Asked
from neonlab.sources.contracts.merge import Stated, entries_of


def header(asked: Asked) -> Stated | None:
    """Return what the block states; None without one, or if a contract file or a prototype is given in its place.

    Options change a block that is right without them: for other readers of the file there are none.  Raises
    ContractError, and InputError for a file that cannot be read.
    """
    if asked.sidecar is not None or asked.given.prototype or asked.path.suffix not in ASSEMBLY:
        return None
    text = find_block(read_input(asked.path).decode("utf-8", "surrogateescape"), str(asked.path))
    if text is None:
        return None
    table = toml_table(text)
    return Stated(entries_of(table), text, whole=header_of(table, text))

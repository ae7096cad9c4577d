"""Take prototype and structs from debug information: of an object, or of C compiled with -g."""

from __future__ import annotations

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.sources.contracts.asked import Asked
from neonlab.sources.contracts.merge import Stated, entries_of


def debug_information(asked: Asked) -> Stated | None:
    """Return what the debug information states; None for assembly, which is compiled from nothing.

    Raises NoContract if it tells no prototype of the function, and InputError if the object cannot be made or read.
    """
    if asked.path.suffix in ASSEMBLY:
        return None
    # Most contracts state a prototype, and the readers of ELF and DWARF take long to import.
    from neonlab.sources.declarations import declaration_of_code

    declaration = declaration_of_code(asked.path, asked.given)
    return Stated(entries_of({"prototype": declaration.prototype, "structs": declaration.structs}))

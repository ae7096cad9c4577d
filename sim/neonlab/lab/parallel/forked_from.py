"""Import everything that workers start with; only the process that workers fork from imports this module.

It is the only module that acts when it is imported, since that process offers no other way.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from types import TracebackType

from neonlab.lab.parallel.fork_server import PRELOADED

#: New objects after which a worker searches for cycles of garbage.
_OBJECTS = 10_000


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """End a worker quietly if its semaphores are gone: the command that started it was stopped.

    A worker without memory ends in the same way: the command notices and reports it.
    """
    if not issubclass(kind, (FileNotFoundError, MemoryError)):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _end

# Nothing becomes garbage during these imports, and the search for it would take a seventh of the time.  The imported
# objects stay alive, so workers need not search them either.
gc.disable()
for module in (
    "neonlab.assemble.assembler",
    "neonlab.lab.parallel.checks",
    "neonlab.lab.parallel.profiles",
    os.environ.get(PRELOADED, "neonlab.lab.run.profile"),
):
    importlib.import_module(module)
gc.freeze()
# A worker makes many objects and hardly any cycles, which the search for them would find after every 700.
gc.set_threshold(_OBJECTS)
gc.enable()

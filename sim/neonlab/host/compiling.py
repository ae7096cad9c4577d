"""Tell the user once that native code is being compiled, and count that against no time limit."""

from __future__ import annotations

import functools
import mmap
import os
import sys
from typing import Any

from neonlab.host import time_limit

TEXT = "neonlab: compiling native code, once on this machine; this takes up to three minutes"
#: Environment variable that is set where progress is not to be printed.
QUIET = "NEONLAB_QUIET"
#: Set in the environment where that was told, or where the processes that this one started tell of it.
TOLD = "NEONLAB_TOLD_OF_COMPILING"


@functools.cache
def watch_compilation() -> None:
    """Let numba print one message on standard error when it first compiles a function, and no time limit count it.

    A function that is loaded from the cache prints nothing.  Of this process and those forked from it, one prints. None
    prints where the environment has `QUIET` or `TOLD`.
    """
    from numba.core import event

    class Teller(event.Listener):
        def __init__(self) -> None:
            self._told = mmap.mmap(-1, 1)  # shared with the processes that are forked from this one

        def on_start(self, event: Any) -> None:
            if not self._told[0] and not os.environ.get(QUIET) and TOLD not in os.environ:
                print(TEXT, file=sys.stderr, flush=True)
            self._told[0] = 1
            os.environ[TOLD] = "1"

        def on_end(self, event: Any) -> None:
            pass

    class Uncounted(event.Listener):
        def on_start(self, event: Any) -> None:
            time_limit.stop()

        def on_end(self, event: Any) -> None:
            time_limit.go_on()

    event.register("numba:run_pass", Teller())
    event.register("numba:compiler_lock", Uncounted())

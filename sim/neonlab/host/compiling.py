"""Tell the user once that native code is being compiled, and count that against no time limit."""

from __future__ import annotations

import functools
import mmap
import os
import sys
from typing import Any

from neonlab.host import time_limit

TEXT = "neonlab: compiling native code, once on this machine; this takes up to three minutes"
#: The same for the prover, whose code is compiled when something is first proved.
OF_PROVER = "neonlab: compiling the prover, once on this machine; this takes up to three minutes"
_PROVER = "neonlab.prove"
#: Environment variable that is set where progress is not to be printed.
QUIET = "NEONLAB_QUIET"
#: Set in the environment where that was told, or where the processes that this one started tell of it.
TOLD = "NEONLAB_TOLD_OF_COMPILING"


@functools.cache
def watch_compilation() -> None:
    """Let numba print a message on standard error when it first compiles a function, and no time limit count it.

    It prints another when it first compiles one of the prover, which may be minutes later.  A function that is loaded
    from the cache prints nothing.  Of this process and those forked from it, one prints. None
    prints where the environment has `QUIET` or `TOLD`.
    """
    from numba.core import event

    class Teller(event.Listener):
        def __init__(self) -> None:
            self._told = mmap.mmap(-1, 2)  # shared with the processes that are forked from this one
            self._tells = False

        def on_start(self, event: Any) -> None:
            of_prover = str(event.data.get("module", "")).startswith(_PROVER)
            self._tells |= TOLD not in os.environ
            if not self._told[of_prover] and not os.environ.get(QUIET) and self._tells:
                print(OF_PROVER if of_prover else TEXT, file=sys.stderr, flush=True)
            self._told[0] = 1  # the prover's code calls other code, which is compiled with it
            self._told[1] |= of_prover
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

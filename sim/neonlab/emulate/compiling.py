"""Says that native code is being compiled, which happens once per machine and takes a while."""

from __future__ import annotations

import functools
import sys
from typing import Any

from numba.core import event

TEXT = "neonlab: compiling native code, as it does once on each machine; this takes up to half a minute"


class _Teller(event.Listener):
    """Tells of the first compilation of this process, on standard error where that is a terminal."""

    def __init__(self) -> None:
        self._told = False

    def on_start(self, event: Any) -> None:
        if not self._told:
            self._told = True
            if sys.stderr.isatty():
                print(TEXT, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


@functools.cache
def tell_of_compilation() -> None:
    """From now on, the first function that this process really compiles, rather than finds compiled, is told of."""
    event.register("numba:run_pass", _Teller())

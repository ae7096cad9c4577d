"""Run units of work in processes of this machine, for a worker of a cluster: lines of JSON, both ways.

A line has units of one kernel, which one process runs.

It is a process of its own, because workers of clusters may not start processes in the ways that the lab needs.  It ends
with its standard input, so nothing stays behind when the worker of the cluster is killed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import threading
from concurrent.futures import CancelledError
from typing import Any, TextIO

from neonlab.errors import InputError
from neonlab.lab.cluster.wire import answer
from neonlab.lab.parallel.pool import WorkerError, Workers
from neonlab.lab.run.ended import Died


def serve(jobs: int) -> None:
    """Read lines of units from standard input, run `jobs` at a time, and write an answer for each as it ends."""
    writing = threading.Lock()
    out = _own_output()
    running: dict[int, Any] = {}

    def say(number: int, **told: Any) -> None:
        with writing, contextlib.suppress(BrokenPipeError):  # nobody waits any more
            print(json.dumps({"number": number, **told}), file=out, flush=True)

    with Workers(jobs) as workers:

        def tell(number: int, future: Any) -> None:
            running.pop(number, None)
            try:
                result = workers.result(future)
            except InputError as error:
                say(number, error=str(error))
            except WorkerError as error:
                say(number, defect=str(error))
            except CancelledError:
                say(number, cancelled=True)
            else:
                say(number, **({"died": result.reason} if isinstance(result, Died) else {"value": result}))

        for line in sys.stdin:
            asked = json.loads(line)
            number = asked["number"]
            if "units" not in asked:
                if (one := running.get(number)) is not None:
                    one.cancel()
                continue
            try:
                future = workers.begin(answer, asked["units"], asked["place"])
            except InputError as error:
                say(number, error=str(error))
                continue
            running[number] = future
            future.add_done_callback(functools.partial(tell, number))


def _own_output() -> TextIO:
    """Return standard output for the answers alone: what a unit prints, such as an operator, goes to standard error."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return out


if __name__ == "__main__":
    serve(int(sys.argv[1]))

"""A scheduler of Dask with one worker, in processes of its own that are ended by force."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping

_SCRIPT = """\
from distributed import LocalCluster
from distributed.security import Security
import time
if __name__ == "__main__":
    tls = {tls}
    more = {{"protocol": "tls://", "security": Security(require_encryption=True)}} if tls else {{}}
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0, **more)
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@contextlib.contextmanager
def scheduler(*, tls: Mapping[str, str] | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Give the address of a scheduler and its process, the leader of its group; `tls` are variables with its keys."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SCRIPT.format(tls=tls is not None)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, process_group=0, env=os.environ | (tls or {}),
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

"""Connect to a Dask cluster, or start one of processes on this machine."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from neonlab.errors import InputError
from neonlab.host.interrupts import interrupts_ignored

if TYPE_CHECKING:
    from distributed import Client

#: Seconds in which a scheduler must answer, and have a worker.
_PATIENCE, _FOR_A_WORKER = 10.0, 30.0
_MOST = 1000
#: How Dask may write and read what travels as results: text as it is, and no pickled objects.
_PLAIN = ("dask", "msgpack")


def processes_of(address: str) -> int:
    """Return N for `local:N`, and 0 for the address of a scheduler.  Raises InputError for what is neither."""
    local = re.fullmatch(r"local:(\d{1,4})", address)
    if not local and not re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}/?", address):
        raise InputError(f"--cluster {address}: give the address of a scheduler, such as tcp://host:8786, or local:4")
    count = int(local[1]) if local else 0
    if local and not 1 <= count <= _MOST:
        raise InputError(f"--cluster {address}: give a number of processes from 1 to {_MOST}")
    return count


@contextlib.contextmanager
def connected(address: str) -> Iterator[Client]:
    """Connect to the scheduler at an address such as `tcp://host:8786`, or to N new processes for `local:N`.

    TLS and timeouts are those of Dask's configuration.  Raises InputError for an address that is none, and where no
    scheduler answers, or it has no workers.
    """
    count = processes_of(address)
    try:
        import distributed
    except ImportError:
        raise InputError("--cluster needs Dask: pip install 'neonlab[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in the lab's words
    with contextlib.ExitStack() as stack:
        if count:
            where: Any = stack.enter_context(_started(count))
        else:
            where = address
        try:
            client = distributed.Client(where, timeout=_PATIENCE, serializers=_PLAIN, deserializers=_PLAIN)
        except (OSError, TimeoutError, ValueError, RuntimeError, TypeError) as error:  # TypeError: TLS without keys
            raise InputError(f"--cluster {address}: no scheduler answers there: {_first_cause(error)}") from None
        stack.callback(_left, client)
        try:
            client.wait_for_workers(1, timeout=_FOR_A_WORKER)
        except (OSError, TimeoutError):
            raise InputError(
                f"--cluster {address}: the scheduler has no worker: start some with `dask worker {address}`"
            ) from None
        yield client


def _first_cause(error: BaseException) -> str:
    """Return the first line of what the innermost cause says, without the addresses of Dask's objects."""
    said = ""
    cause: BaseException | None = error
    while cause is not None:
        said, cause = str(cause).partition("\n")[0] or said, cause.__cause__
    return re.sub(r"^in <[^>]*>: ", "", said)


@contextlib.contextmanager
def _started(workers: int) -> Iterator[Any]:
    """Start a scheduler and workers on this machine, which a terminal's interrupt does not reach, and end them."""
    import dask
    from distributed import LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": 2,  # so a unit's third worker to end is its last
        "distributed.scheduler.worker-saturation": 1.0,
        # Looks at itself, fifty a second in each process, take longer than the messages of short units.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "500ms",
        "distributed.admin.system-monitor.interval": "5s",
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
    }
    with dask.config.set(settings):
        with interrupts_ignored():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # any free port, since several clusters may run here
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
        try:
            yield cluster
        finally:
            with contextlib.suppress(OSError, TimeoutError):
                cluster.close(timeout=_PATIENCE)


def _left(client: Client) -> None:
    with contextlib.suppress(OSError, TimeoutError, RuntimeError):
        client.close(timeout=_PATIENCE)

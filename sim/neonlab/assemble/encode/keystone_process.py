"""Run the parent's side of the Keystone worker: start it, feed it, find the statement that killed it, restart it."""

from __future__ import annotations

import atexit
import importlib.util
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from neonlab.host.worker import end_process
from neonlab.isa.model.isa import Isa

# Both pipes hold at least 64 KiB, so a chunk and its replies never block both sides at once.
_CHUNK_BYTES = 16 << 10
_CHUNK_STATEMENTS = 256
_WALL_SECONDS_PER_STATEMENT = 20.0
_ARCHITECTURE_AND_MODE = {Isa.A64: ("2", "0"), Isa.A32: ("1", str(1 | 1 << 6))}  # KS_ARCH_*, KS_MODE_ARM + KS_MODE_V8

_workers: dict[tuple[int, Isa], KeystoneProcess] = {}
_workers_lock = threading.Lock()


def shared_process(isa: Isa) -> KeystoneProcess:
    """Return the worker of this process for `isa`; a forked child gets a separate one."""
    key = (os.getpid(), isa)
    with _workers_lock:
        if key not in _workers:
            _workers[key] = KeystoneProcess(isa)
            atexit.register(_workers[key].stop)
        return _workers[key]


class KeystoneProcess:
    """One worker, started at its first statement and again after each crash."""

    def __init__(self, isa: Isa) -> None:
        self._isa = isa
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._lock = threading.Lock()

    def assemble(self, statements: Sequence[tuple[bytes, int]]) -> list[bytes | str]:
        """Return the bytes of each (text, address), or an error message.  No text may contain a newline."""
        with self._lock:
            results: list[bytes | str] = []
            while len(results) < len(statements):
                size, end = 0, len(results)
                while end < len(statements) and end - len(results) < _CHUNK_STATEMENTS and size < _CHUNK_BYTES:
                    size += len(statements[end][0]) + 20
                    end += 1
                chunk = statements[len(results) : end]
                # Answers are sent in bulk, for speed; if they do not come, again and one by one, to see which it is.
                results += self._chunk(chunk, one_by_one=False) or self._chunk(chunk, one_by_one=True)
            return results

    def start(self) -> None:
        """Start the worker, if it is not running, without waiting until it is ready."""
        with self._lock:
            self._started()

    @property
    def identifier(self) -> int | None:
        """The process id of the worker, None while there is none."""
        return None if self._process is None else self._process.pid

    def stop(self) -> None:
        """End the worker; the next statement starts a new one."""
        process, self._process, self._pending = self._process, None, b""
        if process is None or os.getpid() != self._owner:
            return
        end_process(process)

    def _chunk(self, statements: Sequence[tuple[bytes, int]], one_by_one: bool) -> list[bytes | str]:
        """Return replies to all statements; one by one, up to and with the one that kills the worker.

        Returns none where a worker that answers in bulk dies.
        """
        process = self._started()
        assert process.stdin is not None
        last = len(statements) - 1
        lines = [
            b"%s%x %s\n" % (b"+" if one_by_one or i == last else b"", address, text)
            for i, (text, address) in enumerate(statements)
        ]
        results: list[bytes | str] = []
        try:
            process.stdin.write(b"".join(lines))
            process.stdin.flush()
        except BrokenPipeError:
            pass  # it died on an early statement; the replies say on which
        for _ in statements:
            line = self._line(process)
            if line is None:
                process.kill()
                process.wait()
                reason = "it never ends" if process.returncode == -signal.SIGVTALRM else "it crashes"
                self.stop()
                return [*results, f"Keystone cannot assemble this statement ({reason})"] if one_by_one else []
            results.append(_parsed(line))
        return results

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            spec = importlib.util.find_spec("keystone")
            if spec is None or spec.origin is None:
                raise ModuleNotFoundError("the package keystone-engine is not installed")
            folder = str(Path(spec.origin).parent.parent)
            worker = str(Path(__file__).with_name("keystone_worker.py"))
            # -P keeps this folder's modules from hiding the standard library's; -S saves the time of `site`.
            command = [sys.executable, "-P", "-S", worker, folder, *_ARCHITECTURE_AND_MODE[self._isa]]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=-1
            )
        return self._process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes | None:
        assert process.stdout is not None
        descriptor = process.stdout.fileno()
        while b"\n" not in self._pending:
            ready, _, _ = select.select([descriptor], [], [], _WALL_SECONDS_PER_STATEMENT)
            received = os.read(descriptor, 1 << 16) if ready else b""
            if not received:
                return None
            self._pending += received
        line, self._pending = self._pending.split(b"\n", 1)
        return line


def _parsed(line: bytes) -> bytes | str:
    if line.startswith(b"! "):
        return line[2:].decode("ascii", "replace")
    encoding, count = line[2:].rsplit(b" ", 1)
    return bytes.fromhex(encoding.decode()) if int(count) == 1 else "Keystone emits nothing for it"

"""Compute an operator of TFLite by LiteRT: a model of one operator, run in another process, which may end by it."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.host.worker import end_process
from neonlab.network.graph import MOST_ELEMENTS, Array
from neonlab.network.reference.framework import FrameworkRefusal
from neonlab.network.reference.litert_worker import write_frame

#: What is said where the package is not installed.
INSTALL = "LiteRT computes it on the host: pip install 'neonlab[litert]'"
#: Seconds that LiteRT may take to prepare an operator, and to run it once.
_PREPARE_SECONDS, _RUN_SECONDS = 60.0, 1800.0


class LiteRtRefusal(FrameworkRefusal):
    """Raised where LiteRT cannot run an operator, or is not installed; the message says why."""

    framework = "LiteRT"


@dataclass(frozen=True, slots=True)
class Promised:
    """An output before it is computed: its dtype, and its shape, None where data decide it."""

    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class OneOperator:
    """A .tflite model of one operator, and the numbers of the tensors that it takes and puts out, in their order.

    `arithmetic` is `reference`, `optimized` or `xnnpack`: which of LiteRT's kernels run it.
    """

    model: bytes
    arithmetic: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def promised(self) -> tuple[Promised, ...]:
        """Return the outputs.  Raises LiteRtRefusal for an operator that LiteRT cannot run."""
        found = _shared().promised(self)
        return tuple(Promised(dtype, None if shape is None else tuple(shape)) for dtype, shape in found)

    def run(self, output: int, inputs: Sequence[Array]) -> Array:
        """Return the output at the place `output`.  Raises LiteRtRefusal for inputs that the operator refuses."""
        return _shared().run(self, self.outputs[output], inputs)


def _shared() -> _Worker:
    """Return the worker of this process; a forked child gets a separate one."""
    return _worker_of(os.getpid())


@functools.cache
def _worker_of(_process: int) -> _Worker:
    worker = _Worker()
    atexit.register(worker.stop)
    return worker


class _Worker:
    """One process, started by the first operator and again after each that ended it."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._keys: dict[OneOperator, tuple[int, list[Any]]] = {}
        self._lock = threading.Lock()

    def promised(self, one: OneOperator) -> list[Any]:
        with self._lock:
            return self._prepared(one)[1]

    def run(self, one: OneOperator, output: int, inputs: Sequence[Array]) -> Array:
        with self._lock:
            key, _ = self._prepared(one)
            arrays = [np.asarray(values, order="C") for values in inputs]
            told = [
                (number, values.dtype.name, values.shape)
                for number, values in zip(one.inputs, arrays, strict=True)
            ]  # fmt: skip
            header = {"do": "run", "key": key, "inputs": told, "output": output, "most": MOST_ELEMENTS}
            found, parts = self._ask(header, [values.tobytes() for values in arrays], _RUN_SECONDS)
            return np.frombuffer(parts[0], found["dtype"]).reshape(found["shape"])

    def stop(self) -> None:
        """End the process; the next operator starts a new one."""
        process, self._process = self._process, None
        self._keys.clear()
        if process is None or os.getpid() != self._owner:
            return
        end_process(process)

    def _prepared(self, one: OneOperator) -> tuple[int, list[Any]]:
        if one not in self._keys:
            key = len(self._keys)
            header = {"do": "prepare", "key": key, "arithmetic": one.arithmetic, "outputs": one.outputs}
            found, _ = self._ask(header, [one.model], _PREPARE_SECONDS)
            self._keys[one] = key, found["outputs"]
        return self._keys[one]

    def _ask(
        self, header: dict[str, Any], parts: Sequence[bytes], seconds: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            write_frame(process.stdin, header, parts)
            answers = _Answers(process.stdout.fileno(), time.monotonic() + seconds)
            found: dict[str, Any] = json.loads(answers.take(int.from_bytes(answers.take(8), "little")))
            held = [answers.take(size) for size in found["sizes"]]
        except TimeoutError:
            self.stop()
            raise LiteRtRefusal(f"the process that runs it gives no answer within {seconds:.0f} seconds") from None
        except (EOFError, BrokenPipeError):
            code = process.wait()
            self.stop()
            ended = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            raise LiteRtRefusal(f"the process that runs it ended ({ended})") from None
        except BaseException:
            # The rest of an answer would be taken for the next one.
            self.stop()
            raise
        if "error" in found:
            raise LiteRtRefusal(_told(found["error"]))
        return found, held

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            if importlib.util.find_spec("ai_edge_litert") is None:
                raise LiteRtRefusal(INSTALL)
            # -P keeps this folder's modules from hiding the standard library's.
            command = [sys.executable, "-P", str(Path(__file__).with_name("litert_worker.py"))]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._process


class _Answers:
    """Take bytes from a pipe until a moment of `time.monotonic`."""

    def __init__(self, descriptor: int, until: float) -> None:
        self._descriptor, self._until = descriptor, until

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes.  Raises EOFError where the process has ended, and TimeoutError."""
        held = bytearray()
        while len(held) < size:
            ready, _, _ = select.select([self._descriptor], [], [], max(self._until - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            part = os.read(self._descriptor, min(size - len(held), 1 << 20))
            if not part:
                raise EOFError
            held += part
        return bytes(held)


def _told(text: str) -> str:
    """Return what LiteRT says without the places in its own sources and the number of its node."""
    text = re.sub(r"\S+\.(?:cc|h):\d+ ", "", text.strip().partition("\n")[0])
    return re.sub(r"\s*Node number \d+ \(\w+\) failed to (?:prepare|invoke)\.?.*", "", text).strip() or text

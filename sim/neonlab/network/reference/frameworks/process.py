"""Run models of one operator by a framework, in another process, which may end by it."""

from __future__ import annotations

import atexit
import functools
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from neonlab.host.worker import end_process
from neonlab.network.graph import MOST_ELEMENTS, Array
from neonlab.network.reference.frameworks.frames import write_frame
from neonlab.network.reference.frameworks.refusal import FrameworkRefusal

#: Seconds that a framework may take to prepare an operator, and to run it once.
_PREPARE_SECONDS, _RUN_SECONDS = 60.0, 1800.0


class Model(Protocol):
    """A model of one operator, a value that can be a key: its bytes, and what the process has to know besides.

    `inputs` and `outputs` are the framework's names or numbers of tensors.
    """

    @property
    def source(self) -> bytes:
        """Return the model in the framework's format."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return what the process has to know besides."""

    @property
    def inputs(self) -> Sequence[int | str]:
        """Return the tensors that it takes."""

    @property
    def outputs(self) -> Sequence[int | str]:
        """Return the tensors that it puts out."""


@dataclass(frozen=True, slots=True)
class Promised:
    """An output before it is computed: its dtype, and its shape, None where data decide it."""

    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework: the module to look for, the lab's module that the process runs, and how to install the package."""

    module: str
    worker: str
    install: str
    refusal: type[FrameworkRefusal]

    def process(self) -> ModelProcess:
        """Return the process of this process; a forked child gets a separate one."""
        return _process_of(self, os.getpid())


@functools.cache
def _process_of(framework: Framework, _process: int) -> ModelProcess:
    made = ModelProcess(framework)
    atexit.register(made.stop)
    return made


class ModelProcess:
    """One process, started by the first operator and again after each that ended it."""

    def __init__(self, framework: Framework) -> None:
        self._framework, self._owner = framework, os.getpid()
        self._process: subprocess.Popen[bytes] | None = None
        self._keys: dict[Model, tuple[int, list[Any]]] = {}
        self._lock = threading.Lock()

    def promised(self, model: Model) -> tuple[Promised, ...]:
        """Return the outputs.  Raises the framework's refusal for an operator that it cannot run."""
        with self._lock:
            found = self._prepared(model)[1]
        return tuple(Promised(dtype, None if shape is None else tuple(shape)) for dtype, shape in found)

    def run(self, model: Model, output: int, inputs: Sequence[Array]) -> Array:
        """Return the output at the place `output`.  Raises the framework's refusal for inputs that it refuses."""
        with self._lock:
            key, _ = self._prepared(model)
            arrays = [np.asarray(values, order="C") for values in inputs]
            told = [
                (name, values.dtype.name, values.shape)
                for name, values in zip(model.inputs, arrays, strict=True)
            ]  # fmt: skip
            header = {
                "do": "run", "key": key, "inputs": told, "output": model.outputs[output], "most": MOST_ELEMENTS,
            }  # fmt: skip
            found, parts = self._ask(header, [values.tobytes() for values in arrays], _RUN_SECONDS)
            return np.frombuffer(parts[0], found["dtype"]).reshape(found["shape"])

    def stop(self) -> None:
        """End the process; the next operator starts a new one."""
        process, self._process = self._process, None
        self._keys.clear()
        if process is None or os.getpid() != self._owner:
            return
        end_process(process)

    def _prepared(self, model: Model) -> tuple[int, list[Any]]:
        if model not in self._keys:
            key = len(self._keys)
            header = {"do": "prepare", "key": key, "outputs": list(model.outputs), **model.options}
            found, _ = self._ask(header, [model.source], _PREPARE_SECONDS)
            self._keys[model] = key, found["outputs"]
        return self._keys[model]

    def _ask(
        self, header: dict[str, Any], parts: Sequence[bytes], seconds: float
    ) -> tuple[dict[str, Any], list[bytes]]:
        process, refusal = self._started(), self._framework.refusal
        assert process.stdin is not None and process.stdout is not None
        try:
            write_frame(process.stdin, header, parts)
            answers = _Answers(process.stdout.fileno(), time.monotonic() + seconds)
            found: dict[str, Any] = json.loads(answers.take(int.from_bytes(answers.take(8), "little")))
            held = [answers.take(size) for size in found["sizes"]]
        except TimeoutError:
            self.stop()
            raise refusal(f"the process that runs it gives no answer within {seconds:.0f} seconds") from None
        except (EOFError, BrokenPipeError):
            code = process.wait()
            self.stop()
            ended = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            raise refusal(f"the process that runs it ended ({ended})") from None
        except BaseException:
            # The rest of an answer would be taken for the next one.
            self.stop()
            raise
        if "error" in found:
            raise refusal(refusal.told(found["error"]))
        return found, held

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            if importlib.util.find_spec(self._framework.module) is None:
                raise self._framework.refusal(self._framework.install)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", self._framework.worker],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
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

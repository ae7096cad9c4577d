"""A pool of processes that kernels run in: with a time limit, and free to die.

Emulated code can bring the emulator down, and with it the process.  Here that costs one worker and ends in a verdict.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool

from neonlab.contract.options import NOTHING, Given
from neonlab.emulate.run import Fault, FaultKind
from neonlab.errors import InputError
from neonlab.host.interrupts import interrupts_held
from neonlab.host.memory_limit import gib, memory_left, out_of_memory
from neonlab.host.time_limit import OVER, TIME_LIMIT, limited, seconds_that_may_pass
from neonlab.lab.cache.results import Results
from neonlab.lab.parallel.fork_server import start_early, worker_context
from neonlab.lab.parallel.kept import keep, kind_of, longest_first, merged, questions_of, timed
from neonlab.lab.repository.library import Kernel, is_member, open_kernel, open_member
from neonlab.lab.run.ended import Died
from neonlab.verify.cases.case import CaseName
from neonlab.verify.verdict import Failure

#: Most processes at a time, on a machine with fewer cores.
_MOST_JOBS = 16
#: Seconds between the pool's looks at its processes; a command waits for one at its end.
_LOOK_AGAIN = 0.02
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class KernelHandle:
    """A kernel as it is sent to a worker: operators hold code, so each process opens it itself."""

    path: Path
    root: Path | None
    given: Given = NOTHING

    @staticmethod
    def of(kernel: Kernel) -> KernelHandle:
        """Return the name of `kernel`."""
        return KernelHandle(kernel.path, kernel.root, kernel.given)

    def open(self) -> Kernel:
        """Open the kernel."""
        if self.root is not None and is_member(self.root, self.path) and self.given.says_nothing:
            return open_member(self.root, self.path)
        return open_kernel(self.path, self.given)


class Workers:
    """A pool of at most `jobs` worker processes, as many as cores by default.  It is a context manager.

    A task ends after `time_limit` seconds of processor time, or long after that if it waits.  What `results` holds is
    not run again, and what is run is kept there.
    """

    def __init__(self, jobs: int | None = None, time_limit: float = TIME_LIMIT, results: Results | None = None) -> None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        # The pool starts all of its processes with the first task; more than the cores only take memory.
        self.jobs = min(jobs or cores, max(_MOST_JOBS, cores))
        self.time_limit = time_limit
        self.results = results if results is not None else Results(None)
        self._limits: WeakKeyDictionary[ProcessFuture[Any], float] = WeakKeyDictionary()
        self._kernels: dict[KernelHandle, Kernel] = {}
        self.bereaved: set[KernelHandle] = set()  # kernels of which a task ended its process, or ran out of time
        self._beginning, self._is_over = threading.Lock(), False
        self._ending, self._has_ended = threading.RLock(), False
        start_early()
        CONSTS.sleep_unit = _LOOK_AGAIN
        self._pool = ProcessPool(max_workers=self.jobs, context=worker_context())

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        with self._ending:  # pebble ends no process twice
            if not self._has_ended:
                self._pool.stop()
                self._pool.join()
            self._has_ended = True

    def end(self) -> None:
        """End every task at once, and the processes; a thread that waits for one or begins one gets CancelledError."""
        with self._beginning:  # pebble does not stop a pool that is being started
            self._is_over = True
        self.__exit__()  # first, since pebble ends the process of a cancelled task too
        for future in [*self._limits]:
            future.cancel()

    @property
    def spread(self) -> int:
        """Return the number of processes for which work is cut into units; the same in all shards of a command."""
        return self.results.spread or self.jobs

    def part(self, function: Callable[..., Any], weights: Sequence[float]) -> list[int]:
        """Return the numbers of the units of `function` that are done here, of all that have these weights.

        These are all, but for a shard of a command: then only they have a result.
        """
        return self.results.part(kind_of(function), weights)

    @property
    def is_whole(self) -> bool:
        """Tell whether every unit is done here."""
        return self.results.share is None

    def run(
        self, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]], done: Callable[[int], None] = lambda _: None
    ) -> Generator[T | Died]:
        """Call `function(*task)` for each task, and yield the results in order.

        `done` is called with the index of each task as it ends, in whatever order.  The tasks start at once.  An
        InputError raised in a worker is raised here; anything else that ends its process gives a Died.
        """
        if not self.results.is_on:
            return self._fresh(function, tasks, lambda number, _: done(number), [None] * len(tasks))
        questions = questions_of(self.results, function, tasks, self.opened)
        answers = self.results.answers(questions, kind_of(function))
        left = [number for number, answer in enumerate(answers) if answer is None]
        seconds = self.results.seconds([questions[one] for one in left])

        def ended(one: int, result: Any) -> None:
            keep(self.results, questions[left[one]], result)
            done(left[one])

        fresh = self._fresh(timed, [(function, *tasks[number]) for number in left], ended, seconds)
        return merged(answers, fresh, done)

    def opened(self, handle: KernelHandle) -> Kernel:
        """Return the kernel, which is opened once."""
        if handle not in self._kernels:
            self._kernels[handle] = handle.open()
        return self._kernels[handle]

    def _fresh(
        self,
        function: Callable[..., Any],
        tasks: Sequence[tuple[Any, ...]],
        ended: Callable[[int, Any], None],
        seconds: Sequence[float | None],
    ) -> Generator[Any]:
        """Begin the tasks, and yield their results in order; call `ended` with the number and the result of each.

        `seconds` says how long each took before, None where that is not known.
        """
        order = longest_first([handle_in(task) for task in tasks], seconds)
        futures = {number: self.begin(function, *tasks[number]) for number in order}
        return self._taken([futures[number] for number in range(len(tasks))], tasks, ended)

    def _taken(
        self, futures: Sequence[ProcessFuture[Any]], tasks: Sequence[tuple[Any, ...]], ended: Callable[[int, Any], None]
    ) -> Generator[Any]:
        """Yield the results in order, and call `ended` for each as it arrives; errors are raised in their turn."""
        arrived: SimpleQueue[Any] = SimpleQueue()  # of futures
        for future in futures:
            future.add_done_callback(arrived.put)
        numbers = {future: number for number, future in enumerate(futures)}
        early: dict[int, Any] = {}
        for index in range(len(futures)):
            while index not in early:
                number = numbers[arrived.get()]
                early[number] = result = self._result_or_error(futures[number])
                if isinstance(result, Died):
                    self.mourn(tasks[number])
                if not isinstance(result, Exception):
                    ended(number, result)
            result = early.pop(index)
            if isinstance(result, InputError):
                for other in futures:
                    other.cancel()
            if isinstance(result, Exception):
                raise result
            yield result

    def _result_or_error(self, future: ProcessFuture[Any]) -> Any:
        try:
            return self.result(future)
        except Exception as error:
            return error

    def mourn(self, task: Sequence[Any]) -> None:
        """Note that a task ended its process."""
        self.bereaved |= {one for one in task if isinstance(one, KernelHandle)}

    def begin(self, function: Callable[..., object], *task: Any, within: float | None = None) -> ProcessFuture[Any]:
        """Schedule `function(*task)` for the next free process; `result` takes its result.

        `within` is another limit than that of the pool, in seconds of processor time.
        """
        limit = within or self.time_limit
        with interrupts_held(), self._beginning:
            if self._is_over:
                raise CancelledError
            try:
                future = self._pool.schedule(_told, args=[limit, function, *task], timeout=seconds_that_may_pass(limit))
            except (RuntimeError, BrokenProcessPool) as error:
                raise _no_workers(error) from None
            self._limits[future] = limit
        return future

    def result(self, future: ProcessFuture[Any]) -> Any:
        """Wait for the result and return it.  Raises InputError, and CancelledError if the task was cancelled."""
        try:
            return future.result()
        except FutureTimeout as error:
            return Died(f"no end within {error.args[1]:g} s")  # pebble gives the limit beside its text
        except ProcessExpired as error:
            if self._is_over:
                raise CancelledError from None
            if error.exitcode == OVER:
                return Died(f"no end within {self._limits[future]:g} s of processor time")
            killed = ": something killed it, as systems do where memory runs out" if error.exitcode == -9 else ""
            return Died(f"the emulator's process died with exit code {error.exitcode}{killed}")
        except BrokenProcessPool as error:
            raise (CancelledError() if self._is_over else _no_workers(error)) from None


def handle_in(task: Sequence[Any]) -> KernelHandle | None:
    """Return what names the kernel of a task; None if it has none."""
    return next((one for one in task if isinstance(one, KernelHandle)), None)


class WorkerError(RuntimeError):
    """A defect of the lab that showed in a worker; the text is the worker's traceback."""


def _no_workers(error: Exception) -> InputError:
    """Return the error for a pool that cannot start processes: the system refuses them, or their memory."""
    room = memory_left()
    left = f"; {gib(room.bytes)} of memory are left of {room.of}" if room is not None else ""
    reason = str(error.__cause__ or error).strip()
    return InputError(f"worker processes cannot be had{f' ({reason})' if reason else ''}{left}: try fewer with --jobs")


def _told(limit: float, function: Callable[..., T], *task: Any) -> T:
    """Return `function(*task)`, with its errors converted to ones that can be pickled."""
    try:
        with limited(limit):
            return function(*task)
    except InputError:
        raise
    except MemoryError as error:
        of = next((f"{one.path}: " for one in task if isinstance(one, KernelHandle)), "")
        raise InputError(f"{of}{out_of_memory(error)}") from None
    except BaseException:
        raise WorkerError(traceback.format_exc()) from None


def died(case: CaseName | None, end: Died, *, search_seed: int = 0, search_cases: int = 0) -> Failure:
    """Return the failure of `case`, at which its process ended, or of a search of so many cases by that seed."""
    fault = Fault(FaultKind.EMULATOR_DIED, end.reason, 0)
    return Failure(case, fault=fault, search_seed=search_seed, search_cases=search_cases)

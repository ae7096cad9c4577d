"""Choose which worker of a cluster gets the next units: each has units that wait beside those that it runs.

So it begins the next ones while its last answer is on its way, and does not wait for the scheduler and the command.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

#: Messages for each thread of a worker: those whose units run, and those that wait.
_AHEAD = 2


@dataclass(slots=True)
class Desks:
    """What each worker has been sent and has not answered, in messages.

    `threads` gives how many threads each worker has now, by its address.
    """

    threads: Callable[[], Mapping[str, int]]
    _sent: Counter[str] = field(default_factory=Counter)
    _prepared: dict[str, Hashable] = field(default_factory=dict)

    def free(self, running: int, *, ahead: bool) -> str | None:
        """Return the worker that gets the next message, where `running` have no answer yet; None if none gets one.

        Unless `ahead`, none gets one that would wait behind another.
        """
        most = _AHEAD if ahead else 1
        threads = self.threads()
        if running >= most * max(1, sum(threads.values())):
            return None
        loads = [(self._sent[worker] / count, worker) for worker, count in threads.items() if count]
        load, worker = min(loads, default=(most, ""))
        return worker if load < most else None

    def prepared(self, worker: str) -> Hashable | None:
        """Return the kernel of the last message to a worker; None if there was none."""
        return self._prepared.get(worker)

    def sent(self, worker: str, kernel: Hashable) -> None:
        """Note that a message with units of a kernel goes to a worker."""
        self._sent[worker] += 1
        self._prepared[worker] = kernel

    def answered(self, worker: str) -> None:
        """Note that a message that was sent to a worker has an answer, from whichever worker."""
        self._sent[worker] -= 1

"""Model what calls of kernels cost on a core, each kind of call once, side by side in worker processes."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from neonlab.host.closing import Closing
from neonlab.lab.call_profiles import memory_in_a_network
from neonlab.lab.caller import integers_among
from neonlab.lab.function import FaultError
from neonlab.lab.parallel.pool import KernelHandle, Workers, died
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.ended import Died
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.network.graph import Array
from neonlab.network.run.call_cost import CallCosts, cost_of_call
from neonlab.network.run.cost import Cost
from neonlab.verify.verdict import Failure

#: A kind of call: a kernel and the integers that it is called with.
Call = tuple[str, tuple[int, ...]]
#: Bytes of arguments, and calls, that are handed to the workers together.
_TOGETHER, _CALLS = 8 << 20, 16


class CostModel(Closing):
    """Cost calls of kernels on `core`, or without one their instructions alone.  Each kind of call is run once.

    Weights are in no cache when a call begins, because the rest of the network ran in between; all else is warm.
    With `workers` calls are costed side by side, and what was found is kept: a call with the same data costs the same
    until the kernel or the lab changes.  Without, they are costed here, one after another.
    """

    def __init__(self, core: ModelledCore | None, workers: Workers | None = None) -> None:
        self.core, self._workers = core, workers
        self._known: dict[Call, Cost] = {}
        self._seen: set[Call] = set()
        self._asked: dict[Call, tuple[Kernel, dict[str, Array | int]]] = {}
        self._bytes = 0
        self._begun: list[tuple[list[Call], Generator[Cost | Failure | Died]]] = []
        self._here = CallCosts()

    def ask(self, kernel: Kernel, arguments: Mapping[str, Array | int]) -> Call:
        """Note a call that is to be costed, and return what `cost` knows it by.  The arrays are not to be written."""
        call = kernel.title, tuple(integers_among(kernel.contract, arguments).values())
        if call not in self._seen:
            self._seen.add(call)
            self._asked[call] = kernel, dict(arguments)
            self._bytes += sum(getattr(value, "nbytes", 0) for value in arguments.values())
        return call

    @property
    def is_full(self) -> bool:
        """Tell whether enough calls are noted to cost them."""
        return self._bytes >= _TOGETHER or len(self._asked) >= _CALLS

    def begin(self) -> None:
        """Begin to cost what is noted, and take what was begun before.  Raises FaultError for a call that faults."""
        before, self._begun = self._begun, []
        asked, self._asked, self._bytes = self._asked, {}, 0
        if asked and self._workers is not None:
            weights = [float(_macs(kernel, arguments)) for kernel, arguments in asked.values()]
            every = list(asked)
            calls = [every[number] for number in self._workers.part(cost_of_call, weights)]
            tasks = [
                (KernelHandle.of(asked[one][0]), memory_in_a_network(asked[one][0], self.core), asked[one][1])
                for one in calls
            ]
            self._begun.append((calls, self._workers.run(cost_of_call, tasks)))
        elif asked:
            self._begun.append((list(asked), self._one_by_one(list(asked.values()))))
        for calls, costs in before:
            self._take(calls, costs)

    def wait(self) -> None:
        """Cost all that is noted.  Raises FaultError for a call that faults."""
        self.begin()
        self.begin()

    def cost(self, call: Call) -> Cost:
        """Return the cost of a call that was asked, and waited for."""
        return self._known[call]

    def _take(self, calls: list[Call], costs: Generator[Cost | Failure | Died]) -> None:
        for call, cost in zip(calls, costs, strict=True):
            failure = died(None, cost) if isinstance(cost, Died) else cost
            if isinstance(failure, Failure):
                assert failure.fault is not None
                raise FaultError(failure.fault)
            self._known[call] = failure

    def _one_by_one(self, asked: list[tuple[Kernel, dict[str, Array | int]]]) -> Generator[Cost | Failure | Died]:
        for kernel, arguments in asked:
            yield self._here.of(kernel, memory_in_a_network(kernel, self.core), arguments)

    def close(self) -> None:
        """Free the machines, and leave what was begun."""
        for _, costs in self._begun:
            costs.close()
        self._here.close()


def _macs(kernel: Kernel, arguments: Mapping[str, Array | int]) -> int:
    macs = kernel.contract.macs
    return macs.evaluate(integers_among(kernel.contract, arguments)) if macs is not None else 0

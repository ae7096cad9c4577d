"""The journal that the cache model writes for the pipeline model, one for each batch of events."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FROM_L2, FROM_MEMORY = range(2)
#: The kind of a fill is one of these, and the source of the line; AWAITED marks fills that a pipeline waits for.
LOADED, STORED, PREFETCHED, FETCHED, AWAITED = range(0, 10, 2)
#: CROSSED is an access that touches more units of memory access than it must.  PASSED is a load of data that an
#: earlier store wrote: all of it; PASSED + 1 is a load of a part.
CROSSED, PASSED = range(10, 14, 2)

FILL = np.dtype([("line", np.uint64), ("event", np.int32), ("kind", np.int32)])
JOURNAL = np.dtype(
    [
        ("runs", np.uint64),  # int32: events at which runs begin
        ("run_count", np.int64),
        ("fills", np.uint64),  # every line that came from beyond the first level, in order
        ("fill_count", np.int64),
        ("fill_room", np.int64),
        ("event", np.int64),  # the one at hand
    ]
)
_FILLS_BY_EVENT = 24  # an access touches up to two lines, each of which may start prefetches


class Journal:
    """The journal of one batch: `state` is a JOURNAL at a fixed address; it has room for `events` events."""

    def __init__(self, events: int) -> None:
        self._runs, self._fills = np.zeros(events + 1, np.int32), np.zeros(events * _FILLS_BY_EVENT, FILL)
        self.state: npt.NDArray[Any] = np.zeros(1, JOURNAL)
        self.state["runs"], self.state["fills"] = self._runs.ctypes.data, self._fills.ctypes.data
        self.state["fill_room"] = self._fills.size

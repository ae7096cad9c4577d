"""Ask for data earlier or later: other distances of the prefetches that a loop has.

A distance costs nothing in the loop by itself, where all data are in the nearest cache: what one is worth, the cycles
of a whole call tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from neonlab.optimize.loop.code import Change, LoopCode
from neonlab.optimize.rewrites.rewrite import with_texts

_PREFETCH = re.compile(r"(prfm pldl\dkeep, |prfm pldl\dstrm, |pldw? )\[(\w+)(?:, #(-?(?:0x[0-9a-f]+|\d+)))?\]")
#: Bytes that the nearest prefetch of a pointer looks ahead: of one line to all of a small cache's ways.
_DISTANCES = (64, 128, 256, 512, 1024, 2048)


def other_distances(code: LoopCode) -> Iterator[LoopCode]:
    """Yield the loop with all its prefetches at other distances, which keep what lies between those of one pointer."""
    asked: dict[int, tuple[str, str, int]] = {}
    for at, step in enumerate(code.body):
        if found := _PREFETCH.fullmatch(step.text):
            asked[at] = found[1], found[2], int(found[3] or "0", 0)
    nearest: dict[str, int] = {}
    for _, base, offset in asked.values():
        nearest[base] = min(offset, nearest.get(base, offset))
    for distance in _DISTANCES:
        if asked and {*nearest.values()} != {distance}:
            texts = {
                at: [f"{name}[{base}, #{offset - nearest[base] + distance}]"]
                for at, (name, base, offset) in asked.items()
            }
            change = Change("prefetch distance", len(asked), f"a whole call waits less with {distance} bytes ahead")
            if (changed := with_texts(code, texts, change)) is not None:
                yield changed

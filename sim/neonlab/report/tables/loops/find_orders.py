"""Ask CP-SAT about the orders of loops that are far from their bounds, and write `reports/orders.json`.

Run as `python -m neonlab.report.tables.loops.find_orders [KERNEL]...` in the repository.  It takes some minutes a loop.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Library, open_library
from neonlab.lab.run.profile import profile
from neonlab.measure.cores.pipeline import PipelineCore
from neonlab.measure.cores.table_hash import tables_hash
from neonlab.measure.profile import Profile
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.loop.find import code_of, find_loop
from neonlab.optimize.schedule.fewest import fewest_in_stages
from neonlab.report.tables.loops.bounds import bounded, calls_of_bounds, read_asked
from neonlab.report.tables.loops.orders import OrderRecord, code_digest, order_words, read_orders, write_orders

#: The stages that are tried, and CP-SAT's deterministic time for each number of cycles in them.
_WORK = {2: 3.0, 3: 1.0}
#: Instructions of the longest loop that is tried: a longer one is not finished in that time.
MOST = 60


def far_loops(
    library: Library, most: int, kernels: Iterable[str]
) -> Iterator[tuple[str, PipelineCore, LoopCode, float]]:
    """Yield the loops of the table that are far from their bounds: first kernel, core, code and cycles.

    Left out are those of more than `most` instructions, those on cores that issue out of order or queue vector
    instructions, for which CP-SAT is not asked, and those that are not straight code.
    """
    names = frozenset(kernels)
    for kernel, shape, memory in calls_of_bounds(library, read_asked(library)):
        core = memory.core.pipeline if memory.core is not None else None
        if core is None or not core.in_order or core.queue or (names and kernel.title not in names):
            continue
        found, program = profile(kernel, shape, memory=memory), kernel_program(kernel)
        assert isinstance(found, Profile) and memory.core is not None, "a kernel of the table runs"
        for loop in found.loops:
            if loop.instructions <= most and not bounded(kernel, memory.core, loop).is_near:
                code = code_of(program, kernel.contract, [find_loop(program, [loop])])
                yield kernel.title, core, code, loop.cycles


def main(root: Path, kernels: Iterable[str] = ()) -> None:
    """Ask about the loops of kernels, of all if none is named, and write what is found."""
    records = list(read_orders(root / "reports"))
    seen: set[tuple[str, str]] = set()
    for kernel, core, code, cycles in far_loops(open_library(root), MOST, kernels):
        digest = code_digest(code.instructions)
        if (digest, core.name) in seen:
            continue
        seen.add((digest, core.name))
        for stages, work in _WORK.items():
            found = fewest_in_stages(code, core, stages, cycles, work)
            if found is not None:
                place = (kernel, core.name, stages)
                records = [one for one in records if (one.kernel, one.core, one.found.stages) != place]
                records.append(OrderRecord(kernel, core.name, digest, tables_hash(core.name), found))
                write_orders(root / "reports", records)
                print(f"{kernel} on {core.name}:{order_words([found], 0)}", flush=True)


if __name__ == "__main__":
    main(Path.cwd(), sys.argv[1:])

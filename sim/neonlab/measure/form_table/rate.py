"""Compute how many instructions of one form a core does in a cycle, if nothing waits for a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from neonlab.measure.cores.limits import PARTS
from neonlab.measure.cores.pipeline import PipelineCore, Timing, Use

_MEMORY = re.compile(r"(ld|st|prfm)")
_STRUCTURE = re.compile(r"\.(\d*)([bhsd])(\[\])?\*(\d+)$")
_BYTES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
_UPDATES = (" !", " ,")


def rate_of(form: str, timing: Timing, core: PipelineCore) -> float:
    """Return the instructions a cycle of an endless stream of the form `form`, timed as `timing`.

    It is limited by ports, by slots of dispatch or issue, by fetch, and on cores that issue in order by the places for
    work on vectors and for its results.
    """
    updates = form.endswith(_UPDATES)
    uses = [*timing.uses, *(core.writeback_use if updates else ())]
    limits = [_ports(uses), 1.0 / (core.fetch or core.width), _slots(form, timing, core, updates) / _dispatched(core)]
    for ports, most in core.dispatch:
        limits.append(sum(1 for use in uses if use.ports & ~ports == 0) / most)
    if core.vectors_in_order and (is_vector(form) or "v<r" in form or "r<v" in form):
        limits.append(1.0)
    if core.in_order:
        limits += _in_order(form, timing, core)
    return 1.0 / max(limits)


def busy_ports(timing: Timing, core: PipelineCore) -> str:
    """Return the ports that the form occupies.

    "N0 N1" is both, "N0/N1" either, "V0–3" one of four, "N0×2" one for two cycles.
    """
    return " ".join(_spelled(use, core) for use in timing.uses) or "none"


def _spelled(use: Use, core: PipelineCore) -> str:
    """Return the ports of one use; of three or more that follow each other, the first and the number of the last."""
    names = [name for number, name in enumerate(core.ports) if use.ports >> number & 1]
    kinds = {re.sub(r"\d+$", "", name) for name in names}
    numbers = [int(found[0]) for name in names if (found := re.search(r"\d+$", name))]
    if len(kinds) == 1 and len(names) > 2 and numbers == list(range(numbers[0], numbers[0] + len(names))):
        text = f"{names[0]}–{numbers[-1]}"
    else:
        text = "/".join(names)
    cycles = use.cycles + use.part / PARTS
    return text if cycles == 1 else f"{text}×{cycles:.4g}"


def _ports(uses: Iterable[Use]) -> float:
    """Return the cycles that the ports need: the most work that only a set of ports can do, by their number."""
    work: dict[int, float] = {}
    for use in uses:
        work[use.ports] = work.get(use.ports, 0.0) + use.cycles + use.part / PARTS
    unions = {0}
    for ports in work:
        unions |= {ports | other for other in unions}
    return max((_share(work, union) for union in unions if union), default=0.0)


def _share(work: Mapping[int, float], union: int) -> float:
    return sum(cycles for ports, cycles in work.items() if ports & ~union == 0) / union.bit_count()


def _dispatched(core: PipelineCore) -> int:
    return core.width if core.in_order else min(core.width, core.retire or core.width)


def _slots(form: str, timing: Timing, core: PipelineCore, updates: bool) -> int:
    extra = core.writeback_slots * len(core.writeback_use) if updates else 0
    if core.in_order:
        return timing.slots + extra
    slots, moved = timing.slots, vector_bytes(form)
    if core.wide_slots and is_vector(form):
        slots = min(slots, core.wide_slots * max(1, moved // 16))
    if form.startswith("ld") and moved:
        slots = max(slots, core.wide_load_slots * (moved // 16))
    return slots + extra


def _in_order(form: str, timing: Timing, core: PipelineCore) -> list[float]:
    limits = []
    vectors = {0: 0, 1: 2 * (timing.vectors > 0)}.get(core.vector_places, timing.vectors)
    limits.append(vectors / 2)
    if timing.alone or (core.vectors_alone and timing.vectors):
        limits.append(1.0)
    if core.results and is_vector(form) and not _MEMORY.match(form) and "r" not in form.partition(" ")[2]:
        limits.append(min(2, len(timing.uses)) / core.results)
    return limits


def is_vector(form: str) -> bool:
    """Tell whether the form works on vector registers, or moves them."""
    base = form.partition(" ")[0]
    _, _, shape = base.partition(".")
    return shape[:1] not in ("", "w", "x") and form[:1] != "@"


def vector_bytes(form: str) -> int:
    """Return the bytes that a load or store of vector registers moves; 0 for other forms.

    A form in the table says the size of one register, so that of a pair is doubled.
    """
    base = form.partition(" ")[0]
    if not _MEMORY.match(base) or not is_vector(form):
        return 0
    structure = _STRUCTURE.search(base)
    if structure is not None:
        lanes, size, one, count = structure.groups()
        return int(count) * _BYTES[size] * (1 if one else int(lanes or 1))
    mnemonic, _, letter = base.partition(".")
    return _BYTES.get(letter[:1], 0) * (2 if mnemonic.endswith("p") else 1)

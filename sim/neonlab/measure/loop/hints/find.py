"""Find all hints for a loop, the one that saves most first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from neonlab.measure.loop.hints import accesses, forms, memory, order, pointers, tile, trips
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study
from neonlab.measure.loop.places import LinePlace

#: Each changes the body, so that it must be one piece.
REWRITING: tuple[Callable[[Study], Iterator[Hint]], ...] = (
    forms.by_element, forms.flags_for_free, forms.clear_then_accumulate, forms.multiply_and_add, forms.widening_add,
    forms.copies, pointers.post_index, pointers.single_step, pointers.two_pointers, accesses.pair_loads,
    accesses.load_and_duplicate, order.moved_up, order.another_order, tile.half_rate_widening, tile.accumulators,
    tile.idle_registers, tile.unroll, tile.dot_product, memory.wasted_prefetch, memory.partial_sums,
)  # fmt: skip


def find_hints(study: Study, spent: float = 0.0, branches: float = 0.0) -> tuple[Hint, ...]:
    """Return every hint that the model confirms, those about traffic last; of one kind at the same lines, the best."""
    found = [hint for look in REWRITING for hint in look(study)] if study.simple else []
    found += trips.short_trips(study, spent, branches) if spent else ()
    found += memory.split_lines(study)
    found.sort(key=lambda hint: (-hint.gain, hint.places, hint.kind))
    alike: dict[tuple[str, tuple[LinePlace, ...], str], list[Hint]] = {}
    for hint in found:
        alike.setdefault((hint.kind, hint.places, "" if hint.places else hint.text), []).append(hint)
    return tuple(
        same[0] if len(same) == 1 else replace(same[0], text=f"{same[0].text}, and {len(same) - 1} more at these lines")
        for same in alike.values()
    )

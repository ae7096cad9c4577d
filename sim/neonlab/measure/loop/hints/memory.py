"""Find hints in the memory traffic of the whole run."""

from __future__ import annotations

from collections.abc import Iterator

from neonlab.isa.model.instruction import AccessKind, Instruction
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study, is_load
from neonlab.measure.memory_probe import PlaceTraffic

_WASTED = 0.8  # of the prefetches: from here on they do nothing
_OFTEN = 2.0  # times that each byte of a result is stored
_MANY = 64  # accesses to a buffer
_SPLIT = 0.1  # of the accesses to a buffer that cross from line to line


def wasted_prefetch(study: Study) -> Iterator[Hint]:
    """Yield a hint for prefetches of lines that are there already, or that are never used."""
    places = study.traffic.places if study.traffic else ()
    issued = sum(place.prefetches for place in places)
    wasted = sum(place.prefetches_wasted + place.prefetches_redundant for place in places)
    found = [at for at, one in enumerate(study.body) if _prefetches(one)]
    if not found or not issued or wasted < _WASTED * issued:
        return
    text = f"{100 * wasted / issued:.0f} % of the prefetches fetch lines already used, or never used: remove them"
    hint = study.hint("wasted-prefetch", found, text, [one for one in study.body if not _prefetches(one)])
    if hint is not None:
        yield hint


def _prefetches(instruction: Instruction) -> bool:
    return any(access.kind is AccessKind.PREFETCH for access in instruction.accesses)


def partial_sums(study: Study) -> Iterator[Hint]:
    """Yield a hint for results that are stored, loaded again, added to and stored again."""
    buffers = [place for place in study.traffic.places if _goes_round(place)] if study.traffic else []
    loads, stores = _round_trips(study)
    if not buffers or not loads:
        return
    worst = max(buffers, key=lambda place: place.stored_bytes)
    times = worst.stored_bytes / worst.footprint_bytes
    gone = {*loads, *stores}
    text = (
        f"each byte of `{worst.name}` is stored {times:.3g} times and loaded again in between "
        f"({worst.loaded_bytes + worst.stored_bytes:,} bytes move, {worst.footprint_bytes:,} are distinct): keep the "
        "sums in registers across iterations of the outer loop; without these loads and stores"
    )
    hint = study.hint("partial-sums", gone, text, [one for at, one in enumerate(study.body) if at not in gone])
    if hint is not None:
        yield hint


def _goes_round(place: PlaceTraffic) -> bool:
    return bool(place.loaded_bytes) and place.stored_bytes >= _OFTEN * max(1, place.footprint_bytes)


def _round_trips(study: Study) -> tuple[list[int], list[int]]:
    """Return the places of loads whose data the same iteration adds to and stores, and the places of these stores."""
    loads, stores = set(), set()
    origin: dict[object, int] = {}
    for at, one in enumerate(study.body):
        data = {r for r in one.reads if r.file == "vector"}
        if is_load(one):
            for register in one.writes:
                if register.file == "vector":
                    origin[register] = at
        elif one.stored_bytes:
            came = {origin[r] for r in data if r in origin and at > origin[r] + 1}
            if came:
                loads |= came
                stores.add(at)
        else:
            for register in one.writes:
                if register not in one.reads:
                    origin.pop(register, None)
    return sorted(loads), sorted(stores)


def split_lines(study: Study) -> Iterator[Hint]:
    """Yield a hint for accesses that touch two lines where aligned ones would touch one."""
    for place in study.traffic.places if study.traffic else ():
        accesses = place.loads + place.stores
        if place.kind == "buffer" and accesses >= _MANY and place.split_lines > _SPLIT * accesses:
            share = 100 * place.split_lines / accesses
            text = f"{share:.0f} % of the accesses to `{place.name}` cross a 64-byte line: align its rows"
            yield Hint("split-lines", (), text)

"""Find hints in the work of one iteration: its tile, its sums, its overhead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import FLAGS, Isa, Register, general, vector
from neonlab.measure.forms.form import form_of
from neonlab.measure.loop.hints.hint import Hint
from neonlab.measure.loop.hints.study import Study, counted, is_load, operands, vectors_named, with_operands
from neonlab.measure.pipeline.bounds import multiplications_of

_NOTHING = 0.1  # cycles
_WORTH = 0.05  # share of the cycles that unrolling must save
_TRIED = 8  # loads that a tile is widened by, those that feed most products first
_LONGEST = 64  # instructions of a loop that is worth unrolling
_PAIRWISE = ("sadalp", "uadalp", "vpadal.s16", "vpadal.u16")
_PRODUCT = re.compile(r"[suv]m(ul|la)l2?(?:\.[su]8)?$")  # of bytes, alone or added to others


def _products(instruction: Instruction) -> int:
    return multiplications_of(form_of(instruction))


def half_rate_widening(study: Study) -> Iterator[Hint]:
    """Yield a hint for int16 sums that are widened after few products: twice as many first, where the range allows."""
    changed: list[Instruction | str | None] = list(study.body)
    left_out, most = [], 0
    before: dict[str, _Short | None] = {}  # by register: the last sum in it, if it still waits for a partner
    for at, instruction in enumerate(study.body):
        if instruction.mnemonic not in _PAIRWISE:
            continue
        short = _short_sum(study, at)
        register = operands(instruction)[1].partition(".")[0]
        first = before.get(register)
        if short is None or first is None or first.into != short.into or short.start < first.end:
            before[register] = short
            continue
        start = study.body[short.start]
        changed[first.end] = None
        changed[short.start] = with_operands(start, operands(start), start.mnemonic.replace("mull", "mlal"))
        left_out.append(first.end)
        most = max(most, first.products + short.products)
        before[register] = None
    if not left_out:
        return
    name = study.body[left_out[0]].mnemonic
    unsigned = name.startswith("u") or name.endswith("u16")
    limit = f"at {65535 // (255 * most)} or below" if unsigned else f"within ±{32767 // (128 * most)}"
    text = (
        f"`{name}` follows every {counted(most // 2, 'product')}: add {most} products before it, in "
        f"{'u' if unsigned else ''}int16, which is exact if one operand stays {limit}"
    )
    hint = study.hint("widen-less", left_out, text, [one for one in changed if one is not None])
    if hint is not None:
        yield hint


@dataclass(frozen=True, slots=True)
class _Short:
    """Products of bytes that are summed in 16 bits from `start` on, and added to `into` at `end`."""

    start: int
    end: int
    into: str
    products: int


def _short_sum(study: Study, end: int) -> _Short | None:
    """Return the sum that the pairwise addition at `end` widens.

    Returns None where it is not a chain of products that nothing else reads.
    """
    listed = operands(study.body[end])
    if study.isa is Isa.A64 and not listed[1].endswith(".8h"):
        return None
    at, products = end, 0
    while True:
        last = study.producer(at, min(r for r in study.body[end].reads if _named(r, listed[1], study.isa)))
        if last is None or study.uses(last).readers != (at,) or study.uses(last).leaves:
            return None
        products += 1
        kind = _PRODUCT.match(study.body[last].mnemonic)
        if kind is None or operands(study.body[last])[0] != listed[1]:
            return None
        if kind[1] == "ul":
            return _Short(last, end, listed[0], products)
        at = last


def _named(register: Register, name: str, isa: Isa) -> bool:
    halves = 2 if isa is Isa.A32 else 1
    return register.file == "vector" and register.index // halves in vectors_named([name], isa)


def accumulators(study: Study) -> Iterator[Hint]:
    """Yield a hint for a sum that every addition waits for, where a second sum beside it is possible."""
    chains = _chains(study)
    if not chains:
        return
    register, places = max(chains.items(), key=lambda item: (len(item[1]), -item[0]))
    count = len(chains)
    spare = study.free_vectors
    if len(spare) < count:
        return
    name = _vector_name(register, study.isa)
    doubled: list[Instruction | str] = list(study.body)
    many = all(len(one) > 1 for one in chains.values())
    if many:
        for fresh, (old, chain) in zip(spare, chains.items(), strict=False):
            for place in chain[1::2]:
                doubled[place] = _renamed(study.body[place].text, {old: fresh}, study.isa)
    else:
        names = dict(zip(chains, spare, strict=False))
        second = [_renamed(one.text, names, study.isa) if at in _places(chains) else one
                  for at, one in enumerate(study.body)]  # fmt: skip
        doubled = [*study.body[:-1], *second]
    mnemonic = study.body[places[0]].mnemonic
    text = (
        f"each `{mnemonic}` waits for the sum before it ({counted(len(places), 'addition')} to {name} per iteration): "
        f"sum into {2 * count} registers in turn, and add these after the loop"
    )
    hint = study.hint("accumulators", _places(chains), text, doubled, 1.0 if many else 2.0)
    plain = study.total if many else (study.cost([*study.body[:-1], *study.body]) or 0.0) / 2
    if hint is not None and hint.after is not None and hint.after < plain - _NOTHING:
        yield hint


def _places(chains: dict[int, list[int]]) -> list[int]:
    return sorted(place for places in chains.values() for place in places)


def _chains(study: Study) -> dict[int, list[int]]:
    """Return, by 128-bit register, the places that add to it, where nothing else in the loop uses it."""
    halves = 2 if study.isa is Isa.A32 else 1
    found: dict[int, list[int]] = {}
    spoiled = set()
    for at, instruction in enumerate(study.body):
        reads = {r.index // halves for r in instruction.reads if r.file == "vector"}
        writes = {r.index // halves for r in instruction.writes if r.file == "vector"}
        listed = operands(instruction)
        for register in reads | writes:
            own = register in reads and register in writes and not instruction.accesses
            names = [one for one in listed[1:] if register in vectors_named([one], study.isa)]
            plain_sum = instruction.mnemonic.partition(".")[0].removeprefix("v") in ("add", "fadd")
            if own and (not names or (plain_sum and len(names) == 1)):
                found.setdefault(register, []).append(at)
            else:
                spoiled.add(register)
    return {register: places for register, places in found.items() if register not in spoiled}


def _vector_name(number: int, isa: Isa) -> str:
    return f"{'v' if isa is Isa.A64 else 'q'}{number}"


def _renamed(text: str, names: dict[int, int], isa: Isa) -> str:
    """Return the text with 128-bit registers replaced, whatever part of them it names."""

    def new(found: re.Match[str]) -> str:
        letter, number = found[1], int(found[2])
        if isa is Isa.A32 and letter == "d":
            return f"d{2 * names.get(number // 2, number // 2) + number % 2}"
        if isa is Isa.A32 and letter == "s":
            return f"s{4 * names.get(number // 4, number // 4) + number % 4}"
        return f"{letter}{names.get(number, number)}"

    letters = "vqdshb" if isa is Isa.A64 else "qds"
    mnemonic, _, rest = text.partition(" ")
    return f"{mnemonic} " + re.sub(rf"\b([{letters}])(\d+)\b", new, rest)


def idle_registers(study: Study) -> Iterator[Hint]:
    """Yield a hint for free registers, where one more operand would share the loads of the others."""
    halves = 2 if study.isa is Isa.A32 else 1
    work = sum(_products(one) for one in study.body)
    if not _shares(study):
        return
    best: tuple[float, Hint] | None = None
    loads = [at for at, one in enumerate(study.body) if is_load(one) and any(r.file == "vector" for r in one.writes)]
    slices = [
        (sum(_products(study.body[place]) for place in _slice(study, at)), -at, _slice(study, at)) for at in loads
    ]
    for more, _, sliced in sorted(slices, reverse=True)[:_TRIED]:
        at = sliced[0]
        taken = sorted({r.index // halves for p in sliced for r in study.body[p].writes if r.file == "vector"})
        if not more or len(taken) > len(study.free_vectors):
            continue
        names = dict(zip(taken, study.free_vectors, strict=False))
        changed: list[Instruction | str] = []
        for place, one in enumerate(study.body):
            changed.append(one)
            if place in sliced:
                changed.append(_second(study, one, names))
        text = (
            f"{len(study.free_vectors)} of {study.isa.vector_registers} vector registers are free: widen the tile by "
            f"another load like line {study.line(at)} and the {counted(len(sliced) - 1, 'instruction')} that use it, "
            f"which needs {counted(len(taken), 'register')}"
        )
        hint = study.hint("idle-registers", (at,), text, changed, (work + more) / work)
        if hint is not None and (best is None or hint.gain > best[0]):
            best = hint.gain, hint
    if best is not None:
        yield best[1]


def _shares(study: Study) -> bool:
    """Return whether some operand is multiplied by several others, as in a tile."""
    partners: dict[int, set[int]] = {}
    for one in study.body:
        named = [min(vectors_named([name], study.isa), default=-1) for name in operands(one)[1:3]]
        if _products(one) and len(named) == 2:
            partners.setdefault(named[0], set()).add(named[1])
            partners.setdefault(named[1], set()).add(named[0])
    return any(len(others) > 1 for others in partners.values())


def _slice(study: Study, at: int) -> list[int]:
    """Return the places of the load and of all that depends on it in the same iteration, sums included."""
    carried = {r for r in study.body[at].writes if r.file == "vector"}
    found = [at]
    for place in range(at + 1, len(study.body)):
        one = study.body[place]
        results = {r for r in one.writes if r.file == "vector"}
        if carried & set(one.reads):
            found.append(place)
            carried |= results
        else:
            carried -= results
    return found


def _second(study: Study, instruction: Instruction, names: dict[int, int]) -> str:
    """Return the instruction for the operand beside it; a load goes through another pointer, if one is free."""
    text = _renamed(instruction.text, names, study.isa)
    base = instruction.accesses[0].base if instruction.accesses else None
    if base is not None and study.free_general:
        spare = general(study.free_general[0]).name(study.isa)
        text = re.sub(rf"\[{base.name(study.isa)}\b", f"[{spare}", text)
    return text


def unroll(study: Study) -> Iterator[Hint]:
    """Yield a hint for counting and branching once for two iterations."""
    overhead = _overhead(study)
    if not overhead or len(study.body) > _LONGEST:
        return
    work = [one for at, one in enumerate(study.body) if at not in overhead]
    if not work:
        return
    text = f"{len(overhead)} of {len(study.body)} instructions are loop overhead: unroll the loop twice"
    hint = study.hint("unroll", overhead, text, [*work, *study.body], 2.0)
    if hint is not None and hint.gain > _WORTH:
        yield hint


def _overhead(study: Study) -> list[int]:
    """Return the places of the branch back, of what sets its flags, and of the counter.

    Returns none where these instructions have another purpose.
    """
    last = len(study.body) - 1
    found = [last]
    wanted: set[Register] = set(study.body[last].reads)
    for at in range(last - 1, -1, -1):
        one = study.body[at]
        if not wanted & set(one.writes):
            continue
        if one.accesses or any(r.file == "vector" for r in one.writes):
            return []
        readers = {place for r in one.writes for place in study.uses(at, [r]).readers}
        if not readers <= {*found, at, last}:
            return []
        found.append(at)
        wanted |= {r for r in one.reads if r in one.writes or FLAGS in one.writes}
    return sorted(found)


def dot_product(study: Study) -> Iterator[Hint]:
    """Yield a hint for int8 multiplies in three instructions, on a core that has one for it."""
    if study.isa is not Isa.A64 or "sdot.16b" not in study.core.timings or "dotprod" in study.features:
        return
    changed: list[Instruction | str | None] = list(study.body)
    found: list[int] = []
    for at, instruction in enumerate(study.body):
        if instruction.mnemonic != "sadalp" or operands(instruction)[0].partition(".")[2] != "4s":
            continue
        whole, short = operands(instruction)
        high = study.producer(at, vector(int(short[1:].partition(".")[0])))
        low = study.producer(high, vector(int(short[1:].partition(".")[0]))) if high is not None else None
        if high is None or low is None or study.body[high].mnemonic != "smlal2" or study.body[low].mnemonic != "smull":
            continue
        one, two = ([o.partition(".")[0] for o in operands(study.body[p])[1:]] for p in (low, high))
        inputs = study.body[low].reads
        if one != two or study.written_between(inputs, low, at) or study.uses(high).readers != (at,):
            continue
        changed[low] = changed[high] = None
        changed[at] = f"sdot {whole}, {one[0]}.16b, {one[1]}.16b"
        found += [low, high, at]
    if found:
        text = (
            f"{study.core.name} has dot products: one `sdot` replaces `smull`, `smlal2` and `sadalp`, "
            f"{len(found) // 3} times (the contract must declare dotprod)"
        )
        hint = study.hint("dot-product", found, text, [one for one in changed if one is not None])
        if hint is not None:
            yield hint

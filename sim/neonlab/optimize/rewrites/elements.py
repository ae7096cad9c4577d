"""Multiply by an element of a register, or by a register that has it in all lanes.

Some cores do one faster than the other, and 16-bit elements can be named in the lower half of the registers alone.
`dup` is an instruction more, for all products by the same element; by element, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from neonlab.contract.model import Contract
from neonlab.isa.model.isa import Isa, Register, vector
from neonlab.optimize.loop.code import Change, LoopCode, Step
from neonlab.optimize.rewrites.rewrite import Rewrite, next_use_is_write, with_texts

#: Products by an element: all up to the element, its register and its number.
_BY_ELEMENT = {
    Isa.A64: re.compile(r"((?:[su]q?d?m(?:ul|la|ls)[a-z]*2?|m(?:ul|la|ls)|[su]dot) .+), v(\d+)\.(4b|h|s)\[(\d+)\]"),
    Isa.A32: re.compile(r"(v(?:mul|mla|mls|mull|mlal|mlsl)\.[isu](16|32) .+), d(\d+)\[(\d+)\]"),
}
_DUP = {
    Isa.A64: re.compile(r"dup v(\d+)\.(8h|4h|4s|2s), v(\d+)\.([hs])\[(\d+)\]"),
    Isa.A32: re.compile(r"vdup\.(16|32) (d|q)(\d+), d(\d+)\[(\d+)\]"),
}
_NAMED = {"h": 16, "s": 32}  # registers that an element of so many bits can be in, in A64; in A32 half as many


@dataclass(frozen=True, slots=True)
class _Element:
    """Lane `lane` of a register, of `size` "h" or "s" (16 or 32 bits)."""

    register: int
    size: str
    lane: int


def _element(step: Step, isa: Isa) -> tuple[str, _Element] | None:
    """Return a product without its element, and that; None for another instruction."""
    found = _BY_ELEMENT[isa].fullmatch(step.text)
    if found is None:
        return None
    if isa is Isa.A64:
        return found[1], _Element(int(found[2]), "h" if found[3] == "h" else "s", int(found[4]))
    return found[1], _Element(int(found[3]), "h" if found[2] == "16" else "s", int(found[4]))


def _lanes_of(text: str, size: str) -> str:
    """Return the arrangement of the other factor of a product in A64, as in `smlal2 v0.4s, v1.8h`: 8h."""
    arrangement = text.rpartition(".")[2]
    return arrangement if arrangement.endswith((size, "b")) else f"{'4' if size == 's' else '8'}{size}"


def by_dup(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with elements that products name spread over registers of their own, as far as some are free."""
    free = sorted(one.index for one in code.free if one.file == "vector")
    if code.isa is Isa.A32:
        free = [one for one in free if one % 2 == 0 and one + 1 in free]
    texts: dict[int, list[str]] = {}
    until: dict[int, int] = {}
    places = 0
    for element, users in _groups(code):
        target = next((one for one in free if until.get(one, -1) < users[0]), None)
        if target is None:
            continue
        until[target] = users[-1]
        spread, name = _spread(code.isa, element, target)
        for at in users:
            found = _element(code.body[at], code.isa)
            assert found is not None, "it was found before"
            texts[at] = [f"{found[0]}, {name(found[0])}"]
        texts[users[0]] = [spread, *texts[users[0]]]
        places += len(users)
    return with_texts(code, texts, Change("dup", places, "products take their factor from all lanes of a register"))


def _spread(isa: Isa, element: _Element, target: int) -> tuple[str, _Name]:
    """Return the instruction that spreads an element over a register, and what names that in a product."""
    if isa is Isa.A32:
        bits = 16 if element.size == "h" else 32
        return f"vdup.{bits} q{target // 2}, d{element.register}[{element.lane}]", _Name(isa, element.size, target)
    lanes = "8h" if element.size == "h" else "4s"
    text = f"dup v{target}.{lanes}, v{element.register}.{element.size}[{element.lane}]"
    return text, _Name(isa, element.size, target)


@dataclass(frozen=True, slots=True)
class _Name:
    """Names the register with an element in all lanes, as wide as the other factor of a product is."""

    isa: Isa
    size: str
    target: int

    def __call__(self, text: str) -> str:
        if self.isa is Isa.A64:
            return f"v{self.target}.{_lanes_of(text, self.size)}"
        return f"q{self.target // 2}" if text.rpartition(" ")[2].startswith("q") else f"d{self.target}"


def _groups(code: LoopCode) -> Iterator[tuple[_Element, list[int]]]:
    """Yield the products by the same element of the same value, as long as nothing sets its register anew."""
    open_groups: dict[_Element, list[int]] = {}
    found: list[tuple[_Element, list[int]]] = []
    for at, step in enumerate(code.body):
        product = _element(step, code.isa)
        if product is not None:
            if product[1] not in open_groups:
                open_groups[product[1]] = []
                found.append((product[1], open_groups[product[1]]))
            open_groups[product[1]].append(at)
        for element in [one for one in open_groups if vector(one.register) in step.instruction.writes]:
            del open_groups[element]
    yield from sorted(found, key=lambda one: one[1])


def by_element(code: LoopCode, _contract: Contract) -> LoopCode | None:
    """Return the loop with products by an element in place of those by a register that `dup` fills from one."""
    texts: dict[int, list[str]] = {}
    for at, step in enumerate(code.body):
        found = _DUP[code.isa].fullmatch(step.text)
        if found is not None:
            texts.update(_named(code, at, found))
    places = sum(bool(one) for one in texts.values())
    return with_texts(code, texts, Change("by element", places, "products name the element, without a `dup` of it"))


def _named(code: LoopCode, at: int, dup: re.Match[str]) -> dict[int, list[str]]:
    """Return the products by the result of a `dup` anew, and nothing for the `dup`; nothing if it is needed."""
    if code.isa is Isa.A64:
        target, element = {int(dup[1])}, _Element(int(dup[3]), dup[4], int(dup[5]))
        last, name = rf"v{dup[1]}\.\w+", f"v{element.register}.{element.size}[{element.lane}]"
    else:
        first = int(dup[3]) * (2 if dup[2] == "q" else 1)
        target = {first, first + 1} if dup[2] == "q" else {first}
        element = _Element(int(dup[4]), "h" if dup[1] == "16" else "s", int(dup[5]))
        names = [f"d{one}" for one in target] + ([f"q{first // 2}"] if len(target) == 2 else [])
        last, name = rf"(?:{'|'.join(names)})", f"d{element.register}[{element.lane}]"
    if element.register >= _NAMED[element.size] // (1 if code.isa is Isa.A64 else 2):
        return {}
    own: frozenset[Register] = frozenset(vector(one) for one in target)
    found: dict[int, list[str]] = {at: []}
    changed = False
    for place in range(at + 1, len(code.body)):
        step = code.body[place]
        if own & set(step.instruction.reads):
            of_four = step.instruction.mnemonic in ("sdot", "udot")
            text = re.sub(rf", {last}$", f", {name.replace('.s[', '.4b[') if of_four else name}", step.text)
            product = _BY_ELEMENT[code.isa].fullmatch(text)
            if changed or product is None or re.search(rf"\b{last}\b", text) or own & set(step.instruction.writes):
                return {}
            found[place] = [text]
        changed = changed or vector(element.register) in step.instruction.writes
        if own <= set(step.instruction.writes):
            return found
    dead = next_use_is_write(code.body, own, max(found), code.kept)
    return found if dead and not own & code.kept and len(found) > 1 else {}


ELEMENTS = (Rewrite("dup", by_dup), Rewrite("by element", by_element))

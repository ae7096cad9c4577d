"""Add up more products in int16 lanes before they go into int32 sums.

`smull t; sadalp s, t` for each half of 16 products costs two additions into the sum.  `smull t; smlal2 t; sadalp s, t`
costs one, and is right where two products fit 16 bits.  -128 * -128 twice does not: 32768.  Its negative does, -32768:
the sums are kept negated then, `movi t, #0; smlsl t; smlsl2 t; sadalp s, t`, and turned round behind the loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neonlab.contract.model import Contract
from neonlab.isa.model.isa import Isa, Register, vector
from neonlab.optimize.loop.code import Change, LoopCode, Step, made_steps
from neonlab.optimize.rewrites.rewrite import Rewrite, next_use_is_write, with_texts

_PRODUCT = {
    Isa.A64: re.compile(r"([su])(mull|mlal)(2?) v(\d+)\.8h, (v\d+\.(?:8|16)b), (v\d+\.(?:8|16)b)"),
    Isa.A32: re.compile(r"v(mull|mlal)\.([su])8 q(\d+), (d\d+), (d\d+)"),
}
_SUM = {
    Isa.A64: re.compile(r"([su])adalp v(\d+)\.4s, v(\d+)\.8h"),
    Isa.A32: re.compile(r"vpadal\.([su])16 q(\d+), q(\d+)"),
}
_LOW, _HIGH = -(1 << 15), (1 << 15) - 1


@dataclass(frozen=True, slots=True)
class _Product:
    """Instruction `at` multiplies `factors` into `target`, or adds to it."""

    at: int
    sign: str
    starts: bool
    upper: str
    target: int
    factors: str


@dataclass(frozen=True, slots=True)
class _Chain:
    """Products that are added up in one register, and the instruction `at` that adds it to `total`."""

    products: tuple[_Product, ...]
    at: int
    sign: str
    total: int
    target: int


def _registers(isa: Isa, number: int) -> frozenset[Register]:
    return frozenset({vector(number)} if isa is Isa.A64 else {vector(2 * number), vector(2 * number + 1)})


def _product(isa: Isa, at: int, step: Step) -> _Product | None:
    found = _PRODUCT[isa].fullmatch(step.text)
    if found is None:
        return None
    if isa is Isa.A64:
        sign, kind, upper, target, one, other = found.groups()
    else:
        (kind, sign, target, one, other), upper = found.groups(), ""
    return _Product(at, sign, kind == "mull", upper, int(target), f"{one}, {other}")


def _chains(code: LoopCode) -> Iterator[_Chain]:
    """Yield the chains of a body in order of their sums."""
    open_chains: dict[int, list[_Product]] = {}
    for at, step in enumerate(code.body):
        product, total = _product(code.isa, at, step), _SUM[code.isa].fullmatch(step.text)
        if product is not None:
            if product.starts:
                open_chains[product.target] = [product]
            elif product.target in open_chains:
                open_chains[product.target].append(product)
            continue
        if total is not None and int(total[3]) in open_chains:
            sign, target = total[1], int(total[3])
            products = open_chains.pop(target)
            dead = next_use_is_write(code.body, _registers(code.isa, target), at, code.kept)
            if dead and all(one.sign == sign for one in products):
                yield _Chain(tuple(products), at, sign, int(total[2]), target)
            continue
        touched = {*step.instruction.reads, *step.instruction.writes}
        for target in [one for one in open_chains if _registers(code.isa, one) & touched]:
            del open_chains[target]


def _groups(code: LoopCode, chains: Sequence[_Chain], most: int) -> list[list[_Chain]]:
    """Return chains of the same sum that can be joined, with at most so many products together."""
    groups: list[list[_Chain]] = []
    last: dict[int, list[_Chain]] = {}
    for chain in chains:
        group = last.get(chain.total)
        if group is not None:
            count = sum(len(one.products) for one in group) + len(chain.products)
            if count <= most and chain.target == group[0].target and _undisturbed(code, group[-1], chain):
                group.append(chain)
                continue
        last[chain.total] = [chain]
        groups.append(last[chain.total])
    return groups


def _undisturbed(code: LoopCode, first: _Chain, second: _Chain) -> bool:
    """Tell whether nothing else uses the register of both chains between them, or the sum."""
    own = _registers(code.isa, first.target) | _registers(code.isa, first.total)
    between = code.body[first.at + 1 : second.products[0].at]
    return not any(own.intersection((*step.instruction.reads, *step.instruction.writes)) for step in between)


def joined(code: LoopCode, most: int, *, negated: bool) -> LoopCode | None:
    """Return the loop with up to `most` products added up at a time; None where no more than now can be."""
    if code.unrolled is not None:
        return None  # the loop of one iteration behind it would go on with other sums
    chains = list(_chains(code))
    if negated:
        chains = [chain for chain in chains if _only_sums(code, chain.total, chains)]
    groups = _groups(code, chains, most)
    if not any(len(group) > 1 for group in groups):
        return None
    if not negated:
        groups = [group for group in groups if len(group) > 1]
    texts: dict[int, list[str]] = {}
    for group in groups:
        target = group[0].target
        for number, product in enumerate(product for chain in group for product in chain.products):
            texts[product.at] = _texts(code.isa, product, target, first=number == 0, negated=negated)
        for chain in group[:-1]:
            texts[chain.at] = []
    count = max(sum(len(chain.products) for chain in group) for group in groups)
    change = Change(
        f"{'negated ' if negated else ''}sums of {count} products", len(groups), _reason(count, len(groups), negated)
    )
    new = with_texts(code, texts, change)
    if not negated or new is None:
        return new
    totals = sorted({group[0].total for group in groups})
    negations = made_steps(code.isa, [_negation(code.isa, one) for one in totals])
    first = [
        step
        for total, step in zip(totals, negations, strict=True)
        if not _registers(code.isa, total) <= code.cleared  # zero is its own negative
    ]
    return replace(new, before=(*code.before, *first), after=(*negations, *code.after))


def _reason(count: int, places: int, negated: bool) -> str:
    if negated:
        return (
            f"{count} products fit int16 with the sign turned round, which they do not as they are; "
            f"{places} sums an iteration go on into int32, and all are negated again behind the loop"
        )
    return f"{count} products fit int16 together, so {places} sums an iteration go on into int32"


def _only_sums(code: LoopCode, total: int, chains: Sequence[_Chain]) -> bool:
    """Tell whether a sum is used by the ends of chains alone."""
    own, ends = _registers(code.isa, total), {chain.at for chain in chains if chain.total == total}
    used = {
        at for at, step in enumerate(code.body) if own.intersection((*step.instruction.reads, *step.instruction.writes))
    }
    return used == ends


def _texts(isa: Isa, product: _Product, target: int, *, first: bool, negated: bool) -> list[str]:
    kind = "mlsl" if negated else "mull" if first else "mlal"
    if isa is Isa.A64:
        text = f"{product.sign}{kind}{product.upper} v{target}.8h, {product.factors}"
        return [f"movi d{target}, #0", text] if first and negated else [text]
    text = f"v{kind}.{product.sign}8 q{target}, {product.factors}"
    return [f"vmov.i32 q{target}, #0", text] if first and negated else [text]


def _negation(isa: Isa, number: int) -> str:
    return f"neg v{number}.4s, v{number}.4s" if isa is Isa.A64 else f"vneg.s32 q{number}, q{number}"


def fits(contract: Contract, count: int, *, negated: bool) -> bool:
    """Tell whether so many products of two buffers fit int16, by the ranges that the contract states.

    True where these do not tell: the proof does.
    """
    ranges = [
        tuple(map(int, one.value_range))
        for one in contract.pointers
        if one.value_range is not None and one.dtype is not None and one.dtype in (np.int8, np.uint8)
        and one.read is not None
    ]  # fmt: skip
    if len(ranges) != 2:
        return True
    ends = [one * other for one in ranges[0] for other in ranges[1]]
    low, high = count * min(ends), count * max(ends)
    least, most = (-high, -low) if negated else (low, high)
    return least >= _LOW and most <= _HIGH


def _joining(count: int, negated: bool) -> Rewrite:
    def apply(code: LoopCode, contract: Contract) -> LoopCode | None:
        return joined(code, count, negated=negated) if fits(contract, count, negated=negated) else None

    return Rewrite(f"{'negated ' if negated else ''}sums of {count} products", apply)


SUMS = tuple(_joining(count, negated) for count in (8, 4, 2) for negated in (False, True))

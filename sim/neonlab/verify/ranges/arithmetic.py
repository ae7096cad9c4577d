"""Apply lane operations to expressions: the families of `neonlab.isa.model.lane_families`, on nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neonlab.isa.lanes import LaneOperation
from neonlab.verify.ranges.nodes import Ids, Nodes

Rule = Callable[[Nodes, LaneOperation, list[Ids]], Ids | None]


def _shifted(nodes: Nodes, x: Ids, amount: int, rounds: bool) -> Ids:
    if rounds and amount:
        x = nodes.add(x, np.full(len(x), nodes.constant(1 << amount - 1)))
    return nodes.shift_right(x, amount) if amount else x


def _sum(nodes: Nodes, total: Ids | None, terms: list[Ids]) -> Ids:
    for term in terms:
        total = term if total is None else nodes.add(total, term)
    assert total is not None
    return total


def _pairs(nodes: Nodes, x: Ids) -> Ids:
    return nodes.add(x[0::2], x[1::2])


def _dot(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
    total, first, second = sources
    if len(second) == 4:
        second = np.tile(second, len(total))
    products = nodes.multiply(first, second)
    return _sum(nodes, total, [products[k::4] for k in range(4)])


def _matrix(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
    total, first, second = sources
    rows = first.reshape(2, 8)[[0, 0, 1, 1]]
    columns = second.reshape(2, 8)[[0, 1, 0, 1]]
    products = nodes.multiply(rows.reshape(-1), columns.reshape(-1)).reshape(4, 8)
    return _sum(nodes, total, [products[:, k] for k in range(8)])


def _shift_by_register(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids | None:
    x, amounts = sources
    if (nodes.low(amounts) != nodes.high(amounts)).any():
        return None
    found = np.zeros_like(x)
    for lane, raw in enumerate(nodes.low(amounts).tolist()):
        amount, one = (raw + 128 & 255) - 128, x[lane : lane + 1]
        found[lane] = (
            nodes.shift_left(one, amount) if amount >= 0 else _shifted(nodes, one, -amount, operation.rounds)
        )[0]
    return found


def _doubling(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
    bits = operation.destination.bits
    product = nodes.multiply(sources[-2], sources[-1])
    match operation.family:
        case "qdmulh":
            return _shifted(nodes, product, bits - 1, operation.rounds)
        case "qdmull":
            return nodes.shift_left(product, 1)
        case "qdmlah" | "qdmlsh":
            total = nodes.shift_left(sources[0], bits - 1)
            combine = nodes.add if operation.family == "qdmlah" else nodes.subtract
            return _shifted(nodes, combine(total, product), bits - 1, True)
        case _:
            doubled = nodes.clamp(nodes.shift_left(product, 1), -(1 << bits - 1), (1 << bits - 1) - 1)
            combine = nodes.add if operation.family == "qdmlal" else nodes.subtract
            return combine(sources[0], doubled)


def _high_half(sign: int) -> Rule:
    def rule(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
        total = nodes.add(*sources) if sign > 0 else nodes.subtract(*sources)
        return _shifted(nodes, total, operation.destination.bits, operation.rounds)

    return rule


def _and(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
    """Return unknown lanes of at most the smaller operand; both are unsigned."""
    highest = int(np.minimum(nodes.high(sources[0]), nodes.high(sources[1])).max())
    return nodes.unknown(operation.destination.count, 0, highest)


def _fold(combine: str) -> Rule:
    def rule(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids:
        joined = np.concatenate(sources)
        if operation.family.endswith("p"):
            return np.asarray(getattr(nodes, combine)(joined[0::2], joined[1::2]), np.int64)
        total = joined[:1]
        for lane in range(1, len(joined)):
            total = getattr(nodes, combine)(total, joined[lane : lane + 1])
        return total

    return rule


_RULES: dict[str, Rule] = {
    "add": lambda nodes, _, s: nodes.add(*s),
    "sub": lambda nodes, _, s: nodes.subtract(*s),
    "mul": lambda nodes, _, s: nodes.multiply(*s),
    "mla": lambda nodes, _, s: nodes.add(s[0], nodes.multiply(s[1], s[2])),
    "mls": lambda nodes, _, s: nodes.subtract(s[0], nodes.multiply(s[1], s[2])),
    "abs": lambda nodes, _, s: nodes.magnitude(s[0]),
    "neg": lambda nodes, _, s: nodes.negate(s[0]),
    "abd": lambda nodes, _, s: nodes.magnitude(nodes.subtract(*s)),
    "aba": lambda nodes, _, s: nodes.add(s[0], nodes.magnitude(nodes.subtract(s[1], s[2]))),
    "hadd": lambda nodes, operation, s: _shifted(nodes, nodes.add(*s), 1, operation.rounds),
    "hsub": lambda nodes, _, s: nodes.shift_right(nodes.subtract(*s), 1),
    "addp": lambda nodes, _, s: _pairs(nodes, np.concatenate(s)),
    "adalp": lambda nodes, _, s: nodes.add(s[0], _pairs(nodes, s[1])),
    "addv": lambda nodes, _, s: _sum(nodes, None, [s[0][lane : lane + 1] for lane in range(len(s[0]))]),
    "shl": lambda nodes, operation, s: nodes.shift_left(s[0], operation.immediate),
    "shift": _shift_by_register,
    "shr": lambda nodes, operation, s: _shifted(nodes, s[0], operation.immediate, operation.rounds),
    "sra": lambda nodes, operation, s: nodes.add(s[0], _shifted(nodes, s[1], operation.immediate, operation.rounds)),
    "addhn": _high_half(1),
    "subhn": _high_half(-1),
    "dot": _dot,
    "mmla": _matrix,
    "and": _and,
    "max": lambda nodes, _, s: nodes.maximum(*s),
    "min": lambda nodes, _, s: nodes.minimum(*s),
    "maxp": _fold("maximum"),
    "minp": _fold("minimum"),
    "maxv": _fold("maximum"),
    "minv": _fold("minimum"),
    **dict.fromkeys(("qdmulh", "qdmlah", "qdmlsh", "qdmull", "qdmlal", "qdmlsl"), _doubling),
    **dict.fromkeys(
        ("cmeq", "cmgt", "cmge", "cmlt", "cmle", "cmtst"),
        lambda nodes, operation, _: nodes.unknown(operation.destination.count, -1, 0),
    ),
    **dict.fromkeys(
        ("cnt", "clz", "cls"),
        lambda nodes, operation, _: nodes.unknown(operation.destination.count, 0, operation.destination.bits),
    ),
}


def true_nodes(nodes: Nodes, operation: LaneOperation, sources: list[Ids]) -> Ids | None:
    """Return the true result of each lane; None for families that have no rule."""
    rule = _RULES.get(operation.family)
    if rule is None:
        return None
    count = max(len(ids) for ids in sources)
    if operation.family != "dot":
        sources = [
            np.repeat(ids, count) if len(ids) == 1 and lanes.same else ids
            for ids, lanes in zip(sources, operation.sources, strict=True)
        ]
    return rule(nodes, operation, sources)

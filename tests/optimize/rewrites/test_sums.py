"""Products are joined in int16 only where they fit, and sums are negated where only their negatives do."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from tests.optimize.loops import CONTRACT, SAFE, SAFE_OF_A32, code_of_text

from neonlab.contract.model import Contract
from neonlab.isa.model.isa import Isa, vector
from neonlab.optimize.loop.code import LoopCode
from neonlab.optimize.rewrites.sums import fits, joined

LOOPS = {Isa.A64: SAFE, Isa.A32: SAFE_OF_A32}


def mnemonics(code: LoopCode) -> Counter[str]:
    return Counter(step.instruction.mnemonic for step in code.body)


def with_ranges(*ranges: tuple[int, int]) -> Contract:
    pointers = iter(ranges)
    arguments = [
        replace(one, value_range=next(pointers)) if one.name in ("input", "weights") else one
        for one in CONTRACT.arguments
    ]
    return replace(CONTRACT, arguments=tuple(arguments))


@pytest.mark.parametrize("isa", list(Isa))
def test_joined_products_go_into_the_sum_once(isa: Isa) -> None:
    code = joined(code_of_text(LOOPS[isa], isa), 2, negated=False)
    assert code is not None
    counts = mnemonics(code)
    assert sum(n for name, n in counts.items() if "adal" in name) == 1
    assert sum(n for name, n in counts.items() if "mlal" in name) == 1
    assert [change.places for change in code.changes] == [1] and not code.before and not code.after


@pytest.mark.parametrize("isa", list(Isa))
def test_negated_products_start_at_zero_and_the_sums_are_negated_around_the_loop(isa: Isa) -> None:
    plain = code_of_text(LOOPS[isa], isa)
    code = joined(plain, 2, negated=True)
    assert code is not None
    assert sum(n for name, n in mnemonics(code).items() if "mlsl" in name) == 2
    assert [step.instruction.mnemonic[:4] for step in (*code.before, *code.after)] in (["neg"] * 2, ["vneg"] * 2)
    total = [vector(16)] if isa is Isa.A64 else [vector(16), vector(17)]
    known = joined(replace(plain, cleared=frozenset(total)), 2, negated=True)
    assert known is not None and not known.before and known.after, "zero is its own negative"


def test_a_sum_that_anything_else_uses_is_not_negated() -> None:
    used = SAFE.replace("subs", "add v20.4s, v16.4s, v16.4s\nsubs")
    assert joined(code_of_text(used, Isa.A64), 2, negated=True) is None
    assert joined(code_of_text(used, Isa.A64), 2, negated=False) is not None


@pytest.mark.parametrize(
    "between", ["mov v8.16b, v8.16b", "add v9.8h, v8.8h, v8.8h", "add v16.4s, v16.4s, v16.4s", "saddlp v16.4s, v8.8h"]
)
def test_products_are_not_joined_over_another_use_of_their_registers(between: str) -> None:
    text = SAFE.replace("    smull2", f"    {between}\n    smull2")
    assert joined(code_of_text(text, Isa.A64), 2, negated=False) is None


@pytest.mark.parametrize("negated", [False, True])
@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ((-128, 127), (-128, 127), 2),
        ((-128, 127), (-127, 127), 2),
        ((-128, 127), (-63, 63), 4),
        ((-128, 127), (-64, 63), 4),
        ((0, 255), (-64, 63), 2),
        ((-7, 7), (-128, 127), 8),
        ((-128, 127), (-31, 31), 8),
    ],
)
def test_products_fit_where_every_sum_of_extremes_does(
    one: tuple[int, int], other: tuple[int, int], count: int, negated: bool
) -> None:
    sign = -1 if negated else 1
    products = [sign * a * b for a, b in itertools.product(one, other)]
    sums = [sum(some) for some in itertools.combinations_with_replacement(products, count)]
    truth = min(sums) >= -(1 << 15) and max(sums) < 1 << 15
    assert fits(with_ranges(one, other), count, negated=negated) == truth

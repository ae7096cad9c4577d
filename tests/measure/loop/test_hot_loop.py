"""The hot loop of runs whose loops are known, and of the kernels."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from tests.measure.test_counts import A32, A64, arguments, signature

from neonlab.assemble.assembler import assemble_text
from neonlab.assemble.linking import link
from neonlab.assemble.program import Program
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.model.isa import Isa
from neonlab.measure.counts import CountsProbe
from neonlab.measure.loop.hot_loop import HotLoop, find_hot_loop, find_hot_loops

# Of what may follow an indirect branch nothing is known, and matrix instructions need a declaration.
BOTH = [
    (isa, name, text)
    for isa, table in ((Isa.A64, A64), (Isa.A32, A32))
    for name, text in table.items()
    if name not in ("jump table", "matrix instructions")
]


def assembled(isa: Isa, text: str) -> Program:
    return link(assemble_text(f"kernel:\n{text}\n", isa=isa))


def hot(program: Program, n: int, weight: list[float] | None = None) -> HotLoop | None:
    counts = CountsProbe(program)
    with Machine(program, probes=(counts,)) as machine:
        assert isinstance(machine.call("kernel", arguments(n), signature(program.isa)), Run)
        return find_hot_loop(program, counts.collect().executions.tolist(), weight)


def texts(loop: HotLoop | None) -> list[str]:
    assert loop is not None
    return [instruction.mnemonic for instruction in loop.body]


@pytest.mark.parametrize(
    ("text", "body", "always"),
    [
        ("1: add x3, x3, #1\nsubs x0, x0, #1\nb.ne 1b\nret", ["add", "subs", "b.ne"], True),
        # an inner loop that is hot, and one that is not: six instructions outside, twice two inside
        ("1: mov x3, #9\n2: add x4, x4, #1\nsubs x3, x3, #1\nb.ne 2b\nsubs x0, x0, #1\nb.ne 1b\nret",
         ["add", "subs", "b.ne"], True),
        ("1: mov x3, #2\nadd x4, x4, #1\nadd x4, x4, #1\nadd x4, x4, #1\n2: subs x3, x3, #1\nb.ne 2b\n"
         "subs x0, x0, #1\nb.ne 1b\nret",
         ["mov", "add", "add", "add", "subs", "b.ne", "subs", "b.ne", "subs", "b.ne"], False),
        # a skip that is taken mostly, and one that is mostly not
        ("1: tst x0, #7\nb.ne 2f\neor x3, x3, x3\n2: subs x0, x0, #1\nb.ne 1b\nret",
         ["tst", "b.ne", "subs", "b.ne"], False),
        ("1: tst x0, #7\nb.eq 2f\neor x3, x3, x3\n2: subs x0, x0, #1\nb.ne 1b\nret",
         ["tst", "b.eq", "eor", "subs", "b.ne"], False),
        # a loop entered at its test, and one that ends in the middle
        ("b 2f\n1: add x3, x3, #1\n2: subs x0, x0, #1\nb.pl 1b\nret", ["add", "subs", "b.pl"], True),
        ("1: subs x0, x0, #1\nb.eq 2f\nadd x3, x3, #1\nb 1b\n2: ret", ["subs", "b.eq", "add", "b"], True),
        # two ways back to the same head
        ("1: subs x0, x0, #1\nb.eq 2f\ntst x0, #3\nb.ne 1b\nadd x3, x3, #1\nb 1b\n2: ret",
         ["subs", "b.eq", "tst", "b.ne"], False),
        # a loop that may be skipped altogether: what enters it and what goes round is not told apart by counts alone
        ("1: ands x3, x0, #3\nb.eq 3f\n2: add x4, x4, #1\nadd x5, x5, #1\nadd x6, x6, #1\nsubs x3, x3, #1\nb.ne 2b\n"
         "3: subs x0, x0, #1\nb.ne 1b\nret", ["add", "add", "add", "subs", "b.ne"], True),
    ],
)  # fmt: skip
def test_one_iteration_is_the_way_taken_most(text: str, body: list[str], always: bool) -> None:
    loop = hot(assembled(Isa.A64, text), 40)
    assert sorted(texts(loop)) == sorted(body)
    assert loop is not None and loop.always == always


def test_without_a_loop_there_is_none() -> None:
    assert hot(assembled(Isa.A64, "add x0, x0, #1\nret"), 1) is None


def test_weights_decide_which_loop_is_hot() -> None:
    text = "mov x3, #9\n1: add x4, x4, #1\nsubs x3, x3, #1\nb.ne 1b\n2: add x5, x5, #1\nsubs x0, x0, #1\nb.ne 2b\nret"
    program = assembled(Isa.A64, text)
    by_count, by_weight = hot(program, 40), hot(program, 40, [0, 9, 9, 9, 1, 1, 1, 0])
    assert by_count is not None and by_weight is not None
    assert (by_count.iterations, by_weight.iterations) == (40, 9)
    assert by_weight.share == 27 / 30


def test_loops_beside_the_hottest_follow_in_order_but_none_around_it_and_none_that_is_cold() -> None:
    inner = "mov x{r}, #{times}\n{label}: add x9, x9, #1\nsubs x{r}, x{r}, #1\nb.ne {label}b\n"
    parts = [inner.format(r=3 + at, times=times, label=at + 2) for at, times in enumerate((20, 60, 1))]
    program = assembled(Isa.A64, "1: " + "".join(parts) + "nop\n" * 40 + "subs x0, x0, #1\nb.ne 1b\nret")
    counts = CountsProbe(program)
    with Machine(program, probes=(counts,)) as machine:
        assert isinstance(machine.call("kernel", arguments(8), signature(Isa.A64)), Run)
        found = find_hot_loops(program, counts.collect().executions.tolist())
    assert [(loop.iterations, loop.entries) for loop in found] == [(8 * 60, 8), (8 * 20, 8)]
    assert found[0].share > found[1].share > 0.1 and not found[0].addresses & found[1].addresses


def test_a_loop_around_the_hottest_is_not_beside_it_though_counts_leave_that_open() -> None:
    # The inner loop may be skipped, so that from counts alone the outer one may never have entered it.
    skipped = "1: ands x3, x0, #3\nb.eq 3f\n2: add x4, x4, #1\nadd x5, x5, #1\nsubs x3, x3, #1\nb.ne 2b\n"
    program = assembled(Isa.A64, f"{skipped}3: subs x0, x0, #1\nb.ne 1b\nret")
    counts = CountsProbe(program)
    with Machine(program, probes=(counts,)) as machine:
        assert isinstance(machine.call("kernel", arguments(40), signature(Isa.A64)), Run)
        [loop] = find_hot_loops(program, counts.collect().executions.tolist())
    assert texts(loop) == ["add", "add", "subs", "b.ne"]


@pytest.mark.parametrize(("isa", "name", "text"), BOTH, ids=lambda value: value if isinstance(value, str) else "")
def test_the_body_is_a_way_that_the_run_went(isa: Isa, name: str, text: str) -> None:
    program = assembled(isa, text)
    loop = hot(program, 37)
    assert loop is not None
    trace = TraceProbe(program)
    with Machine(program, probes=(trace,)) as machine:
        assert isinstance(machine.call("kernel", arguments(37), signature(isa)), Run)
        pcs = [int(pc) for pc in trace.collect(machine).pcs]
    steps = Counter(pairwise(pcs))
    way = [instruction.address for instruction in loop.body]
    for at, following in zip(way, [*way[1:], way[0]], strict=True):
        assert steps[at, following] or program.by_address[at].branch.value == "call", (hex(at), hex(following))
    assert loop.iterations == pcs.count(way[0])
    assert set(way) <= loop.addresses
    entered = sum(count for (at, to), count in steps.items() if to == way[0] and at not in loop.addresses)
    assert loop.entries == entered + (pcs[0] == way[0])

"""The program's own data, and programs that cannot be laid out."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.emulate.guest_programs import BASE, assembled

from neonlab.assemble.program import Program, Segment
from neonlab.emulate.guest.address_space import HOME
from neonlab.emulate.guest.buffer import Buffer
from neonlab.emulate.guest.memory import CallError
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.isa.model.isa import Isa

both = pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
DATA = 0x20000
TEXT = {
    Isa.A64: "mov x1, #0x20000\nldr w0, [x1]\nadd w0, w0, #1\nstr w0, [x1]\nret",
    Isa.A32: "mov r1, #0x20000\nldr r0, [r1]\nadd r0, r0, #1\nstr r0, [r1]\nbx lr",
}


def with_data(isa: Isa, *, writable: bool, address: int = DATA) -> Program:
    code = assembled(isa, TEXT[isa])
    segment = Segment(".data" if writable else ".rodata", address, (41).to_bytes(4, "little"), writable=writable)
    return Program(isa, "data", (segment, *code.segments), code.symbols, code.instructions, code.lines)


@both
def test_each_call_finds_the_programs_data_as_it_was_linked(isa: Isa) -> None:
    signature = parse_prototype("int32_t f(void)", isa)
    with Machine(with_data(isa, writable=True)) as machine:
        runs = [machine.call("kernel", [], signature) for _ in range(3)]
    assert [run.returned for run in runs if isinstance(run, Run)] == [42, 42, 42]


@both
def test_constants_are_not_to_be_written(isa: Isa) -> None:
    with Machine(with_data(isa, writable=False)) as machine:
        fault = machine.call("kernel", [], parse_prototype("int32_t f(void)", isa))
    assert isinstance(fault, Fault)
    assert (fault.kind.value, fault.address) == ("readonly-write", BASE + 12)
    assert ".rodata" in fault.message


@both
@pytest.mark.parametrize("address", [BASE + 0x800, 0x3000_0000])
def test_segments_that_clash_are_refused(isa: Isa, address: int) -> None:
    with pytest.raises(ValueError, match="shares a page with another, or ends 0x"):
        Machine(with_data(isa, writable=True, address=address))


@both
def test_buffers_beyond_the_address_space_are_refused(isa: Isa) -> None:
    ret = "ret" if isa is Isa.A64 else "bx lr"
    huge = np.broadcast_to(np.zeros(1, np.int8), (1 << 31,))  # takes no memory until somebody copies it
    signature = parse_prototype("void f(const int8_t *a)", isa)
    with Machine(assembled(isa, ret)) as machine, pytest.raises(CallError, match="`a` does not fit"):
        machine.call("kernel", [Buffer("a", huge)], signature)


@both
def test_many_buffers_of_many_sizes_keep_apart(isa: Isa) -> None:
    rng = np.random.default_rng(9)
    sizes = [int(size) for size in rng.integers(0, 200_000, 30)]
    parameters = ", ".join(f"const int8_t *p{i}" for i in range(len(sizes)))
    ret = "ret" if isa is Isa.A64 else "bx lr"
    buffers = [Buffer(f"p{i}", np.zeros(size, np.int8), writable=i % 2 == 0) for i, size in enumerate(sizes)]
    with Machine(assembled(isa, ret)) as machine:
        run = machine.call("kernel", buffers, parse_prototype(f"void f({parameters})", isa))
    assert isinstance(run, Run)
    placed = sorted((run.addresses[b.name], b.size) for b in buffers)
    for (first, size), (second, _) in itertools.pairwise(placed):
        assert -(-(first + size) // 4096) * 4096 + 4096 <= second // 4096 * 4096, "at least one page lies between"
    assert set(run.outputs) == {b.name for b in buffers if b.writable}


@pytest.mark.parametrize("reverse", [False, True])
@both
def test_a_buffer_takes_the_place_that_another_had_in_the_call_before(isa: Isa, reverse: bool) -> None:
    signature = parse_prototype("void f(const int8_t *a, const int8_t *b, const int8_t *c)", isa)
    first = {Isa.A64: "ldrb w0, [x1]\nret", Isa.A32: "ldrb r0, [r1]\nbx lr"}[isa]
    space = replace(HOME, reverse=reverse)
    with Machine(assembled(isa, first), space=space) as machine:
        for sizes in ((9, 5, 7), (6 << 20, 5, 9 << 20), (3, 11 << 20, 4), (9, 5)):
            buffers = [Buffer(f"p{i}", np.full(size, 20 + i, np.int8)) for i, size in enumerate(sizes)]
            run = machine.call("kernel", buffers, replace(signature, parameters=signature.parameters[: len(sizes)]))
            assert isinstance(run, Run) and run.returned is None
            ends = sorted((run.addresses[b.name], run.addresses[b.name] + b.size) for b in buffers)
            assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))

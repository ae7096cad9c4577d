"""Liveness against small programs worked out by hand, and against a search over paths on random ones."""

from __future__ import annotations

import random

import pytest

from neonlab.isa.decode import decode
from neonlab.isa.liveness import Boundary, Liveness, liveness, procedure_call_boundary
from neonlab.isa.model.instruction import BranchKind, Instruction, InstructionClass
from neonlab.isa.model.isa import Isa, Register, RegisterKind, general, vector

SEED = 4242
NOTHING = Boundary()


def step(
    number: int,
    reads: str = "",
    writes: str = "",
    branch: BranchKind = BranchKind.NONE,
    to: int | None = None,
    isa: Isa = Isa.A64,
    condition: str = "",
) -> Instruction:
    """Instruction `number` of a made-up program, reading and writing registers such as `x1` and `v2`."""

    def registers(text: str) -> tuple[Register, ...]:
        return tuple(sorted((vector if name[0] in "vd" else general)(int(name[1:])) for name in text.split()))

    target = None if to is None else 4 * to
    kind = InstructionClass.INTEGER
    return Instruction(
        isa, 4 * number, 0, 4, "made-up", "", kind, registers(reads), registers(writes),
        branch=branch, target=target, condition=condition,
    )  # fmt: skip


def shown(found: Liveness, number: int) -> str:
    return " ".join(register.name(found.isa) for register in sorted(found.live_in[4 * number]))


def test_a_value_is_live_from_its_definition_to_its_last_use() -> None:
    found = liveness((step(0, "", "x1"), step(1, "", "x2"), step(2, "x1 x2", "x3"), step(3, "x3")), NOTHING)
    assert [shown(found, i) for i in range(4)] == ["", "x1", "x1 x2", "x3"]
    assert found.peak_live(RegisterKind.GENERAL) == 2


def test_an_accumulator_stays_live_around_a_loop_and_a_loaded_value_does_not() -> None:
    program = (
        step(0, "", "v0"),
        step(1, "x1", "v1 x1"),
        step(2, "v0 v1", "v0"),
        step(3, "x0", "x0"),
        step(4, "x0", branch=BranchKind.CONDITIONAL, to=1),
        step(5, "v0 x2"),
    )
    found = liveness(program, NOTHING)
    assert shown(found, 1) == "x0 x1 x2 v0"
    assert shown(found, 2) == "x0 x1 x2 v0 v1"
    assert shown(found, 5) == "x2 v0"
    assert found.peak_live(RegisterKind.VECTOR) == 2
    assert found.peak_live(RegisterKind.GENERAL) == 3
    assert found.peak_live(RegisterKind.VECTOR, {20}) == 1


def test_a_result_that_nobody_reads_takes_a_register_when_it_is_written() -> None:
    found = liveness((step(0, "", "v0 v1 v2 v3"), step(1, "v0")), NOTHING)
    assert found.peak_live(RegisterKind.VECTOR) == 4


def test_a_register_read_last_and_written_at_once_counts_once() -> None:
    found = liveness((step(0, "v1", "v2"), step(1, "v2")), NOTHING)
    assert found.peak_live(RegisterKind.VECTOR) == 1


def test_a_callee_saved_register_is_live_only_where_the_function_disturbs_it() -> None:
    boundary = procedure_call_boundary(Isa.A64)
    untouched = liveness((step(0, "x0", "x1"), step(1, "x30", branch=BranchKind.RETURN)), boundary)
    assert shown(untouched, 0) == "x0 x30"
    saved = liveness(
        (
            step(0, "v8 x31", "x31"),
            step(1, "x0", "v8"),
            step(2, "v8 x1"),
            step(3, "x31", "v8 x31"),
            step(4, "x30", branch=BranchKind.RETURN),
        ),
        boundary,
    )
    assert [shown(saved, i) for i in range(5)] == [
        "x0 x1 x30 sp v8",
        "x0 x1 x30 sp",
        "x1 x30 sp v8",
        "x30 sp",
        "x30 v8",
    ]
    assert saved.peak_live(RegisterKind.GENERAL) == 3  # sp is not counted


def test_a_return_reads_the_result() -> None:
    boundary = procedure_call_boundary(Isa.A64, [general(0)])
    assert shown(liveness((step(0, "x30", branch=BranchKind.RETURN),), boundary), 0) == "x0 x30"


def test_a_conditional_return_may_also_go_on() -> None:
    program = (
        step(0, "r14", branch=BranchKind.RETURN, isa=Isa.A32, condition="eq"),
        step(1, "r3", isa=Isa.A32),
    )
    assert shown(liveness(program, NOTHING), 0) == "r3 lr"


def test_a_call_reads_arguments_and_destroys_what_the_standard_lets_it() -> None:
    boundary = procedure_call_boundary(Isa.A64)
    program = (step(0, "", "x30", BranchKind.CALL, to=100), step(1, "x9 x19 v16 v9 x0"))
    live = set(shown(liveness(program, boundary), 0).split())
    assert {"x0", "x7", "x19", "v9", "v0"} <= live
    assert not live & {"x9", "v16", "x30"}


def test_an_indirect_jump_goes_anywhere_unless_its_targets_are_known() -> None:
    program = (
        step(0, "x9", branch=BranchKind.INDIRECT),
        step(1, "x1", branch=BranchKind.JUMP, to=3),
        step(2, "x2"),
        step(3, "x3"),
    )
    boundary = Boundary(results=frozenset([general(0)]))
    assert shown(liveness(program, boundary), 0) == "x0 x1 x2 x3 x9"
    assert shown(liveness(program, boundary, {0: [8]}), 0) == "x0 x2 x3 x9"


def test_halves_of_a_quad_register_count_as_one_quad() -> None:
    program = (step(0, "d0 d1 d5", isa=Isa.A32), step(1, "d2 d4 d6", isa=Isa.A32))
    found = liveness(program, NOTHING)
    assert found.peak_live(RegisterKind.VECTOR) == 6
    assert found.peak_live_quads() == 4
    assert found.peak_live_quads({4}) == 3


def test_a_decoded_loop_holds_the_registers_it_needs() -> None:
    words = [
        0x4F000400,  # movi v0.4s, #0
        0x4CDFA021,  # ld1 {v1.16b, v2.16b}, [x1], #32
        0x4E829420,  # sdot v0.4s, v1.16b, v2.16b
        0xF1000400,  # subs x0, x0, #1
        0x54FFFFA1,  # b.ne -> ld1
        0x4C007840,  # st1 {v0.4s}, [x2]
        0xD65F03C0,  # ret
    ]
    program = decode(Isa.A64, b"".join(word.to_bytes(4, "little") for word in words), 0x1000)
    found = liveness(program)
    assert found.peak_live(RegisterKind.VECTOR) == 3
    assert found.peak_live(RegisterKind.GENERAL) == 4  # x0, x1, x2 and x30
    assert {register.name(Isa.A64) for register in found.live_in[0x1000]} == {"x0", "x1", "x2", "x30"}


def reaches_a_read(program: tuple[Instruction, ...], start: int, register: Register) -> bool:
    """Whether some path from before `start` reads `register` before writing it, by walking every path."""
    waiting, visited = [start], set()
    while waiting:
        number = waiting.pop()
        if number in visited or number >= len(program):
            continue
        visited.add(number)
        instruction = program[number]
        if register in instruction.reads:
            return True
        if register in instruction.writes:
            continue
        if instruction.branch is not BranchKind.JUMP:
            waiting.append(number + 1)
        if instruction.target is not None:
            waiting.append(instruction.target // 4)
    return False


def random_program(rng: random.Random, length: int, *, branches: bool) -> tuple[Instruction, ...]:
    names = [f"x{i}" for i in range(5)] + [f"v{i}" for i in range(5)]
    program = []
    for number in range(length):
        reads, writes = (" ".join(rng.sample(names, rng.randrange(3))) for _ in range(2))
        kind, to = BranchKind.NONE, None
        if branches and rng.random() < 0.3:
            kind, to = rng.choice((BranchKind.JUMP, BranchKind.CONDITIONAL)), rng.randrange(length)
        program.append(step(number, reads, writes, kind, to))
    return tuple(program)


@pytest.mark.parametrize("branches", [False, True])
def test_live_sets_and_peaks_agree_with_a_search_over_paths(branches: bool) -> None:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    for _ in range(120):
        program = random_program(rng, rng.randrange(1, 14), branches=branches)
        found = liveness(program, NOTHING)
        everything = {register for one in program for register in one.reads + one.writes}
        before = [{r for r in everything if reaches_a_read(program, number, r)} for number in range(len(program))]
        executed = {4 * number for number in range(len(program)) if rng.random() < 0.6}
        peak = 0
        for number, instruction in enumerate(program):
            assert found.live_in[4 * number] == before[number]
            following = [] if instruction.branch is BranchKind.JUMP else [number + 1]
            following += [] if instruction.target is None else [instruction.target // 4]
            after = {r for successor in following if successor < len(program) for r in before[successor]}
            assert found.live_out[4 * number] == after
            if 4 * number in executed:
                held = [before[number], after | set(instruction.writes)]
                peak = max(peak, *(sum(r.file == "vector" for r in registers) for registers in held))
        assert found.peak_live(RegisterKind.VECTOR, executed) == peak

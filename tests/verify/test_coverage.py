"""What the cases of a kernel left out of it is told, by the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import neonlab
from tests.saboteurs import find_saboteur
from tests.sample import KERNELS, ONE_OF_EACH
from tests.verify.small_kernels import drawn_arguments, kernel

from neonlab.emulate.hooks.block_meter import BlockMeter
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.emulate.trace import TraceProbe
from neonlab.isa.model.isa import Isa
from neonlab.lab.parallel.checks import check_all
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.repository.kernel_code import kernel_program
from neonlab.lab.repository.library import Kernel, open_kernel
from neonlab.lab.run.check import check, check_and_answer
from neonlab.lab.run.plan import draw_case, parse_shape, plan_cases
from neonlab.verify.check_case import call_arguments
from neonlab.verify.coverage import Coverage, joined
from neonlab.verify.coverage_count import CoverageCount
from neonlab.verify.verdict import Status

_COUNTED = {
    # Adds up n bytes; two ways to go at n = 7, one at n = 9 and, beyond, a call; what lies past the return is no code.
    Isa.A64: """
    mov     w3, #0
    cmp     x1, #7
    b.eq    seven
loop:
    ldrb    w2, [x0], #1
    add     w3, w3, w2
    subs    x1, x1, #1
    b.ne    loop
out:
    mov     w0, w3
    ret
    nop
seven:
    mov     w3, #7
    nop
    bl      helper
    b       out
helper:
    add     w3, w3, #1
    ret
unreached:
    mov     w0, #1
    ret
""",
    Isa.A32: """
    push    {r4, lr}
    mov     r3, #0
    cmp     r1, #7
    beq     seven
loop:
    ldrb    r2, [r0], #1
    add     r3, r3, r2
    subs    r1, r1, #1
    bne     loop
out:
    mov     r0, r3
    pop     {r4, pc}
    nop
seven:
    mov     r3, #7
    nop
    bl      helper
    b       out
helper:
    add     r3, r3, #1
    bx      lr
unreached:
    mov     r0, #1
    bx      lr
""",
}


def counted(isa: Isa, *sizes: int) -> Coverage:
    arguments = {"a": 'read = "n"', "n": "range = [1, 16]"}
    program, contract, _ = kernel(isa, "int32_t k(const uint8_t *a, size_t n)", arguments, _COUNTED[isa])
    meter, count = BlockMeter(program), CoverageCount(program)
    with Machine(program, probes=(meter,)) as machine:
        for size in sizes:
            machine.call("k", drawn_arguments(contract, {"n": size}, size), contract.signature)
            count.add(meter)
    return count.coverage()


@pytest.mark.parametrize("isa", Isa)
def test_what_no_call_came_to_is_told_and_neither_padding_nor_what_nothing_leads_to(isa: Isa) -> None:
    missed = counted(isa, 1, 6, 8).not_run
    assert missed is not None
    # mov, bl, b, and the two of the helper; the nops are none, and of `unreached` nobody knows the way
    assert missed.instructions == 5 and missed.of == missed.instructions + (9 if isa is Isa.A64 else 10)
    head = next(line for line in missed.lines)
    first = int(head.split(":")[1])
    assert missed.lines == (f"k.S:{first}", f"k.S:{first + 2}-{first + 3}", f"k.S:{first + 5}-{first + 6}")


@pytest.mark.slow
@pytest.mark.parametrize("isa", Isa)
def test_one_call_that_goes_there_is_enough_and_parts_add_up(isa: Isa) -> None:
    apart = [counted(isa, 7), counted(isa, 1, 8)]
    assert all(part.not_run is not None for part in apart)
    whole = counted(isa, 1, 7, 8)
    assert whole.not_run is None and joined(apart) == whole == joined([whole, *apart])
    assert joined([]) == counted(isa) == Coverage()


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("kernel", ONE_OF_EACH[::4], ids=lambda kernel: kernel.title)
def test_what_ran_is_what_a_hook_on_each_instruction_saw(kernel: Kernel) -> None:
    program, contract = kernel_program(kernel), kernel.contract
    case = draw_case(kernel, plan_cases(kernel)[0])
    meter, count, trace = BlockMeter(program), CoverageCount(program), TraceProbe(program)
    with Machine(program, probes=(meter, trace)) as machine:
        assert isinstance(machine.call(contract.name, call_arguments(contract, case), contract.signature), Run)
        recorded = trace.collect(machine)
    count.add(meter)
    assert not recorded.overflow and count.coverage().ran == recorded.executions.keys()


@pytest.mark.slow
def test_a_verdict_says_what_did_not_run_whoever_ran_the_cases(tmp_path: Path) -> None:
    found = next(kernel for kernel in KERNELS if kernel.title == "armv8/relu_s8s8_flat_64")
    shapes = [parse_shape(found, size) for size in ("64", "128")]
    names = plan_cases(found, shapes=shapes)
    verdict = check(found, shapes=shapes)
    assert verdict.passed and verdict.not_run is not None and verdict.to_json()["not_run"]["lines"]
    with Workers(2) as workers:
        (other,) = check_all(workers, [(found, names)])
    halves = [check_and_answer(found, names[start::2]).coverage for start in (0, 1)]
    assert other.not_run == joined(halves).not_run == verdict.not_run
    assert verdict.status is Status.EXACT  # two shapes that were chosen are not expected to run all code
    assert other.passed and other.status is Status.IN_PART
    assert check(found).not_run is None and check(found).status is Status.EXACT
    # Of a kernel that failed, the cases ended where they did.
    wrong = check(open_kernel(find_saboteur("armv8/oob_read_tail_loads_eight").write(tmp_path)))
    assert not wrong.passed and wrong.not_run is None


_ODD = """/*toml
summary = "copies n bytes"
prototype = "void copy(int8_t *to, const int8_t *from, size_t n)"
isa = ["armv8.0-a"]
reference = "none"
[args]
to = { reg = "x0", write = "n" }
from = { reg = "x1", read = "n" }
n = { reg = "x2", range = [1, 64] }
*/
    .text
    .global copy
copy:
    cmp     x2, #99
    b.eq    odd
again:
    ldrb    w3, [x1], #1
    strb    w3, [x0], #1
    subs    x2, x2, #1
    b.ne    again
    ret
odd:
    strb    wzr, [x0, x2]
    ret
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", [("check",), ("watch", "--once")])
def test_code_that_no_size_in_range_comes_to_is_printed_below_the_verdict(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    file = tmp_path / "copy.S"
    file.write_text(_ODD)
    printed = neonlab(command[0], "copy.S", *command[1:], cwd=tmp_path)
    assert printed.returncode == 0, printed.stdout + printed.stderr
    first = _ODD.splitlines().index("odd:") + 2
    assert not printed.stdout.startswith("exact")  # nothing is compared
    after = printed.stdout[printed.stdout.index("2 of 9 instructions ran in no case") :].splitlines()
    assert after[1].strip() == f"copy.S:{first}-{first + 1}"


@pytest.mark.slow
def test_of_a_shape_that_was_asked_for_nobody_is_told_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "copy.S").write_text(_ODD)
    printed = neonlab("check", "copy.S", "--shape", "5", cwd=tmp_path)
    assert printed.returncode == 0 and "in no case" not in printed.stdout

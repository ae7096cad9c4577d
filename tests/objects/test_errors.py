"""What cannot be linked or run is refused by name: which file, which symbol, who refers to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.objects.build import A32, A64, THUMB, Target, assembled, compiled, fresh, run

from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Fault, FaultKind, Run
from neonlab.errors import InputError
from neonlab.isa.c.prototype import parse_prototype
from neonlab.objects.image.reach import program_of
from neonlab.objects.load import load_image

FUNCTION = ".text\n.global f\n.type f, %function\nf:\n{}\n"
OTHER = ".text\n.global g\n.type g, %function\ng:\n{}\n"
A64_CASES = {
    "bl other": r"`other` is not defined, and `f` refers to it",
    "adrp x0, :tlsdesc:v": r"R_AARCH64_TLSDESC\w+ against `v` is for thread",
    "adrp x0, :gottprel:v": r"R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 against `v` is for thread-local storage",
    "ldr x0, [x1, :dtprel_lo12:v]": r"TLS\w+ against `v` is for thread-local storage",
    "movz x0, #:abs_g0:big\n.global big\n.set big, 0x123456": r"MOVW_UABS_G0 .*`big` .* 0x123456; .* 0x0 to 0xffff",
    "b.eq far\n.global far\n.set far, 0x40000000": r"CONDBR19 against `far` has the value 0x3fff",
    "adr x0, far\n.global far\n.set far, 0x40000000": r"ADR_PREL_LO21 against `far` has the value",
    "ldr x0, [x0, :lo12:odd]\n.data\n.byte 0\n.global odd\nodd: .xword 1": r"LDST64\w+ against `odd` .*steps of 8",
    "bl chosen\n.type chosen, %gnu_indirect_function\n.global chosen\nchosen: ret": r"`chosen`, which is an ifunc",
    "movz x0, #:gottprel_g1:v": r"R_AARCH64_TLSIE_MOVW_GOTTPREL_G1 against `v` is for thread-local storage",
}  # fmt: skip
A32_CASES = {
    "bl other": r"`other` is not defined, and `f` refers to it",
    "ldr r0, [pc]\n.word v(tpoff)": r"R_ARM_TLS_LE32 against `v` is for thread-local storage",
    "movw r0, #0\n.word v(GOTTPOFF)": r"R_ARM_TLS_IE32 against `v` is for thread-local storage",
    "nop\n.reloc 0, R_ARM_ALU_SB_G0_NC, other": r"R_ARM_ALU_SB_G0_NC against `other` is not supported",
}  # fmt: skip


CASES = [(A64, code) for code in A64_CASES] + [(A32, code) for code in A32_CASES]


@pytest.mark.parametrize(
    ("target", "code"), CASES, ids=lambda v: v.name if isinstance(v, Target) else v.splitlines()[0]
)
def test_what_a_function_needs_and_cannot_have_is_named(target: Target, code: str) -> None:
    path = assembled((".syntax unified\n.arm\n" if target is A32 else "") + FUNCTION.format(code), target)
    image = load_image([path])
    with pytest.raises(InputError, match=(A64_CASES if target is A64 else A32_CASES)[code]) as caught:
        program_of(image, ["f"])
    assert str(caught.value).startswith(f"{path}: ")


def test_a_function_that_needs_none_of_it_runs_all_the_same() -> None:
    text = FUNCTION.format("mov w0, #7\nret") + OTHER.format("bl not_there\nret")
    program = program_of(load_image([assembled(text, A64)]), ["f"])
    with Machine(program) as machine:
        outcome = machine.call("f", [], parse_prototype("int f(void)", A64.isa))
    assert isinstance(outcome, Run)
    assert outcome.returned == 7


def test_a_pointer_to_what_nobody_defines_is_named_when_it_is_called() -> None:
    source = "extern int absent(int); int (*table[2])(int) = {0, absent};\nint f(int i) { return table[i & 1](i); }\n"
    program = program_of(load_image([compiled(source, A64)]), ["f"])
    with Machine(program) as machine:
        outcome = machine.call("f", [1], parse_prototype("int f(int i)", A64.isa))
    assert isinstance(outcome, Fault)
    assert outcome.kind is FaultKind.BAD_RETURN
    assert "goes to `absent`, which no file defines" in outcome.message


@pytest.mark.parametrize("target", [A64, A32, THUMB], ids=lambda target: target.name)
def test_two_definitions_are_refused_and_a_weak_one_gives_way(target: Target) -> None:
    strong = compiled("int f(int x) { return x + 1; }\n", target)
    other = compiled("int f(int x) { return x + 2; }\nint g(void) { return 0; }\n", target)
    weak = compiled("int __attribute__((weak)) f(int x) { return x + 3; }\n", target)
    with pytest.raises(
        InputError, match=rf"`f` is defined twice, in {re.escape(str(strong))} and in {re.escape(str(other))}"
    ):
        load_image([strong, other])
    for paths in ([weak, strong], [strong, weak]):
        with Machine(program_of(load_image(paths), ["f"])) as machine:
            outcome = machine.call("f", [1], parse_prototype("int f(int x)", target.isa))
        assert isinstance(outcome, Run)
        assert outcome.returned == 2


def test_of_common_symbols_the_largest_counts_and_a_definition_before_all() -> None:
    first = assembled(
        ".comm shared, 8, 8\n.comm other, 4, 4\n" + FUNCTION.format("adrp x0, shared\nadd x0, x0, :lo12:shared\nret"),
        A64,
    )
    second = assembled(".comm shared, 64, 32\n.data\n.global other\nother: .word 5\n", A64)
    image = load_image([first, second])
    bss = next(part for part in image.parts if part.name == ".bss")
    assert bss.size == 64
    assert image.by_name["shared"].address % 32 == 0
    assert image.by_name["other"].size == 0
    data = next(part for part in image.parts if part.name == ".data")
    assert data.address <= image.by_name["other"].address < data.end


def test_instruction_sets_do_not_mix() -> None:
    paths = [compiled("int f(void) { return 1; }\n", target) for target in (A64, A32)]
    with pytest.raises(InputError, match="all files of a program need the same instruction set"):
        load_image(paths)


def test_names_are_refused_that_are_no_functions() -> None:
    image = load_image([compiled("int value = 3; int function(void) { return value; }\n", A64)])
    with pytest.raises(InputError, match="no symbol `functon`; did you mean `function`"):
        program_of(image, ["functon"])
    with pytest.raises(InputError, match="`value` is not a function"):
        program_of(image, ["value"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("text.o", b"not an object at all", "is not an ELF file"),
        ("empty.o", b"", "is not an ELF file"),
        ("mach.o", b"\xcf\xfa\xed\xfe" + bytes(60), "is a Mach-O file"),
        ("thin.a", b"!<thin>\n", "is a thin archive"),
        ("empty.a", b"!<arch>\n", "contains no objects"),
        ("big.o", b"\x7fELF\x02\x02\x01" + bytes(80), "is big-endian"),
        ("x86.o", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x01\0\x3e\0" + bytes(60), "is for another machine"),
        ("run", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0\xb7\0" + bytes(60), "is an executable"),
    ],
)
def test_files_of_other_kinds_are_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}: .*{words}|{words}"):
        load_image([path])


def test_a_branch_too_far_away_goes_by_a_veneer() -> None:
    space = '.section .text.between,"ax"\n.space 0x2100000\n'
    for target, call, back in (
        (A32, "push {r4, lr}\nbl g\npop {r4, pc}", "mov r0, #9\nbx lr"),
        (THUMB, "push {r4, lr}\nbl g\npop {r4, pc}", "movs r0, #9\nbx lr"),
    ):
        mode = ".syntax unified\n" + (".arm\n" if target is A32 else ".thumb\n")
        near = assembled(mode + FUNCTION.format(call), target)
        middle = assembled(space, target)
        far = assembled(mode + OTHER.format(back), target)
        image = load_image([near, middle, far])
        with Machine(program_of(image, ["f"])) as machine:
            outcome = machine.call("f", [], parse_prototype("int f(void)", target.isa))
        assert isinstance(outcome, Run), outcome
        assert outcome.returned == 9
        assert image.veneers


def test_constructors_are_told_of() -> None:
    text = FUNCTION.format("ret") + '.section .init_array,"aw",%init_array\n.xword f\n'
    out = fresh("c.o")
    out.write_bytes(assembled(text, A64).read_bytes())
    assert load_image([out]).modules[0].constructors == (".init_array",)
    assert run(A64.tool("readelf"), "-SW", out).count("INIT_ARRAY") == 1


@pytest.mark.parametrize("target", [A64, A32, THUMB], ids=lambda target: target.name)
def test_a_program_can_be_linked_elsewhere(target: Target) -> None:
    paths = [compiled(source, target, "", ("-O1",)) for source in ("kernel.c", "library.c", "override.c")]
    program = program_of(load_image(paths, given={"memcpy": 0x1000, "memset": 0x1000}), ["name_of"])
    assert program.linked_at is not None
    other = program.linked_at(0x90000000, 0xA54)
    assert [i.mnemonic for i in other.instructions] == [i.mnemonic for i in program.instructions]
    assert other.segments[0].address >> 12 == 0x90000
    assert other.segments[0].address & 0xFFF
    signature = parse_prototype("int f(int x)", target.isa)
    with Machine(program) as here, Machine(other) as there:
        results = [machine.call("overridden", [5], signature) for machine in (here, there)]
    assert all(isinstance(result, Run) and result.returned == 15 for result in results)

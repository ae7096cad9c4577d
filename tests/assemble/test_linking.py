"""Linking: the bytes of GNU ld at the same addresses, and clear refusals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.assemble.gnu_as import FLAGS, PREFIX
from tests.tools import require

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.linking import link
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa

SOURCES = Path(__file__).parent / "linked"


@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize(
    ("base", "displacement"), [(0x10000, 0), (0x7654000, 0), (0x10000, 0xA54), (0x9000_0000, 0x7FC)]
)
def test_a_linked_program_has_the_bytes_of_gnu_ld(isa: Isa, base: int, displacement: int, tmp_path: Path) -> None:
    source = SOURCES / f"{isa.value}.S"
    program = link(assemble_file(source, isa=isa), base=base, displacement=displacement)
    prefix, compiled, linked = PREFIX[isa], tmp_path / "a.o", tmp_path / "a.elf"
    subprocess.run([require(f"{prefix}gcc"), *FLAGS[isa], "-c", "-o", compiled, source], check=True)
    starts = [f"--section-start={segment.name}={segment.address:#x}" for segment in program.segments]
    command = [require(f"{prefix}ld"), "-e", "start", "--no-relax", *starts]
    subprocess.run([*command, "-o", linked, compiled], check=True)
    assert {segment.name for segment in program.segments} == {".text", ".helper", ".rodata", ".data"}
    for segment in program.segments:
        contents = tmp_path / "section.bin"
        subprocess.run([require(f"{prefix}objcopy"), "-O", "binary", "-j", segment.name, linked, contents], check=True)
        assert segment.data.hex(" ", 4) == contents.read_bytes()[: len(segment.data)].hex(" ", 4), segment.name


def test_segments_share_no_page_and_keep_their_protection() -> None:
    program = link(assemble_text(".data\n.word 1\n.section .rodata\n.word 2\n.text\nnop\n", isa=Isa.A64))
    segments = {segment.name: segment for segment in program.segments}
    assert (segments[".text"].executable, segments[".text"].writable) == (True, False)
    assert (segments[".data"].executable, segments[".data"].writable) == (False, True)
    assert (segments[".rodata"].executable, segments[".rodata"].writable) == (False, False)
    pages = [segment.address // 4096 for segment in program.segments]
    assert len(set(pages)) == 3
    assert segments[".text"].address == 0x10000


def test_an_address_through_the_global_offset_table_is_the_symbols() -> None:
    text = "adrp x0, :got:table\nldr x0, [x0, :got_lo12:table]\nret\n.data\n.word 0\n.global table\ntable: .word 1\n"
    program = link(assemble_text(text, isa=Isa.A64))
    got = next(segment for segment in program.segments if segment.name == ".got")
    assert int.from_bytes(got.data, "little") == program.symbols["table"]
    adrp, load, _ = program.instructions
    assert f"{got.address:#x}" in adrp.operands
    assert load.accesses[0].displacement == 0


def test_zeros_of_bss_are_in_the_image() -> None:
    program = link(assemble_text("ret\n.bss\n.space 16\nlast: .space 4\n", isa=Isa.A64))
    bss = next(segment for segment in program.segments if segment.name == ".bss")
    assert bss.data == bytes(20)
    assert program.symbols["last"] == bss.address + 16


def test_instructions_are_decoded_and_data_is_not() -> None:
    text = "f: ret\n.word 0xd503201f\nadd x0, x0, #1\n.balign 16\nret\n"
    program = link(assemble_text(text, isa=Isa.A64))
    assert [(i.address - 0x10000, i.mnemonic) for i in program.instructions] == [
        (0, "ret"), (8, "add"), (12, "nop"), (16, "ret"),
    ]  # fmt: skip
    line = program.line_at(0x10008)
    assert line is not None
    assert line.line == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bl away\nb away\n", "undefined symbol: `away`, which f.S:1:1, f.S:2:1 refer to"),
        ("bl one\nbl two\n", "`one`, which f.S:1:1 refers to; `two`, which f.S:2:1 refers to"),
        (".p2align 25\nnop\n", "alignment"),
    ],
)
def test_what_cannot_be_linked_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        link(assemble_text(text, isa=Isa.A64, path="f.S"))
    assert message in str(caught.value)


def test_a_word_that_execution_falls_into_is_an_instruction_and_one_behind_a_jump_is_data() -> None:
    text = "f: vmov.i32 q0, #0\n.word 0xfe200dc8, 0xfe222dc8\nbxne lr\n.long 0xfe200dc8\nbx lr\n.word 0xfe200dc8\n"
    program = link(assemble_text(text, isa=Isa.A32))
    assert [i.mnemonic.partition(".")[0] for i in program.instructions] == [
        "vmov", "vsdot", "vsdot", "bxne", "vsdot", "bx",
    ]  # fmt: skip
    assert len(program.by_address) == 6


def test_a_word_that_is_no_instruction_is_linked_and_left_undecoded() -> None:
    program = link(assemble_text("f: nop\n.inst 0xffffffff\nret\n", isa=Isa.A64, path="f.S"))
    assert [instruction.text for instruction in program.instructions] == ["nop", "ret"]
    assert program.segments[0].data[4:8] == b"\xff" * 4


def test_a_local_label_in_another_section_is_found_by_movw_and_movt() -> None:
    text = """
        movw r0, #:lower16:.Lvalue
        movt r0, #:upper16:.Lvalue
        bx   lr
        .data
        .word 0
    .Lvalue:
        .word 3
    """
    program = link(assemble_text(text, isa=Isa.A32))
    data = next(segment for segment in program.segments if segment.name == ".data")
    words = [instruction.word for instruction in program.instructions]
    halves = [word & 0xFFF | word >> 4 & 0xF000 for word in words[:2]]
    assert halves[0] | halves[1] << 16 == data.address + 4

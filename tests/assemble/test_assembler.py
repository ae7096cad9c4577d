"""The door to the front end: files, includes, definitions, what an object and a listing say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.tools import require

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.source import AssemblyError
from neonlab.assemble.word_listing import listing
from neonlab.isa.model.isa import Isa


def text_of(path: Path, **options: object) -> bytes:
    return assemble_file(path, isa=Isa.A64, **options).sections[".text"].data  # type: ignore[arg-type]


def test_includes_are_found_beside_the_file_then_on_the_paths_then_in_the_folders_above(tmp_path: Path) -> None:
    source = tmp_path / "project" / "src" / "kernels" / "gen"
    source.mkdir(parents=True)
    (source / "k.S").write_text(
        '#include "own.h"\n#include <lib/shared.h>\n#include <path.h>\n.byte OWN, SHARED, PATH\n'
    )
    (source / "own.h").write_text("#define OWN 1\n")
    (source.parents[1] / "lib").mkdir()
    (source.parents[1] / "lib" / "shared.h").write_text("#define SHARED 2\n")
    paths = tmp_path / "elsewhere"
    paths.mkdir()
    (paths / "path.h").write_text("#pragma once\n#define PATH 3\n")
    (paths / "own.h").write_text("#define OWN 9\n")
    assert text_of(source / "k.S", include_paths=(paths,)) == bytes([1, 2, 3])


def test_definitions_from_outside_are_like_those_of_the_compiler(tmp_path: Path) -> None:
    path = tmp_path / "k.S"
    path.write_text("#if defined(FAST) && LEVEL == 2\n.byte LEVEL\n#endif\n.byte 9\n")
    assert text_of(path) == bytes([9])
    assert text_of(path, defines={"FAST": "", "LEVEL": "2"}) == bytes([2, 9])


REMARKS = (
    '# 1 "k.c"',
    "# define nothing, it's a remark",
    "# if there is one more",
    "# else it was the last",
    "#APP",
    "# include the tail",
    "/* #define linux 9 */",
)


@pytest.mark.parametrize("remark", REMARKS)
def test_a_file_with_a_small_s_does_not_go_through_the_c_preprocessor(tmp_path: Path, remark: str) -> None:
    path = tmp_path / "k.s"
    path.write_text(f"{remark}\n.byte 1 // one\n.byte linux\n.set linux, 7\n")
    assert text_of(path) == bytes([1, 7])


@pytest.mark.parametrize(
    "directives",
    [
        "#define ONE 1\n",
        '# include "one.h"\n',
        "#include <one.h>\n",
        "# define ONE 1\n",
        "#if 1\n.set ONE, 1\n#else\n.set ONE, 9\n.byte 3\n#endif\n",
        "# ifdef __ELF__\n.set ONE, 1\n# else\n.byte 3\n# endif\n",
    ],
)
def test_one_that_has_lines_for_the_c_preprocessor_alone_does(tmp_path: Path, directives: str) -> None:
    path = tmp_path / "k.s"
    (tmp_path / "one.h").write_text("#define ONE 1\n")
    path.write_text(f'# 1 "k.c"\n{directives}# a remark, it\'s one\n.byte ONE\n')
    assembled = assemble_file(path, isa=Isa.A64, include_paths=[tmp_path])
    assert assembled.sections[".text"].data == bytes([1])
    said = assemble_file(path, isa=Isa.A64, include_paths=[tmp_path], preprocess=True)
    assert said.sections[".text"].data == bytes([1])


def test_where_a_line_may_be_a_remark_the_error_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text("# define one 1\n    mov w0, #one*\n")
    with pytest.raises(AssemblyError, match=r"hint: line 1, `# define one 1`, is a comment .*; --preprocess"):
        assemble_file(path, isa=Isa.A64)
    path.write_text("# define one 1\n.byte one\n")
    assert assemble_file(path, isa=Isa.A64, preprocess=True).sections[".text"].data == bytes([1])
    path.write_text("#define one 1\n.byte one\n.set one, 5\n")
    assert assemble_file(path, isa=Isa.A64, preprocess=False).sections[".text"].data == bytes([5])


def test_line_ends_a_byte_order_mark_and_foreign_bytes_in_comments_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "k.S"
    path.write_bytes(b"\xef\xbb\xbf.byte 1 // \xff\xfe\r\n/* \xe9 */ .byte 2\r.byte 3")
    assert text_of(path) == bytes([1, 2, 3])


def test_a_statement_in_a_macro_knows_its_line_its_text_and_its_calls() -> None:
    text = ".macro inner r\n    add \\r, \\r, #1\n.endm\n.macro outer\ninner x3\n.endm\nnop\n  outer\n"
    line = assemble_text(text, isa=Isa.A64, path="f.S").lines[".text", 4]
    assert (line.path, line.line, line.column, line.text) == ("f.S", 2, 5, "    add \\r, \\r, #1")
    assert line.expanded == "add x3,x3,#1"
    assert line.trail == ("f.S:8: in macro `outer`", "f.S:5: in macro `inner`")


def test_lines_are_right_behind_comments_continuations_and_several_statements() -> None:
    text = "/* one\ntwo */ nop\nnop; \\\n nop\n/* x\n*/\nret; nop\n"
    lines = assemble_text(text, isa=Isa.A64, path="f.S").lines
    assert [(line.line, line.column) for line in lines.values()] == [(2, 8), (3, 1), (3, 1), (7, 1), (7, 6)]


def test_warnings_are_kept_and_do_not_stop() -> None:
    assembled = assemble_text('nop\n.warning "careful"\n.byte 300\nq0 .req v1\n', isa=Isa.A64, path="f.S")
    assert [warning.split(": ", 2)[0] for warning in assembled.warnings] == ["f.S:2:1", "f.S:3:1", "f.S:4:1"]
    assert "careful" in assembled.warnings[0]


def test_symbols_say_where_they_are_and_what() -> None:
    text = ".global f\n.type f, %function\nnop\nf: nop\n.Lown: nop\n.equ size, 4\n.data\ntable: .word 1\n"
    symbols = assemble_text(text, isa=Isa.A64).symbols
    assert (symbols["f"].section, symbols["f"].value, symbols["f"].is_global, symbols["f"].is_function) == (
        ".text", 4, True, True,
    )  # fmt: skip
    assert (symbols["size"].section, symbols["size"].value) == ("*ABS*", 4)
    assert symbols["table"].section == ".data"
    assert ".Lown" not in symbols


@pytest.mark.parametrize("isa", Isa)
def test_a_listing_names_data_padding_and_relocations(isa: Isa) -> None:
    rows = listing(assemble_text("f: bl away\n.byte 1\n.balign 4\nnop\n.word f\n", isa=isa, path="f.S"))
    assert [row.address for row in rows] == [0, 4, 5, 8, 12]
    assert "away" in rows[0].disassembly
    assert rows[1].disassembly == ".byte 0x1"
    assert (rows[2].where, rows[2].source) == ("f.S:3", ".balign 4")
    assert (rows[3].disassembly, rows[3].where, rows[3].source) == ("nop", "f.S:4", "nop")
    assert rows[4].disassembly.startswith(".word")


@pytest.mark.parametrize(
    ("place", "isa"),
    [
        ("arm64/low_memory/gemm.S", Isa.A64),
        ("armv8/old/armv7/gemm.S", Isa.A32),
        ("gen/4x8-asm-aarch32-neon.S", Isa.A32),
        ("arm32/gemm_aarch64.S", Isa.A64),
    ],
)
def test_name_and_nearest_folder_tell_the_instruction_set(place: str, isa: Isa, tmp_path: Path) -> None:
    source = tmp_path / place
    source.parent.mkdir(parents=True)
    source.write_text("nop\n")
    assert assemble_file(source).isa is isa


@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("name", ["b", "MUL", "addeq", "vld1", "cmp", "lsl", "out", "at", "in0", "sum", "ret", "sdot"])
def test_a_register_is_given_the_names_that_gnu_as_takes(isa: Isa, name: str, tmp_path: Path) -> None:
    text = f"{name} .req {'x' if isa is Isa.A64 else 'r'}1\n"
    source = tmp_path / "names.s"
    source.write_text(text)
    prefix = "aarch64-linux-gnu" if isa is Isa.A64 else "arm-linux-gnueabihf"
    command = [require(f"{prefix}-as"), str(source), "-o", str(tmp_path / "names.o")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        with pytest.raises(AssemblyError, match=f"`{name}` is an instruction, and cannot name a register"):
            assemble_text(text, isa=isa, path="names.s")
    else:
        assemble_text(text, isa=isa, path="names.s")

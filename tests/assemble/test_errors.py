"""A bad source gets place, line, caret, expansion trail and a hint, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from neonlab.assemble.assembler import assemble_file, assemble_text
from neonlab.assemble.source import AssemblyError
from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa


def error(text: str, isa: Isa = Isa.A64) -> str:
    with pytest.raises(AssemblyError) as caught:
        assemble_text(text, isa=isa, path="f.S")
    return str(caught.value)


def test_an_unknown_mnemonic_in_nested_macros_shows_the_whole_trail() -> None:
    text = ".macro inner x\n    badd x0, x1, \\x\n.endm\n.macro outer y\n  inner \\y\n.endm\nnop\n  outer x5\n"
    assert error(text) == (
        "f.S:2:5: error: unknown mnemonic `badd`\n"
        "      badd x0, x1, \\x\n"
        "      ^\n"
        "  expanded to: badd x0,x1,x5\n"
        "  f.S:5: in macro `inner`\n"
        "  f.S:8: in macro `outer`\n"
        "  hint: did you mean `add`?"
    )


@pytest.mark.parametrize(
    ("text", "first_line", "caret_under"),
    [
        ("nop\n  .blign 4\n", "f.S:2:3: error: unknown directive `.blign`", ".blign"),
        ("f: b.eqq f\n", "f.S:1:4: error: unknown mnemonic `b.eqq`", "b.eqq"),
        ("add x0, x1, #foo\n", "f.S:1:14: error: `foo` is neither a register nor a defined symbol", "foo"),
        ("nop; nop; .word 1/0\n", "f.S:1:18: error: division by zero", "/0"),
        ("ldr x0, [x1\n", "f.S:1:9: error: `[` is not closed", "[x1"),
        ('.ascii "abc\n', 'f.S:1:8: error: this string is never closed by `"`', '"abc'),
        ("nop\n/* abc\nnop\n", "f.S:2:1: error: this comment is never closed", "/* abc"),
        (".if 1\nnop\n", "f.S:1:1: error: this `.if` is never closed by `.endif`", ".if"),
        ("#if 1\nnop\n", "f.S:1:1: error: this `#if` is never closed by `#endif`", "#if"),
        ("nop\n.macro m\nnop\n", "f.S:2:1: error: this is never closed by `.endm`", ".macro"),
        (".rept 2\nnop\n", "f.S:1:1: error: this is never closed by `.endr`", ".rept"),
        (".endif\n", "f.S:1:1: error: `.endif` without `.if`", ".endif"),
        (".endm\n", "f.S:1:1: error: `.endm` without `.macro`", ".endm"),
        ("#else\n", "f.S:1:1: error: `#else` without `#if`", "#else"),
        ("a: nop\na: nop\n", "f.S:2:1: error: the symbol `a` is already defined", "a:"),
        (".equiv a, 1\n.equiv a, 2\n", "f.S:2:8: error: the symbol `a` is already defined", "a, 2"),
        ("b 1b\n", "f.S:1:3: error: there is no label `1:` before this", "1b"),
        (f"{'9' * 5000}: nop\n", "f.S:1:1: error: this number is too large for a label", "9"),
        (f"b {'9' * 5000}f\n", "f.S:1:3: error: this number is too large for a label", "9"),
        ("b 1f\n", "f.S:1:3: error: there is no label `1:` after this", "1f"),
        (".set a, a + 1\n.word a\n", "f.S:2:7: error: the symbol `a` is defined by itself", "a\n"),
        ('#include "none.h"\n', "f.S:1:11: error: cannot find the include file `none.h`", "none.h"),
        ('.include "none.s"\n', "f.S:1:11: error: cannot find the include file `none.s`", "none.s"),
        ("#error too old\n", "f.S:1:1: error: #error too old", "#error"),
        ('.error "too old"\n', "f.S:1:1: error: too old", ".error"),
        (".if foo\n.endif\n", "f.S:1:5: error: `foo` has no value yet, and one is needed here", "foo"),
        (".macro m a:req\n.endm\nm\n", "f.S:3:1: error: the macro `m` needs a value for `a`", "m\n"),
        (".macro m a\n.endm\nm 1,2\n", "f.S:3:5: error: too many arguments for the macro `m`, which takes 1", "2"),
        (".macro m a\n.endm\nm b=2\n", "f.S:3:3: error: the macro `m` has no parameter `b`", "b=2"),
        (".macro m\n.endm\n.macro M\n.endm\n", "f.S:3:8: error: the macro `M` is already defined", "M"),
        ("a .req zz\n", "f.S:1:8: error: `zz` is not a register", "zz"),
        (".popsection\n", "f.S:1:1: error: `.popsection` without `.pushsection`", ".pop"),
        (".word 1 << 0x10000000000\n", "f.S:1:9: error: a shift by 1099511627776: 0 to 63 bits are possible", "<<"),
        (".set x, 64\n.word 1 >> x\n", "f.S:2:9: error: a shift by 64: 0 to 63 bits are possible", ">>"),
        ("x: .word 1 << (x - y)\n.word 2\ny:\n", "f.S:1:12: error: a shift by -8: 0 to 63 bits are possible", "<<"),
        ('.incbin "/dev/zero"\n', "f.S:1:10: error: /dev/zero: a device, where a file is expected", "/dev/zero"),
        ("nop\n.org 2\n", "f.S:2:6: error: `.org` cannot go backwards", "2"),
        (".syntax joined\n", "f.S:1:9: error: `.syntax joined`: there are `unified` and `divided`", "joined"),
        ("x: .byte y - x\n.space 300\ny:\n", "f.S:1:1: error: 301 does not fit 1 byte", "x:"),
        ("add x0,x0,:tprel_lo12:x\n", "f.S:1:11: error: the operator `:tprel_lo12:` is not supported here", ":tp"),
        ("nop\n\0\n", "f.S:2:1: error: a NUL byte: this is not assembly text", ""),
    ],
)  # fmt: skip
def test_the_caret_stands_under_what_is_wrong(text: str, first_line: str, caret_under: str) -> None:
    report = error(text).splitlines()
    assert report[0] == first_line
    line, caret = report[1], report[2]
    assert caret.strip() == "^"
    assert (line + "\n")[caret.index("^") :].startswith(caret_under)


@pytest.mark.parametrize("directive", [".thumb", ".thumb_func", ".code 16"])
def test_thumb_is_refused_by_name(directive: str) -> None:
    report = error(f"nop\n{directive}\n", Isa.A32)
    assert report.startswith(f"f.S:2:1: error: `{directive}`: Thumb is not supported")


def test_a_macro_with_a_similar_name_is_the_hint() -> None:
    assert "did you mean `BEGIN_FUNCTION`?" in error(".macro BEGIN_FUNCTION n\n.endm\nBEGIN_FUNCTON foo\n")


def test_a_missing_include_names_the_folders_searched(tmp_path: Path) -> None:
    source = tmp_path / "k.S"
    source.write_text("#include <lib/none.h>\n")
    with pytest.raises(AssemblyError) as caught:
        assemble_file(source, isa=Isa.A64, include_paths=("one", "two/three"))
    hint = str(caught.value).splitlines()[-1]
    assert hint.startswith(f"  hint: searched one, two/three, {tmp_path}, then every folder above")


def test_an_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("\n  nonsense x0\n")
    (tmp_path / "main.S").write_text('#include "part.h"\n')
    with pytest.raises(AssemblyError) as caught:
        assemble_file(tmp_path / "main.S", isa=Isa.A64)
    assert str(caught.value).startswith(f"{tmp_path / 'part.h'}:2:3: error: unknown mnemonic `nonsense`")


def test_without_an_instruction_set_the_folder_decides_or_the_message_says_how(tmp_path: Path) -> None:
    folder = tmp_path / "armv7"
    folder.mkdir()
    for path in (folder / "f.S", tmp_path / "f.S"):
        path.write_text("nop\n")
    assert assemble_file(folder / "f.S").isa is Isa.A32
    with pytest.raises(InputError, match="--isa"):
        assemble_file(tmp_path / "f.S")


@pytest.mark.parametrize("name", ["missing.S", "."])
def test_an_unreadable_file_is_an_input_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read|a folder, where a file"):
        assemble_file(tmp_path / name, isa=Isa.A64)


# Each of these grows without bound unless something stops it.
ENDLESS = {
    "a macro that calls itself": ".macro r\nr\n.endm\nr\n",
    "macros that call each other": ".macro a\nb_\n.endm\n.macro b_\na\n.endm\na\n",
    "a huge repetition": ".rept 1000000000\nnop\n.endr\n",
    "nested repetitions": ".rept 100000\n.rept 100000\n.endr\n.byte 1\n.endr\n",
    "an argument that doubles": ".macro m a\nm \\a\\a\n.endm\nm xxxxxxxx\n",
    "a macro that calls itself twice": ".altmacro\n.macro m n\n.if n < 90\nm %(n+1)\n m %(n+1)\n.endif\n.endm\nm 1\n",
    "definitions that double": "".join(f"#define a{i} a{i + 1} a{i + 1}\n" for i in range(40)) + "a0\n",
    "calls that multiply": "#define f(x) x x x x x x x x\n" + "f(" * 30 + "1" + ")" * 30 + "\n",
    "a definition nested deeply": "".join(f"#define a{i} (a{i + 1})\n" for i in range(3000)) + ".word a0\n",
    "deep parentheses": ".word " + "(" * 100000 + "\n",
    "deep signs": ".word " + "-" * 100000 + "1\n",
    "an endless sum": ".word " + "+".join(["x"] * 100000) + "\n",
    "a huge number": ".word " + "9" * 100000 + "\n",
    "a huge space": ".space 0x7fffffffffff\n",
    "huge spaces": ".space 0x3000000\n" * 3,
    "a huge alignment": "nop\n.p2align 31\n",
    "a file that includes itself": None,
    "a chain of assignments": "".join(f".set a{i}, a{i + 1} + 1\n" for i in range(3000)) + ".word a0\n",
}  # fmt: skip


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_stopped_with_a_clear_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / "f.S"
    text = ENDLESS[name]
    path.write_text('#include "f.S"\n' if text is None else text)
    with pytest.raises(InputError) as caught:
        assemble_file(path, isa=Isa.A64)
    assert "f.S" in str(caught.value)
    assert len(str(caught.value)) < 3000


PIECES = [
    '"', "'", "\\", "(", ")", "[", "]", "{", "}", ",", "#", "@", "/*", "*/", "//", ";", ":", ".", "\n", "\\@", "\\()",
    ".rept 3\n", ".endr\n", ".macro x\n", ".endm\n", ".if 1\n", ".endif\n", "=", "1f", "1b", "-", "<<", "\0", "\xff",
    "\udc80", "#define a", "#if ", "#endif\n", ".irp i,1,2\n", ".set ", ".org ", ".align 9", "v0.4s", "!", "%", "&",
    ".altmacro\n", "LOCAL ", ".req ", "=0x12345\n", "ldr x0,", ".ltorg\n", ".popsection\n", "$", "`", "~", "|", "^",
]  # fmt: skip


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("isa", Isa)
@pytest.mark.parametrize("seed", range(4))
def test_mutated_sources_assemble_or_raise_an_input_error(isa: Isa, seed: int) -> None:
    print(f"seed {seed}")
    generator = random.Random(seed)
    snippets = Path(__file__).parent / "snippets"
    sources = [path.read_text() for folder in ("both", isa.value) for path in sorted((snippets / folder).glob("*.S"))]
    for _ in range(60):
        text = list(generator.choice(sources))
        for _ in range(generator.randint(1, 4)):
            place = generator.randrange(len(text) + 1)
            if generator.random() < 0.5:
                text.insert(place, generator.choice(PIECES))
            else:
                del text[place : place + generator.randint(1, 8)]
        try:
            assemble_text("".join(text), isa=isa)
        except InputError as report:
            str(report).encode()

"""Symbols, lines and names against nm, objdump, readelf and c++filt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.objects.build import A64, HERE, TARGETS, THUMB, Target, compiled, fresh, run
from tests.tools import require

from neonlab.objects.demangle import demangle
from neonlab.objects.image.reach import program_of
from neonlab.objects.load import load_image
from neonlab.objects.symbol_listing import list_objects

VERSIONS = ("-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", TARGETS)
def test_functions_are_those_that_nm_lists(name: str, compiler: str) -> None:
    target = TARGETS[name]
    path = compiled("library.c", target, compiler, ("-O1", "-ffunction-sections"))
    want, undefined = {}, set()
    for line in run(target.tool("nm"), "-S", "-f", "sysv", path).splitlines():
        fields = [field.strip() for field in line.split("|")]
        if len(fields) == 7 and fields[3] == "FUNC":
            want[fields[0]] = (
                int(fields[1], 16),
                int(fields[4], 16),
                fields[6],
                fields[2] in "tT" and fields[2] == "T",
            )
        if len(fields) == 7 and fields[2] in "Uw":
            undefined.add(fields[0])
    (listed,) = list_objects(path)
    got = {f.name: (f.address, f.size, f.section, f.binding == "global") for f in listed.functions}
    assert got == want
    assert {u.name for u in listed.undefined} == undefined - {""}
    assert {f.state for f in listed.functions} == {name}


def lines_of_objdump(path: Path, target: Target) -> dict[str, list[tuple[int, int]]]:
    """(offset in the function, line) of each instruction, by function."""
    found: dict[str, list[tuple[int, int]]] = {}
    function, start, line = "", 0, 0
    for text in run(target.tool("objdump"), "-dl", "--no-show-raw-insn", path).splitlines():
        if match := re.match(r"([0-9a-f]+) <(\w+)>:$", text):
            function, start, line = match[2], int(match[1], 16), 0
        elif match := re.match(r"\S*?(?:/|^)([\w.]+):(\d+)(?: \(discriminator \d+\))?$", text):
            line = int(match[2])
        elif (match := re.match(r"\s+([0-9a-f]+):\s+(\S+)", text)) and not match[2].startswith("."):
            found.setdefault(function, []).append((int(match[1], 16) - start, line))
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", TARGETS)
def test_lines_are_those_of_objdump(name: str, compiler: str, version: str) -> None:
    target = TARGETS[name]
    path = compiled("library.c", target, compiler, ("-O2", version))
    functions = lines_of_objdump(path, target)
    image = load_image([path], given={"exported_table": 0x1000, "shared_counter": 0x1000})
    names = [symbol.name for symbol in image.symbols if symbol.is_function]
    program = program_of(image)
    compared = 0
    for function in names:
        start = image.by_name[function].address
        for offset, line in functions[function]:
            if start + offset in program.by_address and line:
                if program.by_address[start + offset].mnemonic == "nop":
                    continue  # behind the end of a table, where objdump goes on with the last line
                source = program.line_at(start + offset)
                assert source is not None, hex(offset)
                assert (source.line, source.path.rpartition("/")[2]) == (line, "library.c"), (function, hex(offset))
                assert source.text == (HERE / "library.c").read_text().splitlines()[line - 1]
                compared += 1
    assert compared > 40


@pytest.mark.parametrize("name", TARGETS)
def test_an_intrinsic_belongs_to_the_line_that_uses_it(name: str) -> None:
    image = load_image([compiled("kernel.c", TARGETS[name], "", ("-O2", "-g"))])
    program = program_of(image, ["dot_neon"])
    text = (HERE / "kernel.c").read_text().splitlines()
    wanted = next(number for number, line in enumerate(text, 1) if "vmull_s8(vget_low_s8(x)" in line)
    products = [i for i in program.instructions if i.mnemonic.startswith(("smull v", "smull", "vmull.s8"))]
    lines = {program.lines[i.address].line for i in products if program.lines[i.address].path.endswith("kernel.c")}
    assert wanted in lines
    assert not any(line.path.endswith("arm_neon.h") for line in program.lines.values())


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", TARGETS)
def test_prototypes_are_those_of_the_source(name: str, compiler: str, version: str) -> None:
    target = TARGETS[name]
    image = load_image([compiled("kernel.c", target, compiler, ("-O2", version))])
    dot, requantize = image.prototype("dot_neon"), image.prototype("requantize")
    assert dot is not None
    assert requantize is not None
    pointer = target.isa.pointer_bytes
    assert [(p.name, p.type.form, p.type.size) for p in dot.parameters] == [
        ("a", "pointer", pointer),
        ("b", "pointer", pointer),
        ("n", "integer", pointer),
    ]
    first = dot.parameters[0].type.target
    assert first is not None
    assert (first.name, first.size, first.signed, first.const) == ("int8_t", 1, True, True)
    signature = dot.signature(target.isa)
    assert signature is not None
    assert signature.returns is not None
    assert (signature.returns.name, signature.returns.size, signature.returns.signed) == ("int32_t", 4, True)

    params = requantize.parameters[3].type.target
    assert params is not None
    offsets = {"low": 0, "high": 1, "shift": 2, "bias": 4, "rows": 8, "zero_point": 24, "scale": 32}
    if pointer == 8:
        offsets = {"low": 0, "high": 1, "shift": 2, "bias": 8, "rows": 16, "zero_point": 48, "scale": 56}
    assert {field.name: field.offset for field in params.fields} == offsets
    rows = next(field.type for field in params.fields if field.name == "rows")
    assert (rows.form, rows.count, rows.target is not None and rows.target.form) == ("array", 4, "pointer")
    scale = next(field.type for field in params.fields if field.name == "scale")
    assert (scale.form, scale.size) == ("float", 8)
    assert requantize.returns is None


def test_cxx_names_are_read_as_cxxfilt_reads_them() -> None:
    text = """// c++
    namespace kernels { template <typename T, int N> struct Tile { T rows[N]; void clear(); T at(int) const; };
    template <typename T, int N> void Tile<T, N>::clear() { for (T &row : rows) row = 0; }
    template <typename T, int N> T Tile<T, N>::at(int i) const { return rows[i]; }
    template struct Tile<signed char, 4>; template struct Tile<short, 8>;
    int operator+(const Tile<short, 8> &a, int b) { return a.at(b); }
    void run(void (*callback)(const char *, unsigned long)) { callback("x", 1); } }
    """
    path = compiled(text, A64, "clang", ("-O0",))
    (listed,) = list_objects(path)
    names = [f.name for f in listed.functions]
    assert len(names) >= 6
    want = run(require("c++filt"), *names).splitlines()
    assert [f.readable.replace("> >", ">>") for f in listed.functions] == [line.replace("> >", ">>") for line in want]
    assert demangle("_ZN4Tile5clearEv@plt") == "Tile::clear()@plt"
    assert demangle("_Z" + "P" * 100_000) == "_Z" + "P" * 100_000


def test_archives_of_either_kind_and_thin_ones() -> None:
    member = compiled("library.c", THUMB)
    out = fresh("a_name_that_is_longer_than_sixteen.o")
    out.write_bytes(member.read_bytes())
    gnu = THUMB.archive(fresh("gnu.a"), out)
    data = member.read_bytes()
    name = b"a_name_that_is_longer_than_sixteen.o"
    header = f"{f'#1/{len(name)}':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data) + len(name):<10}`\n".encode()
    bsd = fresh("bsd.a")
    bsd.write_bytes(b"!<arch>\n" + header + name + data)
    for path in (gnu, bsd):
        (listed,) = list_objects(path)
        assert listed.title == f"{path}(a_name_that_is_longer_than_sixteen.o)"
        assert {f.name for f in listed.functions} >= {"wide", "polynomial"}

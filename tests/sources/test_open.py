"""A path and options become a contract: which source counts, and what is said of one that is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from tests.tools import require_compiler

import neonlab
from neonlab.contract.options import Build, Given
from neonlab.isa.model.isa import Isa, isa_named
from neonlab.sources.open import open_bare, open_code, open_each

GOOD = """
prototype = "void f(const int8_t *a, int32_t *out, size_t n, const struct p *p)"
structs = "struct p { int32_t scale; int8_t *bias; int8_t zero; };"
isa = { armv7 = ["armv7-a", "neon"], armv8 = ["armv8.2-a", "neon", "dotprod"] }
[build]
include = ["include"]
flags = ["-O3"]
[args]
a = { read = "n", over_read = 16 }
out = { write = "4*n" }
n = { range = [1, 64] }
[args.p.fields]
bias = { read = "n" }
scale = { range = [1, 9] }
"""


def found(tmp_path: Path, text: str, **given: object) -> neonlab.Contract:
    (tmp_path / "f.contract.toml").write_text(text)
    (tmp_path / "f.c").write_text("")
    return open_code(tmp_path / "f.c", Given(**{"isa": Isa.A64, **given})).contract  # type: ignore[arg-type]


def test_fields_lie_where_the_instruction_set_puts_them(tmp_path: Path) -> None:
    for isa, offsets in ((Isa.A32, [0, 4, 8]), (Isa.A64, [0, 8, 16])):
        contract = found(tmp_path, GOOD, isa=isa)
        assert [field.offset for field in contract.argument("p").fields] == offsets
        assert [field.argument.name for field in contract.argument("p").fields] == ["p.scale", "p.bias", "p.zero"]
        assert ("dotprod" in contract.features) == (isa is Isa.A64)


def test_the_nearest_of_the_files_beside_the_code_counts(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text("")
    for name, summary in (("f", "of the stem"), ("f.c", "of the file"), ("g", "of the symbol")):
        (tmp_path / f"{name}.contract.toml").write_text(
            f'summary = "{summary}"\nprototype = "void f(int n)"\n[args.n]\nrange=[0,1]\n'
        )
        symbol = "g" if name == "g" else ""
        assert open_code(path, Given(symbol=symbol)).contract.summary == summary


def test_the_command_line_speaks_over_the_file(tmp_path: Path) -> None:
    settings = (
        ("a.read", "2*n"),
        ("n.range", "[3, 5]"),
        ("stack", "64"),
        ("p.fields.scale.range", "[1, 3]"),
        ("p.scale.range", "[2, 3]"),
    )
    contract = found(tmp_path, GOOD, settings=settings)
    read = contract.argument("a").read
    assert read is not None
    assert read.evaluate({"n": 7}) == 14
    assert contract.argument("n").value_range == (3, 5)
    assert contract.argument("p.scale").value_range == (2, 3)
    assert contract.stack == 64
    build = open_code(tmp_path / "f.c", Given(isa=Isa.A64, build=Build(flags=("-O1",)))).build
    assert build.flags == ("-O3", "-O1")
    assert build.include == (str(tmp_path / "include"),)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('read = "n", over', 'raed = "n", over', ":9: contract: argument `a` has no key `raed`; did you mean `read`?"),
        ("[build]\n", "[bulid]\n", ":5: contract: a contract has no key `bulid`; did you mean `build`?"),
        ("flags =", "flgas =", ":7: contract: [build] has no key `flgas`; did you mean `flags`?"),
        ('"4*n"', '"4*m"', ":10: contract: write = `4*m` uses `m`, no integer argument"),
        ("bias =", "bais =", ":13: contract: `p.bais` is no member of a struct declared in `structs`"),
        (
            "scale = {",
            "scale = { offset = 6, type = 'int32_t',",
            ":13: contract: `p.bias` (bytes 8 to 15) lies over `p.scale` (bytes 6 to 9)",
        ),
        (
            "size_t n,",
            "length_t n,",
            ":2: contract: prototype `void f(const int8_t *a, int32_t *out, length_t n, const struct p *p)`",
        ),
        ("void f(", "void f", ":2: contract: prototype"),
        ("n = { range = [1, 64] }", "n = {}", ":11: contract: number `n` states no `range`"),
        ("out = {", "out = { align = 3,", ":10: contract: align of `out` is a power of two, in bytes"),
        ("[args]", "[args]]", ":8:7: contract: not TOML:"),
        (
            "scale = { range = [1, 9] }",
            "scale = { range = [9, 1] }",
            ":14: contract: range of `p.scale` is [lowest, highest]",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(neonlab.InputError, match=re.escape(f"f.contract.toml{said}")) as error:
        found(tmp_path, GOOD.replace(old, new))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"settings": (("a.raed", "5"),)}, "--set a.raed=5: argument `a` has no key `raed`; did you mean `read`?"),
        ({"settings": (("z.read", "5"),)}, "--set z.read=5: [args] describes `z`, which the prototype does not have"),
        ({"settings": (("out.write", "4*k"),)}, "--set out.write=4*k: write = `4*k` uses `k`, no integer argument"),
        ({"prototype": "int f"}, "--prototype: prototype `int f` has no parameter list"),
        ({"isa": None}, "the contract is for armv7 and armv8: say which with --isa"),
    ],
)
def test_a_mistake_on_the_command_line_is_told_with_its_option(
    given: dict[str, object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(neonlab.InputError, match=re.escape(said)):
        found(tmp_path, GOOD, **given)


def test_code_without_a_contract_is_told_how_to_get_one(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text("")
    with pytest.raises(neonlab.InputError, match=r"no contract says how to call it: write one in f\.contract\.toml"):
        open_code(path, Given())


NEGATE = """
    .text
    .global negate
    .type negate, %function
negate:
    ldr     w4, [x3]
    ldr     x5, [x3, #8]
1:  ldr     x6, [x0], #8
    ldrsb   w7, [x6, x5]
    mul     w7, w7, w4
    str     w7, [x1], #4
    subs    x2, x2, #1
    b.ne    1b
    ret
"""
NEGATE_CONTRACT = """
prototype = "void negate(const int8_t *const *rows, int32_t *out, size_t n, const struct params *params)"
structs = "struct params { int32_t factor; ptrdiff_t column; };"
isa = ["armv8.0-a", "neon"]
[args]
rows = { pointers = "n", to = { read = "params.column + 1" } }
out = { write = "4*n" }
n = { range = [1, 9] }
[args.params.fields]
factor = { range = [-3, 3] }
column = { range = [0, 12] }
"""


def test_assembly_of_others_takes_structs_and_row_pointers_from_a_contract_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "negate.S"
    path.write_text(NEGATE)
    (tmp_path / "negate.contract.toml").write_text(NEGATE_CONTRACT)
    (tmp_path / "scalar.c").write_text(
        "#include <stdint.h>\n#include <stddef.h>\nstruct params { int32_t factor; ptrdiff_t column; };\n"
        "void negate_c(const int8_t *const *rows, int32_t *out, size_t n, const struct params *p)\n"
        "{ for (size_t i = 0; i < n; i++) out[i] = rows[i][p->column] * p->factor; }\n"
    )
    right = neonlab.load(path, reference=tmp_path / "scalar.c", reference_symbol="negate_c").check()
    assert right.passed
    assert right.has_reference
    path.write_text(NEGATE.replace("ldrsb   w7, [x6, x5]", "add x6, x6, #1\n    ldrsb w7, [x6, x5]"))
    wrong = neonlab.load(path, reference=tmp_path / "scalar.c", reference_symbol="negate_c").check()
    assert {failure.identifier for failure in wrong.failures} == {"oob-read"}
    assert wrong.failures[0].where == f"{path}:10"
    path.write_text(NEGATE.replace("mul     w7, w7, w4", "lsl     w7, w7, w4"))
    assert "mismatch" in {
        f.identifier
        for f in neonlab.load(path, reference=tmp_path / "scalar.c", reference_symbol="negate_c").check().failures
    }


@pytest.mark.parametrize("declared", [0, 7, 8])
def test_over_read_is_what_the_contract_allows(declared: int, tmp_path: Path) -> None:
    path = tmp_path / "f.S"
    path.write_text(".text\n.global f\nf:\n    ldr q0, [x0, #8]\n    str d0, [x1]\n    ret\n")
    load = neonlab.load(
        path, isa="armv8", prototype="void f(const int8_t *a, int8_t *c)",
        contract={"a.read": 16, "c.write": 8, "a.over_read": declared},
    )  # fmt: skip
    verdict = load.check()
    assert verdict.faultless == (declared == 8)
    assert [failure.where for failure in verdict.failures] == [] if verdict.faultless else [f"{path}:4"]


@pytest.mark.parametrize("declared", [0, 15, 16])
def test_use_below_the_stack_pointer_is_what_the_contract_allows(declared: int, tmp_path: Path) -> None:
    path = tmp_path / "f.S"
    path.write_text(
        ".text\n.global f\nf:\n str q8, [sp, #-16]\n ldr q8, [x0]\n str q8, [x1]\n ldr q8, [sp, #-16]\n ret\n"
    )
    load = neonlab.load(
        path, isa="armv8", prototype="void f(const int8_t *a, int8_t *c)",
        contract={"a.read": 16, "c.write": 16, "below_stack": declared},
    )  # fmt: skip
    verdict = load.check()
    assert verdict.faultless == (declared == 16)
    assert declared == 16 or verdict.failures[0].identifier == "below-stack"


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_strides_may_be_negative(isa: str, tmp_path: Path) -> None:
    text = {
        "armv8": "1: ldrsb w4, [x0]\n strb w4, [x1], #1\n add x0, x0, x2\n subs x3, x3, #1\n b.ne 1b\n ret\n",
        "armv7": "1: ldrsb r12, [r0]\n strb r12, [r1], #1\n add r0, r0, r2\n subs r3, r3, #1\n bne 1b\n bx lr\n",
    }
    path = tmp_path / "column.S"
    path.write_text(f".text\n.global column\ncolumn:\n{text[isa]}")
    load = neonlab.load(
        path, isa=isa, prototype="void column(const int8_t *a, int8_t *c, ptrdiff_t stride, size_t n)",
        contract={
            "a.read": "(n - 1)*max(stride, -stride) + 1", "a.origin": "max(0, -(n - 1)*stride)", "c.write": "n",
            "stride.range": [-9, 9], "n.range": [1, 20],
        },
    )  # fmt: skip
    assert load.check().faultless
    data = np.arange(40, dtype=np.int8)
    run = load.call(neonlab.Buffer("a", data, origin=39), np.zeros(5, np.int8), -3, 5)
    assert run.outputs["c"].tolist() == [39, 36, 33, 30, 27]


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_a_contract_may_name_the_function_whose_prototype_its_source_tells(isa: str, tmp_path: Path) -> None:
    require_compiler(isa_named(isa))
    (tmp_path / "file.c").write_text("void copy(const char *a, char *c) { *c = *a; }\n")
    (tmp_path / "file.c.contract.toml").write_text(
        f'symbol = "copy"\nisa = ["{isa}-a"]\n[args]\na = {{ read = "1" }}\nc = {{ write = "1" }}\n'
    )
    contract = open_code(tmp_path / "file.c", Given(isa=Isa.A64 if isa == "armv8" else Isa.A32)).contract
    assert contract.name == "copy"
    assert [argument.name for argument in contract.arguments] == ["a", "c"]


HEADED = """/*toml
summary   = "c = a + ADDED"
prototype = "void (const int8_t *a, int8_t *c, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a = { reg = "x0", read = "n" }
c = { reg = "x1", write = "n" }
n = { reg = "x2", range = [1, 9] }
*/
#ifndef ADDED
#define ADDED 1
#endif
    .text
    .global f
f:  ldrsb   w3, [x0], #1
    add     w3, w3, #ADDED
    strb    w3, [x1], #1
    subs    x2, x2, #1
    b.ne    f
    ret
"""
SCALAR = """#include <stddef.h>
#include <stdint.h>
void plus(const int8_t *a, int8_t *c, size_t n) { for (size_t i = 0; i < n; i++) c[i] = (int8_t)(a[i] + 5); }
"""


@pytest.mark.parametrize(("define", "right"), [("ADDED=5", True), ("ADDED=4", False)])
def test_options_say_how_a_kernel_with_a_header_is_built_and_judged(define: str, right: bool, tmp_path: Path) -> None:
    require_compiler(Isa.A64)
    (tmp_path / "f.S").write_text(HEADED)
    (tmp_path / "scalar.c").write_text(SCALAR)
    settings = {"build.define": f'["{define}"]', "reference.file": tmp_path / "scalar.c", "reference.symbol": "plus"}
    verdict = neonlab.load(tmp_path / "f.S", contract=settings).check()
    assert verdict.has_reference
    assert {failure.identifier for failure in verdict.failures} == (set() if right else {"mismatch"})


def test_a_header_must_be_right_without_the_options(tmp_path: Path) -> None:
    (tmp_path / "f.S").write_text(HEADED.replace(", range = [1, 9]", ""))
    with pytest.raises(neonlab.InputError, match=r"f\.S:\d+: contract: .*`n`.*`range`"):
        open_code(tmp_path / "f.S", Given(settings=(("n.range", "[1, 9]"),)))


@pytest.mark.parametrize(
    ("header", "sidecar", "given", "counts"),
    [
        (True, False, Given(), "c = a + ADDED"),
        (True, True, Given(), "beside"),
        (True, True, Given(settings=(("summary", "option"),)), "option"),
        (True, False, Given(settings=(("summary", "option"),)), "option"),
        (True, False, Given(prototype="void f(int32_t i)", settings=(("i.range", "[0, 1]"),)), ""),
        (False, True, Given(prototype="void f(int32_t n)"), "beside"),
    ],
)
def test_the_command_line_counts_over_the_file_beside_and_that_over_the_header(
    header: bool, sidecar: bool, given: Given, counts: str, tmp_path: Path
) -> None:
    (tmp_path / "f.S").write_text(HEADED if header else HEADED.partition("*/")[2])
    if sidecar:
        (tmp_path / "f.contract.toml").write_text(
            'summary = "beside"\nprototype = "void f(size_t n)"\n[args]\nn = { range = [1, 9] }\n'
        )
    contract = open_code(tmp_path / "f.S", given).contract
    assert contract.summary == counts
    assert not given.prototype or contract.prototype == given.prototype


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_c_is_compiled_as_its_contract_says_to_tell_the_prototype(isa: str, tmp_path: Path) -> None:
    require_compiler(isa_named(isa))
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "element.h").write_text("#include <stdint.h>\ntypedef int16_t element;\n")
    (tmp_path / "f.c").write_text('#include "element.h"\nvoid f(element *c) { *c = VALUE; }\n')
    (tmp_path / "f.contract.toml").write_text(
        '[build]\ninclude = ["inc"]\ndefine = ["VALUE=3"]\n[args]\nc = { write = "2" }\n'
    )
    contract = open_code(tmp_path / "f.c", Given(isa=isa_named(isa))).contract
    assert contract.prototype == "void f(int16_t *c)"


def test_each_function_is_opened_for_each_instruction_set_of_its_contract(tmp_path: Path) -> None:
    (tmp_path / "many.c").write_text("")
    both = 'isa = { armv7 = ["armv7-a"], armv8 = ["armv8.0-a"] }\n'
    (tmp_path / "many.contract.toml").write_text(
        f'{both}prototype = "void f(void)"\n[functions.f]\n[functions.g]\n[functions.h]\nisa = ["armv8.2-a"]\n'
    )
    (tmp_path / "g.contract.toml").write_text('isa = { armv7 = ["armv7-a"] }\nprototype = "void g(int32_t n)"\n')

    def opened(**given: object) -> list[tuple[str, str, Isa]]:
        codes = open_each(tmp_path / "many.c", Given(**given))  # type: ignore[arg-type]
        return [(code.contract.name, code.contract.prototype, code.contract.isa) for code in codes]

    with pytest.raises(neonlab.InputError, match=r"g\.contract\.toml:1: .* no table for `n`"):
        opened()
    (tmp_path / "g.contract.toml").write_text('isa = { armv7 = ["armv7-a"] }\nprototype = "void g(void)"\n')
    f8, f7 = ("f", "void f(void)", Isa.A64), ("f", "void f(void)", Isa.A32)
    assert opened() == [f7, f8, ("g", "void g(void)", Isa.A32), ("h", "void f(void)", Isa.A64)]
    assert opened(symbol="f") == [f7, f8]
    assert opened(symbol="f", isa=Isa.A64) == [f8]
    with pytest.raises(neonlab.InputError, match="describes the functions f, g, h: say which with --symbol"):
        open_code(tmp_path / "many.c", Given())


def test_a_function_without_a_contract_is_opened_by_its_prototype(tmp_path: Path) -> None:
    (tmp_path / "f.S").write_text(HEADED.partition("*/")[2])
    with pytest.raises(neonlab.InputError, match="assembly has no C prototype: give --prototype"):
        open_bare(tmp_path / "f.S", Given(isa=Isa.A64))
    settings = (("structs", "struct s { int16_t x; };"), ("build.define", '["ADDED=2"]'))
    code = open_bare(tmp_path / "f.S", Given(isa=Isa.A64, prototype="void f(const struct s *p)", settings=settings))
    assert code.contract.structs == "struct s { int16_t x; };"
    assert [instruction.text for instruction in code.program().instructions][1].endswith("#2")

"""What linked C returns in the lab against what qemu-user makes of the same source, linked by gcc."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.objects.build import A32, A64, HERE, TARGETS, THUMB, Target, compiled, fresh, run
from tests.tools import require

from neonlab.assemble.program import Program
from neonlab.emulate.machine import Machine
from neonlab.emulate.run import Run
from neonlab.isa.c.prototype import parse_prototype
from neonlab.measure.counts import CountsProbe
from neonlab.objects.image.reach import program_of
from neonlab.objects.load import load_image

SOURCES = ("kernel.c", "library.c", "override.c")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
SEEDS = (1, 77, 123456)
COPY = """
void *memcpy(void *to, const void *from, __SIZE_TYPE__ n) {
    for (__SIZE_TYPE__ i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
void *memset(void *to, int value, __SIZE_TYPE__ n) {
    for (__SIZE_TYPE__ i = 0; i < n; i++) ((volatile char *)to)[i] = (char)value;
    return to;
}
"""


@cache
def wanted(target: Target, level: str) -> list[int]:
    """run_all of each seed, each in a process of its own, since it keeps state."""
    out = fresh("a.out")
    sources = [HERE / name for name in (*SOURCES, "main.c")]
    run(target.tool("gcc"), *target.flags, level, "-static", f"-I{HERE}", *sources, "-o", out)
    return [int(run(require(target.emulator), out, str(seed))) for seed in SEEDS]


def returned(program: Program) -> list[int]:
    signature = parse_prototype("int32_t run_all(int32_t seed)", program.isa)
    found = []
    probe = CountsProbe(program)
    with Machine(program, probes=(probe,)) as machine:
        for seed in SEEDS:
            outcome = machine.call("run_all", [seed], signature, seed=seed)
            assert isinstance(outcome, Run), outcome
            counts = probe.collect()
            assert counts.instructions == sum(counts.by_class.values()), "every instruction executed is decoded"
            found.append(int(outcome.returned or 0))
    return found


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", TARGETS)
def test_linked_objects_return_what_qemu_returns(name: str, compiler: str, level: str) -> None:
    target = TARGETS[name]
    paths = [compiled(source, target, compiler, (level,)) for source in (*SOURCES, COPY)]
    assert returned(program_of(load_image(paths), ["run_all"])) == wanted(target, level)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("outer", "inner"), [(A32, THUMB), (THUMB, A32)], ids=lambda target: target.name)
def test_a32_and_thumb_call_each_other(outer: Target, inner: Target, level: str) -> None:
    paths = [compiled("kernel.c", outer, "gcc", (level,))]
    paths += [compiled(source, inner, "gcc", (level,)) for source in ("library.c", "override.c", COPY)]
    image = load_image(paths)
    assert returned(program_of(image, ["run_all"])) == wanted(outer, level)


@pytest.mark.parametrize("name", TARGETS)
def test_of_an_archive_the_members_that_are_needed_come(name: str) -> None:
    target = TARGETS[name]
    members = [compiled(source, target) for source in ("library.c", "override.c", COPY)]
    unneeded = compiled("int nobody_calls_this(void) { extern int not_there(void); return not_there(); }\n", target)
    archive = target.archive(fresh("library.a"), unneeded, *members)
    image = load_image([compiled("kernel.c", target), archive])
    assert "nobody_calls_this" not in image.by_name
    out = fresh("a.out")
    driver = compiled("main.c", target, "gcc")
    run(target.tool("gcc"), *target.flags, "-static", driver, compiled("kernel.c", target), archive, "-o", out)
    want = [int(run(require(target.emulator), out, str(seed))) for seed in SEEDS]
    assert want != wanted(target, "-O2"), "the weak definition stands: nothing asks for the member with the other"
    assert returned(program_of(image, ["run_all"])) == want


@pytest.mark.parametrize("stripped", [False, True])
@pytest.mark.parametrize("name", TARGETS)
def test_shared_objects_are_loaded_with_what_they_import(name: str, stripped: bool) -> None:
    target = TARGETS[name]
    pic = ("-O2", "-fPIC")
    shared = fresh("libkernel.so")
    strip = ["-s"] if stripped else []
    run(
        target.tool("gcc"),
        *target.flags,
        "-shared",
        "-nostdlib",
        *strip,
        compiled("kernel.c", target, "gcc", pic),
        "-o",
        shared,
    )
    rest = [compiled(source, target, "gcc", pic) for source in ("library.c", "override.c", COPY)]
    second = fresh("librest.so")
    run(target.tool("gcc"), *target.flags, "-shared", "-nostdlib", *rest, "-o", second)
    for others in (rest, [second]):
        assert returned(program_of(load_image([shared, *others]), ["run_all"])) == wanted(target, "-O2")


@pytest.mark.parametrize("name", TARGETS)
def test_inline_functions_of_two_objects_are_one(name: str) -> None:
    target = TARGETS[name]
    text = "// c++\ntemplate <typename T> struct Sum {{ static T count; T add(T x) {{ return count += x; }} }};\n"
    text += "template <typename T> T Sum<T>::count = 1;\ntemplate struct Sum<int>;\n"
    text += 'extern "C" int {0}(int x) {{ Sum<int> s; return s.add(x) {1}; }}\n'
    first = compiled(text.format("other", "* 2"), target, "clang")
    second = compiled(
        text.format("run_all", "+ other(x)").replace("template <t", 'extern "C" int other(int);\ntemplate <t', 1),
        target,
        "clang",
    )
    program = program_of(load_image([second, first]), ["run_all"])
    assert returned(program) == [1 + seed + 2 * (1 + 2 * seed) for seed in SEEDS]


def test_an_archive_alone_is_linked_whole() -> None:
    archive = A64.archive(fresh("all.a"), *(compiled(source, A64) for source in (*SOURCES, COPY)))
    assert returned(program_of(load_image([archive]), ["run_all"])) == wanted(A64, "-O2")
    assert Path(archive).exists()

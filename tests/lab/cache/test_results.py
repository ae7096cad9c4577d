"""A result is found again while all that it depends on is the same, and not after one byte of any of it has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import ADD, new_repository
from tests.tools import require

from neonlab.lab.cache import lab_version
from neonlab.lab.cache.kernel_sources import sources_of
from neonlab.lab.cache.lab_version import lab_digest, lab_folder
from neonlab.lab.cache.results import Question, Results
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.verdicts import ask_verdicts, keep_verdicts, kept_verdicts
from neonlab.lab.repository.library import Kernel, open_kernel, open_library, read_members
from neonlab.lab.run.plan import parse_shape
from neonlab.verify.verdict import JudgedBy, Verdict

KERNEL = f"asm/{ADD}.S"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose kernel includes a file that includes another, and whose operator imports a module."""
    root = new_repository(tmp_path / "repository")
    kernel = root / KERNEL
    kernel.write_text(kernel.read_text().replace("    .text", '#include "macros.inc"\n    .text', 1))
    assert "macros.inc" in kernel.read_text()
    (kernel.parent / "macros.inc").write_text('// a remark on include files\n.include "deeper.inc"\n')
    (kernel.parent / "deeper.inc").write_text(".macro nothing\n.endm\n")
    (root / "kernels" / "_shared.py").write_text("from . import _below\nTHREE = 3\n")
    (root / "kernels" / "_below.py").write_text("import numpy as np\nFOUR = np.int8(4)\n")
    (root / "kernels" / "_other.py").write_text("FIVE = 5\n")
    operator = root / "kernels" / "add.py"
    operator.write_text(operator.read_text().replace("import numpy", "from ._shared import THREE\nimport numpy", 1))
    return root


def opened(root: Path) -> Kernel:
    [kernel] = read_members(root / KERNEL)
    return kernel


def key_of(root: Path, tmp_path: Path, *values: object) -> str:
    with Results(tmp_path / "kept") as results:
        question = results.question("verdict", opened(root), *values)
        assert question is not None
        return question.key


def append(text: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(path.read_text() + text)

    return change


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(
    ("file", "change"),
    [
        (KERNEL, append(" ")),
        ("asm/armv8/macros.inc", append("\n")),
        ("asm/armv8/deeper.inc", append("\n")),
        ("kernels/add.py", append("\n")),
        ("kernels/_shared.py", append("\n")),
        ("kernels/_below.py", append("\n")),
        ("kernels/data.bin", lambda path: path.write_bytes(b"\0")),
    ],
)
def test_a_byte_of_what_a_kernel_depends_on_changes_the_key(
    file: str, change: Callable[[Path], None], root: Path, tmp_path: Path
) -> None:
    before = key_of(root, tmp_path)
    assert key_of(root, tmp_path) == before
    path = root / file
    data = path.read_bytes() if path.exists() else None
    change(path)
    assert key_of(root, tmp_path) != before
    path.unlink() if data is None else path.write_bytes(data)
    assert key_of(root, tmp_path) == before


@pytest.mark.parametrize("file", ["kernels/_other.py", "asm/armv7/add_s8_saturated.S", "tests/test_add.py"])
def test_what_a_kernel_does_not_depend_on_leaves_the_key(file: str, root: Path, tmp_path: Path) -> None:
    before = key_of(root, tmp_path)
    append("\n")(root / file)
    assert key_of(root, tmp_path) == before


@pytest.mark.parametrize(
    "text",
    [
        '#define FILE "unseen.inc"\n#include FILE\n',
        '.macro bring what\n.include "\\what"\n.endm\nbring unseen.inc\n',
        "bring .include, unseen.inc\n",
        '.in\\()clude "unseen.inc"\n',
        '#if __has_include("unseen.inc")\n#endif\n',
    ],
)
def test_a_text_that_does_not_say_what_it_includes_is_assembled(text: str, root: Path) -> None:
    from neonlab.lab.cache.kernel_sources import _names

    assert _names(text.encode()) is None
    assert _names(b'/* what include means */ // include\n#include "a.inc"\n.incbin "b.bin"\n') == (
        (b"a.inc", None, None),
        (None, None, b"b.bin"),
    )


def test_an_include_named_by_a_macro_counts_by_what_it_brings(root: Path, tmp_path: Path) -> None:
    kernel = root / KERNEL
    kernel.write_text(kernel.read_text().replace('#include "macros.inc"', '#define M "macros.inc"\n#include M', 1))
    deeper = root / "asm" / "armv8" / "deeper.inc"
    deeper.write_text(".macro nothing\n.endm\n.section .rodata\n.byte 1\n.text\n")
    before = key_of(root, tmp_path)
    deeper.write_text(deeper.read_text().replace(".byte 1", ".byte 2"))
    assert key_of(root, tmp_path) != before


def test_a_module_that_imports_in_its_own_way_counts_with_all_of_them(root: Path, tmp_path: Path) -> None:
    append("import importlib\n")(root / "kernels" / "add.py")
    before = key_of(root, tmp_path)
    append("\n")(root / "kernels" / "_other.py")
    assert key_of(root, tmp_path) != before


@pytest.mark.slow
def test_a_package_of_nobody_is_not_trusted(root: Path, tmp_path: Path) -> None:
    append("def late():\n    import nowhere_installed\n")(root / "kernels" / "_below.py")
    assert sources_of(opened(root)) is None


def test_seeds_options_and_shapes_change_the_key(root: Path, tmp_path: Path) -> None:
    kernel = opened(root)
    shape = parse_shape(kernel, "33")
    keys = {
        key_of(root, tmp_path, *values)
        for values in (
            (),
            (1,),
            (2,),
            (1, ["random"]),
            (1, ["random", "lowest"]),
            (shape,),
            ([shape],),
            (1, True),
            (1, 1),
        )
    }
    assert len(keys) == 9


def test_every_source_and_table_of_the_lab_counts_and_so_do_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = tmp_path / "neonlab"
    shutil.copytree(lab_folder(), lab, ignore=shutil.ignore_patterns("__pycache__", "library", "*.pyc"))
    before = lab_digest.__wrapped__(lab)
    assert before == lab_digest.__wrapped__(lab_folder())
    for name in ("measure/cores/tables/cortex-a53.pipeline.toml", "verify/checker.py", "emulate/hooks/block_meter.py"):
        data = (lab / name).read_bytes()
        (lab / name).write_bytes(data + b"\n")
        assert lab_digest.__wrapped__(lab) != before
        (lab / name).write_bytes(data)
        assert lab_digest.__wrapped__(lab) == before
    (lab / "new.py").write_bytes(b"")
    assert lab_digest.__wrapped__(lab) != before
    (lab / "new.py").unlink()
    known = lab_version._version
    for package in lab_version.PACKAGES:
        monkeypatch.setattr(lab_version, "_version", lambda name, p=package: "0" if name == p else known(name))
        assert lab_digest.__wrapped__(lab) != before
    monkeypatch.setattr(lab_version, "_version", known)
    monkeypatch.setattr(lab_version, "__version__", "9")
    assert lab_digest.__wrapped__(lab) != before


def test_compiled_code_counts_by_its_program_and_its_reference(tmp_path: Path) -> None:
    require("aarch64-linux-gnu-gcc")
    code = tmp_path / "twice.c"
    code.write_text(
        '#include "by.h"\n#include <stdint.h>\n#include <stddef.h>\n'
        "void twice(const int8_t *a, int8_t *c, size_t n) { for (size_t i = 0; i < n; i++) c[i] = BY * a[i]; }\n"
        "void right(const int8_t *a, int8_t *c, size_t n) { for (size_t i = 0; i < n; i++) c[i] = a[i] + a[i]; }\n"
    )
    (tmp_path / "by.h").write_text("#define BY 2\n")
    (tmp_path / "twice.contract.toml").write_text(
        'prototype = "void (const int8_t *a, int8_t *c, size_t n)"\nisa = ["armv8.0-a", "neon"]\n'
        '[args]\na = { read = "n" }\nc = { write = "n" }\nn = { range = [0, 64] }\n[reference]\nsymbol = "right"\n'
    )
    before = sources_of(open_kernel(code))
    assert before is not None
    (tmp_path / "by.h").write_text("#define BY 3\n")
    from neonlab.sources.program import forget_programs

    forget_programs()
    after = sources_of(open_kernel(code))
    assert after is not None and after.digest != before.digest
    text = (tmp_path / "twice.contract.toml").read_text()
    (tmp_path / "twice.contract.toml").write_text(f"{text}on_host = true\n")
    assert sources_of(open_kernel(code)) is None


def verdict(kernel: Kernel) -> Verdict:
    return Verdict(kernel.title, "a64", str(kernel.path), 3, 0, (), JudgedBy.REFERENCE, 1)


def asked(results: Results, kernel: Kernel) -> Question:
    question = results.question("verdict", kernel)
    assert question is not None
    return question


def test_an_answer_is_kept_and_counted(root: Path, tmp_path: Path) -> None:
    kernel = opened(root)
    with Results(tmp_path / "kept") as results:
        assert results.answers([asked(results, kernel)], "verdict") == [None]
        results.keep(asked(results, kernel), verdict(kernel), 1.5)
    with Results(tmp_path / "kept") as results:
        assert results.answers([asked(results, kernel), None], "verdict") == [verdict(kernel), None]
        assert results.counts == {"verdict": (2, 1)} and results.seconds([asked(results, kernel)]) == [1.5]


@pytest.mark.parametrize("file", [KERNEL, "asm/armv8/deeper.inc", "kernels/_below.py"])
def test_what_was_written_during_a_run_is_not_kept(file: str, root: Path, tmp_path: Path) -> None:
    kernel = opened(root)
    with Results(tmp_path / "kept") as results:
        question = asked(results, kernel)
        text = (root / file).read_text()
        (root / file).write_text(f"{text}\n")
        (root / file).write_text(text)  # as it was, but what ran in between is not known
        results.keep(question, verdict(kernel))
    with Results(tmp_path / "kept") as results:
        assert results.answers([asked(results, kernel)], "verdict") == [None]


def test_nothing_is_kept_once_a_source_of_the_lab_was_written(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = opened(root)
    with Results(tmp_path / "kept") as results:
        results.keep(asked(results, kernel), verdict(kernel))
        monkeypatch.setattr("neonlab.lab.cache.results.lab_stamps", lambda: ())
    monkeypatch.undo()
    with Results(tmp_path / "kept") as results:
        assert results.answers([asked(results, kernel)], "verdict") == [None]
        results.keep(asked(results, kernel), verdict(kernel))
    monkeypatch.setattr("neonlab.lab.cache.results.written_since_start", lambda: True)
    with Results(tmp_path / "kept") as results:
        assert results.question("verdict", kernel) is None and not results.is_on


def test_without_a_folder_nothing_is_kept_or_found(root: Path) -> None:
    kernel = opened(root)
    with Results(None) as results:
        assert results.question("verdict", kernel) is None and results.answers([None], "verdict") == [None]


def test_the_verdict_on_a_kernel_in_whose_check_a_process_ended_is_not_kept(root: Path, tmp_path: Path) -> None:
    from neonlab.lab.parallel.pool import KernelHandle

    kernel = opened(root)
    with Workers(1) as workers, Results(tmp_path / "kept") as results:
        questions = ask_verdicts(results, [(kernel, [])], seed=1)
        workers.bereaved.add(KernelHandle.of(kernel))
        keep_verdicts(results, questions, workers, [kernel], [verdict(kernel)])
        results.write()
        assert kept_verdicts(results, questions) == {}
        workers.bereaved.clear()
        keep_verdicts(results, questions, workers, [kernel], [verdict(kernel)])
        results.write()
        assert kept_verdicts(results, questions) == {kernel: verdict(kernel)}


@pytest.mark.sweep(parts=2)
@pytest.mark.parametrize("kernel", open_library(ROOT).kernels, ids=lambda kernel: kernel.title)
def test_what_every_kernel_of_the_library_depends_on_is_known(kernel: Kernel) -> None:
    sources = sources_of(kernel)
    assert sources is not None
    places = [Path(path) for path, *_ in sources.stamps]
    assert kernel.path in places and any(place.parent.name == "kernels" for place in places)
    assembled = {Path(line.path) for line in kernel.code.program().lines.values() if Path(line.path).is_file()}
    assert assembled <= {place.resolve() for place in places} | set(places)

"""The commands as they are typed: exit status, output, messages, JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tests.kernel_sources import FILES, file_of, inlined
from tests.saboteurs import find_saboteur

from neonlab.report.json.documents import schemas

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "conv1x1_s8s32_chw_8x4"


def neonlab(*arguments: str, cwd: Path = ROOT, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, as a person would."""
    return subprocess.run(
        [sys.executable, "-c", "from neonlab.cli import main; main()", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of its own, where kernels may be broken."""
    root = tmp_path_factory.mktemp("repository")
    for name in ("asm", "kernels"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def sabotage(root: Path, old: str, new: str, folder: str = "armv8") -> tuple[Path, int]:
    """Replace the first `old` of the kernel by `new` under another name; the file and the line of the change."""
    text = inlined(file_of(f"{folder}/{KERNEL}"))
    assert old in text
    line = text[: text.index(old)].count("\n") + 1
    name = f"{KERNEL}_broken{abs(hash((old, new, folder))) % 10**8}"
    path = root / f"{name}.S"
    path.write_text(re.sub(rf"(?<!/)\b{KERNEL}\b(?!\.)", name, text.replace(old, new, 1)))
    return path, line


@pytest.mark.slow
def test_help_leads_to_every_command() -> None:
    shown = neonlab("--help")
    assert shown.returncode == 0
    for command in (
        "list",
        "cores",
        "check",
        "profile",
        "compare",
        "report",
        "asm",
        "bench",
        "schemes",
        "contract",
        "schema",
    ):
        assert re.search(rf"^  {command} ", shown.stdout, re.MULTILINE)
        assert neonlab(command, "--help").returncode == 0


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), "No such command"),
        (("check", "conv1x1_s8s32_chw_8x5"), "did you mean `conv1x1_s8s32_chw_8x4`"),
        (("check", "armv9/conv1x1_s8s32_chw_8x4"), "did you mean"),
        (("check", "absent.S"), "no such file"),
        (("check", KERNEL, "--shape", "1x2x3"), "height x width x in_channels x out_channels"),
        (("check", KERNEL, "--pattern", "rnadom"), "no pattern is called `rnadom`; there are random"),
        (("check", KERNEL + "_left4", "--shape", "1x8x8x4"), "step"),
        (("profile", KERNEL), "--shape"),
        (("profile", KERNEL, "--shape", "0x1x1x1"), "pixels = 0 is outside the contract's range"),
        (("profile", KERNEL, "--shape", "1x1x-1x1"), "every size must be 0 or more"),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--core", "cortex-a99"), "no core `cortex-a99`; there are apple-m1"),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--warm"), "changes the estimate for a core: name one with --core"),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--calls", "4"), "--calls changes the estimate for a core"),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--cold-weights"), "--cold-weights changes the estimate for a core"),
        (
            ("profile", KERNEL, "--shape", "1x4x4x4", "--core", "cortex-a53", "--warm", "--calls", "4"),
            "give one of them",
        ),
        (
            ("profile", KERNEL, "--shape", "1x4x4x4", "--core", "cortex-a53", "--calls", "1025"),
            "less than or equal to 1024",
        ),
        (
            ("profile", "armv8/add_s8s8_flat_16_gemmlowp", "--shape", "64", "--core", "cortex-a53", "--cold-weights"),
            "no buffer is known to hold weights: mark those with `cold = true`",
        ),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--timeline"), "name a core with --core, one of apple-m1"),
        (("profile", KERNEL, "--shape", "1x4x4x4", "--full"), "name a core with --core"),
        (
            ("profile", KERNEL, "--layers", "--timeline", "--core", "cortex-a53"),
            "shows one --shape: leave out --layers",
        ),
        (("profile", KERNEL, "--layers"), "--layers shows cycles: name a core with --core"),
        (("profile", KERNEL, "--layers", "--core", "cortex-a99"), "no core `cortex-a99`; there are apple-m1"),
        (
            ("profile", KERNEL, "--layers", "--shape", "1x4x4x4", "--core", "cortex-a53"),
            "with --shape, or --layers",
        ),
        (("asm", "absent.S"), "no such file"),
        (("asm", "LICENSE"), "isa"),
        (("cores", "--against", "absent.csv"), "absent.csv"),
        (("cores", "--against", "LICENSE"), "LICENSE"),
        (("cores", "--core", "cortex-m0"), "no core `cortex-m0`"),
        (
            ("profile", "armv8/conv1x1_s8s32_hwc_4x4", *["--shape", "4x4x8x8", "--core", "cortex-a7"]),
            "does not execute A64",
        ),
        (("report", "--core", "cortex-m0"), "no core `cortex-m0`"),
        (("report", "conv1x1_s8s32_hwc_4x4", "--no-pages"), "--no-pages"),
        (("cores", "--record"), "--against"),
        (("cores", "--calls", "4"), "--calls needs --functions"),
        (
            ("profile", "tests/c/sad16.c", "--isa", "armv8", "--shape", "16x32x3", "--set", "a.offset=9999"),
            "offset of `a` is a number of bytes, 0 to 4095",
        ),
        (
            ("profile", "tests/c/sad16.c", "--isa", "armv8", "--shape", "16x32x3", "--set", "a.data=absent.npy"),
            "absent.npy: no such file",
        ),
        (("schemes", "--scale", "1.5"), "at least 2^-31 and below 1"),
        (("schemes", "--scheme", "ruy"), "name two schemes or more"),
        (("schemes", "--scheme", "ruy", "--scheme", "rui"), "no scheme is called `rui`; there are ruy, "),
        (("schema", "nonsense"), "no schema for `nonsense`"),
    ],
)
@pytest.mark.sweep(keep=10)
def test_bad_usage_gets_one_clear_message_and_status_2(arguments: tuple[str, ...], words: str) -> None:
    result = neonlab(*arguments)
    assert result.returncode == 2, result.stderr
    assert words in result.stderr and "Traceback" not in result.stderr and result.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("cores",),
        ("check", f"armv8/{KERNEL}", "--shape", "1x9x8x4"),
        ("profile", f"armv7/{KERNEL}", "--shape", "1x9x8x4"),
        ("profile", f"armv8/{KERNEL}", "--shape", "1x9x8x4", "--core", "cortex-a53", "--warm", "--no-prefetcher"),
        ("profile", f"armv8/{KERNEL}", "--shape", "1x9x8x4", "--core", "cortex-a72", "--calls", "4", "--cold-weights"),
        ("compare", KERNEL, "--shape", "1x9x8x4", "--shape", "1x12x8x4"),
        ("asm", f"asm/armv8/conv1x1/{KERNEL}.S"),
        ("bench", f"armv8/{KERNEL}", "--shape", "1x64x64x16"),
        ("schemes", "--scale", "0.0123"),
        ("check", "tests/c/sad16.c", "--isa", "armv8", "--shape", "16x32x3"),
        ("profile", "tests/c/sad16.c", "--isa", "armv7", "--shape", "16x32x3"),
        ("contract", "tests/c/sad16.c", "--learn", "rows=1:3,a_stride=16,b_stride=-16"),
    ],
)
@pytest.mark.sweep(keep=4)
def test_json_is_one_document_that_keeps_to_its_schema(arguments: tuple[str, ...]) -> None:
    result = neonlab(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    jsonschema.validate(json.loads(result.stdout), schemas()[arguments[0]])


@pytest.mark.thorough("documents are held to their schemas in another test")
def test_every_schema_is_a_schema_and_is_printed() -> None:
    for name, schema in schemas().items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert json.loads(neonlab("schema", name).stdout) == schema


@pytest.mark.thorough("`make report` checks every kernel too")
def test_check_without_arguments_checks_every_kernel_with_at_least_40_cases_each() -> None:
    result = neonlab("check", "--json", timeout=900)
    assert result.returncode == 0, result.stdout
    verdicts = json.loads(result.stdout)["verdicts"]
    assert {Path(verdict["path"]).name for verdict in verdicts} == {path.name for path in FILES}
    assert all(verdict["passed"] and verdict["has_reference"] and verdict["cases"] >= 40 for verdict in verdicts)
    assert [verdict["kernel"] for verdict in verdicts if verdict["not_run"]] == []


@pytest.mark.slow
def test_the_same_seed_prints_the_same_and_is_printed() -> None:
    once, again = (neonlab("check", f"armv8/{KERNEL}", "--seed", "5").stdout for _ in range(2))
    assert once == again and "seed 5" in once


@pytest.mark.slow
def test_pages_of_files_outside_a_repository_go_where_one_is_and_the_index_gathers_them(tmp_path: Path) -> None:
    text = (ROOT / "sim/neonlab/lab/start/template/asm/armv8/add_s8_saturated.S").read_text()
    for name in ("sum_one", "sum_two"):
        unclaimed = text.replace("add_s8_saturated", name).replace("/*toml\n", '/*toml\nreference = "none"\n', 1)
        (tmp_path / f"{name}.S").write_text(unclaimed)
        done = neonlab("report", f"{name}.S", "--core", "cortex-a53", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
    pages = tmp_path / "reports" / "pages"
    assert sorted(path.name for path in pages.iterdir()) == ["index.html", "sum_one.S.html", "sum_two.S.html"]
    index = (pages / "index.html").read_text()
    assert re.findall(r'<a href="([^"]+)">', index) == ["sum_one.S.html", "sum_two.S.html"]


@pytest.mark.slow
def test_a_wrap_that_only_the_analysis_of_ranges_finds_is_told_beside_other_kernels_with_a_command_that_works(
    tmp_path: Path,
) -> None:
    wraps = str(find_saboteur("armv8/lane_wrap_only_the_worst_data").write(tmp_path))
    right = "tests/saboteurs/armv8/saturating_add_s8.S"
    shown = neonlab("check", wraps, right, "--shape", "2304")
    assert shown.returncode == 1, shown.stderr
    assert shown.stderr == ""
    assert f"unchecked {right}" in shown.stdout
    assert "does not fit int16" in shown.stdout and "smallest case that fails the same way: 2304" in shown.stdout
    (again,) = re.findall(r"again: neonlab (.*)", shown.stdout)
    repeated = neonlab(*again.split())
    assert repeated.returncode == 1, repeated.stderr
    assert re.findall(r"lane 0: .*", repeated.stdout) == re.findall(r"lane 0: .*", shown.stdout)

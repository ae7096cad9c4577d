"""`neonlab prove`: the words, the statuses, and inputs that refute a person's own kernel."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ADD, SUM, edit, git, neonlab, new_repository
from tests.tools import require_compiler

from neonlab.isa.model.isa import Isa, isa_named
from neonlab.report.json.documents import schemas

pytestmark = pytest.mark.thorough(
    "compiling what replays a trace takes a minute; tests/report/terminal/test_proof.py has the words without it"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return new_repository(tmp_path)


def test_a_right_kernel_of_a_new_repository_is_proved_at_all_its_small_shapes(repository: Path) -> None:
    shown = neonlab("prove", ADD, cwd=repository)
    assert (shown.returncode, shown.stderr.count("Traceback")) == (0, 0), shown.stdout + shown.stderr
    assert shown.stdout.startswith("proved")
    document = json.loads(neonlab("prove", ADD, "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["prove"])
    (proof,) = document["proofs"]
    assert proof["status"] == "proved"
    assert proof["proved"] == len(proof["shapes"]) > 20


def test_a_kernel_that_is_wrong_for_one_sum_is_refuted(repository: Path) -> None:
    edit(repository, SUM, SUM.replace("sqadd", "add"), ADD)
    shown = neonlab("prove", ADD, "--shape", "40", cwd=repository)
    assert shown.returncode == 1
    assert shown.stdout.startswith("refuted")
    assert "lane-wrap at shape 40, pattern witness" in shown.stdout
    document = json.loads(neonlab("prove", ADD, "--shape", "40", "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["prove"])
    failure = document["proofs"][0]["shapes"][0]["failure"]
    assert failure["identifier"] == "lane-wrap"
    assert shlex.split(failure["again"])[:3] == ["neonlab", "check", ADD]


def _block(text: str) -> str:
    """The lines that describe a failure, with the command to see it again."""
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("  "))


def test_the_command_that_is_printed_runs_the_inputs_that_refute_and_a_right_kernel_passes_them(
    repository: Path,
) -> None:
    edit(repository, SUM, SUM.replace("sqadd", "add"), ADD)
    shown = neonlab("prove", ADD, "--shape", "40", cwd=repository)
    assert neonlab("prove", ADD, "--shape", "40", cwd=repository).stdout == shown.stdout
    (again,) = [line.partition("again: ")[2] for line in shown.stdout.splitlines() if "again: " in line]
    assert git(repository, "status", "--porcelain") == f" M asm/{ADD}.S\n"
    program, *arguments = shlex.split(again)
    assert program == "neonlab"
    failed = neonlab(*arguments, cwd=repository)
    assert (failed.returncode, _block(failed.stdout)) == (1, _block(shown.stdout))
    document = json.loads(neonlab(*arguments, "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["check"])
    assert document["verdicts"][0]["failures"][0]["again"] == again
    edit(repository, SUM.replace("sqadd", "add"), SUM, ADD)
    passed = neonlab(*arguments, cwd=repository)
    assert (passed.returncode, passed.stdout.split()[:3]) == (0, ["exact", ADD, "1"])


def test_the_folder_of_the_inputs_is_the_users_choice(repository: Path) -> None:
    edit(repository, SUM, SUM.replace("sqadd", "add"), ADD)
    shown = neonlab("prove", ADD, "--shape", "40", "--witnesses", "a b/c", cwd=repository)
    assert "--again 'a b/c/add_s8_saturated-" in shown.stdout
    assert not (repository / ".neonlab").exists()
    (repository / "file").write_text("")
    refused = neonlab("-q", "prove", ADD, "--shape", "40", "--witnesses", "file/c", cwd=repository)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("neonlab: file/c: cannot create the folder")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((ADD, "--again", "none.npz"), "none.npz: cannot be read: No such file"),
        ((ADD, "--again", f"asm/{ADD}.S"), "damaged, or no case that neonlab has saved"),
        ((ADD, "--again", "x.npz", "--shape", "4"), "leave out all options that choose cases"),
        (("add_s8_saturated", "--again", "x.npz"), "name one"),
    ],
)
def test_a_file_that_is_no_saved_case_gets_one_clear_message_and_status_2(
    repository: Path, arguments: tuple[str, ...], words: str
) -> None:
    shown = neonlab("-q", "check", *arguments, cwd=repository)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert words in shown.stderr and shown.stderr.count("\n") == 1


def test_a_layer_is_proved_with_an_error_that_the_document_has() -> None:
    asked = ("prove", "armv8/conv1x1_s8s32_hwc_4x4", "--shape", "14x14x32x48")
    shown = neonlab(*asked)
    assert (shown.returncode, shown.stderr.count("Traceback")) == (0, 0), shown.stdout + shown.stderr
    assert shown.stdout.startswith("proved with error below 2^-50  armv8/conv1x1_s8s32_hwc_4x4")
    document = json.loads(neonlab(*asked, "--json").stdout)
    jsonschema.validate(document, schemas()["prove"])
    (proof,) = document["proofs"]
    (shape,) = proof["shapes"]
    assert (proof["status"], shape["status"]) == ("proved with error below 2^-50",) * 2
    assert (proof["proved"], proof["proved_with_error"]) == (0, 1)
    assert shape["log2_error"] < -50


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--tails", "--layers"), "exclude each other"),
        (("--shape", "0"), "outside the contract's range"),
        (("--shape", "2x3"), "give the size"),
    ],
)
def test_bad_usage_gets_one_clear_message_and_status_2(
    repository: Path, arguments: tuple[str, ...], words: str
) -> None:
    shown = neonlab("-q", "prove", ADD, *arguments, cwd=repository)
    assert shown.returncode == 2
    assert words in shown.stderr
    assert not shown.stdout


def test_a_table_of_proofs_is_written_and_kept_for_the_other_kernels(repository: Path) -> None:
    for kernel in (ADD, ADD.replace("armv8", "armv7")):
        assert neonlab("prove", kernel, "--tails", "--into", "reports", cwd=repository).returncode == 0
    records = json.loads((repository / "reports" / "proofs.json").read_text())["kernels"]
    assert [record["kernel"] for record in records] == [ADD.replace("armv8", "armv7"), ADD]
    assert all(record["tails"]["proved"] == record["tails"]["shapes"] > 20 for record in records)
    assert f"| {ADD} |" in (repository / "reports" / "proofs.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--into needs --tails, --layers or --shape"),
        (("--shape", "40"), "40 is no layer of armv8/add_s8_saturated"),
    ],
)
def test_a_table_needs_the_shapes_that_it_has_a_place_for(
    repository: Path, arguments: tuple[str, ...], words: str
) -> None:
    shown = neonlab("prove", ADD, *arguments, "--into", "reports", cwd=repository)
    assert (shown.returncode, words in shown.stderr) == (2, True)
    assert not (repository / "reports" / "proofs.json").exists()


_INTRINSICS = """#include <arm_neon.h>
#include <stddef.h>
void add_s8_saturated(const int8_t *a, const int8_t *b, int8_t *c, size_t count) {
    for (; count >= 16; count -= 16, a += 16, b += 16, c += 16)
        vst1q_s8(c, vqaddq_s8(vld1q_s8(a), vld1q_s8(b)));
}
"""
_SIDECAR = """prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t count)"
[args]
a = { read = "count" }
b = { read = "count" }
c = { write = "count" }
count = { range = [16, 4096], step = 16 }
"""


def _elsewhere(repository: Path, name: str, text: str, contract: str = _SIDECAR) -> str:
    """Write code without a contract, and one beside it, into the repository; its file as the command takes it."""
    folder = repository / "others code"
    folder.mkdir()
    (folder / name).write_text(text)
    (folder / f"{Path(name).stem}.contract.toml").write_text(contract)
    return f"others code/{name}"


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_c_with_intrinsics_is_proved_against_the_operator_that_claims_it(repository: Path, isa: str) -> None:
    require_compiler(isa_named(isa))
    file = _elsewhere(repository, "add_s8_saturated.c", _INTRINSICS)
    shown = neonlab("prove", file, "--isa", isa, cwd=repository)
    assert shown.returncode == 0 and shown.stdout.startswith(f"proved      '{file}' --isa {isa}"), shown.stdout
    (repository / file).write_text(_INTRINSICS.replace("vqaddq", "vaddq"))
    shown = neonlab("prove", file, "--isa", isa, "--shape", "16", cwd=repository)
    assert shown.returncode == 1 and shown.stdout.startswith("refuted"), shown.stdout
    (again,) = [line.partition("again: neonlab ")[2] for line in shown.stdout.splitlines() if "again: " in line]
    assert neonlab(*shlex.split(again), cwd=repository).returncode == 1


def test_other_peoples_assembly_is_proved_with_a_contract_beside_it(repository: Path) -> None:
    text = (repository / "asm" / f"{ADD}.S").read_text().partition("*/")[2]
    file = _elsewhere(repository, "add_s8_saturated.S", text, _SIDECAR.replace(", step = 16", ""))
    shown = neonlab("prove", file, "--isa", "armv8", cwd=repository)
    assert shown.returncode == 0 and shown.stdout.startswith("proved"), shown.stdout


#: One by one, with a register that holds data where the load that would take it as an address is not executed.
_CONDITIONAL_LOADS = """    .syntax unified
    .arm
    .fpu neon
    .global add_s8_saturated
    .type add_s8_saturated, %function
add_s8_saturated:
    push {r4, lr}
    mov r4, #0
1:  cmp r4, #16
    addhs lr, r1, r4
    ldrsbhs lr, [lr]
    ldrsblo lr, [r1, r4]
    ldrsb r12, [r0, r4]
    add r12, r12, lr
    ssat r12, #8, r12
    strb r12, [r2, r4]
    add r4, r4, #1
    cmp r4, r3
    blo 1b
    pop {r4, pc}
"""


def test_a_load_that_is_not_executed_may_have_any_address(repository: Path) -> None:
    file = _elsewhere(repository, "add_s8_saturated.S", _CONDITIONAL_LOADS)
    shown = neonlab("prove", file, "--isa", "armv7", "--shape", "32", cwd=repository)
    assert shown.returncode == 0 and shown.stdout.startswith("proved"), shown.stdout
    (repository / file).write_text(_CONDITIONAL_LOADS.replace("ldrsblo lr, [r1", "ldrsblo lr, [r0"))
    shown = neonlab("prove", file, "--isa", "armv7", "--shape", "32", cwd=repository)
    assert shown.returncode == 1 and shown.stdout.startswith("refuted"), shown.stdout


#: A clamp by vectors, with a tail one by one, and its reference.
_CLAMP = """#include <arm_neon.h>
#include <stddef.h>
void clamp(const int8_t *in, int8_t *out, size_t n, const int8_t *limits)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        vst1q_s8(out + i, vminq_s8(vmaxq_s8(vld1q_s8(in + i), vdupq_n_s8(limits[0])), vdupq_n_s8(limits[1])));
    for (; i < n; i++) {
        int x = in[i] < limits[0] ? limits[0] : in[i];
        out[i] = x > limits[1] ? limits[1] : x;
    }
}
void clamp_c(const int8_t *in, int8_t *out, size_t n, const int8_t *limits)
{
    for (size_t i = 0; i < n; i++) {
        int x = in[i];
        x = x < limits[0] ? limits[0] : x;
        out[i] = x > limits[1] ? limits[1] : x;
    }
}
"""
_CLAMP_CONTRACT = """summary = "a clamp"
prototype = "void clamp(const int8_t *in, int8_t *out, size_t n, const int8_t *limits)"
isa = { armv7 = ["armv7-a", "neon"], armv8 = ["armv8.0-a", "neon"] }
reference = { symbol = "clamp_c" }
[args]
in     = { read = "n" }
out    = { write = "n" }
n      = { range = [0, 100] }
limits = { read = "2" }
"""


#: The last is right at the limits that the proof holds, which are drawn in the wrong order.
_WRONG_CLAMPS = [
    ("limits[1] : x", "limits[0] : x"),
    ("in[i] < limits[0]", "(uint8_t)in[i] < limits[0]"),
    ("x > limits[1] ?", "x >= limits[1] - 1 ?"),
]


def _clamp(folder: Path, text: str = "", by: str = "", contract: str = _CLAMP_CONTRACT) -> str:
    assert text in _CLAMP
    (folder / "clamp.c").write_text(_CLAMP.replace(text, by, 1) if text else _CLAMP)
    (folder / "clamp.contract.toml").write_text(contract)
    return "clamp.c"


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_c_with_a_tail_one_by_one_is_proved_equal_to_its_c_reference_or_refuted(tmp_path: Path, isa: str) -> None:
    require_compiler(isa_named(isa))
    shown = neonlab("prove", _clamp(tmp_path), "--isa", isa, "--shape", "21", cwd=tmp_path)
    assert shown.returncode == 0 and shown.stdout.startswith("proved"), shown.stdout
    assert "equal to the C reference `clamp_c` for every input that the contract allows" in shown.stdout
    for text, by in _WRONG_CLAMPS:
        shown = neonlab("prove", _clamp(tmp_path, text, by), "--isa", isa, "--shape", "21", cwd=tmp_path)
        assert shown.returncode == 1 and shown.stdout.startswith("refuted"), shown.stdout
        (again,) = [line.partition("again: neonlab ")[2] for line in shown.stdout.splitlines() if "again: " in line]
        assert neonlab(*shlex.split(again), cwd=tmp_path).returncode == 1


_UNFOLLOWED = [
    ("        x = x < limits[0] ? limits[0] : x;\n", "        while (x < limits[0]) {\n            x++;\n        "
     '__asm__ volatile ("");\n        }\n', "the reference `clamp_c` decides its path by the data: b."),
    ("n; i++) {\n        int x = in[i];\n", "n - 1; i++) {\n        int x = in[i];\n",
     "the reference `clamp_c` leaves bytes of its outputs as they were"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "by", "reason"), _UNFOLLOWED, ids=["branch", "unwritten"])
def test_a_c_reference_that_cannot_be_followed_says_why(tmp_path: Path, text: str, by: str, reason: str) -> None:
    require_compiler(Isa.A64)
    shown = neonlab("prove", _clamp(tmp_path, text, by), "--isa", "armv8", "--shape", "21", cwd=tmp_path)
    assert shown.returncode == 1 and shown.stdout.startswith("not proved"), shown.stdout
    assert reason in " ".join(shown.stdout.split())


def test_a_c_reference_on_this_computer_cannot_be_followed_and_says_so(tmp_path: Path) -> None:
    require_compiler(Isa.A64)
    contract = _CLAMP_CONTRACT.replace('"clamp_c"', '"clamp_c", on_host = true')
    shown = neonlab("prove", _clamp(tmp_path, contract=contract), "--isa", "armv8", "--shape", "21", cwd=tmp_path)
    assert shown.returncode == 1 and shown.stdout.startswith("not proved"), shown.stdout
    assert "the reference runs on this computer, where it cannot be followed" in " ".join(shown.stdout.split())


def test_a_returned_value_is_compared_with_that_of_a_c_reference(tmp_path: Path) -> None:
    require_compiler(Isa.A64)
    shown = neonlab("prove", "tests/c/dot_s8.c", "--isa", "armv8", "--shape", "37")
    assert shown.returncode == 0 and shown.stdout.startswith("proved"), shown.stdout
    wrong = Path("tests/c/dot_s8.c").read_text().replace("vdupq_n_s32(0)", "vdupq_n_s32(1)", 1)
    (tmp_path / "dot_s8.c").write_text(wrong)
    (tmp_path / "dot_s8.contract.toml").write_text(Path("tests/c/dot_s8.contract.toml").read_text())
    shown = neonlab("prove", "dot_s8.c", "--isa", "armv8", "--shape", "37", cwd=tmp_path)
    assert shown.returncode == 1 and shown.stdout.startswith("refuted"), shown.stdout


def test_every_size_is_proved_or_not_and_decides_the_status(repository: Path) -> None:
    shown = neonlab("prove", ADD, "--shape", "40", "--every", "count", "--json", cwd=repository)
    assert shown.returncode == 1
    document = json.loads(shown.stdout)
    jsonschema.validate(document, schemas()["prove"])
    (proof,) = document["proofs"]
    (every,) = proof["every"]
    assert (proof["status"], every["status"], every["size"]) == ("proved", "not proved", "count")
    assert "grows with the size" in every["reason"]


@pytest.mark.parametrize(("options", "message"), [((), "--every needs --shape"), (("--shape", "40"), "has no size")])
def test_every_without_a_shape_or_of_no_size_is_refused(
    repository: Path, options: tuple[str, ...], message: str
) -> None:
    shown = neonlab("prove", ADD, *options, "--every", "sums", cwd=repository)
    assert (shown.returncode, message in shown.stderr) == (2, True)

"""What `neonlab contract` proposes: from prototypes alone, and from runs, against contracts written by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from tests.tools import require_compiler

import neonlab
from neonlab.contract.header import Argument
from neonlab.contract.options import Given
from neonlab.contract.size_expression import SizeExpression
from neonlab.isa.model.isa import Isa
from neonlab.sources.inference import fitted, points
from neonlab.sources.open import open_code
from neonlab.sources.proposal import propose

FOLDER = Path(__file__).parents[1] / "c"
#: Numbers to run each function with.
RUNS = {
    "add_quantized": "n=8:32:8",
    "dot_s8": "n=1:40:13",
    "igemm_1x8": "nc=1:12:5,kc=1:7:3,ks=1:7:3,a_offset=0",
    "matvec": "rows=4:8:4,columns=8:24:8,stride=40:56:16",
    "quantize": "n=1:30:7",
    "requantize": "n=8:32:8",
    "sad16": "rows=1:5:2,a_stride=16:48:16,b_stride=16:48:32",
    "transpose8": "",
}


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
@pytest.mark.parametrize("name", [name for name, runs in RUNS.items() if runs])
def test_sizes_learned_by_running_are_those_that_a_person_states(name: str, isa: Isa) -> None:
    require_compiler(isa)
    path = FOLDER / f"{name}.c"
    contract = open_code(path, Given(isa=isa)).contract
    proposal = propose(path, Given(isa=isa), [RUNS[name]])
    args = tomllib.loads(proposal.text)["args"]
    assert proposal.learned is not None
    for sample in proposal.learned.samples:
        values = {argument.name: 1 for argument in contract.integers} | dict(sample)
        for argument in contract.arguments:
            if argument.is_pointer and not argument.fields and name + argument.name != "igemm_1x8zero":
                entry = args[argument.name]
                assert learned_bytes(entry, argument, values, isa) == stated_bytes(argument, values), (argument, entry)


def learned_bytes(entry: dict[str, str], argument: Argument, values: dict[str, int], isa: Isa) -> dict[str, int]:
    if "pointers" in entry:
        return {"read": isa.pointer_bytes * SizeExpression(entry["pointers"]).evaluate(values)}
    return {verb: SizeExpression(entry[verb]).evaluate(values) for verb in ("read", "write") if verb in entry}


def stated_bytes(argument: Argument, values: dict[str, int]) -> dict[str, int]:
    both = (("read", argument.read), ("write", argument.write))
    return {verb: extent.evaluate(values) for verb, extent in both if extent is not None}


def test_one_length_sizes_every_pointer_and_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("")
    given = Given(prototype="void f(const int8_t *a, const int16_t *b, float *out, size_t n)")
    proposal = propose(tmp_path / "f.c", given)
    args = tomllib.loads(proposal.text)["args"]
    assert (args["a"], args["b"], args["out"]) == ({"read": "n"}, {"read": "2*n"}, {"write": "4*n"})
    assert proposal.blanks == ()


def test_what_cannot_be_inferred_is_asked_for_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text("")
    pointers = "int8_t *out, const int8_t *const *rows, const int8_t *w"
    prototype = f"void f({pointers}, int zero_point, size_t n, size_t k, uint8_t low)"
    proposal = propose(tmp_path / "f.c", Given(prototype=prototype))
    assert proposal.blanks == ("out", "rows", "w", "zero_point")
    args = tomllib.loads(proposal.text.replace("[?, ?]", "[0, 0]"))["args"]
    assert args["low"] == {"range": [0, 255]}
    assert args["rows"]["pointers"] == "?"
    assert "out, rows, w, zero_point" in proposal.question


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_a_proposal_taken_as_it_is_can_be_checked(isa: Isa, tmp_path: Path) -> None:
    require_compiler(isa)
    path = tmp_path / "requantize.c"
    path.write_text((FOLDER / "requantize.c").read_text())
    proposal = propose(path, Given(isa=isa), ["n=8:32:8"])
    text = proposal.text.replace("n = { range = [8, 32] }", "n = { range = [8, 32], step = 8 }")
    text = text.replace("shift = { range = [-2147483648, 2147483647] }", "shift = { range = [1, 20] }")
    (tmp_path / "requantize.contract.toml").write_text(text)
    function = neonlab.load(
        path, isa=isa, reference_symbol="requantize_c", contract={"p.multiplier.range": [1, 2**31 - 1]}
    )
    verdict = function.check()
    assert not [failure for failure in verdict.failures if failure.identifier.startswith(("oob", "uninit"))]
    assert verdict.cases >= 40


def test_extents_touched_are_reported_run_by_run(tmp_path: Path) -> None:
    path = tmp_path / "f.S"
    path.write_text(".text\n.global f\nf: ldr q0, [x0, #-16]\n str d0, [x1, #4]\n ret\n")
    proposal = propose(path, Given(isa=Isa.A64, prototype="void f(const int8_t *a, int8_t *c)"), ["n=1"][:0] or [])
    assert proposal.learned is None
    given = Given(isa=Isa.A64, prototype="void f(const int8_t *a, int8_t *c, size_t n)")
    runs = propose(path, given, ["n=1:2"]).to_json()["runs"]
    assert [run["numbers"] for run in runs] == [{"n": 1}, {"n": 2}]
    assert runs[0]["touched"] == {"a": {"read": [-16, 0], "write": None}, "c": {"read": None, "write": [4, 12]}}


@pytest.mark.parametrize("isa", list(Isa), ids=lambda isa: isa.value)
def test_rows_walked_backwards_have_their_origin_learned(isa: Isa) -> None:
    require_compiler(isa)
    proposal = propose(FOLDER / "sad16.c", Given(isa=isa), ["rows=1:4,a_stride=16,b_stride=-16"])
    args = tomllib.loads(proposal.text)["args"]
    assert args["a"] == {"read": "16*rows"}
    assert SizeExpression(args["b"]["origin"]).evaluate({"rows": 9}) == 8 * 16
    assert SizeExpression(args["b"]["read"]).evaluate({"rows": 9}) == 9 * 16


def test_a_fit_is_believed_only_with_more_runs_than_terms() -> None:
    samples = [{"n": n} for n in (3, 5)]
    assert fitted(samples, [6, 10]) == "2*n"
    assert fitted(samples, [7, 9]) is None
    assert fitted([*samples, {"n": 9}], [7, 9, 13]) == "n + 4"
    assert fitted([{"n": 4}], [8]) is None


def test_runs_are_every_combination_of_lists_and_ranges() -> None:
    assert list(points("n=1,2,9,k=4:12:4,n=5")) == [{"n": n, "k": k} for n in (1, 2, 9, 5) for k in (4, 8, 12)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n", "NAME=VALUE"),
        ("3,n=2", "NAME=VALUE"),
        ("n=x", "is not an integer"),
        ("n=1:9:0", "is not a range"),
        ("n=0:99999", "is not a range"),
    ],
)
def test_runs_that_cannot_be_made_are_refused(text: str, said: str) -> None:
    with pytest.raises(neonlab.InputError, match=said):
        list(points(text))

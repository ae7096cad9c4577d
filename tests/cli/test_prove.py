"""`neonlab prove`: the words, the statuses, and inputs that refute a person's own kernel."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.command_line import ADD, SUM, edit, neonlab, new_repository

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
    assert "mismatch at shape 40" in shown.stdout
    document = json.loads(neonlab("prove", ADD, "--shape", "40", "--json", cwd=repository).stdout)
    jsonschema.validate(document, schemas()["prove"])
    assert document["proofs"][0]["shapes"][0]["failure"]["identifier"] == "mismatch"


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

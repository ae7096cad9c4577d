"""`neonlab forms` in the terminal and as JSON."""

from __future__ import annotations

import json
import re

import jsonschema
from tests.command_line import neonlab

from neonlab.measure.form_table.figures import FormFigures
from neonlab.report.json.documents import schemas
from neonlab.report.terminal.forms import form_lines


def test_the_table_fits_80_columns_and_each_row_names_its_source() -> None:
    done = neonlab("-q", "forms", "smlal*")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "smlal.8b" in lines and "smlal2.16b" in lines
    used = set(re.findall(r"\[(\d+)\]$", done.stdout, re.MULTILINE))
    listed = re.findall(r"^\[(\d+)\] \w", done.stdout, re.MULTILINE)
    assert listed and set(listed) == used and listed == sorted(listed, key=int)


def test_json_has_what_the_schema_says() -> None:
    done = neonlab("-q", "forms", "vmlal.s8 q, d, d", "--core", "cortex-a53", "--core", "apple-m1", "--json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["forms"])
    (form,) = document["forms"]
    assert (form["form"], form["instruction"]) == ("smlal.8b", "vmlal.s8 q0, d2, d4")
    a53, m1 = form["cores"]
    assert (a53["latency"], a53["latency_to_accumulator"], a53["rate"], a53["ports"]) == (4, 1, 1, "N0 N1")
    assert (a53["evidence"], a53["measured_alike"], a53["executes"]) == ("alike measured", "smlal.4h", True)
    assert (m1["executes"], m1["refusal"]) == (False, "apple-m1 does not execute A32")


def test_what_is_asked_wrongly_is_refused_in_one_line() -> None:
    for arguments, words in ((("xyz",), "no form fits `xyz`"), (("add", "--core", "m0"), "no core `m0`")):
        done = neonlab("-q", "forms", *arguments)
        assert done.returncode == 2 and words in done.stderr and done.stdout == ""
        assert len(done.stderr.splitlines()) == 1


def test_ports_that_leave_no_room_have_a_line_of_their_own() -> None:
    from neonlab.measure.form_table.asked import AskedForm

    one = FormFigures("a-core", "x", 1.0, None, None, 1.0, "P" * 40, "estimate", "x", "a-core", source="somewhere")
    lines = list(form_lines([(AskedForm("x"), [one])]))
    assert lines[2].endswith("P" * 40) and lines[3].strip() == "estimate [1]"

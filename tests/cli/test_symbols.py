"""`neonlab symbols`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.test_commands import neonlab
from tests.objects.build import A64, THUMB, compiled, fresh

from neonlab.report.json.documents import schemas


def test_functions_and_what_is_undefined_are_listed() -> None:
    done = neonlab("symbols", str(compiled("library.c", THUMB, "", ("-O2", "-g"))))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].endswith("library.o: A32, 9 functions")
    assert any("global   thumb  wide" in line and "library.c:12" in line for line in lines)
    assert any(line.split()[:4] == ["exported_table", "used", "by", "both"] for line in lines)
    only = neonlab("symbols", "-u", str(compiled("library.c", THUMB, "", ("-O2", "-g"))))
    assert "shared_counter" in only.stdout
    assert "polynomial" not in only.stdout


def test_json_keeps_to_its_schema() -> None:
    archive = A64.archive(fresh("all.a"), compiled("kernel.c", A64), compiled("library.c", A64))
    done = neonlab("symbols", "--json", str(archive))
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["symbols"])
    assert [one["title"].rpartition("(")[2] for one in document["objects"]] == ["kernel.o)", "library.o)"]
    optional = next(u for u in document["objects"][0]["undefined"] if u["name"] == "optional")
    assert (optional["weak"], optional["users"]) == (True, ["classify"])


@pytest.mark.slow
@pytest.mark.parametrize(("said", "isa"), [("armv8", "a64"), ("aarch32", "a32")])
def test_c_is_compiled_and_listed(said: str, isa: str) -> None:
    source = Path(__file__).parents[1] / "c" / "rows_dot.cpp"
    document = json.loads(neonlab("symbols", str(source), "--isa", said, "--json").stdout)
    assert document["objects"][0]["isa"] == isa
    names = [f["demangled"].partition("(")[0] for f in document["objects"][0]["functions"]]
    assert sorted(names) == ["lab::rows_dot", "lab::rows_dot_c", "lab::scaled", "lab::scaled"]
    refused = neonlab("symbols", str(source), "--isa", "mips")
    assert refused.returncode == 2 and "there are armv7 (a32) and armv8 (a64)" in refused.stderr


@pytest.mark.parametrize("isa", ["a64", "a32"])
def test_assembly_is_assembled_and_listed(isa: str) -> None:
    folder = Path(__file__).parents[1] / "foreign"
    source = folder / isa / "codec_sad.S"
    options = ["--isa", isa, "-I", str(folder / "include"), "-D", "PREFIXED=some_"]
    done = neonlab("symbols", str(source), *options, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    jsonschema.validate(document, schemas()["symbols"])
    functions = document["objects"][0]["functions"]
    assert [f["name"] for f in functions] == [f"some_sad_{w}x{h}" for h in (4, 8, 16) for w in (4, 8, 16)]
    assert {(f["binding"], f["state"]) for f in functions} == {("global", isa)}
    assert all(f["where"].startswith(f"{source}:") for f in functions)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"!<arch>\n" + b"x" * 60, b"\x7fELF\x02\x01\x01" + b"\xff" * 90])
def test_what_is_no_object_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.o"
    path.write_bytes(content)
    done = neonlab("symbols", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"neonlab: {path}: ")
    assert done.stderr.count("\n") == 1
    assert neonlab("symbols", str(tmp_path / "absent.o")).returncode == 2

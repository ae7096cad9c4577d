"""Cases in files: what is read is what was saved, and nothing that was changed since."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from neonlab.errors import InputError
from neonlab.measure.shape import Shape
from neonlab.verify.cases.saved import SavedCase, read_saved, saved_bytes

_CASE = SavedCase(
    "f",
    "a64",
    Shape(("rows", "cols"), (2, 3)),
    7,
    {"rows": 2, "pitch": -(1 << 40)},
    {
        "input[]": np.arange(6, dtype=np.int8).reshape(2, 3),
        "params.scales": np.array([1.5, -0.0, np.inf], np.float32),
        "zero_point": np.array(-3, np.int32),
        "nothing": np.zeros((0, 4), np.uint16),
    },
    {"input": np.array([1, -1])},
)


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "case.npz"
    path.write_bytes(data)
    return path


def _same(one: SavedCase, other: SavedCase) -> bool:
    def plain(case: SavedCase) -> object:
        arrays = {**case.inputs, **{f"rows of {name}": rows for name, rows in case.rows.items()}}
        return {name: (a.dtype.str, a.shape, a.tobytes()) for name, a in arrays.items()}, dict(case.integers)

    facts = [(case.kernel, case.isa, case.shape, case.seed, plain(case)) for case in (one, other)]
    return facts[0] == facts[1]


def test_a_case_is_read_as_it_was_saved_and_equal_cases_give_equal_bytes(tmp_path: Path) -> None:
    data = saved_bytes(_CASE)
    assert _same(read_saved(_file(tmp_path, data)), _CASE)
    in_another_order = replace(_CASE, inputs=dict(reversed(list(_CASE.inputs.items()))))
    assert saved_bytes(in_another_order) == data
    assert saved_bytes(replace(_CASE, seed=8)) != data
    other = {**_CASE.inputs, "params.scales": np.array([1.5, 0.0, np.inf], np.float32)}
    assert saved_bytes(replace(_CASE, inputs=other)) != data


def test_numpy_reads_the_file_without_pickles() -> None:
    with np.load(io.BytesIO(saved_bytes(_CASE)), allow_pickle=False) as arrays:
        assert arrays["inputs/input[]"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.slow
def test_no_change_of_a_byte_and_no_cut_goes_unnoticed_and_changes_the_case(tmp_path: Path) -> None:
    data = saved_bytes(_CASE)
    refused = 0
    for at in range(len(data)):
        for bad in (data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :], data[:at]):
            try:
                assert _same(read_saved(_file(tmp_path, bad)), _CASE), at
            except InputError as error:
                assert "damaged, or no case that neonlab has saved" in str(error) and "\n" not in str(error)
                refused += 1
    assert refused > len(data)


class _Hostile:
    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return os.putenv, ("NEONLAB_TEST_PICKLE", "ran")


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    ran: list[str] = []
    out = io.BytesIO()
    np.savez(out, case=np.array([_Hostile()], object), allow_pickle=True)
    with pytest.raises(InputError, match="damaged"):
        read_saved(_file(tmp_path, out.getvalue()))
    assert not ran and b"putenv" in out.getvalue()


def test_contents_that_were_written_anew_need_their_own_digest(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(saved_bytes(_CASE))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    facts = np.load(io.BytesIO(members["case.npy"]))
    told = json.loads(facts.tobytes())
    told["integers"]["rows"] = 3
    changed = io.BytesIO()
    np.save(changed, np.frombuffer(json.dumps(told).encode(), np.uint8))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in {**members, "case.npy": changed.getvalue()}.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="not those that were saved"):
        read_saved(_file(tmp_path, out.getvalue()))

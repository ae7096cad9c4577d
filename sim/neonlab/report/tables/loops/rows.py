"""Keep what `neonlab optimize --into` found: a row for each hot loop on each core, with the diff of the files."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from neonlab import __version__
from neonlab.errors import InputError
from neonlab.lab.repository.kernel_code import code_digest
from neonlab.lab.repository.library import Kernel
from neonlab.lab.run.lookup import one_kernel
from neonlab.optimize.outcome import Standing

Row = Mapping[str, Any]
#: Of one loop on one core: kernel and core.
Key = tuple[str, str]

_NAME = "optimize"
_PLAIN, _PACKED = "diff", "diff_zlib"
#: Most characters of all diffs together that are written as they are, so that git and people can read them.
_MOST_PLAIN = 300_000


def record_of(found: Row, diff: str, seconds: float, mca: tuple[float | None, float | None]) -> dict[str, Any]:
    """Return the row of one loop on one core; `mca` are llvm-mca's cycles before and after, None where it has none."""
    before, after = (None if one is None else round(one, 2) for one in mca)
    return {**found, _PLAIN: diff, "mca": {"before": before, "after": after}, "seconds": round(seconds)}


def foreign(row: Row, project: str, path: Path) -> dict[str, Any]:
    """Return the row of a kernel that is a project's: named as its file, without its code and where it lies here."""
    kept = {key: value for key, value in row.items() if key != _PLAIN}
    reason = row["reason"] and row["reason"].replace(f"{path.parent}/", "")
    return {**kept, "kernel": f"{project}: {path.stem}", "of": project, "reason": reason}


def diff_of(row: Row) -> str | None:
    """Return the unified diff of a row, "" where nothing was found; None for a row that was kept without it."""
    if _PACKED in row:
        return zlib.decompress(base64.b64decode(row[_PACKED])).decode()
    found: str | None = row.get(_PLAIN)
    return found


def rows_in(path: Path) -> list[Row]:
    """Return the rows of the document at `path`, none where it is not there.

    Raises InputError if it is no such document.
    """
    if not path.exists():
        return []
    try:
        return list({_key(one): one for one in json.loads(path.read_text())["loops"]}.values())
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path}: is no document of `neonlab optimize --into`: move it away") from None


def merged(path: Path, new: Sequence[Row]) -> list[Row]:
    """Return the rows of the document at `path`, replaced by the new ones, in order of kernel and core.

    Raises InputError if it is no such document.
    """
    rows = {_key(one): one for one in (*rows_in(path), *new)}
    return [rows[key] for key in sorted(rows)]


def _key(row: Row) -> Key:
    return row["kernel"], row["core"]


def json_document(rows: Sequence[Row]) -> str:
    """Return the text of optimize.json: diffs as text, or compressed where all of them would be too long."""
    diffs = [diff_of(one) for one in rows]
    is_packed = sum(len(one) for one in diffs if one is not None) > _MOST_PLAIN
    loops = [_with_diff(one, diff, is_packed) for one, diff in zip(rows, diffs, strict=True)]
    return json.dumps({"command": _NAME, "neonlab": __version__, "loops": loops}, indent=1) + "\n"


def _with_diff(row: Row, diff: str | None, is_packed: bool) -> Row:
    if diff is None or (is_packed and _PACKED in row):
        return row
    kept = {name: value for name, value in row.items() if name not in (_PLAIN, _PACKED)}
    if is_packed and diff:
        return {**kept, _PACKED: base64.b64encode(zlib.compress(diff.encode(), 9)).decode()}
    return {**kept, _PLAIN: diff}


def is_of_code(row: Row, kernel: Kernel) -> bool:
    """Tell whether a row was found for the kernel's code as it is now."""
    return bool(row.get("code") == code_digest(kernel))


def older_rows(rows: Iterable[Row], kernels: Iterable[Kernel] = ()) -> frozenset[Key]:
    """Return which rows are of code that their kernel does not have any more, or whose kernel is gone.

    Kernels that are none of `kernels` are those that a command finds by the name in the row.  Rows of kernels of other
    projects are none: their code is not at hand.
    """
    known = {kernel.title: kernel for kernel in kernels}
    found = set()
    for row in rows:
        if "of" in row:
            continue
        kernel = known.get(row["kernel"]) or _named(row["kernel"])
        if kernel is None or not is_of_code(row, kernel):
            found.add(_key(row))
    return frozenset(found)


def _named(title: str) -> Kernel | None:
    try:
        return one_kernel(title)
    except InputError:
        return None


def rows_of_kernels(path: Path, kernels: Iterable[Kernel]) -> dict[str, list[Row]]:
    """Return by kernel the rows of the document at `path`, in order of their cores."""
    titles = {kernel.title for kernel in kernels}
    found: dict[str, list[Row]] = {}
    for row in sorted(rows_in(path), key=_key):
        if row["kernel"] in titles:
            found.setdefault(row["kernel"], []).append(row)
    return found


def found_before(path: Path, kernels: Sequence[Kernel], core: str) -> dict[str, Row]:
    """Return by kernel the row of a cheaper loop in the document at `path`, where it is of this code of the kernel."""
    try:
        rows = {one["kernel"]: one for one in rows_in(path) if one["core"] == core}
        better = {name: one for name, one in rows.items() if one["status"] != Standing.UNCHANGED.value}
    except (OSError, InputError, KeyError):
        return {}
    return {
        kernel.title: better[kernel.title]
        for kernel in kernels
        if kernel.title in better and is_of_code(better[kernel.title], kernel)
    }

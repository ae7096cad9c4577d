"""Write units of work and their answers as text, and run a unit from its text.

Only functions that are marked as units of neonlab run, on values that `neonlab.lab.cache.plain` reads: text that a
stranger wrote runs no other code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.lab.cache.plain import NotPlain, read, written
from neonlab.lab.parallel.kept import timed
from neonlab.lab.parallel.pool import KernelHandle
from neonlab.lab.parallel.unit import name_of, unit_named
from neonlab.lab.repository.library import Kernel


def fingerprint(kernel: Kernel, place: str = "") -> str:
    """Return what must be the same of a kernel on both sides, apart from its files: its contract and its judge.

    `place` is the folder below which its files lie here.
    """
    judge = kernel.operator.name if kernel.operator is not None else None
    said = without(written([kernel.isa, kernel.contract, kernel.judged_by, judge]), place)
    return hashlib.sha256(said.encode()).hexdigest()


def without(text: str, place: str) -> str:
    """Return JSON, or other text, with names of files as they are at home, and not below `place`."""
    for written_place in {place, json.dumps(place)[1:-1]} - {""}:
        text = text.replace(written_place, "")
    return text


def units_text(function: Callable[..., Any], tasks: Sequence[Sequence[Any]], known: str) -> str:
    """Return the text of units of one function on one kernel, whose arguments are all values that can be written.

    `known` is the fingerprint of the kernel.
    """
    [handle] = {task[0] for task in tasks}
    assert isinstance(handle, KernelHandle)
    root = str(handle.root) if handle.root is not None else None
    said = [str(handle.path), root, handle.given, known]
    return written([name_of(function), str(Path.cwd()), *said, [list(task[1:]) for task in tasks]])


def each_alone(text: str) -> list[str]:
    """Return the texts of the units of a text, each alone."""
    *said, tasks = json.loads(text)
    return [json.dumps([*said, [task]], separators=(",", ":")) for task in tasks]


def answer(text: str, place: str = "") -> str:
    """Run the units of a text, whose files are below `place`, and return the result and seconds of each as text.

    Raises InputError for a text that is none of units, and for files that are not those of the caller.
    """
    try:
        name, folder, path, root, given, known, tasks = read(text)
        function = unit_named(name)
    except (NotPlain, LookupError, ValueError, TypeError):
        raise InputError("what the cluster sent is no unit of work of this neonlab") from None
    os.chdir(folder)
    handle = KernelHandle(Path(path), Path(root) if root is not None else None, given)
    if fingerprint(handle.open(), place) != known:
        raise InputError(
            f"{path}: its contract is another one where only the files that it names are: run it without --cluster"
        )
    results = [timed(function, handle, *task) for task in tasks]
    return without(written([[result.value, result.seconds] for result in results]), place)

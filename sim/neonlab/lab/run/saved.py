"""Save the case that a failure was found on, and open it again; no emulator is needed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from neonlab.contract.header import ContractError
from neonlab.errors import InputError
from neonlab.host.output_file import make_folder, write_whole
from neonlab.lab.repository.library import Kernel, lies_in
from neonlab.lab.run.plan import draw_case, shape_for
from neonlab.lab.run.shapes import integers_of
from neonlab.verify.cases.case import Array, Case, CaseName, Depth
from neonlab.verify.cases.memory_need import refuse_too_much
from neonlab.verify.cases.pitch import plain_numbers
from neonlab.verify.cases.saved import SavedCase, read_saved, saved_bytes
from neonlab.verify.verdict import WITNESS, Failure

#: The folder of saved cases, in the repository of the kernel or else in the current folder.
FOLDER = Path(".neonlab", "witnesses")
#: What keeps that folder out of every commit.
_IGNORED = "# Cases that neonlab has saved.\n*\n"


def save_failure(kernel: Kernel, failure: Failure, folder: Path | None = None) -> Failure:
    """Save the case of a failure that no pattern draws, and return the failure with the file's path.

    The file has the kernel's name and a hash of its contents.  `folder` is FOLDER of the file's repository unless it is
    given.  A failure on a drawn case is returned as it is.  Raises InputError where the file cannot be written.
    """
    case = failure.witness
    if case is None:
        return failure
    saved = SavedCase(kernel.name, kernel.isa.value, case.shape, case.seed, case.integers, case.inputs, case.rows)
    data = saved_bytes(saved)
    chosen = folder if folder is not None else _repository_of(kernel) / FOLDER
    path = chosen / f"{_plain(kernel.name)}-{hashlib.sha256(data).hexdigest()[:16]}.npz"
    make_ignored_folder(chosen)
    write_whole(path, data)
    return replace(failure, saved=str(path))


def _repository_of(kernel: Kernel) -> Path:
    """Return the repository that the kernel's file lies in; that of its operator may be another, such as the lab's own.

    It is the current folder where the file lies elsewhere.
    """
    root = kernel.root
    return root if root is not None and lies_in(root, kernel.path) else Path.cwd()


def make_ignored_folder(folder: Path) -> None:
    """Make a folder that git ignores, with those above it; one that is there stays as it is.  Raises InputError."""
    if folder.is_dir():
        return
    make_folder(folder)
    write_whole(folder / ".gitignore", _IGNORED.encode())


def _plain(name: str) -> str:
    """Return the name of a function, which may be one of C++, as part of the name of a file."""
    return "".join(letter if letter.isalnum() or letter in "_-." else "_" for letter in name)[:80]


def saved_case(kernel: Kernel, path: Path) -> Case:
    """Return the case in a file, with what the reference expects of it.

    Raises InputError for a damaged file, for a case of another kernel, and for one that the contract does not allow.
    """
    saved = read_saved(path)
    if (saved.kernel, saved.isa) != (kernel.name, kernel.isa.value):
        raise InputError(f"{path}: a case of {saved.kernel} ({saved.isa}), not of {kernel.name} ({kernel.isa.value})")
    try:
        return _answered(kernel, _allowed(kernel, saved), saved.inputs)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _allowed(kernel: Kernel, saved: SavedCase) -> Case:
    """Return a drawn case of the same shape with the saved integers and rows.  Raises InputError."""
    contract = kernel.contract
    shape = shape_for(kernel, saved.shape)
    if shape != saved.shape or saved.seed < 0:
        raise InputError(f"the kernel's sizes are {' x '.join(shape.names)}, not {' x '.join(saved.shape.names)}")
    contract.check_values(integers_of(kernel, shape))
    drawn = draw_case(kernel, CaseName(shape, "random", saved.seed))
    free = {argument.name for argument in (*contract.pitches, *plain_numbers(contract))}
    fixed = {name: value for name, value in drawn.integers.items() if name not in free}
    if drawn.integers.keys() != saved.integers.keys() or fixed.items() - saved.integers.items():
        raise InputError(f"its integers {dict(saved.integers)} are not those of the shape {shape}: {fixed}")
    contract.check_values(saved.integers)
    refuse_too_much(contract, saved.integers, shape, Depth.FULL)
    _same_form("arrays", drawn.inputs, saved.inputs)
    _same_form("row pointers", drawn.rows, saved.rows)
    for name, rows in saved.rows.items():
        if rows.size and (rows.min() < -1 or rows.max() >= rows.size):
            raise InputError(f"the row pointers `{name}` lead outside its {rows.size} rows")
    _within_ranges(kernel, saved.inputs)
    return replace(drawn, pattern=WITNESS, integers=saved.integers, rows=saved.rows)


def _same_form(what: str, drawn: Mapping[str, Array], saved: Mapping[str, Array]) -> None:
    """Raise InputError unless both have the same arrays, of the same types and shapes."""
    forms = [{name: f"{a.dtype} {list(a.shape)}" for name, a in one.items()} for one in (drawn, saved)]
    if forms[0] != forms[1]:
        other = next(name for name in (*drawn, *saved) if forms[0].get(name) != forms[1].get(name))
        wanted, found = (form.get(other, "none") for form in forms)
        raise InputError(f"its {what} are not those of the kernel: `{other}` is {found}, where {wanted} is expected")


def _within_ranges(kernel: Kernel, inputs: Mapping[str, Array]) -> None:
    """Raise ContractError for an input with an element outside the range that the contract declares."""
    for name, array in inputs.items():
        argument = kernel.contract.by_name.get(name)
        if argument is None or argument.value_range is None:
            continue
        low, high = argument.value_range
        beyond = ~((array >= low) & (array <= high))  # not a number is beyond, too
        if beyond.any():
            index = np.unravel_index(int(np.argmax(beyond)), array.shape)
            place = f"{name}{[int(one) for one in index]}" if index else name
            raise ContractError(f"{place} = {array[index]} is outside the contract's range [{low:g}, {high:g}]")


def _answered(kernel: Kernel, case: Case, inputs: Mapping[str, Array]) -> Case:
    if kernel.operator is None:
        return replace(case, inputs=inputs)
    return kernel.operator.refilled(kernel.contract, case, inputs)

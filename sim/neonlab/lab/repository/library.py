"""Find the kernels and operators of a repository.

A repository is a folder with asm/ (.S files in armv7/ and armv8/ and folders below) and kernels/ (one Python file per
operator).  The current folder or one above it counts if it has both; else the library that comes with neonlab.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.header import Contract
from neonlab.contract.options import ARCHITECTURES, NOTHING, Build, Given, Reference
from neonlab.errors import InputError, NoContract
from neonlab.host.input_file import is_file, no_file
from neonlab.isa.model.isa import Isa
from neonlab.lab.repository.kernel_files import FOLDERS, is_in, isa_folder, kernel_file, kernel_files
from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
from neonlab.lab.repository.operator_files import load_operators
from neonlab.sources.open import Code, open_code, open_each
from neonlab.sources.toolchain import is_c
from neonlab.verify.cases.operator import Dispatch, Operator
from neonlab.verify.cases.space import Space
from neonlab.verify.verdict import JudgedBy

#: From this likeness of names on, an operator is taken for the one that was meant.
_LIKE = 0.6


@dataclass(frozen=True)
class Kernel:
    """Hold one kernel: its `code`, one function of a file, and the `operator` that computes right results.

    `operator` is None where nothing computes right results; `check` then looks for faults only.  `root` is the
    repository of the kernel.
    """

    code: Code
    root: Path | None
    operator: Operator | None

    @property
    def contract(self) -> Contract:
        """Return what it is called with, and what it promises."""
        return self.code.contract

    @property
    def path(self) -> Path:
        """Return the file with its code."""
        return self.code.path

    @property
    def given(self) -> Given:
        """Return the options that it was opened with."""
        return self.code.given

    @property
    def build(self) -> Build:
        """Return how its code is built."""
        return self.code.build

    @property
    def reference(self) -> Reference | None:
        """Return the C function that the contract or an option names as reference; None if none is named."""
        return self.code.reference

    @property
    def name(self) -> str:
        """Return the name of its symbol: the file's name without its suffix, unless the contract names another."""
        return self.contract.name

    @property
    def isa(self) -> Isa:
        """Return the instruction set of its code."""
        return self.contract.isa

    @functools.cached_property
    def title(self) -> str:
        """Return what the commands call it: `armv8/NAME` for a kernel of a library, else its path and options."""
        if self.root is not None and self.root in self.path.parents:
            folder = isa_folder(self.path) if is_in(self.root, self.path) else self.path.parent
            if folder is not None and folder.name in FOLDERS:
                return f"{folder.name}/{self.name}"
        symbol = "" if self.path.stem == self.name else f" --symbol {self.name}"
        isa = f" --isa {ARCHITECTURES[self.given.isa]}" if self.given.isa is not None else ""
        return f"{shlex.quote(str(self.path))}{symbol}{isa}"

    @property
    def options(self) -> str:
        """Return the options that must follow its title on the command line to mean this kernel; often none."""
        return shlex.join(self.given.options)

    @property
    def has_reference(self) -> bool:
        """Tell whether the kernel has a reference that computes right results."""
        return self.operator is not None

    @property
    def judged_by(self) -> JudgedBy:
        """Return what the kernel's results are compared with."""
        if self.operator is not None:
            return JudgedBy.REFERENCE
        return JudgedBy.NOTHING_SAID if self.contract.allows.no_reference else JudgedBy.NOTHING

    @property
    def advice(self) -> str:
        """Return how to give the kernel a reference if it has none and its contract does not declare that; else ""."""
        if self.judged_by is not JudgedBy.NOTHING:
            return ""
        waiver = 'say reference = "none" in its contract if nothing can say what is right'
        root = own_root(self.path.parent)
        if root is None or self.given.contract or self.given.prototype or is_c(self.path):
            return f"name a C function to compare with ([reference] in a contract beside, or --reference), or {waiver}"
        return f"{_who_claims(load_operators(root), root, self.name)}; mend `claims`, name a C reference, or {waiver}"


@dataclass(frozen=True)
class Library:
    """Hold the kernels and the operators of one repository, as `open_library` reads them."""

    root: Path
    operators: tuple[Operator, ...]
    kernels: tuple[Kernel, ...]

    def find(self, name: str) -> tuple[Kernel, ...]:
        """Return the kernels called `name`: `NAME` of each instruction set, `armv8/NAME`, or the members of a dispatch.

        Raises InputError where no kernel has that name; the message suggests the nearest name.
        """
        folder, _, bare = name.rpartition("/")
        if folder and folder not in FOLDERS:
            raise self._unknown(name)
        members = {bare}
        for dispatch in self.dispatches.values():
            if dispatch.name == bare:
                members |= set(dispatch.members)
        found = tuple(k for k in self.kernels if k.name in members and folder in ("", ARCHITECTURES[k.isa]))
        if not found:
            raise self._unknown(name)
        return found

    @property
    def dispatches(self) -> Mapping[str, Dispatch]:
        """Return the dispatches of all operators by their names."""
        return {dispatch.name: dispatch for operator in self.operators for dispatch in operator.dispatches}

    def _unknown(self, name: str) -> InputError:
        names = sorted({k.name for k in self.kernels} | {k.title for k in self.kernels} | set(self.dispatches))
        near = difflib.get_close_matches(name, names, 1)
        meant = f"did you mean `{near[0]}`?" if near else "`neonlab list` shows what there is."
        return InputError(f"no kernel is called `{name}` in {self.root}; {meant}")


def find_root(start: Path | None = None) -> Path:
    """Return the repository that contains `start` (default: the current folder), else neonlab's own library."""
    own = own_root(start)
    return own if own is not None else shipped_root()


def shipped_root() -> Path:
    """Return the folder with neonlab's own asm/ and kernels/: in the package, or in the checkout that contains it.

    Raises InputError if there is none.
    """
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "library", package.parent.parent):
        if _is_root(folder):
            return folder
    raise InputError("the current folder has no asm/ and kernels/, and neonlab was installed without its library")


def own_root(start: Path | None = None) -> Path | None:
    """Return the repository that contains `start` (default: the current folder); None if there is none."""
    here = (start or Path.cwd()).resolve()
    return next((folder for folder in (here, *here.parents) if _is_root(folder)), None)


def reports_folder() -> Path:
    """Return the folder of reports of the repository that one is in, else of the current folder.

    It is never that of the installed package.
    """
    return (own_root() or Path.cwd()) / "reports"


def _is_root(folder: Path) -> bool:
    return (folder / "asm").is_dir() and (folder / "kernels").is_dir()


def open_library(root: Path | str | None = None) -> Library:
    """Read every contract in asm/ and every operator in kernels/ of the repository at `root`.

    Without `root`, that is the repository that the current folder lies in, or else the library that is installed with
    neonlab.  Raises InputError for a folder that is no such repository, and for the first file in it that is wrong.
    """
    if root is not None and not _is_root(Path(root)):
        raise InputError(f"{root}: no repository of kernels, which has the folders asm and kernels")
    return _library_at(find_root() if root is None else Path(root).resolve())


def open_beside_shipped() -> Library:
    """Open the library of `open_library`, with neonlab's own kernels beside those of a repository of one's own.

    Of two kernels with one title the repository's counts.  Raises InputError as `open_library` does.
    """
    own = open_library()
    shipped = open_library(shipped_root())
    if own.root == shipped.root:
        return own
    titles = {kernel.title for kernel in own.kernels}
    more = tuple(kernel for kernel in shipped.kernels if kernel.title not in titles)
    return Library(own.root, (*own.operators, *shipped.operators), (*own.kernels, *more))


@functools.lru_cache(maxsize=8)
def _library_at(root: Path) -> Library:
    operators = tuple(load_operators(root))
    return Library(root, operators, tuple(kernel for path in kernel_files(root) for kernel in _members_in(root, path)))


def is_member(root: Path, path: Path) -> bool:
    """Tell whether the file at `path` is a kernel of the library at `root`."""
    return is_in(root, path)


def find_members(root: Path, name: str) -> tuple[Kernel, ...]:
    """`Library.find`, without reading the others where `name` says which file it is in."""
    path = kernel_file(root, name)
    if path is not None:
        found = tuple(kernel for kernel in _members_in(root, path) if kernel.name == path.stem)
        if found:
            return found
    return open_library(root).find(name)


def open_member(root: Path, path: Path) -> Kernel:
    """Return the kernel in the file at `path` of the library's asm/: the first if there are several.

    Raises InputError for a bad file.
    """
    return _members_in(root, path)[0]


@functools.lru_cache(maxsize=1024)
def _members_in(root: Path, path: Path) -> tuple[Kernel, ...]:
    return tuple(replace(kernel, root=root) for kernel in read_members(path))


def read_members(path: Path) -> list[Kernel]:
    """Read the kernels in the file at `path` of the library's asm/, as it is now.

    The block that opens the file describes one, or the contract beside it one for each function that it names.  Raises
    InputError for a bad file.
    """
    try:
        found = open_kernels(path, NOTHING)
    except NoContract:
        raise InputError(
            f"{path}:1: no contract; a kernel's file opens with a /*toml block, or {path.stem}.contract.toml stands "
            "beside it"
        ) from None
    folder = isa_folder(path) or path.parent
    for kernel in found:
        if kernel.isa is not FOLDERS[folder.name]:
            said = f"the contract's isa is {kernel.isa.value}, the folder is {folder.name}"
            raise InputError(f"{path}: {said}")
    return found


def open_kernel(path: Path | str, given: Given | None = None) -> Kernel:
    """Open the kernel in a file of assembly, C, C++ or object code, with the contract in it, beside it, or `given`.

    Right results come from the C function that the contract names as reference, or else from the operator of the
    nearest repository that claims the kernel's name.  Outside of any repository, and where no operator of that one
    claims it, that is an operator of neonlab's own library, and only where names and sizes of the arguments agree.

    Raises InputError for a file that is not there, has no contract, or has a bad one.
    """
    return _kernel(open_code(_file(Path(path)), given or NOTHING))


def open_kernels(path: Path, given: Given) -> list[Kernel]:
    """Open every kernel in the file that `given` allows: each function, for each instruction set."""
    return [_kernel(code) for code in open_each(_file(path), given)]


def _file(path: Path) -> Path:
    """Return the path with a suffix.  Raises InputError if there is no such file."""
    path = path if path.suffix else path.with_suffix(".S")
    if not is_file(path):
        raise no_file(path)
    return path


def _kernel(code: Code) -> Kernel:
    """Return the kernel of the code, with its reference."""
    path, contract, reference = code.path, code.contract, code.reference
    root = find_root(path.parent)
    if reference is not None:
        from neonlab.lab.reference.scalar import ScalarReference

        if reference.path and not reference.symbol:
            reference = replace(reference, symbol=contract.name)
        return Kernel(code, root, ScalarReference(contract, path, reference, code.build))
    if contract.allows.no_reference and not lies_in(root, path):
        return Kernel(code, root, None)
    operator = operator_for(load_operators(root), contract)
    borrowed = not lies_in(root, path)
    if operator is None and not borrowed and root != shipped_root() and not contract.allows.no_reference:
        # A variant of a kernel of neonlab's in a repository of one's own, which need not copy the operator.
        operator, borrowed = operator_for(load_operators(shipped_root()), contract), True
    if operator is not None and borrowed and not _means(operator, contract):
        operator = None
    return Kernel(code, root, operator)


def lies_in(root: Path, path: Path) -> bool:
    """Tell whether the file is in the repository, even as a link to a file elsewhere."""
    return any(root in place.parents for place in (path.resolve(), path.parent.resolve() / path.name))


def _means(operator: Operator, contract: Contract) -> bool:
    """Tell whether a kernel that an operator claims is of its kind, by its full name or its arguments.

    Names such as `add_rows` may belong to other libraries too.
    """
    try:
        KernelName.parse(contract.name)
    except KernelNameError:
        try:
            shape = Space(contract, operator).least_shape
            return shape is not None and bool(operator.case(contract, shape, "random", 1))
        except InputError:
            return False
    return True


def operator_for(operators: Sequence[Operator], contract: Contract) -> Operator | None:
    """Return the operator that is the reference for the contract, or None.

    Raises InputError if two claim it, or one does although the contract declares that there is none.
    """
    claiming = [operator for operator in operators if operator.claims(contract)]
    if len(claiming) > 1:
        names = " and ".join(operator.name for operator in claiming)
        raise InputError(f"{contract.path}: two operators claim this kernel: {names}")
    if claiming and contract.allows.no_reference:
        raise InputError(
            f'{contract.path}: the contract says reference = "none", but operator {claiming[0].name} claims the '
            "kernel: take the key out, or let `claims` leave the kernel out"
        )
    return claiming[0] if claiming else None


def _who_claims(operators: Sequence[Operator], root: Path, kernel: str) -> str:
    """Describe the operators, none of which claims `kernel`, and where the `claims` of the nearest is.

    The nearest name is most similar to the start of the kernel's name, as `conv1x1` to `convlxl_s8`.
    """
    folder = f"{root / 'kernels'}/"
    if not operators:
        return f"no operator in {folder} claims it: there are none"
    names = ", ".join(operator.name for operator in operators)

    def likeness(operator: Operator) -> float:
        return difflib.SequenceMatcher(None, operator.name, kernel[: len(operator.name)]).ratio()

    nearest = max(operators, key=likeness)
    said = f"no operator in {folder} claims it ({names})"
    if likeness(nearest) < _LIKE:
        return said
    code = inspect.unwrap(type(nearest).claims).__code__
    place = f"{code.co_filename}:{code.co_firstlineno}"
    return f"{said}; by its name it is nearest to {nearest.name}, whose `claims` is at {place}"

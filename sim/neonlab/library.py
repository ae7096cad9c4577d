"""Discovery: which kernels and operators a repository has.

A repository is a folder with asm/ (armv7/*.S, armv8/*.S) and kernels/ (one Python file per operator).  The current
folder or one above it counts if it has both; else the library that comes with neonlab.
"""

from __future__ import annotations

import difflib
import functools
import importlib.util
import shlex
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from neonlab.assemble.contract import Contract, read_contract
from neonlab.beside import find_contract, functions_of, isas_of
from neonlab.errors import InputError
from neonlab.given import ARCHITECTURES, NOTHING, PLAIN, Build, Given, Reference
from neonlab.isa.isa import Isa
from neonlab.kernel_name import KernelName, KernelNameError
from neonlab.verify.operator import Dispatch, Operator

_FOLDERS = {"armv7": Isa.A32, "armv8": Isa.A64}


@dataclass(frozen=True)
class Kernel:
    """One kernel: its file, its contract, and the operator that can say what is right (None: no reference)."""

    contract: Contract
    path: Path
    root: Path | None
    operator: Operator | None
    given: Given = NOTHING
    build: Build = PLAIN
    reference: Reference | None = None

    @property
    def name(self) -> str:
        """The symbol, which is the file's name without suffix unless the contract says another."""
        return self.contract.name

    @property
    def isa(self) -> Isa:
        """Instruction set."""
        return self.contract.isa

    @property
    def title(self) -> str:
        """What to call it by: `armv8/name` for one in a library's asm/, else its path and what else tells it apart."""
        if self.path.parent.name in _FOLDERS and self.root is not None and self.root in self.path.parents:
            return f"{self.path.parent.name}/{self.name}"
        symbol = "" if self.path.stem == self.name else f" --symbol {self.name}"
        isa = f" --isa {ARCHITECTURES[self.given.isa]}" if self.given.isa is not None else ""
        return f"{self.path}{symbol}{isa}"

    @property
    def options(self) -> str:
        """What else must be said on the command line to mean this kernel."""
        return shlex.join(self.given.options)

    @property
    def has_reference(self) -> bool:
        """Whether anything says what is right."""
        return self.operator is not None


@dataclass(frozen=True)
class Library:
    """The kernels and operators of one repository."""

    root: Path
    operators: tuple[Operator, ...]
    kernels: tuple[Kernel, ...]

    def find(self, name: str) -> tuple[Kernel, ...]:
        """Kernels called `name`, `armv8/name`, or that a dispatch of that name chooses among; one an ISA or more."""
        folder, _, bare = name.rpartition("/")
        if folder and folder not in _FOLDERS:
            raise self._unknown(name)
        members = {bare}
        for dispatch in self.dispatches.values():
            if dispatch.name == bare:
                members |= set(dispatch.members)
        found = tuple(k for k in self.kernels if k.name in members and folder in ("", k.path.parent.name))
        if not found:
            raise self._unknown(name)
        return found

    @property
    def dispatches(self) -> Mapping[str, Dispatch]:
        """Every dispatch of every operator, by name."""
        return {dispatch.name: dispatch for operator in self.operators for dispatch in operator.dispatches}

    def _unknown(self, name: str) -> InputError:
        names = sorted({k.name for k in self.kernels} | {k.title for k in self.kernels} | set(self.dispatches))
        near = difflib.get_close_matches(name, names, 1)
        meant = f"did you mean `{near[0]}`?" if near else "`neonlab list` shows what there is."
        return InputError(f"no kernel is called `{name}` in {self.root}; {meant}")


def find_root(start: Path | None = None) -> Path:
    """The repository that `start` (default: the current folder) lies in, else the library installed with neonlab."""
    own = own_root(start)
    if own is not None:
        return own
    package = Path(__file__).resolve().parent
    for folder in (package / "library", package.parent.parent):
        if _is_root(folder):
            return folder
    raise InputError("no asm/ and kernels/ here, and neonlab was installed without its library")


def own_root(start: Path | None = None) -> Path | None:
    """The repository that `start` (default: the current folder) lies in; None where it lies in none."""
    here = (start or Path.cwd()).resolve()
    return next((folder for folder in (here, *here.parents) if _is_root(folder)), None)


def _is_root(folder: Path) -> bool:
    return (folder / "asm").is_dir() and (folder / "kernels").is_dir()


def open_library(root: Path | str) -> Library:
    """Read every contract under asm/ and every operator in kernels/.  Raises InputError on the first bad file."""
    return _library_at(Path(root).resolve())


@functools.lru_cache(maxsize=8)
def _library_at(root: Path) -> Library:
    operators = tuple(_load_operators(root))
    paths = [path for folder in _FOLDERS for path in sorted((root / "asm" / folder).glob("*.S"))]
    return Library(root, operators, tuple(open_member(root, path) for path in paths))


def is_member(root: Path, path: Path) -> bool:
    """Whether the file at `path` is one of the library's, in its asm/."""
    return path.suffix == ".S" and path.parent.name in _FOLDERS and path.parent.parent == root / "asm"


def find_members(root: Path, name: str) -> tuple[Kernel, ...]:
    """`Library.find`, without reading the others where `name` says which file it is in."""
    folder, _, bare = name.rpartition("/")
    path = root / "asm" / folder / f"{bare}.S"
    if folder in _FOLDERS and path.is_file():
        kernel = open_member(root, path)
        if kernel.name == bare:
            return (kernel,)
    return open_library(root).find(name)


@functools.lru_cache(maxsize=1024)
def open_member(root: Path, path: Path) -> Kernel:
    """The kernel of a library that the file at `path`, in its asm/, holds.  Raises InputError for a bad file."""
    contract = read_contract(path)
    if contract is None:
        raise InputError(f"{path}:1: no contract; a kernel's file opens with a /*toml block")
    isa = _FOLDERS[path.parent.name]
    if contract.isa is not isa:
        raise InputError(f"{path}: the contract's isa is {contract.isa.value}, the folder is {path.parent.name}")
    return Kernel(contract, path, root, operator_for(_load_operators(root), contract))


def open_kernel(path: Path | str, given: Given | None = None) -> Kernel:
    """A kernel in a file of any kind, by its contract: in the file, beside it, or `given`.

    Where a reference in C is named it says what is right; else an operator of the library near it that claims it.  For
    a file that lies in no repository, that is one of neonlab's own only where the two agree on names and sizes.
    """
    given, path = given or NOTHING, Path(path)
    path = path if path.suffix else path.with_suffix(".S")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    found = find_contract(path, given)
    root = find_root(path.parent)
    contract = found.contract
    if found.reference is not None:
        from neonlab.scalar_reference import ScalarReference

        reference = found.reference
        if reference.path and not reference.symbol:
            reference = replace(reference, symbol=contract.name)
        operator: Operator | None = ScalarReference(contract, path, reference, found.build)
    else:
        operator = operator_for(_load_operators(root), contract)
        if operator is not None and root not in path.resolve().parents and not _means(operator, contract):
            operator = None
    return Kernel(contract, path, root, operator, given, found.build, found.reference)


def _means(operator: Operator, contract: Contract) -> bool:
    """Whether a kernel that an operator claims is one of its kind, by its whole name or its arguments.

    Words such as `add_rows` may be anyone's.
    """
    try:
        KernelName.parse(contract.name)
    except KernelNameError:
        shape = next((shape for shape in operator.tails() if operator.accepts(contract, shape)), None)
        try:
            return shape is not None and bool(operator.case(contract, shape, "random", 1))
        except InputError:
            return False
    return True


def open_kernels(path: Path, given: Given) -> list[Kernel]:
    """Every kernel in the file that `given` leaves room for: each function, for each instruction set."""
    functions = functions_of(path, given) or ("",)
    found = []
    for function in functions:
        named = replace(given, symbol=function) if function else given
        isas = isas_of(path, named) if given.isa is None else ()
        found += [open_kernel(path, replace(named, isa=isa)) for isa in isas] or [open_kernel(path, named)]
    return found


def operator_for(operators: Sequence[Operator], contract: Contract) -> Operator | None:
    """The operator whose reference speaks for the contract."""
    claiming = [operator for operator in operators if operator.claims(contract)]
    if len(claiming) > 1:
        names = " and ".join(operator.name for operator in claiming)
        raise InputError(f"{contract.path}: claimed by two operators, {names}")
    return claiming[0] if claiming else None


@functools.lru_cache(maxsize=8)
def _load_operators(root: Path) -> tuple[Operator, ...]:
    package = _package_of(root)
    operators = []
    for path in sorted((root / "kernels").glob("*.py")):
        if path.stem.startswith("_"):
            continue
        module = _load_module(package, root / "kernels", path)
        operator = getattr(module, "OPERATOR", None)
        if not isinstance(operator, Operator):
            raise InputError(f"{path}: defines no OPERATOR, an instance of a subclass of neonlab.Operator")
        operators.append(operator)
    return tuple(operators)


def load_package(root: Path, name: str) -> tuple[ModuleType, ...]:
    """The modules of the folder `name` in kernels/, in order of their names, which may import those of kernels/."""
    package, folder = _package_of(root), root / "kernels" / name
    _declare_package(package, root / "kernels")
    return tuple(
        _load_module(f"{package}.{name}", folder, path)
        for path in sorted(folder.glob("*.py"))
        if not path.stem.startswith("_")
    )


def _package_of(root: Path) -> str:
    # The folder becomes a package under a name of its own, so that its modules may import one another and nothing
    # called `kernels` is ever looked up on the path, where another package has that name.
    return f"neonlab_kernels_{zlib.crc32(str(root).encode()):08x}"


def _declare_package(package: str, folder: Path) -> None:
    if package not in sys.modules:
        parent = ModuleType(package)
        parent.__path__ = [str(folder)]
        sys.modules[package] = parent


def _load_module(package: str, folder: Path, path: Path) -> ModuleType:
    _declare_package(package, folder)
    name = f"{package}.{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except InputError:
        raise
    except Exception as error:  # the file is the user's: its mistakes are input, not ours
        del sys.modules[name]
        raise InputError(f"{path}: cannot be imported: {type(error).__name__}: {error}") from None
    return module

"""Compare kernels as they are with themselves at a git revision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from neonlab.contract.changes import changed_entries
from neonlab.errors import InputError
from neonlab.lab.compare.comparison import Comparison, ContractChange, Group, Look, Side, loop_differences
from neonlab.lab.parallel.pool import Workers
from neonlab.lab.parallel.profiles import code_digests, look_all
from neonlab.lab.repository.kernel_files import is_in
from neonlab.lab.repository.library import Kernel, open_kernel, open_library
from neonlab.lab.repository.revision import Tree
from neonlab.lab.run.plan import layers_or_largest, parse_shape, shape_for
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.options import NOTHING_FOUND, Found
from neonlab.measure.shape import Shape

#: Called when a phase begins, with its name, its number of steps and their unit; returns a function that is called with
#: the number of further steps done.
Begin = Callable[[str, int, str], Callable[[int], None]]


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """A kernel as it was and as it is; None if it did not exist or no longer exists."""

    title: str
    then: Kernel | None
    now: Kernel | None


def pair_up(tree: Tree, root: Path, chosen: Sequence[Kernel]) -> list[RevisionPair]:
    """Pair the `chosen` kernels with themselves at the revision.

    If none are chosen, all kernels of the library at `root` are, as it is now and as it was.
    """
    if chosen:
        return [RevisionPair(kernel.title, _then(tree, kernel), kernel) for kernel in chosen]
    now = {kernel.title: kernel for kernel in open_library(root).kernels}
    folder = tree.then(root)
    there = (folder / "asm").is_dir() and (folder / "kernels").is_dir()
    then = {kernel.title: kernel for kernel in open_library(folder).kernels} if there else {}
    return [RevisionPair(title, then.get(title), now.get(title)) for title in sorted({*now, *then})]


def _then(tree: Tree, kernel: Kernel) -> Kernel | None:
    path = tree.then(kernel.path)
    if kernel.root is not None and kernel.root.resolve() in kernel.path.resolve().parents:
        root = tree.then(kernel.root)
        there = (root / "asm").is_dir() and (root / "kernels").is_dir()
        library = open_library(root).kernels if there else ()
        found = [one for one in library if one.path == path]
        if not path.is_file() and is_in(kernel.root, kernel.path):  # it may have lain in another folder
            found = [one for one in library if one.title == kernel.title]
        if found:
            return found[0]
    return open_kernel(path, kernel.given) if path.is_file() else None


def compare_pairs(
    workers: Workers,
    pairs: Sequence[RevisionPair],
    tree: Tree,
    *,
    shapes: Sequence[str] = (),
    cores: Sequence[ModelledCore] = (),
    every: bool = False,
    finds: Found = NOTHING_FOUND,
    seed: int = 1,
    begin: Begin = lambda name, total, unit: lambda _: None,
) -> Comparison:
    """Compare each pair on `shapes`, or else on the layers of its operator or the largest shape that is checked.

    Without `every`, only pairs whose code or contract differs are compared.  `begin` is called at the start of each
    phase with its size, and returns a function that is called for each step done.  Raises InputError if no shape is
    left.
    """
    both = [(pair.then, pair.now) for pair in pairs if pair.then is not None and pair.now is not None]
    advance = begin("comparing code", 2 * len(both), "kernels")
    then_codes = code_digests(workers, [then for then, _ in both], advance)
    now_codes = code_digests(workers, [now for _, now in both], advance)
    contracts = [ContractChange(n.title, entries) for t, n in both if (entries := _entries(t, n))]
    changed = {one.kernel for one in contracts}
    equal = {n.title for (_, n), a, b in zip(both, then_codes, now_codes, strict=True) if a == b}
    same = equal - changed
    looked = [pair for pair in pairs if pair.now is not None and (every or pair.title not in same)]
    work = [(pair, shape) for pair in looked if pair.now is not None for shape in _shapes(pair.now, shapes)]
    if looked and not work:
        raise InputError(f"{looked[0].title} allows none of these shapes")
    largest = {
        pair.title: max((s for p, s in work if p is pair), key=lambda s: s.work, default=None) for pair in looked
    }
    plan: list[tuple[Look, str | None]] = []
    places: list[tuple[int | None, int]] = []
    for pair, shape in work:
        assert pair.now is not None
        loop = bool(cores) and pair.then is not None and largest[pair.title] == shape
        old = _taken(pair.then, shape)
        if pair.then is not None and old is not None:
            plan.append(((pair.then, old, loop), tree.commit))
        plan.append(((pair.now, shape, loop), None))
        places.append((len(plan) - 2 if old is not None else None, len(plan) - 1))
    sides = look_all(workers, plan, cores=cores, finds=finds, seed=seed, advance=begin("comparing", len(plan), "calls"))
    groups = []
    for (pair, shape), (before, after) in zip(work, places, strict=True):
        now = sides[after]
        was = sides[before] if before is not None else Side(now.kernel, now.isa, tree.commit)
        groups.append(Group(shape, (replace(was, kernel=pair.title), now)))
    return Comparison(
        tuple(groups), tuple(core.name for core in cores), loop_differences(groups, cores), tree.commit,
        same=tuple(sorted(same)),
        contracts=tuple(contracts),
        added=tuple(pair.title for pair in pairs if pair.then is None),
        removed=tuple(pair.title for pair in pairs if pair.now is None),
        seed=seed,
    )  # fmt: skip


def _entries(then: Kernel, now: Kernel) -> tuple[str, ...]:
    """Return the entries of the contract that differ, and `reference` if another function says what is right."""
    reference, before = (one.reference and replace(one.reference, path="") for one in (now, then))
    return (*changed_entries(then.contract, now.contract), *(("reference",) if reference != before else ()))


def _shapes(kernel: Kernel, texts: Sequence[str]) -> list[Shape]:
    if not texts:
        return layers_or_largest(kernel)
    shapes = [parse_shape(kernel, text) for text in texts]
    return [s for s in shapes if kernel.operator is None or kernel.operator.accepts(kernel.contract, s)]


def _taken(kernel: Kernel | None, shape: Shape) -> Shape | None:
    """Return `shape` in the terms of the older kernel; None if that did not accept it."""
    if kernel is None:
        return None
    try:
        then = shape_for(kernel, shape)
    except InputError:
        return None
    return then if kernel.operator is None or kernel.operator.accepts(kernel.contract, then) else None

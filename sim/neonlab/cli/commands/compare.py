"""Implement `neonlab compare`: variants side by side, or the working tree against a git revision."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.options import takes_given
from neonlab.cli.shared import (
    CallsOption,
    ColdWeightsOption,
    CoresOption,
    JobsOption,
    JsonOption,
    KernelsArgument,
    SeedOption,
    ShapeOption,
    WarmOption,
    allowed_shapes,
    console,
    find_kernels,
    print_json,
    shapes_by_kernel,
    what_calls_find,
)
from neonlab.cli.variants import find_variants
from neonlab.contract.options import Given
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.compare.comparison import Comparison
    from neonlab.lab.repository.library import Kernel
    from neonlab.measure.cores.modelled import ModelledCore
    from neonlab.measure.options import Found


@takes_given
def compare(
    kernels: KernelsArgument = None,
    shape: ShapeOption = None,
    core: CoresOption = None,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="REV", help="Compare kernels with what they were at git revision REV."),
    ] = None,
    warm: WarmOption = False,
    cold_weights: ColdWeightsOption = False,
    calls: CallsOption = 0,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown; --against always does.")] = False,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Compare kernels with each other, or with what they were at a git revision.

    Kernels are compared with the first one, on each SHAPE. The default shapes are the layers of real networks that
    their operators name, or else the largest shape that `neonlab check` tries. With --core, hot loops are also compared
    line by line. A C file may have a compiler and flags of its own: dense.c@clang:-O3, dense.c@gcc:-O2, dense.c@:-O1.
    With --against and no KERNEL, all kernels are compared whose code or contract has changed.
    """
    from neonlab.measure.cores.modelled import cores_named

    cores = cores_named(core or ())
    finds = what_calls_find(warm, cold_weights, calls, on_core=bool(cores))
    comparison = (
        _against(kernels or [], given, shape or [], cores, against, finds, seed, jobs)
        if against is not None
        else _variants(kernels or [], given, shape or [], cores, finds, seed, jobs)
    )
    _show(comparison, markdown or against is not None, json)
    return 0 if comparison.passed else 1


def _variants(
    names: list[str],
    given: Given | None,
    shapes: list[str],
    cores: Sequence[ModelledCore],
    finds: Found,
    seed: int,
    jobs: int | None,
) -> Comparison:
    from neonlab.lab.compare.comparison import fold_sides, plan_comparison
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.parallel.profiles import look_all
    from neonlab.lab.run.plan import layers_of, layers_or_largest, shape_for

    if not names:
        raise InputError("name the kernels to compare, or a git revision with --against")
    found, labels = find_variants(names, given)
    work = shapes_by_kernel(found, shapes) if shapes else [(kernel, layers_of(kernel)) for kernel in found]
    if not any(taken for _, taken in work):
        largest = layers_or_largest(found[0])[0]
        work = allowed_shapes(found, lambda kernel: [shape_for(kernel, largest)])
    plan = plan_comparison(work, cores)
    advance = progress.begin("comparing", len(plan), "calls")
    with Workers(jobs) as workers:
        looks = [(look, None) for look in plan]
        sides = look_all(workers, looks, cores=cores, finds=finds, seed=seed, advance=advance)
    sides = [replace(side, label=labels.get(kernel, "")) for (kernel, *_), side in zip(plan, sides, strict=True)]
    return fold_sides(plan, sides, cores, seed)


def _against(
    names: list[str],
    given: Given | None,
    shapes: list[str],
    cores: Sequence[ModelledCore],
    revision: str,
    finds: Found,
    seed: int,
    jobs: int | None,
) -> Comparison:
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.regression.revisions import compare_pairs, pair_up
    from neonlab.lab.repository.library import find_root, own_root
    from neonlab.lab.repository.revision import tree_at

    chosen: list[Kernel] = find_kernels(names, given) if names else []
    if not chosen and own_root() is None:
        raise InputError(
            f"{Path.cwd()} is in no repository of kernels (folders asm and kernels): name the files to compare "
            f"(neonlab compare FILE... --against {shlex.quote(revision)})"
        )
    root = find_root()
    with ExitStack() as stack:
        progress.begin(f"reading {revision}")
        tree = stack.enter_context(tree_at(revision, chosen[0].path.parent if chosen else root))
        workers = stack.enter_context(Workers(jobs))
        return compare_pairs(
            workers, pair_up(tree, root, chosen), tree, shapes=shapes, cores=cores, every=bool(names), finds=finds,
            seed=seed, begin=progress.begin,
        )  # fmt: skip


def _show(comparison: Comparison, markdown: bool, json: bool) -> None:
    from neonlab.report.tables.comparison import comparison_markdown
    from neonlab.report.terminal.comparison import print_comparison
    from neonlab.report.terminal.verdict import print_failures

    if json:
        print_json("compare", **comparison.to_json())
        return
    if markdown:
        progress.clear()
        print(comparison_markdown(comparison), end="")
        return
    print_comparison(console(), comparison)
    print_failures(console(), comparison.failures)

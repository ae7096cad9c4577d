"""`neonlab compare`: variants side by side, or the working tree against a git revision."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.given_options import takes_given
from neonlab.cli.shared import (
    JobsOption,
    JsonOption,
    SeedOption,
    ShapeOption,
    console,
    find_kernels,
    print_json,
    progress,
    shapes_by_kernel,
)
from neonlab.errors import InputError
from neonlab.given import Given

if TYPE_CHECKING:
    from collections.abc import Callable

    from neonlab.comparison import Comparison
    from neonlab.library import Kernel


@takes_given
def compare(
    kernels: Annotated[list[str] | None, typer.Argument(metavar="[KERNEL|FILE]...", show_default=False)] = None,
    shape: ShapeOption = None,
    core: Annotated[
        list[str] | None, typer.Option("--core", metavar="CORE", help="Cycles on this core too; repeatable.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", metavar="REV", help="Compare with the git revision REV instead.")
    ] = None,
    warm: Annotated[bool, typer.Option("--warm", help="Cycles of a second call, not of a first.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, as --against always does.")] = False,
    seed: SeedOption = 1,
    jobs: JobsOption = None,
    json: JsonOption = False,
    given: Given | None = None,
) -> int:
    """Set kernels side by side, or the working tree against a git revision; with --core, hot loops line by line too.

    By shape; without --shape, on the layers of real networks that their operators name, or else the largest shape that
    is checked. The first kernel is what the others are held against. With --against and no KERNEL, those whose code is
    not what it was.
    """
    from neonlab.comparison import check_cores

    check_cores(core or ())
    if warm and not core:
        raise InputError("--warm says how to model a core: say on which --core")
    comparison = (
        _against(kernels or [], given, shape or [], core or [], against, warm, seed, jobs, json)
        if against is not None
        else _variants(kernels or [], given, shape or [], core or [], warm, seed, jobs, json)
    )
    _show(comparison, markdown or against is not None, json)
    return 0 if comparison.passed else 1


def _variants(
    names: list[str],
    given: Given | None,
    shapes: list[str],
    cores: list[str],
    warm: bool,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> Comparison:
    from neonlab.comparison import fold_sides, plan_comparison
    from neonlab.plan import layers_of, layers_or_largest
    from neonlab.workers import Workers, look_all

    if not names:
        raise InputError("say which kernels to compare, or with --against which revision")
    found = find_kernels(names, given)
    work = shapes_by_kernel(found, shapes) if shapes else [(kernel, layers_of(kernel)) for kernel in found]
    if not any(taken for _, taken in work):
        work = shapes_by_kernel(found, [str(layers_or_largest(found[0])[0])])
    plan = plan_comparison(work, cores)
    with Workers(jobs) as workers, progress("comparing", len(plan), quiet=quiet) as advance:
        looks = [(look, None) for look in plan]
        sides = look_all(workers, looks, cores=cores, warm=warm, seed=seed, advance=advance)
    return fold_sides(plan, sides, cores, seed)


def _against(
    names: list[str],
    given: Given | None,
    shapes: list[str],
    cores: list[str],
    revision: str,
    warm: bool,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> Comparison:
    from neonlab.against import compare_pairs, pair_up
    from neonlab.library import find_root, own_root
    from neonlab.revision import tree_at
    from neonlab.workers import Workers

    chosen: list[Kernel] = find_kernels(names, given) if names else []
    if not chosen and own_root() is None:
        raise InputError(
            f"{Path.cwd()} lies in no repository of kernels, which has asm/ and kernels/: name the files to compare "
            f"(neonlab compare FILE... --against {shlex.quote(revision)})"
        )
    root = find_root()
    with ExitStack() as stack:
        tree = stack.enter_context(tree_at(revision, chosen[0].path.parent if chosen else root))
        workers = stack.enter_context(Workers(jobs))

        def begin(total: int) -> Callable[[int], None]:
            return stack.enter_context(progress("comparing", total, quiet=quiet))

        return compare_pairs(
            workers, pair_up(tree, root, chosen), tree, shapes=shapes, cores=cores, every=bool(names), warm=warm,
            seed=seed, begin=begin,
        )  # fmt: skip


def _show(comparison: Comparison, markdown: bool, json: bool) -> None:
    from neonlab.report.markdown_comparison import comparison_markdown
    from neonlab.report.terminal import print_failures
    from neonlab.report.terminal_comparison import print_comparison

    if json:
        print_json("compare", **comparison.to_json())
        return
    if markdown:
        print(comparison_markdown(comparison), end="")
        return
    print_comparison(console(), comparison)
    print_failures(console(), comparison.failures)

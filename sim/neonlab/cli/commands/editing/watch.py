"""Implement `neonlab watch`: check and profile a kernel after each save."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.commands.editing.cores import CORES, EditedCoresOption
from neonlab.cli.kept import NoCacheOption
from neonlab.cli.options import takes_given
from neonlab.cli.shared import KernelArgument, LayerOption, SeedOption, console, find_kernel
from neonlab.contract.options import Given

if TYPE_CHECKING:
    from neonlab.lab.watch.session import Session, Watcher


@takes_given
def watch(
    kernel: KernelArgument,
    shape: LayerOption = None,
    core: EditedCoresOption = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Prove the kernel after the cases, at the small shapes that `check` tries.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Report once and exit.")] = False,
    seed: SeedOption = 1,
    no_cache: NoCacheOption = False,
    given: Given | None = None,
) -> int:
    """Check and profile a kernel after each save, and report what has changed.

    The report says whether the kernel is right, and where it is not. It has counts and estimates of cycles, and what
    they have changed by since the last save and since the last commit. A part of the layer is reported first, then more
    cases and the whole layer. The file is never written.
    """
    from neonlab.lab.run.plan import parse_shape
    from neonlab.lab.watch.saves import saves_in
    from neonlab.lab.watch.session import Watcher
    from neonlab.measure.cores.modelled import cores_named

    found, cores = find_kernel(kernel, given), cores_named(core or CORES)
    layer = parse_shape(found, shape) if shape is not None else None
    keeps, options = not no_cache, found.given
    with Watcher(found.path, given=options, shape=layer, cores=cores, seed=seed, prove=prove, keeps=keeps) as watcher:
        if once:
            return _once(watcher)
        saved: queue.Queue[bool] = queue.Queue()

        def heard(operators: bool) -> None:
            watcher.interrupt()
            saved.put(operators)

        with saves_in(watcher.folders, heard), _screen() as show:
            progress.begin("looking")
            _follow(watcher, saved, show)
    return 0


def _once(watcher: Watcher) -> int:
    from neonlab.report.terminal.watch import session_view

    progress.begin("looking")
    for _ in watcher.look():
        pass
    console().print(session_view(watcher.session))
    latest = watcher.session.latest
    if latest.verdict is None:
        return 2
    proved = latest.proof is None or latest.proof.status.is_proof
    return 0 if latest.verdict.passed and proved and not latest.unproved else 1


def _follow(watcher: Watcher, saves: queue.Queue[bool], show: Callable[[Session], None]) -> None:
    """Look now and after each save; a save ends the look before it."""
    while True:
        for session in watcher.look():
            progress.clear()
            show(session)
            if not saves.empty():
                break
        operators = saves.get()
        while not saves.empty():
            operators = saves.get() or operators
        if operators:
            watcher.forget_operators()


@contextmanager
def _screen() -> Iterator[Callable[[Session], None]]:
    """Yield a function that shows a session: in place on a terminal, else one below another."""
    from rich.live import Live

    from neonlab.report.terminal.watch import session_view

    out = console()
    if not out.is_terminal:
        yield lambda session: out.print(session_view(session))
        return
    with Live(console=out, auto_refresh=False, vertical_overflow="visible") as live:
        yield lambda session: live.update(session_view(session), refresh=True)

"""`neonlab watch`: save, and see what it is worth."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from neonlab.cli.given_options import takes_given
from neonlab.cli.shared import SeedOption, console, find_kernels
from neonlab.errors import InputError
from neonlab.given import Given

if TYPE_CHECKING:
    from neonlab.watching import Session, Watcher

_CORES = ("cortex-a53", "cortex-a72")


@takes_given
def watch(
    kernel: Annotated[str, typer.Argument(metavar="KERNEL|FILE")],
    shape: Annotated[
        str | None, typer.Option("--shape", metavar="SHAPE", help="The layer; one of about 14x14x256x256 unless said.")
    ] = None,
    core: Annotated[
        list[str] | None,
        typer.Option("--core", metavar="CORE", help=f"Cycles on this core; repeatable; {' and '.join(_CORES)}."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Say what there is to say now, and stop.")] = False,
    seed: SeedOption = 1,
    given: Given | None = None,
) -> int:
    """Say after each save: right or not and where, counts, cycles, and what changed since the last save and the commit.

    A part of the layer comes first, then more cases and all of it. The file is only read.
    """
    from neonlab.saves import saves_in
    from neonlab.watching import Watcher

    found = find_kernels([kernel], given)
    if len(found) > 1:
        raise InputError(f"`{kernel}` is {', '.join(one.title for one in found)}: say which")
    with Watcher(found[0].path, given=found[0].given, shape=shape, cores=core or _CORES, seed=seed) as watcher:
        if once:
            return _once(watcher)
        saved: queue.Queue[bool] = queue.Queue()

        def heard(operators: bool) -> None:
            watcher.interrupt()
            saved.put(operators)

        with saves_in(watcher.folders, heard), _screen() as show:
            _follow(watcher, saved, show)
    return 0


def _once(watcher: Watcher) -> int:
    from neonlab.report.terminal_watch import session_view

    for _ in watcher.look():
        pass
    console().print(session_view(watcher.session))
    verdict = watcher.session.latest.verdict
    if verdict is None:
        return 2
    return 0 if verdict.passed else 1


def _follow(watcher: Watcher, saves: queue.Queue[bool], show: Callable[[Session], None]) -> None:
    """Look now and after each save; a save ends the look before."""
    while True:
        for session in watcher.look():
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
    """What shows a session: in place on a terminal, else one below another."""
    from rich.live import Live

    from neonlab.report.terminal_watch import session_view

    out = console()
    if not out.is_terminal:
        yield lambda session: out.print(session_view(session))
        return
    with Live(console=out, auto_refresh=False, vertical_overflow="visible") as live:
        yield lambda session: live.update(session_view(session), refresh=True)

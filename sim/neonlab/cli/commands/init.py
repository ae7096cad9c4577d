"""Implement `neonlab init`: create a repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.shared import console


def init(folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, or an empty one.")]) -> None:
    """Make a repository with a kernel for each instruction set, their operator, tests, baselines and CI; all pass.

    It brings this neonlab along as a wheel, which its README and its CI install, and is a git repository with one
    commit where there is git.
    """
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.regression.baselines import FILE
    from neonlab.lab.regression.item import measure_baselines, write_baselines
    from neonlab.lab.start.repository import bring_along, commit_all, start_repository
    from neonlab.lab.start.wheel import own_wheel

    root = folder.resolve()
    name, wheel = own_wheel()
    written = start_repository(root)
    written += bring_along(root, name, wheel)
    progress.begin("measuring baselines")
    with Workers(1) as workers:
        write_baselines(root, measure_baselines(workers, root))
    progress.begin("committing")
    committed = commit_all(root)
    out = console()
    for path in (*written, root / FILE):
        out.print(f"{folder / path.relative_to(root)}", markup=False)
    out.print(committed, markup=False)
    out.print(f"next: cd {folder} && pytest", markup=False)

"""`neonlab init`: a repository to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.shared import console


def init(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or an empty one.")]) -> None:
    """Make a repository with one kernel, its operator, tests, baselines and CI; `pytest` passes there at once."""
    from neonlab.baselines import FILE
    from neonlab.regression import measure_baselines, write_baselines
    from neonlab.starting import start_repository
    from neonlab.workers import Workers

    root = folder.resolve()
    written = start_repository(root)
    with Workers(1) as workers:
        write_baselines(root, measure_baselines(workers, root))
    out = console()
    for path in (*written, root / FILE):
        out.print(f"{folder / path.relative_to(root)}", markup=False)
    out.print(f"next: cd {folder} && pytest", markup=False)

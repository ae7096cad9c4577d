"""Implement `neonlab cores --fit`: choose numbers of models without each family of functions, and judge them on it."""

from __future__ import annotations

from pathlib import Path

from neonlab.cli import progress
from neonlab.cli.shared import console, print_json


def run_fit(path: Path, functions: Path, files: Path | None, into: Path | None, json: bool) -> None:
    """Choose by the plan at `path` with the table `functions`; print what was chosen, and the errors of what was not.

    Writes left_out.csv to the folder `into`.
    """
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.silicon.fit.choose import fit
    from neonlab.lab.silicon.fit.grid import TIME_LIMIT, model_grid
    from neonlab.lab.silicon.fit.plan import read_plan
    from neonlab.lab.silicon.left_out import left_out_errors, left_out_text, ratio_errors
    from neonlab.lab.silicon.table import read_functions
    from neonlab.report.tables.cores import left_out_json, left_out_lines
    from neonlab.report.terminal.fit import choice_lines

    plan, table = read_plan(path), read_functions(functions)
    advance = progress.begin("modelling with all combinations", len(table.functions), "functions")
    with Workers(time_limit=TIME_LIMIT) as workers:
        rows = model_grid(workers, table, files or functions.parent, plan, lambda _: advance(1))
    fitted = fit(plan, rows)
    errors, ratios = left_out_errors(fitted.table), ratio_errors(fitted.table)
    if into is not None:
        make_folder(into)
        write_whole(into / "left_out.csv", left_out_text(fitted.table).encode())
    if json:
        print_json("cores", cores=[], comparisons=[], left_out=left_out_json(errors, ratios))
        return
    out = console()
    for line in (*choice_lines(fitted), "", *left_out_lines(errors, ratios)):
        out.print(line, markup=False, highlight=False)

"""Define the options of commands whose work can be done on several machines: in shards, or on a cluster."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from neonlab.cli import progress
from neonlab.cli.kept import open_results
from neonlab.cli.shared import console
from neonlab.errors import InputError

if TYPE_CHECKING:
    from neonlab.lab.cache.results import Results
    from neonlab.lab.parallel.pool import Workers
    from neonlab.lab.shards.file import Shard

T = TypeVar("T")

_Shard = Annotated[
    str,
    typer.Option(
        "--shard", metavar="N/M", help="Do the Nth of M parts, and write what it finds to a file for `neonlab merge`."
    ),
]
_Shards = Annotated[
    Path, typer.Option("--shards", metavar="FOLDER", help="The folder of that file; the default is shards.")
]
_Cluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        metavar="WHERE",
        help="Run on the workers of a Dask cluster: tcp://HOST:PORT of its scheduler, or local:N for N new processes.",
    ),
]
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "shard": (_Shard, ""),
    "shards": (_Shards, Path("shards")),
    "cluster": (_Cluster, ""),
}
#: Options that change where and how a command runs or writes, and not what it finds: a merge is given its own.
_OWN = ("shard", "shards", "cluster", "jobs", "no_cache", "json", "form", "into", "embed", "witnesses", "compiler")

#: The name of the argument by which typer passes the command line as it was read.
_CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Spread:
    """Say where the work of a command is done: all or one shard of it, here or on a cluster.

    `merged` are the shards that have been done already.
    """

    shard: str = ""
    into: Path = Path("shards")
    cluster: str = ""
    merged: tuple[Shard, ...] = ()
    context: typer.Context | None = None

    @contextlib.contextmanager
    def working(self, jobs: int | None, keeps: bool) -> Iterator[Workers]:
        """Give the processes that do the work; with `keeps` False, no results are taken from the cache or kept."""
        from neonlab.lab.parallel.pool import Workers

        with contextlib.ExitStack() as stack:
            client = None
            if self.cluster:
                from neonlab.lab.cluster.connection import connected

                progress.begin(f"connecting to {self.cluster}")
                client = stack.enter_context(connected(self.cluster))
            results = stack.enter_context(self._results(keeps))
            if client is None:
                yield stack.enter_context(Workers(jobs, results=results))
                return
            from neonlab.lab.cluster.workers import ClusterWorkers

            yield stack.enter_context(ClusterWorkers(client, self.cluster, jobs, results))

    def _results(self, keeps: bool) -> Results:
        if not self.shard and not self.merged:
            return open_results(keeps)
        from neonlab.lab.cache.folder import results_folder
        from neonlab.lab.cache.share import share_named
        from neonlab.lab.shards.results import MergedResults, RecordedResults

        folder = results_folder() if keeps else None
        if self.merged:
            return MergedResults(folder, self.merged)
        return RecordedResults(folder, share_named(self.shard))

    def refuse(self, option: str, why: str) -> None:
        """Raise InputError where a shard is asked for together with an option that needs all results."""
        if self.shard:
            raise InputError(f"--shard {self.shard}: {option} {why}: leave it out")

    def write(self, workers: Workers) -> int:
        """Write the shard's file, say which it is, and return the command's status: 0, whatever was found."""
        from neonlab.lab.shards.file import write_shard
        from neonlab.lab.shards.results import RecordedResults

        results = workers.results
        assert isinstance(results, RecordedResults)
        assert self.context is not None
        shard = results.shard(self.context.info_name or "", _arguments(self.context))
        path = write_shard(shard, self.into)
        progress.clear()
        found = f"{len(shard.results):,} result{'s' * (len(shard.results) != 1)}"
        console().print(f"shard {shard.share} of `{shard.asked}`: {found} in {path}", markup=False)
        return 0


#: All of the work is done here.
ALONE = Spread()


def takes_spread(command: Callable[..., T]) -> Callable[..., T]:
    """Add these options to a command, and pass what they say as its argument `spread`."""
    signature = inspect.signature(command, eval_str=True)
    own = [one for name, one in signature.parameters.items() if name != "spread"]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in _OPTIONS.items()
    ]
    more.append(inspect.Parameter(_CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context))

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> T:
        context: typer.Context = options.pop(_CONTEXT)
        said = {name: options.pop(name, default) for name, (_, default) in _OPTIONS.items()}
        spread = Spread(said["shard"], said["shards"], said["cluster"], context.obj or (), context)
        if spread.shard:
            from neonlab.lab.cache.share import share_named

            share_named(spread.shard)
        if spread.cluster:
            from neonlab.lab.cluster.connection import processes_of

            processes_of(spread.cluster)
        return command(*arguments, spread=spread, **options)

    own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = signature.replace(parameters=own + more)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in own + more}
    return run


def _arguments(context: typer.Context) -> Sequence[str]:
    """Return what a command was given, as words of its command line, without what is only of this machine."""
    options: list[str] = []
    names: list[str] = []
    for param in context.command.params:
        value = context.params.get(param.name)
        if param.name in _OWN or value is None or value == param.get_default(context):
            continue
        values = [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]
        if param.param_type_name == "argument":
            names += values
        elif isinstance(value, bool):
            options.append(param.opts[0] if value else param.secondary_opts[0])
        else:
            options += [word for one in values for word in (param.opts[0], one)]
    return [*options, *(["--"] if any(name.startswith("-") for name in names) else []), *names]

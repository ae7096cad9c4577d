"""Implement `neonlab cache`: show what is kept of results, and clean it."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from neonlab.cli.shared import JsonOption, console, print_json
from neonlab.errors import InputError

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_SIZES = {"K": 10, "M": 20, "G": 30, "T": 40}
#: What units of work are called, by the module and the function that does them.
_WORDS = {"verdict": "verdicts", "proofs": "proofs", "mutants": "mutants", "profiles": "profiles", "layers": "profiles"}


def cache(
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove results: all, or those that the options below name.")
    ] = False,
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="TIME", help="With --clean: those unused for this long: 30d, 12h.")
    ] = "",
    larger_than: Annotated[
        str,
        typer.Option(
            "--larger-than", metavar="SIZE", help="With --clean: the longest unused, down to this size: 1G, 500M."
        ),
    ] = "",
    json: JsonOption = False,
) -> None:
    """Show how much is kept of results that were computed before, and where; with --clean, remove it.

    The folder is that of NEONLAB_CACHE, or else neonlab/results in XDG_CACHE_HOME or ~/.cache. NEONLAB_CACHE=off keeps
    nothing. A result is found again only if all that it depends on is the same: the kernel, what it includes, its
    operator, neonlab and the packages below it.
    """
    from neonlab.lab.cache.folder import results_folder
    from neonlab.lab.cache.store import Store

    if not clean and (older_than or larger_than):
        raise InputError(f"--{'older-than' if older_than else 'larger-than'} says what to remove: give --clean too")
    age, size = _seconds(older_than), _bytes(larger_than)
    folder = results_folder()
    removed, kinds, taken, problem = 0, {}, 0, ""
    if folder is not None and (folder.exists() or not clean):
        with Store(folder) as store:
            if clean:
                removed = store.clean(age, size if size is not None else None if age is not None else 0)
            if folder.exists():
                kinds, taken, problem = _by_word(store.sizes()), store.bytes_on_disk(), store.problem
    if problem:
        raise InputError(problem)
    if json:
        told = [{"kind": kind, "results": count, "bytes": size} for kind, (count, size) in kinds.items()]
        print_json("cache", folder=str(folder) if folder else None, bytes=taken, removed=removed, kinds=told)
        return
    out = console()
    if folder is None:
        out.print("nothing is kept: NEONLAB_CACHE is off", markup=False)
        return
    if clean:
        out.print(f"removed {removed:,} result{'s' * (removed != 1)}", markup=False)
    for kind, (count, size) in kinds.items():
        out.print(f"{kind:<12} {count:>9,} {size / (1 << 20):>9.1f} MiB", markup=False)
    total = sum(count for count, _ in kinds.values())
    out.print(f"{total:,} result{'s' * (total != 1)}, {taken / (1 << 20):.1f} MiB in {folder}", markup=False)


def _by_word(sizes: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return how many results there are of each word, and their bytes; several units of work share one."""
    found: dict[str, tuple[int, int]] = {}
    for kind, (count, size) in sizes.items():
        word = _WORDS.get(kind.partition(".")[0], "other")
        results, taken = found.get(word, (0, 0))
        found[word] = results + count, taken + size
    return found


def _seconds(text: str) -> float | None:
    """Return the seconds of a time such as `30d`; None for "".  Raises InputError."""
    if not text:
        return None
    match = re.fullmatch(r"(\d{1,9})([mhdw])", text)
    if match is None:
        raise InputError(f"--older-than {text}: give a whole number of m, h, d or w, such as 30d")
    return int(match[1]) * _UNITS[match[2]]


def _bytes(text: str) -> int | None:
    """Return the bytes of a size such as `1G`; None for "".  Raises InputError."""
    if not text:
        return None
    match = re.fullmatch(r"(\d{1,9})([KMGT])", text)
    if match is None:
        raise InputError(f"--larger-than {text}: give a whole number of K, M, G or T, such as 1G")
    return int(match[1]) << _SIZES[match[2]]

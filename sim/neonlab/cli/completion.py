"""Offer shell completions: kernels, shapes, cores and the other words that options take.

Any error here, such as a broken file in the repository, offers nothing, since a shell has no place for a message.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer

from neonlab.errors import InputError

#: A word and its meaning.
Offer = tuple[str, str]


def _offers(find: Callable[[], Iterable[Offer | str]]) -> Callable[[str], list[Offer]]:
    """Return a completion that offers those of the found words that start with the typed text."""

    @functools.wraps(find)
    def complete(incomplete: str) -> list[Offer]:
        return _beginning(incomplete, find)

    del complete.__wrapped__  # typer must see the parameters of `complete`
    return complete


def _beginning(incomplete: str, find: Callable[[], Iterable[Offer | str]]) -> list[Offer]:
    try:
        found = [(word, "") if isinstance(word, str) else word for word in find()]
    except (InputError, OSError):
        return []
    offered: dict[str, str] = {}
    for word, meaning in found:
        if word.startswith(incomplete):
            offered.setdefault(word, meaning)  # kernels of both instruction sets may have one name
    return [*offered.items()]


def complete_kernels(incomplete: str) -> list[Offer]:
    """Offer the kernels of the library, with their folders; without, once something else is typed."""
    return _beginning(incomplete, lambda: _kernels(with_folder="/" in incomplete or "armv".startswith(incomplete[:4])))


def _kernels(*, with_folder: bool) -> Iterable[Offer]:
    from neonlab.lab.repository.kernel_files import isa_folder, kernel_files
    from neonlab.lab.repository.kernel_name import KernelName, KernelNameError
    from neonlab.lab.repository.library import find_root

    for path in kernel_files(find_root()):
        try:
            meaning = KernelName.parse(path.stem).in_words()
        except KernelNameError:
            meaning = ""
        folder = isa_folder(path) or path.parent
        yield f"{folder.name}/{path.stem}" if with_folder else path.stem, meaning


def complete_shapes(ctx: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the layers that the kernels on the command line accept, else a shape that `check` tries."""
    return _beginning(incomplete, lambda: _shapes(ctx.params, ctx.args))


def _shapes(given: dict[str, Any], rest: Sequence[str]) -> Iterable[Offer]:
    # If the line ends in an option without its value, the words before it are not assigned to arguments yet.
    from neonlab.lab.run.lookup import kernels_named
    from neonlab.lab.run.plan import layers_or_largest

    names = given.get("kernels") or given.get("kernel") or rest
    for name in [names] if isinstance(names, str) else names:
        for kernel in kernels_named(name):
            layers = kernel.operator.layers.items() if kernel.operator is not None else ()
            labels = {str(shape): label for label, shape in layers}
            yield from ((str(shape), labels.get(str(shape), "")) for shape in layers_or_largest(kernel))


@_offers
def complete_cores() -> Iterable[str]:
    """Offer the cores that there are models of."""
    from neonlab.measure.cores.caches import core_names

    return core_names()


@_offers
def complete_formats() -> Iterable[Offer]:
    """Offer the forms in which `check` prints verdicts."""
    return (
        ("text", "for people"),
        ("short", "one line each, as compilers print"),
        ("github", "annotations of GitHub"),
        ("sarif", "SARIF 2.1.0"),
        ("json", "one document, as neonlab schema check describes"),
    )


@_offers
def complete_mnemonics() -> Iterable[str]:
    """Offer the mnemonics whose forms some core's table has."""
    from neonlab.measure.form_table.asked import known_forms
    from neonlab.measure.form_table.origin import mnemonic_of

    return dict.fromkeys(map(mnemonic_of, known_forms()))


@_offers
def complete_patterns() -> Iterable[Offer]:
    """Offer the patterns of data."""
    from neonlab.verify.cases.case import PATTERNS

    return PATTERNS.items()


@_offers
def complete_isas() -> Iterable[str]:
    """Offer the instruction sets."""
    return ("armv7", "armv8")


@_offers
def complete_operators() -> Iterable[str]:
    """Offer the operators of the library."""
    from neonlab.lab.repository.library import open_library

    return sorted(operator.name for operator in open_library().operators)


@_offers
def complete_features() -> Iterable[Offer]:
    """Offer the extensions that kernels may need, and `neon` for those that need none."""
    from neonlab.lab.repository.kernel_name import LEVELS

    return (("neon", "no extension beyond NEON"), *LEVELS.items())


@_offers
def complete_schemes() -> Iterable[Offer]:
    """Offer the requantization schemes."""
    from neonlab.int8.requantize import SCHEMES

    return ((name, scheme.rounding) for name, scheme in SCHEMES.items())


@_offers
def complete_json_commands() -> Iterable[str]:
    """Offer the commands that have a schema."""
    from neonlab.report.json.documents import schemas

    return schemas()

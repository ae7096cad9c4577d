"""Read kernels with options of their own from the command line: `dense.c@clang:-O3`, `dense.c@gcc`, `dense.c@:-O1`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from neonlab.cli.shared import find_kernels
from neonlab.contract.options import ARCHITECTURES, NOTHING, Build, Given
from neonlab.errors import InputError
from neonlab.host.input_file import is_file

if TYPE_CHECKING:
    from neonlab.lab.repository.library import Kernel


def split_variant(word: str) -> tuple[str, Build | None]:
    """Return the file of a word and how it is compiled; None for a word without options of its own.

    The name of a file may contain `@`.  Raises InputError for options of what is not compiled, and for none.
    """
    path, at, options = word.rpartition("@")
    if not at or is_file(word):
        return word, None
    from neonlab.sources.toolchain import is_c

    if not is_c(Path(path)):
        raise InputError(f"{word}: options behind @ are for the compiler of C, and {path} is not compiled")
    compiler, _, text = options.partition(":")
    try:
        flags = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"{word}: {error}") from None
    if not compiler.strip() and not flags:
        raise InputError(f"{word}: nothing follows @: give FILE@COMPILER:FLAGS, such as dense.c@clang:-O3")
    return path, Build(flags=flags, compiler=compiler.strip())


def find_variants(words: Sequence[str], given: Given | None) -> tuple[list[Kernel], dict[Kernel, str]]:
    """Return the kernels that the words mean, and the labels of those that have options of their own.

    `given` holds the options for all files; those of a word count over them.
    """
    split = [split_variant(word) for word in words]
    if all(build is None for _, build in split):
        return find_kernels(words, given), {}
    given = given or NOTHING
    kernels: dict[Kernel, None] = {}
    labels: dict[Kernel, str] = {}
    for word, (path, build) in zip(words, split, strict=True):
        found = find_kernels([path], given if build is None else replace(given, build=build.over(given.build)))
        kernels |= dict.fromkeys(found)
        if build is not None or given.isa is not None:  # which is the same for each row
            labels |= {one: word + _apart(one, found) for one in found}
    return list(kernels), labels


def _apart(kernel: Kernel, found: Sequence[Kernel]) -> str:
    """Return the options that tell a kernel from the others of its file; "" where it is the only one."""
    symbol = f" --symbol {kernel.name}" if len({one.name for one in found}) > 1 else ""
    isa = f" --isa {ARCHITECTURES[kernel.isa]}" if len({one.isa for one in found}) > 1 else ""
    return symbol + isa

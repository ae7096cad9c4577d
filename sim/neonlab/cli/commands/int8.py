"""Implement `neonlab schemes`: compare the requantization schemes of the int8 arithmetic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli import progress
from neonlab.cli.completion import complete_schemes
from neonlab.cli.shared import JsonOption
from neonlab.errors import InputError

ScalesOption = Annotated[
    list[float] | None,
    typer.Option("--scale", metavar="SCALE", help="Compare at this scale only, from 2^-31 to below 1. Repeatable."),
]


def schemes(
    scale: ScalesOption = None,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            "--scheme",
            metavar="SCHEME",
            help="Compare this scheme with the others named so. Repeatable.",
            autocompletion=complete_schemes,
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into", metavar="FOLDER", help="Write requantization.md and requantization.json to FOLDER; print nothing."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Count the cases in which requantization schemes of int8 libraries disagree.

    The schemes are those of ruy, gemmlowp, TFLite, TVM, QNNPACK, ncnn and onnxruntime.
    """
    from neonlab.host.output_file import make_folder, write_whole
    from neonlab.int8.requantize import SCHEMES
    from neonlab.report.tables.requantization import (
        json_document,
        markdown_document,
        pairs_of,
        part_of_scales,
        parts_of_the_domain,
    )

    for name in scheme or ():
        if name not in SCHEMES:
            raise InputError(f"no scheme is called `{name}`; there are {', '.join(SCHEMES)}")
    if scheme and len(set(scheme)) < 2:
        raise InputError("--scheme: name two schemes or more to compare")
    if scale and not all(2.0**-31 <= one < 1 for one in scale):
        raise InputError("--scale: the scale of an int8 layer is at least 2^-31 and below 1")
    progress.begin("comparing schemes")
    parts = [part_of_scales(scale)] if scale else parts_of_the_domain()
    pairs = pairs_of(parts, scheme or tuple(SCHEMES))
    markdown, document = markdown_document(parts, pairs), json_document(parts, pairs)
    if into is not None:
        make_folder(into)
        write_whole(into / "requantization.md", markdown.encode())
        write_whole(into / "requantization.json", document.encode())
    progress.clear()
    print(document if json else markdown, end="") if json or into is None else None

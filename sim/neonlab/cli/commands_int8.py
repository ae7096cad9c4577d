"""`neonlab schemes`: what the library of int8 arithmetic can tell by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neonlab.cli.shared import JsonOption
from neonlab.errors import InputError

ScalesOption = Annotated[
    list[float] | None,
    typer.Option("--scale", metavar="SCALE", help="Compare on this scale, 2^-31 to below 1, only; repeatable."),
]


def schemes(
    scale: ScalesOption = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder to write requantization.md and .json to, instead.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Count where the requantisation schemes of ruy, gemmlowp, TFLite, TVM, QNNPACK, ncnn, onnxruntime disagree."""
    from neonlab.cli.commands_assembly import write_whole
    from neonlab.report.requantization import (
        json_document,
        markdown_document,
        pairs_of,
        part_of_scales,
        parts_of_the_domain,
    )

    if scale and not all(2.0**-31 <= one < 1 for one in scale):
        raise InputError("--scale: the scale of an int8 layer lies from 2^-31 to below 1")
    parts = [part_of_scales(scale)] if scale else parts_of_the_domain()
    pairs = pairs_of(parts)
    markdown, document = markdown_document(parts, pairs), json_document(parts, pairs)
    if into is not None:
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{into}: cannot be made: {error.strerror}") from None
        write_whole(into / "requantization.md", markdown.encode())
        write_whole(into / "requantization.json", document.encode())
    print(document if json else markdown, end="") if json or into is None else None

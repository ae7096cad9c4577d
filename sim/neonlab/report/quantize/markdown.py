"""Write how a network was quantized as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from neonlab.network.quantize.study import Study
from neonlab.report.cells import markdown_row
from neonlab.report.quantize.words import Row, head_line, kept_line, layer_rows, layers_title, trial_rows


def study_markdown(study: Study, written: str, emulated: Iterable[str]) -> str:
    """Return the text of the page."""
    lines = [f"# {study.name} in 8 bits", "", *(f"- {line}" for line in (head_line(study), *emulated))]
    lines += [f"- {kept_line(study, written)}", "", *_table(trial_rows(study)), "", f"{layers_title(study)}:", ""]
    return "\n".join((*lines, *_table(layer_rows(study)))) + "\n"


def _table(rows: Iterable[Row]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield markdown_row(row)
        if not number:
            yield "|---|" + "---:|" * (len(row) - 1)

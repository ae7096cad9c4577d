"""Build the searchable page of instruction forms: all figures as data, which a script filters where it is shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from neonlab.measure.cores.caches import core_names
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.form_table.asked import known_forms
from neonlab.measure.form_table.figures import FormFigures, figures_of

#: Where the script puts the fields and the table.
PLACE = '<div id="forms"></div>'
LEGEND = (
    "Latency: cycles from issue to the issue of a dependent instruction of the same kind; *addr.*: to an address, "
    "where that is longer; *acc.*: to an instruction that accumulates into the result. Rate: instructions a cycle if "
    "nothing waits for a result. Ports: `A/B` is either, `A B` is both, `A×2` is for two cycles."
)


def forms_script(cores: Sequence[str] = ()) -> str:
    """Return a script that fills PLACE with the figures of every form on `cores`, by default on all.

    The data is `rows[core][form]`, each an index of `figures`; texts that repeat stand once in `texts`.
    """
    names = tuple(cores) or core_names()
    figures: dict[tuple[Any, ...], int] = {}
    texts: dict[str, int] = {}
    rows = []
    for name in names:
        core = ModelledCore.named(name, cycles=True)
        rows.append([figures.setdefault(_row(figures_of(form, core), texts), len(figures)) for form in known_forms()])
    data = {"cores": names, "forms": known_forms(), "texts": list(texts), "figures": list(figures), "rows": rows}
    told = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    script = (resources.files("neonlab.report.page") / "templates" / "forms.js").read_text(encoding="utf-8")
    return f"const FORMS = {told};\n{script}"


def _row(one: FormFigures, texts: dict[str, int]) -> tuple[Any, ...]:
    """Return the cells of a figure: latencies, rate, and the numbers of ports, evidence and source in `texts`."""
    told = [texts.setdefault(text, len(texts)) for text in (one.ports, one.known, one.source)]
    if one.refusal:
        return (None, None, None, None, texts.setdefault("", len(texts)), told[1], texts.setdefault("", len(texts)))
    return (*map(_short, (one.latency, one.to_address, one.accumulator, one.rate)), *told)


def _short(figure: float | None) -> float | int | None:
    """Return a figure with as many digits as it is shown with."""
    if figure is None:
        return None
    rounded = round(figure, 3)
    return int(rounded) if rounded == int(rounded) else rounded

"""Define what `neonlab network --against --json` prints of the changes since an earlier run."""

from __future__ import annotations

from typing import Any

from neonlab.lab.compare.figures import Change
from neonlab.network.run.earlier import Comparison
from neonlab.report.json.parts import BOOLEAN, INTEGER, NUMBER, STRING, described, list_of, nullable, object_of

_CHANGE = {
    "before": INTEGER,
    "after": INTEGER,
    "relative": described(NUMBER, "the increase, as a share"),
    "told": described(nullable(BOOLEAN), "whether the core's model can tell the difference; null for two cores"),
}
#: The property of the document.
AGAINST = nullable(
    object_of(
        file=STRING,
        isa=STRING,
        core=nullable(STRING),
        figure=described({"enum": ["cycles", "instructions"]}, "that is compared"),
        **_CHANGE,
        layers=described(
            list_of(
                object_of(layer=STRING, kernels_before=list_of(STRING), kernels_after=list_of(STRING), **_CHANGE),
            ),
            "that differ in their kernels or in the figure",
        ),
        only_in_one=list_of(STRING),
    )
)


def comparison_json(found: Comparison | None) -> dict[str, Any] | None:
    """Return the property of the document; None where there is no earlier run."""
    if found is None:
        return None
    return {
        "file": found.earlier.path,
        "isa": found.earlier.isa,
        "core": found.earlier.core,
        "figure": found.figure,
        **_change(found, found.total),
        "layers": [
            {
                "layer": one.layer,
                "kernels_before": list(one.before),
                "kernels_after": list(one.after),
                **_change(found, one.change),
            }
            for one in found.changed
        ],
        "only_in_one": list(found.only),
    }


def _change(found: Comparison, change: Change) -> dict[str, Any]:
    told = change.told if found.same_core or found.figure == "instructions" else None
    return {"before": change.before, "after": change.after, "relative": round(change.relative, 6), "told": told}

"""Classify the figures of a table that the model does not reproduce, by general properties of the row."""

from __future__ import annotations

import re

from neonlab.measure.silicon.timing_recipes import recipe_of
from neonlab.measure.silicon.truth import TableComparison

BETWEEN = "lies between whole cycles: the core needs now the one, now the other, and the model always the same"
FLAGS = "the best of eight streams that set flags: more of them overlap in the model than on the core, or fewer"
HALF_A_PAIR = (
    "the table takes half a move there and back off; the halves are not alike, so that tells little of the form"
)
NON_TEMPORAL = "a non-temporal load is taken for a usual one"
ALONGSIDE = "measured with another instruction in each step of the stream; which of the two is held up is not known"
LITERAL = "a load of a constant is taken for a usual one"
REMOVED = "removed at renaming, at a rate that is not modelled"
BELOW_PORTS = "the ports, as the guides have them, allow more than the core was seen to do; why is not known"
ROUNDED = "ports are held for whole cycles here: the rate nearest to this one was taken"
OPEN = "not explained"
REASONS = (
    BETWEEN, FLAGS, HALF_A_PAIR, NON_TEMPORAL, ALONGSIDE, LITERAL, REMOVED, BELOW_PORTS, ROUNDED, OPEN,
)  # fmt: skip


def reason_of(found: TableComparison) -> str:
    """Return one of REASONS, for a figure that the model does not reproduce."""
    recipe = recipe_of(found.form)
    fraction = found.measured % 1.0
    if found.form.startswith("ldnp"):
        return NON_TEMPORAL
    if "literal" in found.form:
        return LITERAL
    if recipe.less == "moves":
        return HALF_A_PAIR
    if found.what == "latency":
        return BETWEEN if 0.06 < fraction < 0.94 and abs(found.modelled - found.measured) < 1.0 else OPEN
    if recipe.sweep:
        return FLAGS
    if re.match(r"(nop|mov|mov /.*0x00|movi.*0x00)", found.form):
        return REMOVED
    if recipe.before or recipe.after:
        return ALONGSIDE
    if abs(found.error) <= 0.25:
        return BELOW_PORTS if found.modelled > found.measured else ROUNDED
    return OPEN

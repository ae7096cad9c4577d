"""Write for the terminal what was chosen for the models without each family of functions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from neonlab.lab.silicon.fit.choose import Fitted, chosen_numbers


def choice_lines(fitted: Fitted) -> Iterator[str]:
    """Yield the lines, in at most 80 columns: for each group the choice with all families, then without each."""
    group = None
    for choice in fitted.choices:
        if choice.group is not group:
            group = choice.group
            yield from textwrap.wrap(", ".join(group.cores), 80)
        title = f"without {choice.family}" if choice.family else "with all"
        chosen = ", ".join(f"{name} {value}" for name, value in chosen_numbers(choice).items())
        text = f"{title}: {choice.error:.1%} on the others; {chosen}" if chosen else f"{title}: no other family"
        yield from textwrap.wrap(text, 80, initial_indent="  ", subsequent_indent="    ")

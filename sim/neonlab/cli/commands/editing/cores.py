"""Define the cores on which an edited kernel is measured."""

from __future__ import annotations

from typing import Annotated

from neonlab.cli.shared import core_option

#: Those without --core: one in order, and one out of order.
CORES = ("cortex-a53", "cortex-a72")
EditedCoresOption = Annotated[
    list[str] | None,
    core_option(f"Estimate the cycles on this core; the default is {' and '.join(CORES)}. Repeatable."),
]

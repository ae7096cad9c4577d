"""Limits of the tables of a pipeline, which the compiled pipeline has room for."""

from __future__ import annotations

CROSSINGS_AT_MOST, GROUPS_AT_MOST = 8, 5
PARTS = 16  # of a cycle, in which tables give times between whole cycles

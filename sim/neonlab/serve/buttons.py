"""Make the buttons of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


def button(words: str, clicked: Callable[[], Any] | None = None) -> ui.element:
    """Return a button with `words` on it, which calls `clicked`."""
    with ui.element("button").classes("neonlab-button").props("type=button") as made:
        ui.html(words, sanitize=False, tag="span")
    return made.on("click", clicked) if clicked is not None else made

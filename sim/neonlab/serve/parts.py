"""Make parts that stand at several places of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from nicegui import ui

_FIRST_LINES = 80  # more than a window has


def button(words: str, clicked: Callable[[], Any] | None = None) -> ui.element:
    """Return a button with `words` on it, which calls `clicked`."""
    with ui.element("button").classes("neonlab-button").props("type=button") as made:
        ui.html(words, sanitize=False, tag="span")
    return made.on("click", clicked) if clicked is not None else made


def coloured(lines: Iterable[tuple[str, str]]) -> str:
    """Return lines as HTML, each with the class that colours it; "" for none."""
    return "\n".join(f'<span class="{state}">{escape(line)}</span>' if state else escape(line) for state, line in lines)


def first_paint(name: str, text: str) -> str:
    """Return what a browser shows of a file until its scripts have made the editor: the name and the first lines."""
    lines = text.split("\n", _FIRST_LINES)[:_FIRST_LINES]
    numbered = "\n".join(f"<i>{number}</i>{escape(line)}" for number, line in enumerate(lines, 1))
    head = f'<div class="neonlab-head"><b>{escape(name)}</b></div>'
    return f'<div id="neonlab-first" aria-hidden="true">{head}<pre>{numbered}</pre></div>'

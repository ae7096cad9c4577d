"""Show values in a notebook with renderers that a higher package registers, so that no value imports its renderer."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

#: Modules whose `RENDERERS` map the name of a class to a function from a value of it to HTML.
_modules: list[str] = []


def register_renderers(module: str) -> None:
    """Show values by the `RENDERERS` of `module`, which is imported when the first value is shown."""
    if module not in _modules:
        _modules.append(module)


def html_of(value: object) -> str | None:
    """Return the HTML that a notebook shows; None where no renderer is registered, which makes it show the `repr`."""
    for module in _modules:
        renderers: Mapping[str, Callable[[Any], str]] = importlib.import_module(module).RENDERERS
        render = renderers.get(type(value).__name__)
        if render is not None:
            return render(value)
    return None

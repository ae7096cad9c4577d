"""Make the environment that all templates of pages share."""

from __future__ import annotations

from importlib import resources

import jinja2
from markupsafe import Markup

from neonlab import __version__


def environment() -> jinja2.Environment:
    """Return an environment with the templates of pages, their style, the version, and numbers by `n`."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("neonlab.report.page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["n"] = lambda value: f"{value:,}"
    found.globals.update(version=__version__, style=asset("page.css"))
    return found


def asset(name: str) -> Markup:
    """Return the text of a file among the templates, as it is."""
    return Markup((resources.files("neonlab.report.page") / "templates" / name).read_text(encoding="utf-8"))

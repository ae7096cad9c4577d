"""What MkDocs makes while it builds: pages and pictures that say what the code says today."""

from __future__ import annotations

import json
from pathlib import Path

from architecture import Tree, architecture_svg
from json_page import json_page
from ladder_figures import environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.formatters import HtmlFormatter

from neonlab.report.schemas import schemas

ROOT = Path(__file__).resolve().parents[1]
#: Pages that are templates: figures in them come from reports/.
TEMPLATES = ("ladder.md",)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what no file holds."""
    made = {
        "json.md": json_page(schemas()),
        "architecture.svg": architecture_svg(Tree.read(ROOT)),
        "code.css": _code_css(),
        **{f"schemas/{name}.json": json.dumps(schema, indent=2) for name, schema in schemas().items()},
    }
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the lab's own figures into the pages that ask for them, and the picture into its page."""
    if page.file.src_uri in TEMPLATES:
        return environment(ROOT).from_string(markdown).render()
    return markdown


def _code_css() -> str:
    """Pygments' colours for both of the theme's modes."""
    modes = {"light": "default", "dark": "github-dark"}
    return "\n".join(
        HtmlFormatter(style=style).get_style_defs(f'[data-bs-theme="{mode}"] .highlight')  # type: ignore[no-untyped-call]
        for mode, style in modes.items()
    )

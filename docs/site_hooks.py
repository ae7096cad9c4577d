"""Generate pages and pictures while MkDocs builds the site, so that they agree with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from api_page import api_page
from architecture import Tree, architecture_svg
from json_page import json_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pygments.formatters import HtmlFormatter

import neonlab
from neonlab.report.json.documents import schemas
from neonlab.report.page.forms_page import LEGEND, PLACE, forms_script

ROOT = Path(__file__).resolve().parents[1]
#: The begin of an anchor, or of a link to one, that begins with a digit.
_DIGIT = re.compile(r'(\bid="|\bhref="[^":]*#)(\d)')
_SEARCH = Path(__file__).with_name("search.js")
#: Marks where the picture goes.  An image link would be broken on a Git host: the picture is no file of the tree.
_PICTURE = "<!-- picture: architecture.svg -->"
#: Marks where the searchable table of instruction forms goes.
_FORMS = "<!-- table: forms -->"
#: A link out of the pages; the site has no reports.
_REPORT = re.compile(r"\[([^\]]+)\]\(\.\./\.\./reports/[^)]+\)")
#: Pages that are made while building: pages name them, and only the site can link to them.
_MADE = re.compile(r"`(api|json)\.html`")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, pictures and schemas that are generated."""
    made = {
        "api.md": api_page(neonlab),
        "json.md": json_page(schemas()),
        "architecture.svg": architecture_svg(Tree.read(ROOT)),
        "code.css": _code_css(),
        "forms.js": forms_script(),
        **{f"schemas/{name}.json": json.dumps(schema, indent=2) for name, schema in schemas().items()},
    }
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Insert the picture of the imports and the table of forms, link pages made here, and name reports by file."""
    linked = _MADE.sub(r"[`\1.html`](\1.md)", markdown)
    table = f'{LEGEND}\n\n{PLACE}\n\n<script src="forms.js"></script>\n'
    return _REPORT.sub(r"`\1`", linked.replace(_PICTURE, "![architecture](architecture.svg)").replace(_FORMS, table))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Change what the theme's scripts stumble over.

    That for dark mode switches two style sheets of highlight.js even where it is left out; that which marks the section
    in view takes an anchor for a CSS selector, which must not begin with a digit.
    """
    output = _DIGIT.sub(r"\1s\2", output)
    return output.replace("</head>", '<style id="hljs-light"></style><style id="hljs-dark"></style></head>', 1)


@event_priority(-100)  # after the plugin, which writes the index
def on_post_build(config: MkDocsConfig) -> None:
    """Put the search of `search.js`, with its index, in the place of MkDocs' own, which needs a server."""
    folder = Path(config.site_dir) / "search"
    sections = json.loads((folder / "search_index.json").read_text())["docs"]
    pages = {section["location"]: section["title"] for section in sections if "#" not in section["location"]}
    for section in sections:
        section["location"] = re.sub(r"#(?=\d)", "#s", section["location"])
        section["page"] = pages.get(section["location"].partition("#")[0], "")
    index = json.dumps(sections, ensure_ascii=False, separators=(",", ":"))
    (folder / "main.js").write_text(f"const INDEX = {index};\n{_SEARCH.read_text()}")
    for name in ("search_index.json", "worker.js"):
        (folder / name).unlink()


def _code_css() -> str:
    """Return Pygments' colours for the theme's light and dark mode, as CSS."""
    modes = {"light": "default", "dark": "github-dark"}
    return "\n".join(
        HtmlFormatter(style=style).get_style_defs(f'[data-bs-theme="{mode}"] .highlight')  # type: ignore[no-untyped-call]
        for mode, style in modes.items()
    )

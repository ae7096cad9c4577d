"""The page of instruction forms: its data are the figures, and a person finds forms in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.contrast import poor_contrast

from neonlab.measure.cores.modelled import ModelledCore
from neonlab.measure.form_table.asked import known_forms
from neonlab.measure.form_table.figures import figures_of
from neonlab.report.page import render
from neonlab.report.page.forms_page import forms_script

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CORES = ("cortex-a53", "cortex-a76")


@pytest.fixture(scope="module")
def script() -> str:
    return forms_script(CORES)


@pytest.fixture(scope="module")
def page(script: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("forms") / "forms.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "forms_script", lambda: script)
        path.write_text(render.forms_html(), encoding="utf-8")
    return path


def test_the_data_are_the_figures(script: str) -> None:
    data = json.loads(script.removeprefix("const FORMS = ").partition(";\n")[0])
    assert (tuple(data["cores"]), tuple(data["forms"])) == (CORES, known_forms())
    for number, form in list(enumerate(known_forms()))[::97]:
        for row, core in enumerate(CORES):
            latency, _, accumulator, rate, ports, known, source = data["figures"][data["rows"][row][number]]
            one = figures_of(form, ModelledCore.named(core))
            assert data["texts"][known] == one.known
            if not one.refusal:
                assert (latency, accumulator) == (one.latency, one.accumulator)
                assert rate == pytest.approx(one.rate, abs=1e-3)
                assert (data["texts"][ports], data["texts"][source]) == (one.ports, one.source)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_person_finds_forms_by_typing(browser: Browser, page: Path, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
    )
    tab = context.new_page()
    problems: list[str] = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.goto(page.as_uri())
    tab.get_by_label("Form").fill("smlal.8b")
    tab.get_by_label("on", exact=True).select_option("cortex-a53")
    cells = tab.locator("tbody tr td").all_inner_texts()
    assert cells == ["smlal.8b", "cortex-a53", "4", "", "1", "1", "N0 N1", "as measured of smlal.4h"]
    assert "1 form of" in tab.get_by_role("status").inner_text()
    tab.get_by_label("Form").fill("sml*")
    assert tab.locator("tbody tr").count() > 10 and poor_contrast(tab) == []
    tab.get_by_label("Form").fill("(")
    assert tab.locator("tbody tr").count() == 0
    tab.reload()
    assert tab.get_by_label("on", exact=True).input_value() == "cortex-a53"
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert problems == []
    context.close()

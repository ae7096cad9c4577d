"""What the desk finds of texts that follow one another faster than they are checked."""

from __future__ import annotations

import queue
import re
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import ADD, HEAD, new_repository

from neonlab.contract.options import NOTHING
from neonlab.editor.desk import Desk, Text
from neonlab.editor.sight import Sight
from neonlab.lab.watch.questions import Subject
from neonlab.lab.watch.reading import StateReader

SHAPE, WAIT = "4096", 120
LAYER = f"layer {SHAPE}"


def layer_cells(sight: Sight) -> list[str]:
    """Return the cells of the row of instructions on the layer; empty until they are known."""
    table = next((part for part in sight.figures.split("<table") if f">{LAYER}<" in part), "")
    row = re.search(r"<tr><td>instructions</td>(.*?)</tr>", table)
    return re.findall(r"<td[^>]*>(.*?)</td>", row[1]) if row else []


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("unsaved", [False, True], ids=["saved", "typed"])
def test_a_save_whose_check_was_cut_short_is_still_compared_with(tmp_path: Path, unsaved: bool) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    longer = text.replace(HEAD, f"    nop\n{HEAD}")
    seen: queue.Queue[Sight] = queue.Queue()

    def show(sight: Sight) -> None:
        if sight.text == longer and not sight.complete:
            assert not layer_cells(sight)
            desk.ask(Text(path, text, longer if unsaved else text))
        seen.put(sight)

    desk = Desk(root, given={path: NOTHING}, shape=SHAPE, cores=(), seed=1, show=show)
    with desk:
        desk.ask(Text(path, longer, longer))
        cells: list[str] = []
        while len(cells) < 2 or not cells[1]:
            sight = seen.get(timeout=WAIT)
            cells = layer_cells(sight) if sight.text == text else []
    assert cells[1].startswith(f"−{int(SHAPE) // 16:,} (")


@pytest.mark.slow
@pytest.mark.parametrize("beginning", [False, True], ids=["before the look", "as the look begins"])
def test_a_save_that_another_one_follows_at_once_is_still_compared_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beginning: bool
) -> None:
    root = new_repository(tmp_path)
    path = root / "asm" / f"{ADD}.S"
    text = path.read_text()
    longer = text.replace(HEAD, f"    nop\n{HEAD}")
    seen: queue.Queue[Sight] = queue.Queue()
    saved = False
    subject = StateReader.subject

    def look(reader: StateReader, *args: Any) -> Subject | str:
        monkeypatch.undo()
        found = subject(reader, *args)
        desk.ask(Text(path, text, text))  # by another editor
        return found

    def show(sight: Sight) -> None:
        nonlocal saved
        if sight.text == longer and sight.complete and layer_cells(sight) and not saved:
            saved = True
            desk.ask(Text(path, longer, longer))
            if beginning:
                monkeypatch.setattr(StateReader, "subject", look)
            else:
                desk.ask(Text(path, text, text))
        seen.put(sight)

    desk = Desk(root, given={path: NOTHING}, shape=SHAPE, cores=(), seed=1, show=show)
    with desk:
        desk.ask(Text(path, longer, text))  # typed
        cells: list[str] = []
        while len(cells) < 2 or not cells[1]:
            sight = seen.get(timeout=WAIT)
            cells = layer_cells(sight) if sight.text == text else []
    assert cells[1].startswith(f"−{int(SHAPE) // 16:,} (")

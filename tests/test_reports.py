"""reports/ is what the lab finds today, byte for byte, and the README's table comes from it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema

from neonlab.report.schemas import schemas

ROOT = Path(__file__).resolve().parents[1]


def test_reports_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    shutil.copy(ROOT / "README.md", readme)
    run = [sys.executable, "-c", "from neonlab.cli import main; main()"]
    arguments = ["report", "--into", str(tmp_path / "reports"), "--embed", str(readme)]
    result = subprocess.run([*run, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    written = {path.name for path in (tmp_path / "reports").iterdir()}
    assert written >= {"variants.md", "variants.json"}
    for name in written:
        assert (tmp_path / "reports" / name).read_bytes() == (ROOT / "reports" / name).read_bytes(), name
    assert readme.read_bytes() == (ROOT / "README.md").read_bytes()
    document = json.loads((ROOT / "reports" / "variants.json").read_text())
    jsonschema.validate(document, schemas()["report"])
    assert all(row["exact"] for row in document["rows"])
    assert {row["kernel"].split("/")[1] for row in document["rows"]} == {path.stem for path in ROOT.glob("asm/*/*.S")}

"""A server of `neonlab serve` in a process of its own, for tests that look at its page."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.command_line import interrupted, started

DONE = "body[data-neonlab=done]"
SHAPE, CORE, OTHER = "4096", "cortex-a53", "add_s8_other"
WAIT = 120_000  # milliseconds


@dataclass
class Served:
    process: subprocess.Popen[str]
    path: Path
    address: str
    port: int

    @property
    def token(self) -> str:
        return self.address.rpartition("=")[2]


def start(path: Path, *more: str) -> Served:
    process = started("serve", str(path), "--no-browser", *more)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S+", line)
    assert found, process.communicate(timeout=60)
    return Served(process, path, found[0], int(found[1]))


def stop(served: Served) -> tuple[str, str]:
    return interrupted(served.process)

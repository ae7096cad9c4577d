"""Compute what stands for the lab itself in the key of a result: its sources, and the packages that it runs on.

A development tree changes without a new version, so the sources count and not their number.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
import sys
import time
from pathlib import Path

from neonlab import __version__

#: The packages whose versions may change a result.
PACKAGES = ("unicorn", "keystone-engine", "capstone", "numpy", "numba", "llvmlite", "pcpp", "pycparser", "pyelftools")
#: Folders of the package that are not the lab: compiled code, and the library, whose files count one by one.
_APART = ("__pycache__", "library")
#: Seconds for which a process may have run where the system does not tell.
_UNKNOWN_AGE = 120.0


def lab_folder() -> Path:
    """Return the folder of the lab's own sources."""
    return Path(__file__).resolve().parents[2]


@functools.cache
def lab_digest(folder: Path | None = None) -> str:
    """Return the SHA-256, in hex, of the lab's sources and tables, its version, and what it runs on."""
    folder = folder or lab_folder()
    digest = hashlib.sha256("\n".join(lab_versions()).encode())
    for path in source_files(folder):
        content = hashlib.sha256(path.read_bytes()).digest()
        digest.update(path.relative_to(folder).as_posix().encode(errors="surrogateescape") + b"\0" + content)
    return digest.hexdigest()


def lab_versions() -> list[str]:
    """Return the version of the lab, and those of Python, the system and the packages that it runs on, in words."""
    system = f"{platform.system()} {platform.machine()}, {sys.byteorder}-endian"
    packages = [f"{name} {_version(name)}" for name in PACKAGES]
    return [f"neonlab {__version__}", f"Python {sys.version}", system, *packages]


def source_files(folder: Path) -> list[Path]:
    """Return the files below `folder` that are the lab's: its modules, its tables, and what else it reads."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in _APART]
        found += [Path(place, name) for name in names]
    return sorted(found)


def lab_stamps() -> tuple[tuple[str, int, int], ...]:
    """Return what changes if a source of the lab is written while it runs: path, time of change and size of each."""
    found = []
    for path in source_files(lab_folder()):
        state = path.stat()
        found.append((str(path), state.st_ctime_ns, state.st_size))
    return tuple(found)


def written_since_start() -> bool:
    """Tell whether a source of the lab was written after this process began, which may have imported another state."""
    began = time.time() - _age()
    return any(changed > began * 1e9 for _, changed, _ in lab_stamps())


def _age() -> float:
    """Return for how many seconds this process has run, or more."""
    try:
        started = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
        up = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
        return up - started / os.sysconf("SC_CLK_TCK") + 0.1
    except (OSError, ValueError, IndexError):
        return _UNKNOWN_AGE


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"

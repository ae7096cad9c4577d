"""Build a wheel of the installed neonlab, which a new repository carries so that it needs no package index.

The wheel is made of the installed files, or of those of a checkout that is installed for editing.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from neonlab.errors import InputError
from neonlab.lab.repository.library import shipped_root

#: Files that an installer adds to a distribution's metadata.
_OF_INSTALLER = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
_LIBRARY = ("asm", "kernels")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def own_wheel() -> tuple[str, bytes]:
    """Return the name of the wheel's file and its bytes, which are reproducible.

    Raises InputError if neonlab is not installed.
    """
    try:
        installed = distribution("neonlab")
    except PackageNotFoundError:
        raise InputError(
            "neonlab runs here without being installed, so a new repository could not install it: pip install it first"
        ) from None
    files = dict(sorted(_files(installed)))
    information = f"neonlab-{installed.version}.dist-info"
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return f"neonlab-{installed.version}-py3-none-any.whl", made.getvalue()


def _files(installed: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield every file but RECORD with its name in the wheel: the package, the library of kernels, the metadata."""
    package = Path(__file__).resolve().parents[2]
    for path in _below(package):
        if path.parts[0] != "library":
            yield f"neonlab/{path.as_posix()}", (package / path).read_bytes()
    root = shipped_root()
    for folder in _LIBRARY:
        for path in _below(root / folder):
            yield f"neonlab/library/{folder}/{path.as_posix()}", (root / folder / path).read_bytes()
    information = f"neonlab-{installed.version}.dist-info"
    for entry in installed.files or ():
        within = entry.as_posix().partition(f"{information}/")[2]
        if within and within not in _OF_INSTALLER:
            yield f"{information}/{within}", Path(str(entry.locate())).read_bytes()


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files below the folder, relative to it, without caches and hidden files."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        left_behind = any(part == "__pycache__" or part.startswith(".") for part in relative.parts)
        if path.is_file() and not left_behind and path.suffix != ".pyc":
            yield relative


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

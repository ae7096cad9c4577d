"""Carry the files that kernels need to another machine, by their content, and put them there.

A file lies below the place of its content's hash under the path that it has at home: `/lab/asm/x.S` is
`PLACE/lab/asm/x.S`.  Results name files, so the place is taken out of them again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from neonlab.assemble.file_names import ASSEMBLY
from neonlab.errors import InputError
from neonlab.lab.cache.kernel_sources import KernelSources
from neonlab.lab.repository.library import Kernel

#: Files beside a kernel that it may name: contracts, includes and other kernels; and the most bytes of one.
_BESIDE, _MOST = (*ASSEMBLY, ".inc", ".h", ".toml"), 1 << 20
_BASES = "bases.json"
#: The time of all files in the archive, so that its bytes depend on contents alone.
_ALWAYS = (1980, 1, 1, 0, 0, 0)


def travels(kernel: Kernel, sources: KernelSources | None) -> bool:
    """Tell whether a kernel can run elsewhere: assembly, all of whose files are known.

    Compilers differ between machines, so what is compiled stays at home.
    """
    return sources is not None and kernel.reference is None and kernel.path.suffix in ASSEMBLY and not kernel.build.link


def packed(kernels: Iterable[tuple[Kernel, KernelSources]]) -> bytes:
    """Return an archive of all files of the kernels, and of the repositories with their operators."""
    files: dict[str, Path] = {}
    bases: dict[str, None] = {str(Path.cwd()): None}
    for kernel, sources in kernels:
        named = [Path(path) for path, *_ in sources.stamps]
        if kernel.given.contract:
            named.append(Path(kernel.given.contract))
        folders = {kernel.path.parent, *(path.parent for path in named)}
        named += [path for folder in folders for path in folder.iterdir() if path.suffix in _BESIDE]
        if kernel.root is not None:
            if str(kernel.root) not in bases:
                trees = [path for name in ("asm", "kernels") for path in (kernel.root / name).rglob("*")]
                named += [path for path in trees if "__pycache__" not in path.parts]
            bases[str(kernel.root)] = None
        bases |= dict.fromkeys(str(folder.absolute()) for folder in folders)
        # An include may be named by way of the folder above, as in `conv1x1/../include/rows.inc`.
        files |= {os.path.normpath(path.absolute()): path for path in named}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(zipfile.ZipInfo(_BASES, _ALWAYS), json.dumps([base for base in sorted(bases) if base != "/"]))
        for name in sorted(files):
            if files[name].is_file() and files[name].stat().st_size <= _MOST:
                entry = zipfile.ZipInfo(name, _ALWAYS)
                entry.compress_type = zipfile.ZIP_DEFLATED
                out.writestr(entry, files[name].read_bytes())
    return archive.getvalue()


def digest_of(archive: bytes) -> str:
    """Return the hash of an archive, which names the place of its files."""
    return hashlib.sha256(archive).hexdigest()


def placed(archive: bytes, digest: str, folder: Path) -> Path:
    """Put the files of an archive of that digest below `folder`, unless they are there, and return their place.

    Raises InputError for an archive that would write elsewhere, or has another digest.
    """
    place = folder / digest
    if place.is_dir():
        return place
    if digest_of(archive) != digest:
        raise InputError("the files of kernels did not arrive as they were sent")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = tempfile.mkdtemp(dir=folder)
    try:
        _unpack(archive, fresh)
        os.rename(fresh, place)  # noqa: PTH104 - both are names, and one moment makes the place whole
    except OSError:
        if not place.is_dir():  # else another thread was first
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return place


def _unpack(archive: bytes, folder: str) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as read:
        for name in read.namelist():
            target = Path(f"{folder}/{name.lstrip('/')}")
            if ".." in target.parts:
                raise InputError(f"{name}: a file of a kernel cannot lie there")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read.read(name))
        for base in json.loads(read.read(_BASES)):
            Path(f"{folder}{base}").mkdir(parents=True, exist_ok=True)


def to_place(text: str, place: Path) -> str:
    """Return the text of values with names of files as they are below `place`."""
    bases = sorted(json.loads((place / _BASES).read_text(encoding="utf-8")), key=len, reverse=True)
    words = "|".join(re.escape(json.dumps(base)[1:-1]) for base in bases)
    return re.sub(rf'(?<=")(?=(?:{words})[/"])', lambda _: str(place), text) if bases else text

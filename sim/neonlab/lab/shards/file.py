"""Write what a shard of a command found to one file, and read it again.

The file is compressed JSON.  Results are text of `neonlab.lab.cache.plain`: a file never runs code.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shlex
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonlab.errors import InputError
from neonlab.host.output_file import make_folder, write_whole
from neonlab.lab.cache.share import Share

SUFFIX = ".shard"
_FORMAT = "neonlab shard 1"


@dataclass(frozen=True, slots=True)
class Shard:
    """What one shard found.

    `command` is the command with its `arguments`, `folder` the one in which it ran, `lab` the digest of the lab and
    `versions` what that is in words.  `units` are how many units of each kind the whole command has.  `results` are
    the kind and the text of each result, by its key.
    """

    command: str
    arguments: tuple[str, ...]
    share: Share
    folder: str
    lab: str
    versions: tuple[str, ...]
    units: Mapping[str, int]
    results: Mapping[str, tuple[str, str]]

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return f"{self.command}-{self.share.number}-of-{self.share.of}{SUFFIX}"

    @property
    def asked(self) -> str:
        """Return the command that was cut into shards, as it is typed."""
        return shlex.join(["neonlab", self.command, *self.arguments])


def write_shard(shard: Shard, folder: Path) -> Path:
    """Write the shard to its file in `folder`, which is made, and return the path.  Raises InputError."""
    make_folder(folder)
    path = folder / shard.name
    document = {
        "command": shard.command,
        "arguments": list(shard.arguments),
        "shard": str(shard.share),
        "folder": shard.folder,
        "lab": shard.lab,
        "versions": list(shard.versions),
        "units": dict(sorted(shard.units.items())),
        "results": [[key, *result] for key, result in sorted(shard.results.items())],
    }
    text = json.dumps(document, separators=(",", ":"))
    head = f"{_FORMAT} {hashlib.sha256(text.encode()).hexdigest()}\n"
    write_whole(path, gzip.compress((head + text).encode(), 6, mtime=0))
    return path


def read_shard(path: Path) -> Shard:
    """Read a shard's file.  Raises InputError for one that is none, or is not whole."""
    try:
        data = gzip.decompress(path.read_bytes()).decode()
    except OSError as error:
        if error.errno is None:
            raise _no_shard(path) from None  # gzip's own error
        raise InputError(f"{path}: {error.strerror}") from None
    except (EOFError, zlib.error, UnicodeDecodeError):
        raise _no_shard(path) from None
    head, _, text = data.partition("\n")
    if not re.fullmatch(rf"{_FORMAT} [0-9a-f]{{64}}", head):
        raise _no_shard(path)
    try:
        if hashlib.sha256(text.encode()).hexdigest() != head.rpartition(" ")[2]:
            raise _no_shard(path)
        return _shard(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise _no_shard(path) from None


def _shard(document: dict[str, Any]) -> Shard:
    number, of = (int(one) for one in document["shard"].split("/"))
    results = {str(key): (str(kind), str(text)) for key, kind, text in document["results"]}
    return Shard(
        str(document["command"]),
        tuple(map(str, document["arguments"])),
        Share(number, of),
        str(document["folder"]),
        str(document["lab"]),
        tuple(map(str, document["versions"])),
        {str(kind): int(count) for kind, count in document["units"].items()},
        results,
    )


def _no_shard(path: Path) -> InputError:
    return InputError(f"{path}: no whole file of a shard: run that shard again, or copy its file again")


def read_shards(paths: Sequence[Path]) -> list[Shard]:
    """Read the files, and those of folders.  Raises InputError unless they are all shards of one command, each once."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(path.glob(f"*{SUFFIX}"))
        else:
            files.append(path)
    if not files:
        raise InputError(f"{', '.join(map(str, paths))}: no file *{SUFFIX} is there: give the files of all shards")
    read = [(path, read_shard(path)) for path in files]
    first_path, first = read[0]
    places: dict[int, Path] = {}
    for path, one in read:
        if (one.command, one.arguments, one.share.of) != (first.command, first.arguments, first.share.of):
            raise InputError(
                f"{path} is a shard of `{one.asked}` cut into {one.share.of}, and {first_path} one of `{first.asked}` "
                f"cut into {first.share.of}: name the files of one command"
            )
        if one.share.number in places:
            raise InputError(f"{path} and {places[one.share.number]} are both shard {one.share}: name one of them")
        if one.units != first.units or one.folder != first.folder:
            raise InputError(f"{path} and {first_path} were cut from different work: run the shards of one state")
        places[one.share.number] = path
    missing = [number for number in range(1, first.share.of + 1) if number not in places]
    if missing:
        told = ", ".join(f"{number}/{first.share.of}" for number in missing[:8]) + ", ..." * (len(missing) > 8)
        raise InputError(f"shards of `{first.asked}` are missing: {told}: run them with --shard, and add their files")
    return [one for _, one in read]

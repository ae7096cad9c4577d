"""The tables of contracts, and contracts that state only how they differ from another.

    /*toml
    extends = "tile.inc"
    summary = "c = a * b, rounded"
    [args]
    shifts  = { reg = "x7", read = "4*n", range = [-31, 0] }
    */

The file that is named, relative to the folder of the one that names it, has a contract of its own: a block as above, or
all of it is one where its name ends in `.toml`.  Tables of both are merged key by key, at any depth; what the contract
itself says counts.  A contract with a prototype of its own takes of the other only the arguments that it has.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neonlab.contract.text import ContractText
from neonlab.errors import ContractError
from neonlab.host.input_file import is_file, no_file, read_input

#: The key that names the other contract.
KEY = "extends"
_OPENING = re.compile(r"/\*toml[ \t]*\r?\n")
#: Characters of a contract, and of a line of it; contracts one after another that extend the next.
_MOST_TEXT, _LONGEST_LINE, _MOST_STEPS = 200_000, 4_000, 16
#: What is about one file and counts for no other.
_OWN = ("build", "functions", "symbol")


def find_block(text: str, path: str) -> ContractText | None:
    """Return the contract's block in the text of an assembly file; None without one.  Raises ContractError."""
    # Two searches, not one pattern from opening to end: that looks for an end from each of many openings anew.
    opening = _OPENING.search(text)
    end = text.find("*/", opening.end()) if opening is not None else -1
    if opening is None or end < 0:
        if unclosed := opening or re.search(r"/\*toml\b", text):
            line = text.count("\n", 0, unclosed.start()) + 1
            raise ContractError(f"{path}:{line}: the contract opens with `/*toml` but no `*/` closes it")
        return None
    return ContractText(path, text[opening.end() : end], text.count("\n", 0, opening.end()) + 1)


def toml_table(text: ContractText) -> dict[str, Any]:
    """Return the table of the text, merged with that of the contract that it extends, which `text` keeps as its base.

    Raises ContractError with the place where it is none, and InputError where a file cannot be read.
    """
    return _whole(text, (Path(text.path),))


def _whole(text: ContractText, way: tuple[Path, ...]) -> dict[str, Any]:
    """`way` is the files from the contract that was asked for to that of `text`, each extending the next."""
    own = _parsed(text)
    if KEY not in own:
        return own
    named = own.pop(KEY)
    if not isinstance(named, str) or not named:
        raise text.error(f'{KEY} is the name of a file with a contract, such as {KEY} = "tile.inc"', KEY)
    text.base = _base(text, named, way)
    under = _whole(text.base, (*way, Path(text.base.path)))
    _refuse_own(text.base, under)
    if "prototype" in own and isinstance(under.get("args"), dict):
        under["args"] = {name: entry for name, entry in under["args"].items() if _mentions(own, name)}
    return merged(under, own)


def _base(text: ContractText, named: str, way: tuple[Path, ...]) -> ContractText:
    """Read the contract that `text` extends, in the file `named`."""
    path = Path(text.path).parent / named
    if not is_file(path):
        raise text.error(f"{KEY}: {no_file(path)}", KEY)
    resolved = [one.resolve() for one in way]
    if path.resolve() in resolved:
        loop = " -> ".join(one.name for one in (*way[resolved.index(path.resolve()) :], path))
        raise text.error(f"{KEY}: contracts extend one another in a circle: {loop}", KEY)
    if len(way) >= _MOST_STEPS:
        raise text.error(f"{KEY}: more than {_MOST_STEPS} contracts extend one another", KEY)
    content = read_input(path).decode("utf-8", "surrogateescape")
    found = ContractText(str(path), content, 1) if path.suffix == ".toml" else find_block(content, str(path))
    if found is None:
        raise text.error(f"{KEY}: {path} has no contract, a comment that opens with `/*toml`", KEY)
    return found


def _refuse_own(text: ContractText, table: Mapping[str, Any]) -> None:
    """Raise ContractError where a contract that is extended speaks of one file: of its lines, or how it is built."""
    for key in _OWN:
        if key in table:
            raise text.error(f"`{key}` is about one file, and this contract is extended by that of another", key)
    modular, accept = table.get("modular", []), table.get("accept", [])
    lines = isinstance(modular, list) and any(str(entry).startswith("lines:") for entry in modular)
    entries = accept if isinstance(accept, list) else [accept]
    for key, wrong in (("modular", lines), ("accept", any(isinstance(one, dict) and "line" in one for one in entries))):
        if wrong:
            raise text.error(f"`{key}` names lines of one file, and this contract is extended by that of another", key)


def _mentions(own: Mapping[str, Any], name: str) -> bool:
    """Tell whether the contract itself names the argument `name`, in its prototype or in a table."""
    args = own.get("args")
    stated = isinstance(args, dict) and name in args
    return stated or bool(re.search(rf"\b{re.escape(name)}\b", str(own["prototype"])))


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables as one, and tables in them likewise; for a key that both have, what `over` says."""
    both = dict(under)
    for key, value in over.items():
        before = both.get(key)
        both[key] = merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return both


def _parsed(text: ContractText) -> dict[str, Any]:
    """Return the table that stands in the text itself."""
    # The reader takes time as the square of the length of a key with many dots.
    longest = max(map(len, text.block.splitlines()), default=0)
    for size, most, of in ((len(text.block), _MOST_TEXT, ""), (longest, _LONGEST_LINE, "a line of ")):
        if size > most:
            raise ContractError(
                f"{text.path}:{text.first_line}: contract: {of}{size} characters; at most {most} are allowed"
            )
    try:
        return tomllib.loads(text.block)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or a number of thousands of digits
        message = str(error).partition("; use sys.")[0]
        at = re.search(r" \(at line (\d+), column (\d+)\)", message)
        if at is None:
            raise ContractError(f"{text.path}:{text.first_line}: contract: not TOML: {message}") from None
        line = text.first_line + int(at[1]) - 1
        raise ContractError(f"{text.path}:{line}:{at[2]}: contract: not TOML: {message[: at.start()]}") from None

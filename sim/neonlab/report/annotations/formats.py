"""Write remarks as other people's tools read them: one line each, as GitHub's annotations, or as SARIF 2.1.0."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from neonlab import __version__
from neonlab.report.annotations.remark import ACCEPTED, ERROR, NOT_RUN, NOTE, UNCHECKED, WARNING, Remark

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}
_RULES = {
    "mismatch": "A result differs from the reference.",
    UNCHECKED: "The kernel ran without a fault, and its results were compared with nothing.",
    NOT_RUN: "No case ran this code, so that nothing is known of it.",
    ACCEPTED: "A fault that the contract accepts.",
}


def short_lines(remarks: Iterable[Remark]) -> Iterator[str]:
    """Yield one line a remark, as compilers print: `file:line: word: message [kernel]`."""
    for one in remarks:
        yield f"{one.path}:{one.line}: {one.word}: {_one_line(one.message)} [{one.kernel}]"


def github_lines(remarks: Iterable[Remark]) -> Iterator[str]:
    """Yield a workflow command for each error and warning; GitHub shows them at their lines.

    A kernel that passed is a plain line, since GitHub shows ten annotations of a kind and no more.
    """
    for one in remarks:
        if one.level == NOTE:
            yield f"{one.word}: {one.kernel}: {_one_line(one.message)}"
            continue
        title = f"{one.kernel}: {one.rule}"
        place = f"file={_property(one.path)},line={one.line},endLine={one.last_line},title={_property(title)}"
        yield f"::{_COMMANDS[one.level]} {place}::{_data(one.message)}"


def sarif_log(remarks: Sequence[Remark]) -> dict[str, Any]:
    """Return a SARIF log of one run; kernels that passed are results of the kind `pass`."""
    rules = list(dict.fromkeys(one.rule for one in remarks))
    driver = {
        "name": "neonlab",
        "semanticVersion": __version__,
        "rules": [
            {"id": rule, "shortDescription": {"text": _RULES.get(rule, f"Verdict or fault `{rule}`.")}}
            for rule in rules
        ],
    }
    results = [_result(one, rules.index(one.rule)) for one in remarks]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(one: Remark, rule: int) -> dict[str, Any]:
    passed = one.level == NOTE
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "kind": "pass" if passed else "fail",
        "level": "none" if passed else one.level,
        "message": {"text": f"{one.kernel}: {one.message}"},
        "locations": [_location(one.path, one.line, one.last_line)],
        "partialFingerprints": {"neonlab/v1": _fingerprint(one)},
    }
    if one.related:
        result["relatedLocations"] = [
            {"id": number, **_location(path, line, line), "message": {"text": text}}
            for number, (path, line, text) in enumerate(one.related)
        ]
    return result


def _location(path: str, line: int, last: int) -> dict[str, Any]:
    written = quote(path)  # a space or a # in a name would end or break the reference
    artifact = {"uri": f"file://{written}"} if path.startswith("/") else {"uri": written, "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": line, "endLine": last}}}


def _fingerprint(one: Remark) -> str:
    """Return what stays the same when lines move: the kernel, the rule and the file."""
    return hashlib.sha256("\0".join((one.kernel, one.rule, one.path)).encode()).hexdigest()[:32]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""Name what differs between two contracts of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from neonlab.contract.model import Argument, Contract

#: What says where a contract stands, or describes the kernel in words, and promises nothing.
_NO_PROMISE = frozenset({"path", "line", "summary", "arguments", "signature"})


def changed_entries(then: Contract, now: Contract) -> tuple[str, ...]:
    """Return the names of entries that differ: `stack`, `args.input.read`; `args.bias` where only one has it."""
    found = [
        field.name
        for field in fields(Contract)
        if field.name not in _NO_PROMISE and getattr(then, field.name) != getattr(now, field.name)
    ]
    return (*found, *_arguments("args", then.arguments, now.arguments))


def _arguments(path: str, then: tuple[Argument, ...], now: tuple[Argument, ...]) -> Iterator[str]:
    old, new = ({one.name: one for one in arguments} for arguments in (then, now))
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            yield f"{path}.{name}"
            continue
        for field in fields(Argument):
            if getattr(old[name], field.name) != getattr(new[name], field.name):
                yield f"{path}.{name}.{field.name}"

"""Generate the page about the Python API: signature and docstring of every public name."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

_OPENING = """\
# Python

`import neonlab` gives the names below; all that the commands do is done with them. Names load on first use. A mistake
in what a function is given raises `InputError`, whose text says what to do. This page is made from the docstrings when
the manual is built.

```python
import neonlab
import numpy as np

verdict = neonlab.check("armv8/conv1x1_s8s32_hwc_4x4", shapes="3x3x16x8")
print(verdict.passed)  # True
cost = neonlab.profile("armv8/conv1x1_s8s32_hwc_4x4", "14x14x256x512", core="cortex-a53")
print(cost.counts.instructions, cost.cycles.cycles)

clip = neonlab.load("asm/armv8/clip/clip_s8s8_flat_64.S")
x = np.arange(-60, 90, 30, dtype=np.int8)
run = clip.call(x, np.zeros_like(x), x.size, np.array([0, 50], np.int8))
print(run.outputs["output"].tolist())  # [0, 0, 0, 30, 50]
```
"""
#: The public names in the order in which one needs them.
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Check and measure", ("check", "prove_kernel", "profile", "compare", "MemoryOptions", "Verdict", "Failure",
                           "Proof", "ShapeProof", "ProofStatus", "Profile", "Comparison")),
    ("Optimize", ("optimize_kernel", "Optimized")),
    ("Call a function", ("load", "Function", "Buffer", "Run", "Fault", "FaultKind", "FaultError", "InputError")),
    ("Find kernels", ("find_root", "open_library", "open_kernel", "Library", "Kernel", "Contract")),
    ("Define an operator", ("Operator", "Role", "Shape", "Case", "Array", "DataSource", "Expected", "Dispatch",
                            "KernelName")),
    ("Define a system", ("System", "Calls", "Outcome")),
    ("Assemble and emulate", ("assemble_file", "assemble_text", "link", "Program", "parse_prototype", "Isa",
                              "Machine")),
)  # fmt: skip


def api_page(package: ModuleType) -> str:
    """Return the page as Markdown.  Raises KeyError unless SECTIONS names every public name of `package` once."""
    placed = [name for _, names in SECTIONS for name in names]
    if sorted(placed) != sorted(package.__all__):
        raise KeyError(f"SECTIONS and neonlab.__all__ differ: {sorted(set(placed) ^ set(package.__all__)) or 'twice'}")
    parts = [_OPENING]
    for title, names in SECTIONS:
        parts.append(f"## {title}\n")
        for name in names:
            parts += _entry(name, getattr(package, name))
    return "\n".join(parts)


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### {name} {{ #{name} }}\n"
    if name == "Array":  # an alias of a type of numpy, which has that type's docstring
        yield "The type of a numpy array of any dtype and shape, in annotations.\n"
        return
    if inspect.isclass(value):
        if issubclass(value, enum.Enum):
            yield _text(value)
            yield f"Members: {', '.join(f'`{member.name}`' for member in value)}.\n"
        elif issubclass(value, Exception):
            yield _text(value)
        else:
            yield _code(f"class {name}", value)
            yield _text(value)
        for member, found in _members(value):
            if isinstance(found, property) or not callable(found):
                yield f"#### {name}.{member} {{ #{name}.{member} }}\n"
                yield _text(found)
            else:
                yield f"#### {name}.{member}() {{ #{name}.{member} }}\n"
                yield _code(member, found)
                yield _text(found)
    else:
        yield _code(name, value)
        yield _text(value)


def _members(value: type) -> Iterator[tuple[str, Any]]:
    """Yield public methods and properties that the class itself defines, in the order of its source."""
    for name, found in vars(value).items():
        function = getattr(found, "__func__", found)
        computed = isinstance(found, property) or type(found).__name__ == "cached_property"
        if (not name.startswith("_") or name == "__call__") and (computed or inspect.isfunction(function)):
            yield name, found if computed else function


def _code(name: str, value: Any) -> str:
    """Return a code block with name and signature, one parameter a line where it is long."""
    signature = inspect.signature(value)
    own = [p for p in signature.parameters.values() if p.name != "self"]
    made = inspect.Signature.empty if inspect.isclass(value) else signature.return_annotation
    one = _plain(str(signature.replace(parameters=own, return_annotation=made)))
    if len(name) + len(one) > 92 and own:
        rows, keyword = [], False
        for parameter in own:
            if parameter.kind is parameter.VAR_POSITIONAL:
                keyword = True
            elif parameter.kind is parameter.KEYWORD_ONLY and not keyword:
                rows.append("    *,")
                keyword = True
            rows.append(f"    {_plain(str(parameter))},")
        tail = one[one.rindex(")") + 1 :]
        one = "(\n" + "\n".join(rows) + f"\n){tail}"
    return f"```python\n{name}{one}\n```\n"


def _plain(text: str) -> str:
    """Return the text without the quotes around annotations, which the sources keep as strings."""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).replace("<factory>", "...")
    return text.replace("AskedKernel", "Kernel | str | Path").replace("AskedShape", "Shape | str")


def _text(value: Any) -> str:
    return f"{inspect.getdoc(value) or ''}\n"

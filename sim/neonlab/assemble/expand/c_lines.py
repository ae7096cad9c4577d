"""Find out whether a file is for the C preprocessor, where its name does not say so.

gcc preprocesses `x.S` and not `x.s`, where GNU as takes a line that begins with `#` for a comment.  Some libraries
preprocess `x.s` all the same.  Lines that are certainly directives decide; for the others there is an option.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from neonlab.assemble.text.lines import Line

#: Lines that nobody writes as a comment: `#include` with a file in quotes, `#define` or `#undef` with a name, `#endif`
#: alone.  `# define` with a blank may begin a sentence, unless the name is in capitals.
_CERTAIN = re.compile(
    r"""[ \t]*\#(?:[ \t]*(?:include|import|include_next)[ \t]*(?:"[^"]+"|<[^>]+>)
    |(?:define|undef)[ \t]+[A-Za-z_]\w*
    |[ \t]+(?:define|undef)[ \t]+[A-Z_][A-Z0-9_]+(?![\w])
    |[ \t]*endif[ \t]*\Z)""",
    re.X,
)
_LIKELY = re.compile(r"[ \t]*#[ \t]*(?:include|define|undef|if|ifdef|ifndef|elif|else)\b")


def is_for_preprocessor(lines: Sequence[Line]) -> bool:
    """Return whether any line, without comments, is certainly a directive."""
    return any("#" in line.text and _CERTAIN.match(line.text) for line in lines)


def doubt(lines: Sequence[Line]) -> str:
    """Return a hint about the first line that may be meant as a directive; empty where there is none."""
    line = next((line for line in lines if "#" in line.text and _LIKELY.match(line.text)), None)
    if line is None:
        return ""
    return f"line {line.number}, `{line.raw.strip()}`, is a comment in a .s file; --preprocess runs the C preprocessor"

"""Report a word that is neither an instruction nor a macro."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from neonlab.assemble.encode.known import assembled_mnemonics
from neonlab.assemble.text.lines import SyntaxFault
from neonlab.isa.model.isa import Isa
from neonlab.isa.vocabulary import is_known


def unknown_mnemonic(isa: Isa, name: str, statement: str, macros: Iterable[str]) -> SyntaxFault | None:
    """Return the fault, with the nearest name that exists; None when `name` is an instruction.

    In that case the error is elsewhere.  `statement` has the name as it was written.
    """
    lower = name.lower()
    if is_known(isa, lower):
        return None
    at = statement.lower().find(lower)
    written = statement[at : at + len(name)] if at >= 0 else name
    names = sorted(assembled_mnemonics(isa))
    candidates = {known: known for known in names} | {macro.lower(): macro for macro in macros}
    near = difflib.get_close_matches(lower, candidates, 1)
    hint = f"did you mean `{candidates[near[0]]}`?" if near else ""
    return SyntaxFault(f"unknown mnemonic `{written}`", written, hint)

"""Define the answer of a prover that cannot go on: a reason, a place, and the inputs that it depends on."""

from __future__ import annotations

from collections.abc import Iterable

from neonlab.errors import InputError


class Refusal(InputError):
    """Raised where a proof cannot be made; `str()` of it is the place, the reason and the inputs, on one line.

    `inputs` names the input arrays whose values decide what the code does next: with these held at the values of a
    case, the proof may be possible.  It is empty where that would not help.  `place` is `file:line`, or empty.  It is
    an InputError, which the guard of an operator's methods passes on as it is.
    """

    def __init__(self, reason: str, inputs: Iterable[str] = (), place: str = "") -> None:
        self.reason, self.inputs, self.place = reason, frozenset(inputs), place
        names = " and ".join(f"`{name}`" for name in sorted(self.inputs))
        super().__init__(f"{place}: " * bool(place) + reason + f"; it depends on {names}" * bool(names))

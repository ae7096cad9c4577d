"""Find the forms that a person means: by name, by a pattern, or by an instruction.

What may be asked for:

- `smlal`: all forms of the mnemonic; `smlal*`: those of every mnemonic that begins so
- `sdot.16b[]`, `add shift`: a form by its name
- `smlal v0.8h, v1.8b, v2.8b`: the form of an instruction
- `vmlal.s8 q, d, d`, `ldr q, [x], #`: the same, with registers and immediates left open
- `vmlal*`: forms of A32 mnemonics, each with an instruction
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from neonlab.assemble.encode.encoder import Encoder, EncoderStatement
from neonlab.errors import InputError
from neonlab.isa.decode import decode_word
from neonlab.isa.model.instruction import Instruction
from neonlab.isa.model.isa import Isa
from neonlab.isa.readback import a32_names
from neonlab.measure.cores.caches import load_core
from neonlab.measure.cores.pipeline import load_pipeline, pipeline_names
from neonlab.measure.form_table.origin import mnemonic_of
from neonlab.measure.forms.form import form_of

_OPEN = re.compile(r"(?<![\w.#])([xwrvqdshb])(?=[.,\]\s}!]|$)")
_NUMBERS = ("#1", "#0", "#8", "#16")
_A32_TYPES = ("", *(f".{kind}{bits}" for kind in ("s", "u", "i", "f", "p", "") for bits in (8, 16, 32, 64)))
_A32_OPERANDS = (
    "q0, q1, q2", "d0, d1, d2", "s0, s1, s2", "q0, d2, d3", "q0, q1, d4", "d0, q1, q2", "d0, q1", "q0, d2", "q0, q1",
    "d0, d1", "s0, s1", "q0, q1, #1", "d0, d1, #1", "d0, q1, #1", "q0, d2, #1", "q0, q1, d4[0]", "d0, d1, d2[0]",
    "q0, d2, d3[0]", "q0, q1, #0", "d0, d1, #0", "q0, q1, q2, #1", "d0, d1, d2, #1", "q0, #1", "d0, #1", "q0, r1",
    "d0, r1", "q0, d2[0]", "d0, d1[0]", "d0[0], r1", "r0, d1[0]", "d0, r1, r2", "r0, r1, d2", "s0, r1", "r0, s1",
    "d0, {d1}, d4", "d0, {d1, d2}, d4", "d0, {d1, d2, d3}, d4", "d0, {d1, d2, d3, d4}, d5", "d0, [r1]", "s0, [r1]",
    "{d0}, [r1]", "{d0, d1}, [r1]", "{d0, d1, d2}, [r1]", "{d0, d1, d2, d3}, [r1]", "{d0}, [r1]!", "{d0, d1}, [r1]!",
    "{d0, d1, d2}, [r1]!", "{d0, d1, d2, d3}, [r1]!", "{d0[0]}, [r1]", "{d0[0], d1[0]}, [r1]", "{d0[]}, [r1]",
    "{d0[], d1[]}, [r1]", "r0, r1, r2", "r0, r1, r2, r3", "r0, r1", "r0, #1", "r0, r1, #1", "r0, r1, r2, lsl #2",
    "r0, r1, r2, lsr #3", "r0, [r1]", "r0, [r1, r2]", "r0, [r1], #4", "r0, [r1, #4]!", "r0, r1, [r2]", "r0!, {r1, r2}",
    "r0, {r1, r2}", "[r0]", "",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AskedForm:
    """A form that was asked for; `instruction` is one of it, and `text` how it was asked for, where that is known."""

    form: str
    text: str = ""
    instruction: Instruction | None = None


def forms_asked(pattern: str, isa: Isa | None = None) -> tuple[AskedForm, ...]:
    """Return the forms that `pattern` means, as the module's docstring describes; of `isa` only, where it is given.

    Raises InputError if it means none.
    """
    wanted = " ".join(pattern.lower().split())
    found = [AskedForm(form) for form in _named(wanted)] if isa is not Isa.A32 else []
    if not found and any(letter in wanted for letter in " .") and "*" not in wanted:
        found = _instruction(wanted, isa)
    if not found and isa is not Isa.A64:
        found = _of_a32(wanted)
    if not found:
        raise InputError(
            f"no form fits `{pattern}`: give a mnemonic (smlal), a pattern (smlal*, vmla*), the name of a form "
            f"(add shift, sdot.16b[]), or an instruction (vmlal.s8 q, d, d){_meant(wanted, isa)}"
        )
    return tuple(dict.fromkeys(found))


def _meant(wanted: str, isa: Isa | None) -> str:
    """Return words that name the nearest mnemonic; empty where the mnemonic is one, or like none."""
    base = re.split(r"[\s.]", wanted, maxsplit=1)[0]
    names = {Isa.A64: {mnemonic_of(form) for form in known_forms()}, Isa.A32: a32_names.KNOWN}
    kinds = [kind for kind in sorted(Isa, key=lambda kind: kind is Isa.A64) if isa in (None, kind)]
    if not base.startswith("v"):
        kinds.reverse()  # names of A64, but for the vector instructions of A32, which all begin so
    if any(base in names[kind] for kind in kinds):
        return ""
    near = [name for kind in kinds for name in difflib.get_close_matches(base, sorted(names[kind]), 1)]
    return f"; did you mean `{near[0]}`?" if near else ""


@functools.cache
def known_forms() -> tuple[str, ...]:
    """Return the forms that tables of cores name, in order of mnemonic; without defaults.

    Names of integer operations of A32 alone are left out: A64 has vector operations that are called so (`smlal`).
    """
    able = [name for name in pipeline_names() if Isa.A64 in load_core(name).instruction_sets]
    forms = {form for name in able for form in load_pipeline(name).timings if form[0] != "@"}
    return tuple(sorted(forms, key=lambda form: (mnemonic_of(form), form)))


def _named(wanted: str) -> Iterable[str]:
    """Yield the forms whose name or mnemonic `wanted` is, or matches; brackets in it stand for themselves."""
    literal = wanted.replace("[", "[[]")
    for form in known_forms():
        if any(fnmatchcase(name, literal) for name in (form, form.partition(" ")[0], mnemonic_of(form))):
            yield form


def _instruction(text: str, isa: Isa | None) -> list[AskedForm]:
    """Return the form of an instruction whose registers and immediates may be left open."""
    for kind in Isa if isa is None else (isa,):
        spellings = [_filled(text, number, kind) for number in (_NUMBERS if "#" in text else ("",))]
        for spelled, instruction in _assembled(kind, spellings):
            return [AskedForm(form_of(instruction), spelled, instruction)]
    return []


def _filled(text: str, number: str, isa: Isa) -> str:
    """Return the text with a register for each letter that stands alone, and `number` for each lone #."""
    registers = iter(range(31))

    def register(found: re.Match[str]) -> str:
        taken = next(registers)
        if found[1] == "q" and isa is Isa.A32:
            taken = taken // 2
        return f"{found[1]}{taken * 2 % 16}"

    return re.sub(r"#(?![\w-])", number, _OPEN.sub(register, text))


def _of_a32(wanted: str) -> list[AskedForm]:
    """Return the forms of the A32 mnemonics that match `wanted`, each with an instruction that was assembled."""
    base, dot, types = wanted.partition(".")
    names = [name for name in sorted(a32_names.KNOWN) if fnmatchcase(name, base)]
    endings = [ending for ending in _A32_TYPES if not dot or fnmatchcase(ending, f".{types}")]
    found: dict[str, AskedForm] = {}
    for name in names:
        spellings = [
            f"{name}{ending} {operands}".strip()
            for ending in endings
            for operands in _A32_OPERANDS
            if ending == "" or operands[:1] in "qdsr{"
        ]
        for spelled, instruction in _assembled(Isa.A32, spellings):
            found.setdefault(spelled.partition(" ")[0] + form_of(instruction), _asked(spelled, instruction))
    return list(found.values())


def _asked(spelled: str, instruction: Instruction) -> AskedForm:
    return AskedForm(form_of(instruction), spelled, instruction)


def _assembled(isa: Isa, texts: Sequence[str]) -> list[tuple[str, Instruction]]:
    """Return those of the texts that are instructions."""
    with Encoder(isa) as encoder:
        words = encoder.encode([EncoderStatement(text, 0) for text in texts])
    return [(text, decode_word(isa, word, 0)) for text, word in zip(texts, words, strict=True) if isinstance(word, int)]

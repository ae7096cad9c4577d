"""Reads a table of instruction timings measured on silicon, and writes the programs that its figures were measured by.

A row names a form (`smlal.h (vec; acc. fwd.)`), and for each core a latency, in cycles a link of a dependent chain, and
a rate, in instructions a cycle of an independent stream.  The programs are written anew here, one instruction a line;
a row that says nothing about a single instruction whose data is in the nearest cache has none, and says why.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from neonlab.errors import InputError

_ROW = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<notes>.*)\))?$")
_WHOLE = {"b": "16b", "h": "8h", "s": "4s", "d": "2d"}
_HALF = {"b": "8b", "h": "4h", "s": "2s", "d": "1d"}
_WIDER = {"b": "h", "h": "s", "s": "d", "d": "q"}
_NARROWER = {"h": "b", "s": "h", "d": "s"}


@dataclass(frozen=True, slots=True)
class Measured:
    """One row for one core; None where the table has no figure."""

    form: str
    latency: float | None
    per_cycle: float | None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a row was measured, as templates in which {d}, {n}, {m} and {a} are register numbers.

    `instruction` is tried as each of its spellings until one assembles.  `chain` names the registers that the chain
    links: "n" (d = n), "a" (the accumulator alone).  `back` is a second instruction that closes the chain from the
    vector to the general registers.  `skip` is the reason why there is no program, else "".
    """

    spellings: tuple[str, ...] = ()
    chain: str = "n"
    back: str = ""
    skip: str = ""


def read_table(path: str | Path) -> Mapping[str, tuple[Measured, ...]]:
    """Rows by core, from a CSV file with columns `form`, `CORE latency`, `CORE per_cycle`.  InputError if it is not."""
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    if not rows or "form" not in rows[0]:
        raise InputError(f"{path}: no column named form")
    cores = [column[: -len(" latency")] for column in rows[0] if column.endswith(" latency")]
    return {core: tuple(_rows(rows, core, path)) for core in cores}


def _rows(rows: list[dict[str, str]], core: str, path: str | Path) -> Iterator[Measured]:
    for row in rows:
        try:
            figures = [float(row[column]) if row.get(column) else None for column in _columns(core)]
        except ValueError as error:
            raise InputError(f"{path}: {row['form']}: {error}") from None
        if figures != [None, None]:
            yield Measured(row["form"], figures[0], figures[1])


def _columns(core: str) -> tuple[str, str]:
    return f"{core} latency", f"{core} per_cycle"


def recipe_of(form: str) -> Recipe:
    """The recipe for a row of the table."""
    if ("->" in form and not form.startswith(("mov (", "fcvt"))) or "//" in form:
        return Recipe(skip="a pair of instructions, one through memory or a branch")
    matched = _ROW.match(form)
    if matched is None:
        return Recipe(skip="no form")
    name, notes = matched.group("name").strip(), matched.group("notes") or ""
    if any(word in notes for word in ("unaligned", "cross", "random", "chain", "clearing")):
        return Recipe(skip="depends on the address, on the data or on what renaming removes")
    mnemonic, _, element = name.split(" /")[0].partition(".")
    if mnemonic.startswith("fccmp"):
        return Recipe(skip="the table's programs are not known")
    if re.search(r"(pre|post), ofs = 0", notes):
        return Recipe(skip="a write-back that changes nothing")
    if re.match(r"(b|bl|blr|br|cbn?z|tbn?z|adr|adrp|ldnp|nop)$", mnemonic) or "literal" in notes:
        return Recipe(skip="depends on the address or on the branch predictor")
    if re.match(r"(cas|ld(add|clr|set|eor|[us]max|[us]min)a|rmif|setf|cfinv|crc|sha|aes|sm[34]|ccm)", mnemonic):
        return Recipe(skip="neither integer arithmetic, load, store nor NEON arithmetic")
    if re.match(r"(ld|st)", mnemonic):
        return _memory(mnemonic, element, notes)
    if element or mnemonic in ("tbl", "tbx", "fcvtl", "fcvtl2", "fcvtn", "fcvtn2", "fcvt", "fcvtxn", "fcvtxn2"):
        return _vector(mnemonic, element, notes)
    if "<->" in notes or "v." in notes:
        return Recipe(skip="the table's programs are not known")
    return _integer(name, notes)


def _memory(mnemonic: str, element: str, notes: str) -> Recipe:
    offset = re.search(r"ofs = (\d+)", notes)
    at = f", #{offset.group(1)}" if offset and offset.group(1) != "0" else ""
    store = mnemonic.startswith("st")
    structure = re.match(r"(ld|st)([1234])(r?)$", mnemonic)
    if structure:
        many = int(structure.group(2))
        listed = re.search(r"(\d) reg", notes)
        if many == 1 and listed:
            many = int(listed.group(1))
        lane = re.search(r"single; \[(\d+)\]", notes)
        shape = element if lane else _WHOLE[element]
        registers = ", ".join(f"v{{d{number or ''}}}.{shape}" for number in range(many))
        text = f"{mnemonic} {{{{{registers}}}}}{f'[{lane.group(1)}]' if lane else ''}, [x{{p}}]"
        return Recipe((text,), back="" if store else "fmov x{p}, d{d}")
    if "fwd" in notes and "ptr" in notes:
        mode = f"[x{{p}}{at}]!" if "pre" in notes else "[x{p}]" + (at or ", #0")
        return Recipe((f"{mnemonic} x{{d}}, {mode}",), chain="p")
    letter = "q" if element == "q" else "x"
    if re.match(r"(ld|st)\w*(b|h|sw)$|ldrs|ldurs", mnemonic) and mnemonic not in ("ldrsw", "ldursw", "ldpsw"):
        letter = "w"
    if "(reg" in f"({notes}":
        scaled = ", lsl #3" if "<<3" in notes else ""
        mode = f"[x{{m}}, x{{p}}{scaled}]"
    elif "pre" in notes:
        mode = f"[x{{p}}{at or ', #0'}]!"
    elif "post" in notes:
        mode = f"[x{{p}}]{at or ', #0'}"
    else:
        mode = f"[x{{p}}{at}]"
    if mnemonic in ("ldp", "stp", "ldpsw", "ldnp"):
        letter = "w" if notes.startswith("w") else letter
        first, second = ("{d1}", "{d}") if "2nd" in notes else ("{d}", "{d1}")
        text = f"{mnemonic} {letter}{first}, {letter}{second}, {mode}"
    else:
        text = f"{mnemonic} {letter}{{d}}, {mode}"
    if store:
        return Recipe((text,))
    return Recipe(
        (text,), chain="" if "pre" in notes or "post" in notes else "p=d", back="fmov x{p}, d{d}" * (letter == "q")
    )


def _vector(mnemonic: str, element: str, notes: str) -> Recipe:
    texts: tuple[str, ...]
    if "<->" in notes or "-> reg" in notes or mnemonic in ("smov", "umov"):
        return Recipe(skip="the table's programs are not known")
    if mnemonic == "dup" and "elem" in notes:
        general = "x" if element == "d" else "w"
        return Recipe((f"dup v{{d}}.{_WHOLE[element]}, {general}{{n}}",), chain="")
    if mnemonic in ("scvtf", "ucvtf") and "scl" in notes and ("int" in notes or ">>" in notes):
        return Recipe((f"{mnemonic} {element}{{d}}, x{{n}}" + (", #2" if ">>" in notes else ""),), chain="")
    if mnemonic in ("movi", "mvni"):
        value = re.match(r"(0x\w+)(?:<<(\d))?", notes)
        shift = f", lsl #{value.group(2)}" if value and value.group(2) else ""
        return Recipe((f"{mnemonic} v{{d}}.{_WHOLE[element]}, #{value.group(1) if value else 0}{shift}",), chain="")
    if mnemonic in ("tbl", "tbx"):
        count = int(notes[-1])
        table = ", ".join(f"v{{m{number or ''}}}.16b" for number in range(count))
        return Recipe((f"{mnemonic} v{{d}}.16b, {{{{{table}}}}}, v{{n}}.16b",))
    if mnemonic.startswith("fcvt") and not element:
        return _converted(mnemonic, notes)
    if mnemonic == "dup":
        return Recipe((f"dup v{{d}}.{_WHOLE[element]}, v{{n}}.{element}[{_number(notes)}]",))
    chain = "a" if "acc. fwd" in notes else "n"
    whole, half = _WHOLE[element], _HALF[element]
    scalar = "scl" in notes or re.match(r"fn?m(add|sub)|fccmp|fcmpe?$|fcsel|fnmul", mnemonic) is not None
    if scalar:
        return _scalar(mnemonic, element, notes, chain)
    index = re.search(r"\[(\d+)\]", notes)
    if mnemonic == "sdot" and index:
        return Recipe((f"sdot v{{d}}.4s, v{{n}}.16b, v{{m}}.4b[{index.group(1)}]",))
    wide = _WHOLE.get(_WIDER[element], "1q")
    narrow = _HALF.get(_NARROWER.get(element, ""), "8b")
    if index:
        by = f"v{{m}}.{element}[{index.group(1)}]"
        texts = (f"v{{d}}.{whole}, v{{n}}.{whole}, {by}", f"v{{d}}.{wide}, v{{n}}.{half}, {by}",
                 f"v{{d}}.{wide}, v{{n}}.{whole}, {by}")  # fmt: skip
        return Recipe(tuple(f"{mnemonic} {text}" for text in texts), chain)
    if mnemonic == "mov":
        return Recipe((f"mov v{{d}}.{whole}, v{{n}}.{whole}",))
    amount = re.search(r"(?:<<|>>)(\d+)", notes)
    immediate = f", #{amount.group(1)}" if amount and "(reg" not in f"({notes}" else ""
    if "deg" in notes:
        immediate = f", #{_number(notes)}"
    zero = ", #0" if "zero" in notes else ""
    if mnemonic in ("bic", "orr") and ("imm" in notes or element in "hs"):
        return Recipe((f"{mnemonic} v{{d}}.{whole}, #1" + (", lsl #8" if "<<8" in notes else ""),), chain="d")
    if zero or (mnemonic.startswith("fc") and zero):
        return Recipe((f"{mnemonic} v{{d}}.{whole}, v{{n}}.{whole}{', #0.0' if mnemonic[0] == 'f' else zero}",))
    same, long, long2 = (whole,) * 3, (wide, half, half), (wide, whole, whole)
    high = _WHOLE.get(_NARROWER.get(element, ""), "16b")
    paired = {"b": "8h", "h": "4s", "s": "2d"}.get(element, "2d")
    if immediate:
        shapes = [(whole, whole), (wide, half), (wide, whole), (narrow, whole), (high, whole)]
        texts = tuple(f"v{{d}}.{d}, v{{n}}.{n}{immediate}" for d, n in shapes)
        texts += (f"v{{d}}.{whole}, v{{n}}.{whole}, v{{m}}.{whole}{immediate}",)
    else:
        triples = [same, long, long2, (whole, whole, narrow), (whole, whole, high), (narrow, whole, whole),
                   (high, whole, whole)]  # fmt: skip
        texts = tuple(f"v{{d}}.{d}, v{{n}}.{n}, v{{m}}.{m}" for d, n, m in triples)
        pairs = [(whole, whole), (narrow, whole), (high, whole), (wide, half), (wide, whole), (paired, whole)]
        texts += tuple(f"v{{d}}.{d}, v{{n}}.{n}" for d, n in pairs)
        across = (element, _WIDER[element])
        texts += (*(f"{d}{{d}}, v{{n}}.{whole}" for d in across), f"{element}{{d}}, v{{n}}.{half}")
    if mnemonic in ("sdot", "udot"):
        texts = ("v{d}.4s, v{n}.16b, v{m}.16b",)
    return Recipe(tuple(f"{mnemonic} {text}" for text in texts), chain)


def _number(notes: str) -> str:
    found = re.findall(r"\d+", notes)
    return found[-1] if found else "0"


def _converted(mnemonic: str, notes: str) -> Recipe:
    if mnemonic.startswith("fcvtxn"):
        return Recipe((f"{mnemonic} v{{d}}.{'4s' if mnemonic[-1] == '2' else '2s'}, v{{n}}.2d",))
    source, target = notes.split(" -> ") if "->" in notes else ("d", "s")
    if mnemonic == "fcvt":
        return Recipe((f"fcvt {target}{{d}}, {source}{{n}}",))
    upper = mnemonic[-1] == "2"
    if "cvtl" in mnemonic:
        return Recipe((f"{mnemonic} v{{d}}.{_WHOLE[target]}, v{{n}}.{(_WHOLE if upper else _HALF)[source]}",))
    return Recipe((f"{mnemonic} v{{d}}.{(_WHOLE if upper else _HALF)[target]}, v{{n}}.{_WHOLE[source]}",))


def _scalar(mnemonic: str, element: str, notes: str, chain: str) -> Recipe:
    e, narrow = element, _NARROWER.get(element, element)
    condition = "eq" if "eq" in notes else "le"
    if mnemonic.startswith("fcmp") and mnemonic in ("fcmp", "fcmpe"):
        return Recipe((f"{mnemonic} {e}{{n}}, {'#0.0' if 'zero' in notes else e + '{m}'}",), chain="")
    if mnemonic == "fcsel":
        return Recipe((f"fcsel {e}{{d}}, {e}{{n}}, {e}{{m}}, {condition}",))
    if "zero" in notes:
        return Recipe((f"{mnemonic} {e}{{d}}, {e}{{n}}, #0.0",))
    if re.match(r"fn?m(add|sub)", mnemonic):
        tied = "{d}" if chain == "a" else "{a}"
        return Recipe((f"{mnemonic} {e}{{d}}, {e}{{n}}, {e}{{m}}, {e}{tied}",), chain)
    pair = {"h": "2h", "s": "2s", "d": "2d"}.get(e, "2d")
    texts = (
        f"{e}{{d}}, {e}{{n}}, {e}{{m}}",
        f"{e}{{d}}, {e}{{n}}",
        f"{narrow}{{d}}, {e}{{n}}",
        f"{e}{{d}}, v{{n}}.{pair}",
    )
    return Recipe(tuple(f"{mnemonic} {text}" for text in texts), chain)


def _integer(name: str, notes: str) -> Recipe:
    mnemonic = name.split(" /")[0].strip()
    shift = re.search(r"(<<|>>)(\d+)", notes)
    by = ""
    if shift:
        kind = (
            "lsl" if shift.group(1) == "<<" else "asr" if "signed" in notes else "ror" if "rotate" in notes else "lsr"
        )
        by = f", {kind} #{shift.group(2)}"
    if mnemonic == "mov":
        return _moves(name, notes, by)
    if mnemonic == "movk":
        return Recipe((f"movk x{{d}}, #{notes.split('<<')[0]}{', lsl #16' if '<<' in notes else ''}",), chain="")
    if mnemonic == "rev":
        return Recipe(({"rev16": "rev16 x{d}, x{n}", "rev32": "rev32 x{d}, x{n}"}.get(notes, "rev x{d}, x{n}"),))
    if mnemonic in ("sxtb", "sxth", "sxtw"):
        return Recipe((f"{mnemonic} x{{d}}, w{{n}}",))
    if mnemonic in ("uxtb", "uxth"):
        return Recipe((f"{mnemonic} w{{d}}, w{{n}}",))
    if mnemonic == "extr":
        return Recipe((f"extr x{{d}}, x{{n}}, x{{m}}, #{_number(notes)}",))
    if mnemonic == "bfc":
        return Recipe(("bfc x{d}, #2, #8",), chain="d")
    if re.match(r"(bf|sbf|ubf)", mnemonic):
        return Recipe((f"{mnemonic} x{{d}}, x{{n}}, #2, #8",))
    if mnemonic[0] == "c" and notes.split(";")[-1].strip() in ("eq", "lt"):
        texts = (f"{mnemonic} x{{d}}, x{{n}}, x{{m}}, {notes}", f"{mnemonic} x{{d}}, x{{n}}, {notes}")
        return Recipe((*texts, f"{mnemonic} x{{d}}, {notes}"), chain="" if "cset" in mnemonic else "n")
    if mnemonic in ("tst", "adcs", "sbcs", "ngcs"):  # a stream of these would chain through the flags
        return Recipe(skip="the table's programs are not known")
    if "imm" in notes:
        value = "#255" if "mask" in notes else "#3"
        return Recipe((f"{mnemonic} x{{d}}, x{{n}}, {value}" + (", lsl #12" if by else ""),))
    if re.match(r"[su]m(add|sub)l|m(add|sub)$", mnemonic):
        narrow = "w" if mnemonic[0] in "su" else "x"
        return Recipe((f"{mnemonic} x{{d}}, {narrow}{{n}}, {narrow}{{m}}, x{{a}}",))
    if re.match(r"[su]m(ull|negl)$", mnemonic):
        return Recipe((f"{mnemonic} x{{d}}, w{{n}}, w{{m}}",))
    texts = (f"{mnemonic} x{{d}}, x{{n}}, x{{m}}{by}", f"{mnemonic} x{{d}}, x{{n}}{by}")
    return Recipe(texts)


def _moves(name: str, notes: str, by: str) -> Recipe:
    if notes.startswith("x -> x"):
        return Recipe(("mov x{d}, x{n}",))
    if notes.startswith("v.b"):
        return Recipe(("mov v{d}.16b, v{n}.16b",))
    which = "movn" if "movn" in name else "movz"
    value = re.search(r"0x[0-9a-f]+", notes)
    if "mask" in notes:
        return Recipe(("mov x{d}, #0x1ffffffffffc",), chain="")
    return Recipe((f"{which} x{{d}}, #{value.group() if value else 0}{', lsl #16' if by else ''}",), chain="")

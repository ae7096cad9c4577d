"""Rebuild how each row of a table of measured timings was measured, as templates of programs.

The table is of the kind that github.com/ocxtal/insn_bench_aarch64 prints; src/*.cc and utils/utils.h there describe its
programs.  A latency is the time of one link of a chain in which every register is the same.  A rate is that of a stream
which goes through some 25 registers, where each instruction is a link of a chain of its own.  Some instructions cannot
be chained to themselves (a load whose data is a vector, flags); there others close the chain. In some rows others are
in the stream as well.  The cost of such instructions alone is subtracted from the latency. The programs here are
written anew.

In a template, {d} is the register of the link, {d1} the one after it in the order in which the stream takes them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROW = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<notes>.*)\))?$")
WHOLE = {"b": "16b", "h": "8h", "s": "4s", "d": "2d"}
HALF = {"b": "8b", "h": "4h", "s": "2s", "d": "1d"}
_WIDER = {"b": "h", "h": "s", "s": "d", "d": "q"}
NARROWER = {"h": "b", "s": "h", "d": "s"}

#: Reasons for which a row is no test of the model.  Each is a property of the row that is known before it is tried.
THROUGH_MEMORY = "a load of what a store before it wrote: modelled in whole calls, where addresses are known"
ADDRESS = "depends on the address, unaligned or across a line or a page: modelled in whole calls"
FETCH = "depends on instruction fetch and the branch predictor"
OTHER_KIND = "cryptography, checksums and atomics: neither integer arithmetic, load, store nor NEON arithmetic"
OPERANDS = "takes as long as the operands have it; the table divides numbers by themselves"
NOT_A_FORM = "names no instruction"
NOT_ASSEMBLED = "not taken by the assembler"

# Instructions that close a chain from a vector register {v} to the general register {d}.
_FETCH_LOW = ("add v{{{v}}}.2d, v{{{v}}}.2d, v28.2d", "mov x{{d}}, v{{{v}}}.d[0]", "add x{{d}}, x{{d}}, x28")
_FETCH_HIGH = ("add v{{{v}}}.2d, v{{{v}}}.2d, v28.2d", "mov x{{d}}, v{{{v}}}.d[1]", "add x{{d}}, x{{d}}, x28")
_ADD = ("add x{d}, x{d}, x28",)
_SUB_16 = ("sub x{d}, x{d}, #16",)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The programs of one row, as templates; `spellings` are tried until one assembles.

    before, after   instructions around the one that is timed, in the chain and in the stream
    collect         instructions that close the chain, and are not in the stream
    less            what is subtracted from the latency: a name in `timing_programs.LESS`, "" for nothing
    chained, streamed   whether the row has a latency, and a rate
    alternate       the chain alternates between two registers ({d} is then the address, {d1} what is loaded)
    accumulate      operands other than the accumulator are constant
    pitch           registers from one instruction of the stream to the next
    few             the stream uses only the first sixteen registers
    sweep           the rate is the best of 1-8 of the instruction after an `adds` that breaks the chain of the flags
    one_chain       the rate is that of the chain
    skip            why the row cannot test the model, else ""
    """

    spellings: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    collect: tuple[str, ...] = ()
    less: str = ""
    chained: bool = True
    streamed: bool = True
    alternate: bool = False
    accumulate: bool = False
    pitch: int = 1
    few: bool = False
    sweep: bool = False
    one_chain: bool = False
    skip: str = ""


def recipe_of(form: str) -> Recipe:
    """Return the recipe for a row of the table."""
    matched = _ROW.match(re.sub(r"\) / \w+$", ")", form))
    if matched is None:
        return Recipe(skip=NOT_A_FORM)
    name, notes = matched.group("name").strip(), matched.group("notes") or ""
    mnemonic, _, element = name.split(" /")[0].partition(".")
    if "//" in form or re.match(r"(b|bl|blr|br|cbn?z|tbn?z|bl-ret|blr-ret)$", mnemonic):
        return Recipe(skip=FETCH)
    if re.search(r"(?<!<)->", form) and not form.startswith(("mov (", "fcvt")):
        return Recipe(skip=THROUGH_MEMORY if form.startswith("st") else FETCH)
    if any(word in notes for word in ("unaligned", "cross", "random")):
        return Recipe(skip=ADDRESS)
    if re.match(r"(cas|ld(add|clr|set|eor|[us]max|[us]min)a|ldclra|crc|sha[125]|aes|sm[34])", mnemonic):
        return Recipe(skip=OTHER_KIND)
    if mnemonic in ("sdiv", "udiv"):
        return Recipe(skip=OPERANDS)
    if re.match(r"(ld|st)", mnemonic):
        return _memory(mnemonic, element, notes)
    if "<->" in notes:
        return _there_and_back(mnemonic, element, notes)
    if element or mnemonic in ("tbl", "tbx", "fcvtl", "fcvtl2", "fcvtn", "fcvtn2", "fcvt", "fcvtxn", "fcvtxn2"):
        return _vector(mnemonic, element, notes)
    return _integer(name, notes)


def _memory(mnemonic: str, element: str, notes: str) -> Recipe:
    offset = re.search(r"ofs = (\d+)", notes)
    at = f", #{offset.group(1)}" if offset and offset.group(1) != "0" else ""
    store = mnemonic.startswith("st")
    structure = re.match(r"(ld|st)([1234])(r?)$", mnemonic)
    if structure:
        return _structure(mnemonic, element, notes, store)
    if "literal" in notes:
        return Recipe((f"{mnemonic} x{{d}}, 0x400",), chained=False)
    if "ptr fwd" in notes:
        mode = f"[x{{d}}{at}]!" if "pre" in notes else f"[x{{d}}]{at}"
        return Recipe((f"{mnemonic} x28, {mode}",), collect=("sub x{d}, x{d}, #2",) * 8, less="sub8", streamed=False)
    if element == "q":
        return _vector_memory(mnemonic, notes, at, store)
    narrow = re.match(r"(ld|st)\w*(b|h|sw)$|ldrs|ldurs", mnemonic) is not None
    letter = "w" if narrow and mnemonic not in ("ldrsw", "ldursw", "ldpsw") else "x"
    if mnemonic in ("ldp", "stp", "ldpsw", "ldnp"):
        letter = "w" if notes.startswith("w") else letter
        before = _ADD if letter == "w" or mnemonic == "ldpsw" else ()
        first, second = ("{d1}", "{d}") if "2nd" in notes else ("{d}", "{d1}")
        text = f"{mnemonic} {letter}{first}, {letter}{second}, [x{{d}}]"
        return Recipe((text,), before, less="add" if before else "", chained=not store and bool(notes), pitch=2)
    if "(reg" in f"({notes}":
        if store:
            scaled = ", lsl #3" if "<<3" in notes else ""
            return Recipe((f"{mnemonic} {letter}{{d}}, [x{{d}}, x28{scaled}]",), chained=False)
        if mnemonic == "ldr":
            scaled = ", lsl #3" if "<<3" in notes else ""
            return Recipe((f"ldr x{{d}}, [x28, x{{d}}{scaled}]",))
        return Recipe((f"{mnemonic} {letter}{{d}}, [x{{d}}, x28]",))
    if "pre" in notes or "post" in notes:
        mode = f"[x{{d}}{at or ', #0'}]!" if "pre" in notes else f"[x{{d}}]{at or ', #0'}"
        if store:
            after = _SUB_16 if at else ()
            return Recipe((f"{mnemonic} {letter}{{d1}}, {mode}",), after=after, chained=False, pitch=2)
        return Recipe((f"{mnemonic} x{{d1}}, {mode}",), alternate=True, streamed=not at, pitch=3)
    text = f"{mnemonic} {letter}{{d}}, [x{{d}}{at}]"
    if store or not narrow:
        return Recipe((text,), chained=not store)
    return Recipe((text,), after=_ADD, less="add")


def _vector_memory(mnemonic: str, notes: str, at: str, store: bool) -> Recipe:
    mode = f"[x{{d}}{at or ', #0'}]!" if "pre" in notes else f"[x{{d}}]{at or ', #0'}" if "post" in notes else ""
    if mnemonic in ("ldp", "stp", "ldnp"):
        first, second = ("{d}", "{d1}") if "2nd" in notes or not notes else ("{d1}", "{d}")
        text = f"{mnemonic} q{first}, q{second}, [x{{d}}]"
        return Recipe(
            (text,), collect=_filled(_FETCH_LOW, "d1"), less="fetch", chained=mnemonic == "ldp", pitch=1 if store else 2
        )
    text = f"{mnemonic} q{{d}}, {mode or f'[x{{d}}{at}]'}"
    if store:
        return Recipe((text,), after=_SUB_16 if mode and at else (), chained=False)
    return Recipe((text,), collect=_filled(_FETCH_LOW, "d"), less="fetch")


def _structure(mnemonic: str, element: str, notes: str, store: bool) -> Recipe:
    many = int(mnemonic[2])
    listed = re.search(r"(\d) reg", notes)
    if many == 1 and listed:
        many = int(listed.group(1))
    lane = re.search(r"single; \[(\d+)\]", notes)
    shape = element if lane else WHOLE[element]
    registers = ", ".join(f"v{{d{number or ''}}}.{shape}" for number in range(many))
    text = f"{mnemonic} {{{{{registers}}}}}{f'[{lane.group(1)}]' if lane else ''}, [x{{d}}]"
    if store:
        return Recipe((text,), chained=False)
    last = f"d{many - 1 or ''}"
    return Recipe((text,), collect=_filled(_FETCH_HIGH if lane else _FETCH_LOW, last), less="fetch", pitch=many)


def _filled(lines: tuple[str, ...], vector: str) -> tuple[str, ...]:
    return tuple(line.format(v=vector) for line in lines)


def _there_and_back(mnemonic: str, element: str, notes: str) -> Recipe:
    """Return the recipe for a move into a lane and one back; the row is the time of both."""
    lane = notes.split(" <->")[0].split(".")[1]
    general = "x" if element == "d" else "w"
    if mnemonic == "fmov":
        return Recipe(("fmov v{d}.d[1], x{d}",), collect=("fmov x{d}, v{d}.d[1]",), streamed=False)
    wide = "x" if (mnemonic, element) == ("smov", "s") else general
    return Recipe(
        (f"mov v{{d}}.{lane}, {general}{{d}}",), collect=(f"{mnemonic} {wide}{{d}}, v{{d}}.{lane}",), streamed=False
    )


def _vector(mnemonic: str, element: str, notes: str) -> Recipe:
    texts: tuple[str, ...]
    if mnemonic == "dup" and "elem" in notes:
        general, back = ("x", "mov x{d}, v{d}.d[0]") if element == "d" else ("w", "mov w{d}, v{d}.s[0]")
        return Recipe((f"dup v{{d}}.{WHOLE[element]}, {general}{{d}}",), collect=(back,), less="moves")
    if mnemonic in ("scvtf", "ucvtf") and "scl" in notes and ("int" in notes or ">>" in notes):
        general, back = ("x", "mov x{d}, v{d}.d[0]") if element == "d" else ("w", "mov w{d}, v{d}.s[0]")
        text = f"{mnemonic} {element}{{d}}, {general}{{d}}" + (", #2" if ">>" in notes else "")
        return Recipe((text,), collect=(back,), less="moves")
    if "-> reg" in notes:
        return Recipe((f"{mnemonic} x{{d}}, {element}{{d}}",), collect=("mov v{d}.d[0], x{d}",), less="moves")
    if mnemonic in ("movi", "mvni"):
        value = re.match(r"(0x\w+)(?:<<(\d))?", notes)
        shift = f", lsl #{value.group(2)}" if value and value.group(2) else ""
        text = f"{mnemonic} v{{d}}.{WHOLE[element]}, #{value.group(1) if value else 0}{shift}"
        return Recipe((text,), chained=False)
    if mnemonic in ("tbl", "tbx"):
        count = int(notes[-1])
        table = ", ".join(f"v{24 + number}.16b" for number in range(count))
        return Recipe((f"{mnemonic} v{{d}}.16b, {{{{{table}}}}}, v{{d}}.16b",), few=True)
    if mnemonic.startswith("fcvt") and not element:
        return _converted(mnemonic, notes)
    if mnemonic == "dup":
        return Recipe((f"dup v{{d}}.{WHOLE[element]}, v{{d}}.{element}[{_number(notes)}]",))
    forwarded = "acc. fwd" in notes
    n = "28" if forwarded else "{d}"
    whole, half = WHOLE[element], HALF[element]
    if "scl" in notes or re.match(r"fn?m(add|sub)|fccmp|fcmpe?$|fcsel|fnmul", mnemonic) is not None:
        return _scalar(mnemonic, element, notes, n, forwarded)
    index = re.search(r"\[(\d+)\]", notes)
    if mnemonic == "sdot" and index:
        return Recipe((f"sdot v{{d}}.4s, v{{d}}.16b, v{{d}}.4b[{index.group(1)}]",))
    wide = WHOLE.get(_WIDER[element], "1q")
    narrow = HALF.get(NARROWER.get(element, ""), "8b")
    if index:
        by = f"v{n}.{element}[{index.group(1)}]".replace("28", "12")
        turned = f", #{_number(notes.split(';')[1])}" if "deg" in notes else ""
        texts = (f"v{{d}}.{whole}, v{n}.{whole}, {by}{turned}", f"v{{d}}.{wide}, v{n}.{half}, {by}",
                 f"v{{d}}.{wide}, v{n}.{whole}, {by}")  # fmt: skip
        return Recipe(tuple(f"{mnemonic} {text}" for text in texts), few=True)
    if mnemonic == "mov":
        return Recipe((f"mov v{{d}}.{whole}, v{{d}}.{whole}",), one_chain="chain" in notes)
    amount = re.search(r"(?:<<|>>)(\d+)", notes)
    immediate = f", #{amount.group(1)}" if amount and "(reg" not in f"({notes}" else ""
    if "deg" in notes:
        immediate = f", #{_number(notes)}"
    if mnemonic in ("bic", "orr") and ("imm" in notes or element in "hs"):
        return Recipe((f"{mnemonic} v{{d}}.{whole}, #17" + (", lsl #8" if "<<8" in notes else ""),))
    if "zero" in notes:
        zero = "#0.0" if mnemonic[0] == "f" else "#0"
        return Recipe((f"{mnemonic} v{{d}}.{whole}, v{{d}}.{whole}, {zero}",))
    same, long, long2 = (whole,) * 3, (wide, half, half), (wide, whole, whole)
    high = WHOLE.get(NARROWER.get(element, ""), "16b")
    paired = {"b": "8h", "h": "4s", "s": "2d"}.get(element, "2d")
    if immediate:
        shapes = [(whole, whole), (wide, half), (wide, whole), (narrow, whole), (high, whole)]
        texts = tuple(f"v{{d}}.{d}, v{{d}}.{s}{immediate}" for d, s in shapes)
        texts += (f"v{{d}}.{whole}, v{n}.{whole}, v{n}.{whole}{immediate}",)
    else:
        triples = [same, long, long2, (whole, whole, narrow), (whole, whole, high), (narrow, whole, whole),
                   (high, whole, whole)]  # fmt: skip
        texts = tuple(f"v{{d}}.{d}, v{n}.{a}, v{n}.{b}" for d, a, b in triples)
        pairs = [(whole, whole), (narrow, whole), (high, whole), (wide, half), (wide, whole), (paired, whole)]
        texts += tuple(f"v{{d}}.{d}, v{{d}}.{a}" for d, a in pairs)
        texts += (f"v{{d}}.{whole}, v{{d}}.{whole}, v{{d}}.{whole}, v{{d}}.{whole}",)
        across = (element, _WIDER[element])
        texts += (*(f"{d}{{d}}, v{{d}}.{whole}" for d in across), f"{element}{{d}}, v{{d}}.{half}")
    if mnemonic in ("sdot", "udot"):
        texts = (f"v{{d}}.4s, v{n}.16b, v{n}.16b",)
    if mnemonic in ("saddw", "saddw2", "uaddw", "uaddw2", "ssubw", "ssubw2", "usubw", "usubw2"):
        texts = tuple(f"v{{d}}.{whole}, v{{d}}.{whole}, v{{d}}.{last}" for last in (narrow, high))
    return Recipe(tuple(f"{mnemonic} {text}" for text in texts), accumulate=forwarded)


def _number(notes: str) -> str:
    found = re.findall(r"\d+", notes)
    return found[-1] if found else "0"


def _converted(mnemonic: str, notes: str) -> Recipe:
    if mnemonic.startswith("fcvtxn"):
        return Recipe((f"{mnemonic} v{{d}}.{'4s' if mnemonic[-1] == '2' else '2s'}, v{{d}}.2d",))
    source, target = notes.split(" -> ") if "->" in notes else ("d", "s")
    if mnemonic == "fcvt":
        return Recipe((f"fcvt {target}{{d}}, {source}{{d}}",))
    upper = mnemonic[-1] == "2"
    if "cvtl" in mnemonic:
        return Recipe((f"{mnemonic} v{{d}}.{WHOLE[target]}, v{{d}}.{(WHOLE if upper else HALF)[source]}",))
    return Recipe((f"{mnemonic} v{{d}}.{(WHOLE if upper else HALF)[target]}, v{{d}}.{WHOLE[source]}",))


def _scalar(mnemonic: str, element: str, notes: str, n: str, forwarded: bool) -> Recipe:
    e, narrow = element, NARROWER.get(element, element)
    condition = "eq" if "eq" in notes else "le"
    select = f"fcsel {e}{{d}}, {e}{{d}}, {e}{{d}}, eq"
    if mnemonic in ("fcmp", "fcmpe"):
        text = f"{mnemonic} {e}{{d}}, {'#0.0' if 'zero' in notes else e + '{d}'}"
        return Recipe((text,), collect=(select,), less="fcsel")
    if mnemonic.startswith("fccmp"):
        text = f"{mnemonic} {e}{{d}}, {e}{{d}}, #15, {condition}"
        return Recipe((text,), collect=(select,), less="fcsel", sweep=True)
    if mnemonic == "fcsel":
        return Recipe((f"fcsel {e}{{d}}, {e}{{d}}, {e}{{d}}, {condition}",))
    if "zero" in notes:
        return Recipe((f"{mnemonic} {e}{{d}}, {e}{{d}}, #0.0",))
    if re.match(r"fn?m(add|sub)", mnemonic):
        return Recipe((f"{mnemonic} {e}{{d}}, {e}{n}, {e}{n}, {e}{{d}}",), accumulate=forwarded)
    pair = {"h": "2h", "s": "2s", "d": "2d"}.get(e, "2d")
    texts = (
        f"{e}{{d}}, {e}{{d}}, {e}{{d}}", f"{e}{{d}}, {e}{{d}}", f"{narrow}{{d}}, {e}{{d}}", f"{e}{{d}}, v{{d}}.{pair}",
    )  # fmt: skip
    return Recipe(tuple(f"{mnemonic} {text}" for text in texts))


def _integer(name: str, notes: str) -> Recipe:
    mnemonic = name.split(" /")[0].strip()
    shift = re.search(r"(<<|>>)(\d+)", notes)
    by = ""
    if shift:
        kind = (
            "lsl" if shift.group(1) == "<<" else "asr" if "signed" in notes else "ror" if "rotate" in notes else "lsr"
        )
        by = f", {kind} #{shift.group(2)}"
    if mnemonic == "nop":
        return Recipe(("nop",), chained=False)
    if mnemonic in ("adr", "adrp"):
        return Recipe((f"{mnemonic} x{{d}}, {'0x400' if mnemonic == 'adr' else '0x1000'}",), chained=False)
    if mnemonic == "mov":
        return _moves(name, notes, by)
    if mnemonic == "movk":
        text = f"movk x{{d}}, #{notes.split('<<')[0]}{', lsl #16' if '<<' in notes else ''}"
        return Recipe((text,), chained=False)
    if mnemonic == "rev":
        return Recipe(({"rev16": "rev16 x{d}, x{d}", "rev32": "rev32 x{d}, x{d}"}.get(notes, "rev x{d}, x{d}"),))
    if mnemonic in ("sxtb", "sxth", "sxtw"):
        return Recipe((f"{mnemonic} x{{d}}, w{{d}}",))
    if mnemonic in ("uxtb", "uxth"):
        return Recipe((f"{mnemonic} w{{d}}, w{{d}}",))
    if mnemonic == "extr":
        return Recipe((f"extr x{{d}}, x{{d}}, x{{d}}, #{_number(notes)}",))
    if mnemonic == "bfc":
        return Recipe(("bfc x{d}, #17, #2",))
    if re.match(r"(bf|sbf|ubf)", mnemonic):
        return Recipe((f"{mnemonic} x{{d}}, x{{d}}, #2, #17",))
    if mnemonic.startswith("ccm"):
        second = "x28" if "reg" in notes else "#17"
        text = f"{mnemonic} x{{d}}, {second}, #15, {notes.split(';')[-1].strip()}"
        return Recipe((text,), ("adcs x{d}, x{d}, x28",), less="adcs", sweep=True)
    if mnemonic == "tst":
        text = f"tst x{{d}}, {'#0x1ffc' if 'imm' in notes else 'x{d}' + by}"
        return Recipe((text,), ("adcs x{d}, x{d}, x28",), less="adcs", sweep=True)
    if mnemonic in ("adcs", "sbcs", "ngcs"):
        text = f"{mnemonic} x{{d}}, x{{d}}" + ("" if mnemonic == "ngcs" else ", x{d}")
        collect = ("adc x{d}, x{d}, x{d}",) if mnemonic == "ngcs" else ()
        return Recipe((text,), collect=collect, less="adc" if collect else "", sweep=True)
    if mnemonic[0] == "c" and notes.split(";")[-1].strip() in ("eq", "lt"):
        texts = (f"{mnemonic} x{{d}}, x{{d}}, x{{d}}, {notes}", f"{mnemonic} x{{d}}, x{{d}}, {notes}")
        return Recipe((*texts, f"{mnemonic} x{{d}}, {notes}"), chained="cset" not in mnemonic)
    flags = {"collect": ("adc x{d}, x{d}, x{d}",), "less": "adc"} if mnemonic in _SETS_FLAGS else {}
    if "imm" in notes and mnemonic not in ("lsl", "lsr", "asr", "ror"):
        value = "#0x1ffc" if "mask" in notes else "#1"
        text = f"{mnemonic} x{{d}}, x{{d}}, {value}" + (", lsl #12" if by else "")
        return Recipe((text,), **flags)  # type: ignore[arg-type]
    if re.match(r"[su]m(add|sub)l|m(add|sub)$", mnemonic):
        narrow = "w" if mnemonic[0] in "su" else "x"
        return Recipe((f"{mnemonic} x{{d}}, {narrow}{{d}}, {narrow}{{d}}, x{{d}}",))
    if re.match(r"[su]m(ull|negl)$", mnemonic):
        return Recipe((f"{mnemonic} x{{d}}, w{{d}}, w{{d}}",))
    if "imm" in notes:
        return Recipe((f"{mnemonic} x{{d}}, x{{d}}, #17",))
    texts = (f"{mnemonic} x{{d}}, x{{d}}, x{{d}}{by}", f"{mnemonic} x{{d}}, x{{d}}{by}")
    return Recipe(texts, **flags)  # type: ignore[arg-type]


_SETS_FLAGS = frozenset({"adds", "subs", "ands", "bics", "negs"})


def _moves(name: str, notes: str, by: str) -> Recipe:
    if notes.startswith("x -> x"):
        return Recipe(("mov x{d}, x{d}",), one_chain="chain" in notes)
    if notes.startswith("v.b"):
        return Recipe(("mov v{d}.16b, v{d}.16b",), one_chain="chain" in notes)
    which = "movn" if "movn" in name else "movz"
    value = re.search(r"0x[0-9a-f]+", notes)
    if "mask" in notes:
        return Recipe(("mov x{d}, #0x1ffffffffffc",), chained=False)
    text = f"{which} x{{d}}, #{value.group() if value else 0}{', lsl #16' if by else ''}"
    return Recipe((text,), chained=False)

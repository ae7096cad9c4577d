"""Names and bit patterns of A64 for the aliases: conditions, hints, barriers, prefetches, system registers.

From the Arm Architecture Reference Manual for A-profile (DDI 0487).
"""

from __future__ import annotations

from neonlab.isa.readback.text import Spelled, SpellingError, pairs

_FIRST_NAMES = "eq ne cs cc mi pl vs vc hi ls ge lt gt le al nv"
CONDITIONS = {name: name for name in _FIRST_NAMES.split()} | pairs(
    # The last ten are the names that SVE gives to the same conditions.
    "hs=cs lo=cc none=eq any=ne nlast=cs last=cc first=mi nfrst=pl pmore=hi plast=ls tcont=ge tstop=lt"
)
_INVERSE = pairs("eq=ne ne=eq cs=cc cc=cs mi=pl pl=mi vs=vc vc=vs hi=ls ls=hi ge=lt lt=ge gt=le le=gt")

HINTS = {
    name.replace("_", " "): int(number)
    for name, number in pairs(
        """nop=0 yield=1 wfe=2 wfi=3 sev=4 sevl=5 dgh=6 xpaclri=7 pacia1716=8 pacib1716=10 autia1716=12 autib1716=14
        esb=16 psb_csync=17 tsb_csync=18 csdb=20 paciaz=24 paciasp=25 pacibz=26 pacibsp=27 autiaz=28 autiasp=29
        autibz=30 autibsp=31 bti=32 bti_c=34 bti_j=36 bti_jc=38"""
    ).items()
}

BARRIERS = {
    name: int(number)
    for name, number in pairs(
        "oshld=1 oshst=2 osh=3 nshld=5 nshst=6 nsh=7 ishld=9 ishst=10 ish=11 ld=13 st=14 sy=15"
    ).items()
}

# op1, CRm (two digits) and op2 of the system instruction; CRn is 7.
CACHE_OPERATIONS = {
    name.replace("_", " "): code
    for name, code in pairs(
        """ic_ialluis=0010 ic_iallu=0050 ic_ivau=3051 dc_ivac=0061 dc_isw=0062 dc_csw=0102 dc_cisw=0142 dc_zva=3041
        at_s1e1r=0080 at_s1e1w=0081 at_s1e0r=0082 at_s1e0w=0083 dc_cvac=3101 dc_cvau=3111 dc_cvap=3121 dc_civac=3141"""
    ).items()
}

# Those that code at EL0 can name; `mrs x0, s3_3_c4_c4_0` names any.
SYSTEM_REGISTERS = pairs(
    """nzcv=s3_3_c4_c2_0 fpcr=s3_3_c4_c4_0 fpsr=s3_3_c4_c4_1 daif=s3_3_c4_c2_1 dit=s3_3_c4_c2_5 ssbs=s3_3_c4_c2_6
    tpidr_el0=s3_3_c13_c0_2 tpidrro_el0=s3_3_c13_c0_3 ctr_el0=s3_3_c0_c0_1 dczid_el0=s3_3_c0_c0_7
    cntfrq_el0=s3_3_c14_c0_0 cntpct_el0=s3_3_c14_c0_1 cntvct_el0=s3_3_c14_c0_2 rndr=s3_3_c2_c4_0 rndrrs=s3_3_c2_c4_1
    pmcr_el0=s3_3_c9_c12_0 pmcntenset_el0=s3_3_c9_c12_1 pmcntenclr_el0=s3_3_c9_c12_2 pmovsclr_el0=s3_3_c9_c12_3
    pmselr_el0=s3_3_c9_c12_5 pmccntr_el0=s3_3_c9_c13_0 pmxevtyper_el0=s3_3_c9_c13_1 pmxevcntr_el0=s3_3_c9_c13_2
    pmuserenr_el0=s3_3_c9_c14_0 midr_el1=s3_0_c0_c0_0 mpidr_el1=s3_0_c0_c0_5 id_aa64pfr0_el1=s3_0_c0_c4_0
    id_aa64isar0_el1=s3_0_c0_c6_0 id_aa64isar1_el1=s3_0_c0_c6_1"""
)


def condition(name: str) -> str:
    """Return the first name of a condition.  Raises SpellingError for another name."""
    if name not in CONDITIONS:
        raise SpellingError(f"`{name}` is no condition")
    return CONDITIONS[name]


def inverted(name: str) -> str:
    """Return the inverse of condition `name`.  Raises SpellingError where there is none."""
    first = condition(name)
    if first not in _INVERSE:
        raise SpellingError(f"`{name}` cannot be inverted")
    return _INVERSE[first]


def prefetch(operation: str) -> str:
    """Return the number of a prefetch operation such as `pldl1keep`; numbers stay.

    Raises SpellingError for another word.
    """
    if operation.startswith("#"):
        return operation
    kind, level, policy = operation[:3], operation[3:5], operation[5:]
    try:
        number = ("pld", "pli", "pst").index(kind) << 3 | ("l1", "l2", "l3").index(level) << 1
        return f"#{number | ('keep', 'strm').index(policy)}"
    except ValueError:
        raise SpellingError(f"`{operation}` is no prefetch operation") from None


def is_bitmask(value: int, size: int) -> bool:
    """Return whether a logical instruction of `size` bits can have `value` as an immediate."""
    if value in (0, (1 << size) - 1):
        return False
    period = size
    while period > 2 and value & ((1 << period // 2) - 1) == value >> period // 2 & ((1 << period // 2) - 1):
        period //= 2
        value &= (1 << period) - 1
    # One run of ones, rotated: filling the run or its complement from the lowest bit leaves a number of the form 2**n.
    for run in (value, ~value & (1 << period) - 1):
        if (filled := (run | run - 1) + 1) & run == 0 and filled & filled - 1 == 0:
            return True
    return False


def bitmask(n: int, immr: int, imms: int, size: int) -> int | None:
    """Compute DecodeBitMasks: the immediate of a logical instruction; None for a reserved pattern."""
    length = (n << 6 | ~imms & 0x3F).bit_length() - 1
    if length < 1 or (size == 32 and n):
        return None
    period = 1 << length
    ones, rotation = imms & period - 1, immr & period - 1
    if ones == period - 1:
        return None
    run = (1 << ones + 1) - 1
    element = (run >> rotation | run << period - rotation) & (1 << period) - 1
    return sum(element << i for i in range(0, size, period))


def read(word: int, address: int) -> Spelled | None:
    """Decode words whose bits say more than Capstone's text; None for other words.

    They are moves and logic with immediates, prefetches, and addresses.
    """
    d, n, wide = word & 31, word >> 5 & 31, word >> 31
    size = 64 if wide else 32

    def register(number: int, sp: bool = False) -> str:
        if number == 31:
            return ("" if wide else "w") + "sp" if sp else ("x" if wide else "w") + "zr"
        return f"{'x' if wide else 'w'}{number}"

    if word >> 23 & 0x3F == 0b100101:
        kind, shift = ("movn", "", "movz", "movk")[word >> 29 & 3], word >> 21 & 3
        if not kind or (shift > 1 and not wide):
            return None
        return Spelled(kind, (register(d), f"#{word >> 5 & 0xFFFF}", *((f"lsl #{16 * shift}",) if shift else ())))
    if word >> 23 & 0x3F == 0b100100:
        kind = ("and", "orr", "eor", "ands")[word >> 29 & 3]
        value = bitmask(word >> 22 & 1, word >> 16 & 63, word >> 10 & 63, size)
        return value if value is None else Spelled(kind, (register(d, kind != "ands"), register(n), f"#{value}"))
    if word & 0x1F000000 == 0x10000000:
        offset = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
        offset -= (offset >> 20) << 21
        target = (address & ~0xFFF) + (offset << 12) if wide else address + offset
        name = "xzr" if d == 31 else f"x{d}"
        return Spelled("adrp" if wide else "adr", (name, f"#{target & (1 << 64) - 1}"))
    if word & 0xFFF8F000 == 0xD5087000:  # Capstone omits the register of operations without one
        operands = (
            f"#{word >> 16 & 7}",
            "c7",
            f"c{word >> 8 & 15}",
            f"#{word >> 5 & 7}",
            "xzr" if d == 31 else f"x{d}",
        )
        return Spelled("sys", operands)
    base = "sp" if n == 31 else f"x{n}"
    if word & 0xFFC00000 == 0xF9800000:
        displacement = f", #{(word >> 10 & 0xFFF) * 8}" if word >> 10 & 0xFFF else ""
        return Spelled("prfm", (f"#{d}", f"[{base}{displacement}]"))
    if word & 0xFFE00C00 == 0xF8800000:
        step = (word >> 12 & 0x1FF) - (word >> 20 & 1) * 512
        return Spelled("prfum", (f"#{d}", f"[{base}, #{step}]" if step else f"[{base}]"))
    if word & 0xFF000000 == 0xD8000000:
        offset = (word >> 5 & 0x7FFFF) - (word >> 23 & 1) * (1 << 19)
        return Spelled("prfm", (f"#{d}", f"#{address + 4 * offset & (1 << 64) - 1}"))
    return None

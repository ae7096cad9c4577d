"""Rows at a distance, against counting them one by one."""

from __future__ import annotations

import numpy as np
import pytest

from neonlab.contract.extent import Block, Extent, Selection, block
from neonlab.contract.header import ContractError, parse_contract
from neonlab.contract.size_expression import SizeExpression
from neonlab.errors import InputError


def extent(size: str, rows: tuple[str, ...] = (), pitches: tuple[str, ...] = ()) -> Extent:
    return Extent(SizeExpression(size), tuple(map(SizeExpression, rows)), tuple(map(SizeExpression, pitches)))


def counted(size: int, rows: list[int], pitches: list[int]) -> list[int]:
    """Offsets of all bytes from the pointer, row after row."""
    found: list[int] = []
    for index in np.ndindex(*rows):
        start = sum(at * pitch for at, pitch in zip(index, pitches, strict=True))
        found += range(start, start + size)
    return found


def as_offsets(block: Block, selection: Selection) -> list[int]:
    return [int(offset) for offset in np.arange(block.size)[selection]]


@pytest.mark.parametrize("seed", range(40))
def test_a_block_holds_the_bytes_of_its_rows_in_their_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    depth = int(random.integers(0, 3))
    size, rows = int(random.integers(1, 9)), random.integers(1, 5, depth).tolist()
    pitches = random.integers(-40, 41, depth).tolist()
    values = {"size": size, **{f"r{i}": n for i, n in enumerate(rows)}, **{f"p{i}": n for i, n in enumerate(pitches)}}
    read = extent("size", tuple(f"r{i}" for i in range(depth)), tuple(f"p{i}" for i in range(depth)))
    found, expected = block(read, None, values), counted(size, rows, pitches)
    assert read.evaluate(values) == len(expected)
    assert found.origin == -min(0, *expected)
    assert found.size == max(0, *expected) + 1 + found.origin
    assert as_offsets(found, found.read) == [offset + found.origin for offset in expected]
    assert read.overlaps(values) == (len(set(expected)) < len(expected))
    assert found.gaps == bool(depth)
    for offset in range(found.size):
        position = found.position(offset)
        assert (position is None) == (offset - found.origin not in expected)
        assert position is None or expected[position] + found.origin == offset
    assert np.flatnonzero(found.read_mask()).tolist() == sorted({offset + found.origin for offset in expected})


def test_a_block_holds_what_is_read_and_what_is_written_around_one_pointer() -> None:
    read, write = extent("8"), extent("4", ("3",), ("-10",))
    found = block(read, write, {})
    assert (found.size, found.origin) == (20 + 8, 20)
    assert as_offsets(found, found.read) == list(range(20, 28))
    assert as_offsets(found, found.written) == [20, 21, 22, 23, 10, 11, 12, 13, 0, 1, 2, 3]
    assert [found.offset(position) for position in (0, 4, 11)] == [20, 10, 3]


CONTRACT = """/*toml
summary   = "a test"
prototype = "void (const int8_t *a, int32_t *c, size_t m, size_t ldc)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = {{ reg = "x0", read = "m" }}
c   = {{ reg = "x1", write = {write} }}
m   = {{ reg = "x2", range = [1, 64] }}
ldc = {{ reg = "x3", range = [16, 256] }}
*/
"""


def test_rows_of_a_contract_are_printed_as_they_are_written() -> None:
    for write in ("{ rows = m, bytes = 16, pitch = ldc }", "{ rows = [2, m], bytes = 8, pitch = [64*ldc, ldc] }"):
        quoted = write.replace("[64*ldc, ldc]", '["64*ldc", "ldc"]').replace("m", '"m"', 1).replace("= ldc", '= "ldc"')
        contract = parse_contract(CONTRACT.format(write=quoted), "k.S")
        assert contract is not None
        written = contract.argument("c").write
        assert written is not None
        assert written.text == write


@pytest.mark.parametrize(
    ("write", "message"),
    [
        ('{ rows = "m", bytes = "16" }', "write of `c` has rows, but no `pitch`"),
        ('{ rows = "m", bytes = "16", stride = "ldc" }', "has no key `stride`"),
        ('{ rows = "m", bytes = "16", pitch = "lda" }', "uses `lda`, no integer argument"),
        ('{ rows = ["m", 2], bytes = "16", pitch = "ldc" }', "as many `rows` as `pitch`"),
        ("{ rows = [], bytes = 16, pitch = [] }", "as many `rows` as `pitch`"),
        ('{ rows = "m", bytes = ["16"], pitch = "ldc" }', "bytes is an expression"),
    ],
)
def test_rows_that_say_too_little_are_refused(write: str, message: str) -> None:
    with pytest.raises(ContractError, match=message) as error:
        parse_contract(CONTRACT.format(write=write), "k.S")
    assert str(error.value).startswith("k.S:7: contract: ")


@pytest.mark.parametrize(
    ("write", "message"),
    [
        ('{ rows = "m", bytes = "16", pitch = 0 }', "they are 16 bytes long, and 0 apart"),
        ('{ rows = 4, bytes = "ldc", pitch = "0" }', "they are ldc bytes long, and 0 apart"),
        ('{ rows = ["m", 2], bytes = 16, pitch = ["ldc", -15] }', "they are 16 bytes long, and -15 apart"),
    ],
)
def test_rows_that_overlap_at_any_size_are_refused_as_they_are_read(write: str, message: str) -> None:
    with pytest.raises(ContractError, match=f"k.S:7: contract: rows of `c` overlap: {message}"):
        parse_contract(CONTRACT.format(write=write), "k.S")
    sound = write.replace('"m"', "1").replace("rows = 4", "rows = 1").replace("[1, 2]", "[1, 1]")
    assert parse_contract(CONTRACT.format(write=sound), "k.S") is not None


@pytest.mark.parametrize(("m", "ldc"), [(5, 16), (5, -40), (0, 16), (1, 1000)])
@pytest.mark.parametrize(
    "rows", ['rows = "m", bytes = 16, pitch = "ldc"', 'rows = [3, "m"], bytes = 8, pitch = [-99, "ldc"]']
)
def test_the_ends_of_rows_are_those_of_the_bytes_selected(rows: str, m: int, ldc: int) -> None:
    contract = parse_contract(CONTRACT.format(write=f"{{ {rows} }}"), "k.S")
    written = contract.argument("c").write if contract is not None else None
    assert written is not None
    chosen = np.asarray(written.select({"m": m, "ldc": ldc}, 0))
    ends = (int(chosen.min()), int(chosen.max()) + 1) if chosen.size else (0, 0)
    assert written.ends({"m": m, "ldc": ldc}) == ends


def test_more_rows_than_there_is_memory_for_are_refused_before_any_is_made() -> None:
    contract = parse_contract(CONTRACT.format(write='{ rows = ["m", "m"], bytes = 1, pitch = ["ldc", 1] }'), "k.S")
    assert contract is not None
    values = {"m": 1 << 30, "ldc": 1 << 30}
    written = contract.argument("c").write
    assert written is not None
    assert contract.argument("c").span(values) > 1 << 59
    with pytest.raises(InputError, match=f"{1 << 60} rows in .*: the lab goes up to 16777216"):
        written.overlaps(values)


def test_rows_that_are_written_must_not_overlap() -> None:
    contract = parse_contract(CONTRACT.format(write='{ rows = "m", bytes = "32", pitch = "ldc" }'), "k.S")
    assert contract is not None
    contract.check_values({"m": 3, "ldc": 32})
    contract.check_values({"m": 1, "ldc": 16})
    with pytest.raises(ContractError, match="rows of `c` overlap"):
        contract.check_values({"m": 2, "ldc": 31})

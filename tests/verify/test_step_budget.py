"""After how many instructions a call counts as one that never returns."""

from __future__ import annotations

import pytest
from tests.verify.lane_kernels import contract_of

from neonlab.contract.header import Contract
from neonlab.isa.model.isa import Isa
from neonlab.verify.check_case import step_budget


def contract(counts: str = "") -> Contract:
    return contract_of(
        Isa.A64,
        f"""/*toml
summary = "anything"
prototype = "void (const uint8_t *a, uint8_t *b, size_t n)"
isa = ["armv8.0-a", "neon"]
[args]
a = {{ reg = "x0", read = "n" }}
b = {{ reg = "x1", write = "n" }}
n = {{ reg = "x2", range = [1, 1000000] }}
{counts}
*/
""",
    )


@pytest.mark.parametrize("size", [16, 256, 2048, 4096])
def test_a_kernel_that_compares_every_byte_with_every_other_has_room(size: int) -> None:
    # Five instructions a pair, of bytes that are read once more for each byte written.
    assert step_budget(contract(), {"n": size}) > 6 * size * size + 100 * size


def test_a_loop_without_an_end_is_stopped_after_little_more_than_a_hundred_million_instructions() -> None:
    assert step_budget(contract(), {"n": 1}) < 1_100_000
    assert step_budget(contract(), {"n": 4096}) < 140_000_000


def test_declared_work_decides_where_there_is_some() -> None:
    declared = contract('[counts]\nmacs = "3*n"')
    assert step_budget(declared, {"n": 1000}) == 1_000_000 + 200 * 3000 + 200 * 2000

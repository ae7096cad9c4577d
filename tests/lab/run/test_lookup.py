"""A kernel is found by each name that messages give it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neonlab.errors import InputError
from neonlab.lab.run.lookup import one_kernel

SOURCE = Path(__file__).parents[2] / "c" / "average.c"


def test_each_of_the_functions_that_a_file_may_mean_is_found_by_the_title_in_the_message() -> None:
    with pytest.raises(InputError, match=r"means \d+ kernels: .*; name one") as refused:
        one_kernel(SOURCE)
    titles = re.sub(r".* kernels: |; name one", "", str(refused.value)).split(", ")
    assert len(titles) > 1
    assert [one_kernel(title).title for title in titles] == titles


@pytest.mark.parametrize("asked", [f"{SOURCE} --isa armv9", f"{SOURCE} --symbol no", "armv8/no --isa armv8"])
def test_a_title_that_there_is_not_is_refused(asked: str) -> None:
    with pytest.raises(InputError, match=r"no kernel is called|no such file"):
        one_kernel(asked)

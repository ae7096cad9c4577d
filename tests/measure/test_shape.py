"""Shapes: read from text, printed as written, and taken over by a kernel whose sizes have other names."""

from __future__ import annotations

import pytest

from neonlab.errors import InputError
from neonlab.measure.shape import NO_SIZES, Shape

NAMES = ("height", "width")


@pytest.mark.parametrize("text", ["", "3", "3x", "3x4x5", "0x4", "-1x4", "ax4", "3 x 4", "٣x4"])
def test_a_shape_that_is_not_one_is_refused_with_the_names_of_its_sizes(text: str) -> None:
    with pytest.raises(InputError, match="shape"):
        Shape.parse(text, NAMES)


def test_a_shape_prints_as_it_is_written() -> None:
    assert str(Shape.parse("14X7", NAMES)) == "14x7"


@pytest.mark.parametrize("text", ["14x7", "1x1"])
def test_a_shape_in_terms_of_other_names_is_what_its_text_would_be(text: str) -> None:
    names = ("rows", "k")
    assert Shape.parse(text, NAMES).in_terms_of(names) == Shape.parse(text, names)


@pytest.mark.parametrize(
    ("text", "lowest", "names"),
    [("14x7", 1, ("rows",)), ("14x7", 1, ("rows", "cols", "k")), ("14x7", 1, ()), ("-3x7", None, ("rows", "k"))],
)
def test_a_shape_that_other_names_do_not_fit_is_refused_as_its_text_is(
    text: str, lowest: int | None, names: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as of_text:
        Shape.parse(text, names)
    with pytest.raises(InputError) as of_shape:
        Shape.parse(text, NAMES, lowest=lowest).in_terms_of(names)
    assert str(of_shape.value) == str(of_text.value)


def test_the_shape_of_a_kernel_without_sizes_has_a_word() -> None:
    assert str(Shape((), ())) == NO_SIZES
    assert Shape.parse(NO_SIZES, ()) == Shape((), ())
    assert Shape((), ()).work == 1

"""Guard the methods of an operator, which users write.

Each method of a subclass is called through the guard.  It turns an exception into an OperatorError with the line, and
checks the returned value before the lab uses it.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from neonlab.host.user_code import UserCodeError, mistake
from neonlab.measure.shape import Shape
from neonlab.verify.cases.case import Case, Expected


class OperatorError(UserCodeError):
    """An operator failed to give the inputs or the results of a kernel."""


_inside = threading.local()


def guard(cls: type, names: Iterable[str]) -> None:
    """Replace those methods of `names` that `cls` itself defines by guarded ones."""
    for name in names:
        method = cls.__dict__.get(name)
        if inspect.isfunction(method) and not getattr(method, "__isabstractmethod__", False):
            setattr(cls, name, _guarded(cls, name, method))


def _guarded(cls: type, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    look = _LOOKS.get(name, lambda operator, value: "")

    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(_inside, "operator", False):  # calls among an operator's own methods are not guarded
            return method(self, *arguments, **options)
        _inside.operator = True
        try:
            value = method(self, *arguments, **options)
        except BaseException as error:
            raise _mistake(error, cls, self, name, arguments) from None
        finally:
            _inside.operator = False
        if name == "tails":
            return _shapes(cls, self, value)
        if problem := look(self, value):
            raise OperatorError(f"{_file(cls)}: {_of(self)}.{name}() {problem}")
        return value

    return call


def _mistake(error: BaseException, cls: type, operator: Any, name: str, arguments: Iterable[Any] = ()) -> BaseException:
    """Return the exception to raise for an error in the method `name`, called with `arguments`."""
    about = [f"where {_of(operator)}.{name}() is called"]
    for value in arguments:
        if hasattr(value, "path"):
            about.append(f"for {value.path}")
        elif isinstance(value, (Shape, Case)):
            about.append(f"at shape {value.shape if isinstance(value, Case) else value}")
    file = _file(cls)
    return mistake(error, file.parent, file, " ".join(about), OperatorError)


def _shapes(cls: type, operator: Any, value: Any) -> Iterator[Shape]:
    """Yield the shapes one by one.

    Raises OperatorError for a wrong item or an error, as if the method itself failed.
    """
    if not isinstance(value, Iterable):
        raise OperatorError(f"{_file(cls)}: {_of(operator)}.tails() returns a {type(value).__name__}, not shapes")
    shapes = iter(value)
    while True:
        _inside.operator = True
        try:
            shape = next(shapes, None)
        except BaseException as error:
            raise _mistake(error, cls, operator, "tails") from None
        finally:
            _inside.operator = False
        if shape is None:
            return
        if not isinstance(shape, Shape) or shape.names != operator.dimensions:
            wanted = ", ".join(operator.dimensions)
            raise OperatorError(f"{_file(cls)}: {_of(operator)}.tails() returns {shape!r}, not a Shape of {wanted}")
        yield shape


def _of(operator: Any) -> str:
    return f"operator `{getattr(operator, 'name', type(operator).__name__)}`"


def _file(cls: type) -> Path:
    try:
        return Path(inspect.getfile(cls))
    except (TypeError, OSError):  # a class made in a notebook
        return Path(f"<{cls.__name__}>")


def _integers(operator: Any, value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"returns a {type(value).__name__}, not a mapping of names to integers"
    wrong = [f"`{key}` = {item!r}" for key, item in value.items() if not isinstance(item, (int, np.integer))]
    return f"returns {wrong[0]}, not an integer" if wrong else ""


def _inputs(operator: Any, value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"returns a {type(value).__name__}, not a mapping of names to arrays"
    wrong = [f"a {type(item).__name__} for `{key}`" for key, item in value.items() if not isinstance(item, np.ndarray)]
    return f"returns {wrong[0]}, not an array" if wrong else ""


def _expected(operator: Any, value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"returns a {type(value).__name__}, not a mapping of names to Expected"
    for key, item in value.items():
        if not isinstance(item, Expected) or not isinstance(item.array, np.ndarray):
            return f"returns a {type(item).__name__} for `{key}`, not an Expected with an array"
        if len(item.axes) != item.array.ndim:
            return f"names {len(item.axes)} axes of `{key}`, whose array has {item.array.ndim}"
    return ""


_LOOKS: Mapping[str, Callable[[Any, Any], str]] = {
    "integers": _integers,
    "values": _integers,
    "inputs": _inputs,
    "expected": _expected,
}

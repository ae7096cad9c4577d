"""Handle the signals that ask the command to end, and hold them back where one would do harm."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

#: Signals that end a command: Ctrl-C, `kill`, and a terminal that is closed.
_ENDING = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
#: Seconds after which a signal is sent again; where the callback still runs then, it is dropped and sent once more.
_CALLBACK_ENDS_WITHIN = 0.01
#: Seconds in which a command that is stopped has ended its workers, and more.
_CLEANED_UP_WITHIN = 20.0
#: Until when a signal that ended the command is ignored, in seconds of the monotonic clock, by its number.
_ignored_until: dict[int, float] = {}


class Stopped(KeyboardInterrupt):
    """Raised when a signal asks the command to end; `number` is the signal, `status` the exit status."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status that a shell shows for a process that the signal ended."""
        return 128 + self.number


def stop_on_signals() -> None:
    """Make the signals that end a command raise Stopped, so that it ends its workers; an ignored one stays ignored."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)
    sys.unraisablehook = _raised_again(sys.unraisablehook)


def _raised_again(report: Callable[[sys.UnraisableHookArgs], object]) -> Callable[[sys.UnraisableHookArgs], None]:
    """Return a hook that sends a signal again where Python dropped its Stopped, and else calls `report`.

    Python ignores what is raised in a finaliser or in the callback of a weak reference.  Each import runs such a
    callback, and the command went on as if nobody had interrupted it.
    """

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        stop = dropped.exc_value
        if isinstance(stop, Stopped):
            _ignored_until.pop(stop.number, None)
            _send_later(stop.number, _CALLBACK_ENDS_WITHIN)  # one sent here, in the callback, would be dropped too
        else:
            report(dropped)

    return hook


def _stop(number: int, _frame: FrameType | None) -> None:
    if number != signal.SIGINT:
        now = time.monotonic()
        if now < _ignored_until.get(number, now):
            return  # one is enough; a second would interrupt the clean-up of the first
        _ignored_until[number] = now + _CLEANED_UP_WITHIN
        _send_later(number, _CLEANED_UP_WITHIN)  # code in C may have dropped this one without a word
    raise Stopped(number)


def _send_later(number: int, seconds: float) -> None:
    """Send this process the signal once more after so many seconds, if it has not ended by then.

    A timer takes no lock, which the code that was interrupted may hold.
    """

    def send(_number: int, _frame: FrameType | None) -> None:
        signal.raise_signal(number)  # whose handler may hold it back

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, send)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def is_interrupt(error: BaseException) -> bool:
    """Tell whether `error` is an interrupt by the user or the system, rather than one that code in a file raised."""
    if isinstance(error, Stopped):
        return True
    # Outside the command Ctrl-C raises KeyboardInterrupt, as usual in Python.
    return isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Make processes started in this block ignore Ctrl-C and a closed terminal; this process stops them.

    The standard library's resource tracker ignores Ctrl-C by itself.  A hang-up of the terminal ended it before this
    process had used it for the last time, which printed a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for number in _ENDING if number != signal.SIGTERM]
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back interrupts that arrive in this block, and raise the first of them after it.

    The standard library's queues do not survive an interrupt.  Raised while a waiting thread is being woken, it leaves
    behind a waiter that swallows the next wake-up, and the thread is never woken again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Other handlers may or may not raise, at unknown times.
    own = {number: handler for number in _ENDING if (handler := signal.getsignal(number)) in _RAISING}
    came: list[int] = []

    def remember(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    for number in own:
        signal.signal(number, remember)
    try:
        yield
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)
        if came:
            handler = own[came[0]]
            assert callable(handler)
            handler(came[0], None)


@contextlib.contextmanager
def first_interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Note the first Ctrl-C in this block instead of raising it; yield a function that tells whether one came.

    What runs in the block is to end with what it has.  A second Ctrl-C raises as ever.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before not in _RAISING:
        yield lambda: False
        return
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        signal.signal(number, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, before)


_RAISING = (_stop, signal.default_int_handler)

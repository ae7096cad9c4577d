"""Run the command `neonlab`."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from pathlib import Path

from neonlab.cli.progress import telling
from neonlab.cli.streams import STANDARD_OUTPUT, drop_output, end_as_pipe_without_reader, open_streams
from neonlab.errors import InputError
from neonlab.host.compiling import QUIET
from neonlab.host.interrupts import Stopped, stop_on_signals
from neonlab.host.left_threads import end
from neonlab.host.memory_limit import out_of_memory

_QUIET_OPTIONS = ("--quiet", "-q")
#: Set by a shell that asks for completions; output would then appear in the line being typed.
_COMPLETES = "_NEONLAB_COMPLETE"
_WRITES_SCRIPT = "--show-completion"  # a shell runs it as it starts
#: Modules for the workers of these commands; importing them takes longer than reading the command line and the kernel.
_WORKERS_NEED = {"check": "neonlab.lab.run.check", "profile": "neonlab.lab.run.profile"}
#: Allocations before a garbage collection; Python's default costs a command a twentieth of its time.
_COLLECT_AFTER = 50_000


#: Most characters of a word in a message, such as a file name; the middle of a longer one is left out.
_LONGEST_WORD = 400


def main() -> None:
    """Run the command line.  Exit with 0 if all is well, 1 if a kernel failed, 2 for bad usage or input."""
    gc.set_threshold(_COLLECT_AFTER)
    stop_on_signals()
    try:
        open_streams()
    except InputError as error:
        sys.exit(_refuse(str(error)))
    end(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run with the given arguments and return the exit status.  Whatever happens, no traceback is shown."""
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except InputError as error:
        return _refuse(str(error))
    except Stopped as stop:
        return _stopped(stop.number)
    except KeyboardInterrupt:
        return _stopped(signal.SIGINT)
    except BrokenPipeError:
        return end_as_pipe_without_reader()
    except OSError as error:
        if os.environ.get("NEONLAB_DEBUG"):
            raise
        return _environment_refuses(error)
    except MemoryError as error:
        return _refuse(out_of_memory(error))
    except Exception as error:
        if os.environ.get("NEONLAB_DEBUG"):
            raise
        told = str(error).strip().rpartition("\n")[2]  # a worker's error is its traceback, so take the last line
        print(
            f"neonlab: internal error: {type(error).__name__}: {_shown(told)}\n"
            "  This is a defect in neonlab.  NEONLAB_DEBUG=1 shows where; please report it with the input.",
            file=sys.stderr,
        )
        return 2


def _run(arguments: list[str]) -> int:
    """Return the exit status of the command, or that of click for an error."""
    try:
        if arguments and not arguments[0].startswith("-"):
            _look_for_current_folder()
        quiet = _COMPLETES in os.environ or _WRITES_SCRIPT in arguments
        if quiet or (arguments and arguments[0] in _QUIET_OPTIONS):
            os.environ[QUIET] = "1"  # for worker processes too
        command = next((word for word in arguments if not word.startswith("-")), "")
        with telling(command or "starting"):
            if command in _WORKERS_NEED and not {"--help", "-h"} & set(arguments):
                from neonlab.lab.parallel.fork_server import start_early

                start_early(_WORKERS_NEED[command])
            from neonlab.cli.app import build_app

            build_app()(args=arguments, prog_name="neonlab")
        return 0
    except SystemExit as exit_:
        # Click exits by itself when it is interrupted, and so does rich when the reader of a pipe is gone.
        cause: BaseException | None = exit_
        while cause is not None:
            if isinstance(cause, (Stopped, BrokenPipeError)):
                raise cause from None
            cause = cause.__context__
        return exit_.code if isinstance(exit_.code, int) else 0


def _look_for_current_folder() -> None:
    try:
        Path.cwd()
    except FileNotFoundError:
        raise InputError("the current folder is gone: change to one that there is") from None


def _refuse(message: str) -> int:
    print(f"neonlab: {_shown(message)}", file=sys.stderr)
    return 2


def _shown(message: str) -> str:
    """Return the message with the middle of very long words left out, and no control characters for a terminal."""
    half = _LONGEST_WORD // 2
    message = re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", message)
    return re.sub(rf"\S{{{_LONGEST_WORD},}}", lambda word: f"{word[0][:half]}...{word[0][-half:]}", message)


def _stopped(number: int) -> int:
    if number == signal.SIGINT:
        print("neonlab: stopped", file=sys.stderr)
    drop_output()
    return 128 + number


def _environment_refuses(error: OSError) -> int:
    """Report an error of the environment, such as a full disk or a limit on open files, which is no defect."""
    if error.filename == STANDARD_OUTPUT:
        drop_output()
    place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
    return _refuse(f"{place}{error.strerror or str(error) or type(error).__name__}")

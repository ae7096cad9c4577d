"""The command `neonlab`."""

from __future__ import annotations

import gc
import os
import sys

from neonlab.errors import InputError

#: What workers of these commands import: it takes longer than to read the command line and the kernel.
_WORKERS_NEED = {"check": "neonlab.checking", "profile": "neonlab.profiling"}
#: Objects made before garbage is looked for: as few as Python has by default cost a command a twentieth of its time.
_COLLECT_AFTER = 50_000


def main() -> None:
    """Run the command line; exit status 0 all well, 1 a kernel failed, 2 bad usage or input."""
    gc.set_threshold(_COLLECT_AFTER)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run with the given arguments and return the exit status.  Whatever happens, no traceback is shown."""
    try:
        if arguments and arguments[0] in _WORKERS_NEED and "--help" not in arguments:
            from neonlab.fork_server import start_early

            start_early(_WORKERS_NEED[arguments[0]])
        from neonlab.cli.app import build_app

        build_app()(args=arguments, prog_name="neonlab")
        return 0
    except SystemExit as exit_:
        sys.stdout.flush()
        return exit_.code if isinstance(exit_.code, int) else 0
    except InputError as error:
        print(f"neonlab: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("neonlab: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone.  Point stdout elsewhere so that closing it cannot fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("NEONLAB_DEBUG"):
            raise
        print(
            f"neonlab: internal error: {type(error).__name__}: {error}\n"
            "  This is a defect in neonlab.  NEONLAB_DEBUG=1 shows where; please report it with the input.",
            file=sys.stderr,
        )
        return 2

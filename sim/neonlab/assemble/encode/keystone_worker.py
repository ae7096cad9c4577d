"""Encode one instruction per line of standard input with Keystone; run by path as a separate process.

On some input Keystone ends the process (SIGSEGV, abort) or never returns, so it runs outside the lab's process.  Each
line is `ADDRESS TEXT` (hexadecimal, then bytes).  The reply is one line, `= HEX-BYTES COUNT` or `! MESSAGE`.  It is
sent at once when the line begins with a plus sign, else together with the next such reply.

Arguments: the folder that holds the `keystone` package, then Keystone's architecture and mode numbers.
"""

import contextlib
import resource
import signal
import sys

CPU_SECONDS_PER_STATEMENT = 1.0
ADDRESS_SPACE_BYTES = 1 << 30


def main(package_folder: str, architecture: int, mode: int) -> None:
    """Answer statements until standard input ends."""
    sys.path.insert(0, package_folder)
    import keystone

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):  # not every system lets this limit be set
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    engine = keystone.Ks(architecture, mode)
    write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
    for line in sys.stdin.buffer:
        at_once = line.startswith(b"+")
        address, text = line.rstrip(b"\n").split(b" ", 1)
        # SIGVTALRM's default action ends the process: a limit in CPU time, so that a busy machine changes nothing.
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS_PER_STATEMENT)
        try:
            encoding, count = engine.asm(text, int(address, 16), as_bytes=True)
            reply = b"= %s %d\n" % ((encoding or b"").hex().encode(), count)
        except keystone.KsError as error:
            reply = b"! %s\n" % str(error).replace("\n", " ").encode()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        write(reply)
        if at_once:
            flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

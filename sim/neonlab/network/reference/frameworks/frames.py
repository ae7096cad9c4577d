"""Speak between the lab and a framework's process by frames.

A frame is 8 bytes with the length of a JSON object, little endian; the object; and as many bytes as its `sizes` say,
one array after another.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import IO, Any

Answer = Callable[[dict[str, Any], list[bytes]], tuple[dict[str, Any], list[bytes]]]

#: Bytes that a framework may take: what a damaged operator asks for is refused before the computer has none left.
_MOST_BYTES = 8 << 30


def write_frame(pipe: IO[bytes], header: dict[str, Any], parts: Sequence[bytes]) -> None:
    """Write a frame."""
    text = json.dumps({**header, "sizes": [len(part) for part in parts]}).encode()
    pipe.write(len(text).to_bytes(8, "little") + text)
    for part in parts:
        pipe.write(part)
    pipe.flush()


def answer_all(answer: Answer) -> None:
    """Answer the frames of standard input until there are no more; an exception becomes an `error`."""
    given, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the framework prints is no answer
    try:
        import resource
    except ImportError:
        pass  # a system without such limits
    else:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    while len(length := given.read(8)) == 8:
        header = json.loads(given.read(int.from_bytes(length, "little")))
        parts = [given.read(size) for size in header["sizes"]]
        try:
            found = answer(header, parts)
        except Exception as error:
            # Frameworks raise errors of several types, with their reason in words.
            found = {"error": str(error) or type(error).__name__}, []
        write_frame(answers, *found)

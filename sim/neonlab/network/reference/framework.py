"""Say why a framework cannot compute an operator on the host."""

from __future__ import annotations


class FrameworkRefusal(Exception):
    """Raised where the framework cannot run an operator, or is not installed; the message says why."""

    framework = ""

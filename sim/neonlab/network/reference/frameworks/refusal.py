"""Say why a framework cannot compute an operator on the host."""

from __future__ import annotations


class FrameworkRefusal(Exception):
    """Raised where the framework cannot run an operator, or is not installed; the message says why."""

    framework = ""

    @classmethod
    def told(cls, text: str) -> str:
        """Return what the framework says, without what means nothing to a person who has its message alone."""
        return text.strip().partition("\n")[0]

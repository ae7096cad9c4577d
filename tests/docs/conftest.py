"""A browser for what looks at the manual."""

from __future__ import annotations

from tests.browser import browser as browser

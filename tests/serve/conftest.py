"""The browser for the tests of this folder."""

from tests.browser import browser as browser

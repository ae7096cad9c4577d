"""What the tests of a network's page share."""

from tests.browser import browser as browser

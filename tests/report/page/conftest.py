"""What the tests of pages share."""

from tests.browser import browser as browser
from tests.report.page.sample_pages import page as page
from tests.report.page.sample_pages import text as text

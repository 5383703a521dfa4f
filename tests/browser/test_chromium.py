"""That the browser of the tests starts as `tests.browser.chromium` says."""

import psutil
import pytest
from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

_LIST = "--disable-features="


def _running() -> list[str]:
    """The arguments of the Chromium that this process has started."""
    for process in psutil.Process().children(recursive=True):
        arguments = process.cmdline()
        if "--remote-debugging-pipe" in arguments and not any("--type=" in a for a in arguments):
            return arguments
    pytest.fail("No Chromium is running.")


def test_no_feature_that_playwright_leaves_out_comes_back(browser: Browser) -> None:
    lists = [argument for argument in _running() if argument.startswith(_LIST)]
    playwright, ours = (set(each.removeprefix(_LIST).split(",")) for each in lists)
    assert playwright < ours


def test_a_new_page_brings_no_other_pages(browser: Browser) -> None:
    with browser.new_context() as context:
        context.new_page()
        session = browser.new_browser_cdp_session()
        targets = session.send("Target.getTargets", {"filter": [{}]})["targetInfos"]
    assert [target for target in targets if "chrome://" in target["url"]] == []

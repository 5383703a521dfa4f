"""How fast the judging page is, in the browser's own words.

    python -m tests.benchmarks.judging_page [--blocks 120] [--words 100]

A real Chromium on loopback, the web server as in the demo, hashed and compressed static files:
from Enter to the next block painted (the event's own time to the frame after the one that shows
it), bytes over the wire of a first and a second visit, requests a judged block. With `--words`, source,
reference, neighbours and outputs have so many words each.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from typing import Any

from playwright.sync_api import Page, sync_playwright

from launcher import browser as chromium
from tests.benchmarks.judging_server import make_campaign, say
from tests.benchmarks.web_server import HOST, prepare_django, web_server, with_services
from tests.browser.judging import open_link
from tests.browser.long_texts import store_long

WANTED_MS = 100.0
WANTED_LONG_MS = 25.0
WANTED_BYTES = 120_000
READING_MS = 500
QUIET_MS = 150

# Enter to paint. The frame after the one in which the new block was there has been shown.
WATCH = """() => {
    window.spent = [];
    const sentence = document.getElementById("sentence");
    const source = document.getElementById("source");
    const seen = () => sentence.textContent + source.textContent;
    addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        const before = seen();
        const frame = () => {
            if (seen() === before) requestAnimationFrame(frame);
            else requestAnimationFrame(() => window.spent.push(performance.now() - event.timeStamp));
        };
        requestAnimationFrame(frame);
    }, { capture: true });
}"""


class Wire:
    """What goes over the wire, as the browser's network stack counts it; its cache does not."""

    def __init__(self, page: Page) -> None:
        self._names: dict[str, str] = {}
        self._loaded: list[tuple[str, int]] = []
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)

    def _sent(self, event: Any) -> None:
        self._names[event["requestId"]] = event["request"]["url"]

    def _finished(self, event: Any) -> None:
        size = int(event["encodedDataLength"])
        if size:
            self._loaded.append((self._names.get(event["requestId"], ""), size))

    def take(self) -> tuple[list[str], int]:
        """Addresses and bytes since the last time."""
        loaded, self._loaded = self._loaded, []
        return [name for name, _ in loaded], sum(size for _, size in loaded)


def open_page(page: Page, address: str) -> None:
    """Open a link and press its button, or a page that needs none, until the first outputs are there."""
    open_link(page, address)
    page.get_by_role("radiogroup").first.wait_for()
    page.wait_for_load_state("networkidle")


def judge(page: Page, blocks: int) -> list[float]:
    """Rank and submit so many blocks; the milliseconds from each Enter to the next block."""
    page.evaluate(WATCH)
    for done in range(1, blocks + 1):
        for digit in "21345":
            page.keyboard.press(digit)
        # Judges read for half a minute; this is enough for the network to be quiet, and for the
        # next HIT to be there before the last block of this one is done.
        page.wait_for_timeout(READING_MS)
        page.keyboard.press("Enter")
        # Asking the page whether it is done would be work for it meanwhile.
        page.wait_for_timeout(QUIET_MS)
        page.wait_for_function("(done) => window.spent.length >= done", arg=done)
    spent: list[float] = page.evaluate("window.spent")
    return spent


def measure(address: str, blocks: int, wanted_ms: float) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.launch_arguments()
        )
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        wire = Wire(page)
        open_page(page, address)
        requests, first = wire.take()
        say(
            f"first visit:  {first:7,} bytes in {len(requests)} requests "
            f"(wanted: at most {WANTED_BYTES:,})"
        )
        open_page(page, page.url)
        requests, second = wire.take()
        other = [each for each in requests if "/api/" not in each and "/judge/" not in each]
        say(
            f"second visit: {second:7,} bytes in {len(requests)} requests; {len(other)} of them files"
        )
        spent = judge(page, blocks)
        requests, _ = wire.take()
        browser.close()
    asked = [each for each in requests if "/judgments/" in each]
    p95 = statistics.quantiles(spent, n=20)[-1]
    say(
        f"Enter to next block painted: median {statistics.median(spent):.0f} ms, "
        f"95th percentile {p95:.0f} ms, worst {max(spent):.0f} ms, of {len(spent)} "
        f"(95th percentile wanted: at most {wanted_ms:.0f} ms)"
    )
    ahead = [each for each in requests if "/assignments/" in each]
    say(
        f"requests a block: {len(requests) / blocks:.2f}: submissions {len(asked) / blocks:.2f}, "
        f"HITs fetched ahead {len(ahead) / blocks:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=120)
    parser.add_argument("--words", type=int, default=0, help="of each text; 0: short sentences")
    options = parser.parse_args()
    with_services("tests.benchmarks.judging_page")
    with tempfile.TemporaryDirectory() as static:
        prepare_django(STATIC_ROOT=static, STATIC_HASHED="1")
        from django.core.management import call_command

        # The browser's interface runs an event loop in this thread, which Django takes for async.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        call_command("collectstatic", verbosity=0, interactive=False)
        from annotation.services import pool_fill

        task_id, tokens = make_campaign()
        if options.words:
            store_long(task_id, options.words)
        pool_fill(task_id=task_id, size=options.blocks)
        with web_server() as (port, _):
            wanted_ms = WANTED_LONG_MS if options.words else WANTED_MS
            measure(f"http://{HOST}:{port}/i/{tokens[0]}/", options.blocks, wanted_ms)


if __name__ == "__main__":
    main()

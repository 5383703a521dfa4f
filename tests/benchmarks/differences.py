"""How long marking the differences of five outputs takes, in a real Chromium.

    python -m tests.benchmarks.differences [--words 300]

Every third word of each output is its own, so that beginnings and ends in common spare nothing.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from launcher import browser as chromium
from tests.benchmarks.judging_server import say

WANTED_MS = 16
MODULE = Path(__file__).parents[2] / "static" / "judge" / "differences.js"

# `address`: of the module; the milliseconds of so many runs, one after the other.
MEASURE = """async ([address, words, runs]) => {
    const { differences } = await import(address);
    let seed = 7;
    const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const word = () => `Wort${Math.floor(chance() * 2000)}`;
    const base = Array.from({ length: words }, word);
    const texts = Array.from({ length: 5 }, () =>
        base.map((each) => (chance() < 1 / 3 ? word() : each)).join(" "));
    const candidates = texts.map((text) => ({ text, lang: "de" }));
    return Array.from({ length: runs }, () => {
        const begin = performance.now();
        differences(candidates);
        return performance.now() - begin;
    });
}"""


def spent_ms(page: Page, address: str, *, words: int = 300, runs: int = 20) -> list[float]:
    """Return the milliseconds of each run in the page."""
    spent: list[float] = page.evaluate(MEASURE, [address, words, runs])
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=300)
    words: int = parser.parse_args().words
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.launch_arguments()
        )
        page = browser.new_page()
        address = page.evaluate(
            "(script) => URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))",
            MODULE.read_text(),
        )
        spent = spent_ms(page, address, words=words)
        browser.close()
    say(
        f"five outputs of {words} words: first {spent[0]:.1f} ms, median "
        f"{statistics.median(spent):.1f} ms, best {min(spent):.1f} ms (wanted: at most {WANTED_MS} ms)"
    )


if __name__ == "__main__":
    main()

"""What a judge hears from Orca, from the invitation to the end, by keyboard alone.

    make demo                                     # in another terminal
    python -m tests.walkthroughs.orca [--output FILE] [--pace 60] [--chapters 11]

Orca and a Chromium that can be seen, on a screen of their own (tests/walkthroughs/desk.py); keys go in
as a keyboard's, and what comes out is what Orca tells its speech server to say. docs/judges-screen-reader.md
keeps the transcript. Not part of CI: it needs Debian packages, which it names where they are missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import textwrap
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from launcher.data_directory import DataDirectory
from launcher.waiting import wait_until
from tests.walkthroughs.desk import DEVTOOLS_PORT, Desk, missing
from tests.walkthroughs.line import Line

LONGEST = 120
WIDTH = 116
AWAY_S = 330.0
SENTENCES_AT_MOST = 90

# What each chapter is about, and its steps: keys, or one of the happenings of `Walk`.
CHAPTERS = (
    ("Arriving", "open | Control_L | x | x | space | x | space | b | Return"),
    ("Instructions and consent", "Control_L | b | b | Return"),
    (
        "The tour",
        "c | d | 1 | 2 | 3 | 4 | 4 | Up | 0 | Return | 3 | Return | u | Return | s | space | Return | Return",
    ),
    (
        "A HIT of three sentences",
        "2 | 1 | Up | BackSpace | 1 | Right | o | Down | 4 | Return | 5 | Return | 1 2 3 4 5 | Return | 1 2 3 4 5 | Return",
    ),
    ("Tiers", "t | 1 | 2 | t"),
    ("Going back, and the judgments so far", "u | Return | h | Tab | Return | 3 | Return"),
    ("A problem, a sentence skipped", "r | Return | space | Return | s | Down | space | Return"),
    ("The network goes, and comes back", "offline | 1 2 3 4 5 | Return | online"),
    (
        "A break, and away for too long",
        "break is due | 1 2 3 4 5 | Return | Escape | away | Return",
    ),
    ("The end", "all the rest"),
)


class Walk:
    """Goes through the chapters and writes down each step and what was heard of it."""

    def __init__(self, desk: Desk, line: Line, link: str) -> None:
        self._desk, self._line, self._link = desk, line, link
        self._happenings: dict[str, Callable[[], object]] = {
            "open": self._open,
            "offline": line.cut,
            "online": line.mend,
            "break is due": self._hurry_break,
            "away": lambda: wait_until(lambda: bool(desk.voice.utterances), seconds=AWAY_S),
            "all the rest": self._judge_the_rest,
        }

    def chapter(self, title: str, steps: str) -> list[str]:
        """The chapter as the document has it."""
        written = [f"### {title}", "", "```orca"]
        for step in steps.split(" | "):
            if happening := self._happenings.get(step):
                happening()
            else:
                self._desk.press(step.split())
            written.append(step if step in self._happenings else f"press: {step}")
            said = " | ".join(shortened(each) for each in self._desk.heard())
            written += textwrap.wrap(said, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return [*written, "```", ""]

    def _open(self) -> None:
        self._desk.open(self._link)
        wait_until(lambda: bool(self._desk.voice.utterances), seconds=60)

    def _hurry_break(self) -> None:
        """Nobody wants to wait for half an hour of judging: the next sentence brings the reminder."""
        with sync_playwright() as playwright:
            browser = playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{DEVTOOLS_PORT}")
            page = next(
                each
                for each in browser.contexts[0].pages
                if each.url.startswith(self._line.address)
            )
            page.evaluate("localStorage.setItem('quintet/break-after', '0.01')")
        self._desk.press(["F5"])

    def _judge_the_rest(self) -> None:
        """Without listening to the end; what is said on the way is not of interest."""
        for _ in range(SENTENCES_AT_MOST):
            self._judge_one()
            if any("No more work" in each.text for each in self._desk.voice.utterances):
                break
        said = self._desk.voice.take()
        end = next((n for n, each in enumerate(said) if "No more work" in each.text), len(said))
        self._desk.voice.utterances[:0] = said[max(0, end - 3) :]

    def _judge_one(self) -> None:
        """The next sentence is begun before this returns: digits sooner than that can get lost."""
        self._desk.press([*"12345", "Return"])
        heard = len(self._desk.voice.utterances)
        wait_until(lambda: len(self._desk.voice.utterances) > heard + 2, seconds=3)


def shortened(said: str) -> str:
    """Long texts by their beginning and their end."""
    if len(said) <= LONGEST:
        return said
    return f"{said[: LONGEST - 40].rstrip()} … {said[-37:].lstrip()}"


def say(words: str) -> None:
    """What is not the transcript."""
    sys.stderr.write(words + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--output", type=Path, help="where the transcript goes (default: the terminal)"
    )
    parser.add_argument("--pace", type=float, default=60.0, help="characters a second of the voice")
    parser.add_argument(
        "--chapters", type=int, default=len(CHAPTERS), help="so many from the first"
    )
    options = parser.parse_args()
    if lacking := missing():
        say(f"Not here: {', '.join(lacking)}. On Debian: apt-get install {' '.join(lacking)}")
        return 2
    demo_file = DataDirectory.from_environment().demo_file
    if not demo_file.exists():
        say("The demo has to be running: make demo.")
        return 2
    demo = json.loads(demo_file.read_text())
    base = urlsplit(demo["base_url"])
    line = Line(base.hostname or "127.0.0.1", base.port or 80)
    link = line.address + urlsplit(demo["newcomers"]["url"]).path
    with (
        tempfile.TemporaryDirectory(prefix="quintet-desk-") as folder,
        Desk(Path(folder), pace=options.pace) as desk,
        options.output.open("w", encoding="utf-8")
        if options.output
        else nullcontext(sys.stdout) as file,
    ):
        walk = Walk(desk, line, link)
        desk.heard()
        file.write(f"Orca {desk.version()}.\n\n")
        for title, steps in CHAPTERS[: options.chapters]:
            say(title)
            file.write("\n".join([*walk.chapter(title, steps), ""]))
            file.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Count the keystrokes, clicks and pointer travel that a block of five outputs takes.

    python -m tests.benchmarks.judging_effort [--blocks 20] [--words 20 90] [--ways "mouse, list" "touch, list"]

A real Chromium judges the same random rankings, every other one with ties, in each way that the
judging page offers, with outputs of so many words. Outputs are ranked from the first to the last,
or by a hand that is nearer to the last the other way round. What was sent is compared with what was meant. Figures are means a block.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser, Page, Request, sync_playwright

from launcher import browser as chromium
from tests.benchmarks.judging_effort.hands import Effort, Finger, Hand, Mouse
from tests.benchmarks.judging_effort.screens import DESKTOP, PHONE, Keyboard, List, Screen, Tiers
from tests.benchmarks.judging_page import open_page
from tests.benchmarks.judging_server import say
from tests.benchmarks.web_server import HOST, prepare_django, web_server, with_services
from tests.browser.long_texts import output_of, store_long

WORDS = (20, 90)
SEED = 13
# Each output begins with a word of its own, for outputs of the same text are shown as one.
SYSTEMS = {"amber": "Heute", "birch": "Damals", "cobalt": "Dort", "dune": "Hier", "ember": "Bald"}
# A first HIT, after which the page asks once whether to keep a link.
BEFORE = 3
DESK: dict[str, Any] = {"viewport": DESKTOP}
TOUCH: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
WAYS: dict[str, tuple[dict[str, Any], type[Hand], type[Screen]]] = {
    "keyboard": (DESK, Mouse, Keyboard),
    "mouse, list": (DESK, Mouse, List),
    "mouse, tiers": (DESK, Mouse, Tiers),
    "touch, list": (TOUCH, Finger, List),
    "touch, tiers": (TOUCH, Finger, Tiers),
}


def rankings(count: int) -> Iterator[list[int]]:
    """Yield random rankings of five outputs, every other one with ties."""
    drawn = random.Random(SEED)
    for number in range(count):
        ranking = drawn.sample(range(1, 6), 5)
        while number % 2 and len(set(ranking)) == 5:
            ranking = drawn.choices(range(1, 6), k=5)
        yield ranking


def make_links(words: int, blocks: int) -> list[str]:
    """Return the links of judges, one a way, to a campaign whose outputs have so many words."""
    from annotation.services import pool_fill
    from campaign.models import InvitationRole, Output
    from campaign.services import invitation_create
    from tests import factories

    campaign = factories.make_campaign(f"words-{words}", blocks_per_judge=1000)
    task = factories.make_task(
        campaign,
        documents=(20,) * 5,
        systems=tuple(SYSTEMS),
        identical=(),
        with_reference=False,
        planned=0,
    )
    store_long(task.pk, words)
    for place, (name, word) in enumerate(SYSTEMS.items()):
        outputs = Output.objects.filter(system__test_set=task.test_set_id, system__name=name)
        outputs.update(text=f"{word}: {output_of(words, place)}")
    pool_fill(task_id=task.pk, size=blocks * len(WAYS))
    links = []
    for number, _ in enumerate(WAYS):
        judge = factories.make_judge(campaign, f"judge{number}")
        assert judge.user is not None
        _, token = invitation_create(campaign=campaign, user=judge.user, role=InvitationRole.JUDGE)
        links.append(f"/i/{token}/")
    return links


def labels_sent(page: Page) -> list[list[int]]:
    """Return a list that fills with the labels of each judgment the page sends."""
    sent: list[list[int]] = []

    def listen(request: Request) -> None:
        if request.method == "PUT" and "/judging/judgments/" in request.url:
            sent.append(json.loads(request.post_data or "")["labels"])

    page.on("request", listen)
    return sent


def measure(browser: Browser, link: str, way: str, blocks: int) -> Effort:
    """Return what the blocks took in all, after a first few that are not counted."""
    options, hand_of, screen_of = WAYS[way]
    page = browser.new_context(**options).new_page()
    open_page(page, link)
    sent = labels_sent(page)
    hand = hand_of(page)
    screen = screen_of(page, hand)
    screen.prepare()
    meant = [*rankings(BEFORE), *rankings(blocks)]
    for number, ranking in enumerate(meant):
        if number == BEFORE:
            page.locator("#own-link-dismiss").click()
            hand.effort = Effort()
        screen.judge(ranking)
    page.wait_for_load_state("networkidle")
    assert sent == meant, f"{way}: other rankings were sent than were meant"
    page.context.close()
    return hand.effort


def say_row(name: str, effort: Effort, blocks: int) -> None:
    counts = (effort.keys, effort.presses, effort.drags, effort.scrolls, effort.travel)
    keys, presses, drags, scrolls, travel = (count / blocks for count in counts)
    say(f"{name:24}{keys:6.1f}{presses:8.1f}{drags:7.1f}{scrolls:9.1f}{travel:9.0f} px")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--words", nargs="+", type=int, default=list(WORDS))
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    options = parser.parse_args()
    with_services("tests.benchmarks.judging_effort")
    with tempfile.TemporaryDirectory() as static:
        prepare_django(STATIC_ROOT=static, STATIC_HASHED="1")
        from django.core.management import call_command

        # The browser's interface runs an event loop in this thread, which Django takes for async.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        call_command("collectstatic", verbosity=0, interactive=False)
        links = {words: make_links(words, options.blocks + BEFORE) for words in options.words}
        say(
            f"{'a block of five':24}{'keys':>6}{'presses':>8}{'drags':>7}{'scrolls':>9}{'travel':>9}"
        )
        with web_server() as (port, _), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium.executable(), args=chromium.launch_arguments()
            )
            for words, own in links.items():
                for way, link in zip(options.ways, own, strict=False):
                    effort = measure(browser, f"http://{HOST}:{port}{link}", way, options.blocks)
                    say_row(f"{words} words, {way}", effort, options.blocks)
            browser.close()


if __name__ == "__main__":
    main()

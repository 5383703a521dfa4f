"""A judge at work while the server is under attack, and how long each answer takes them."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import quantiles
from threading import Event, Thread

HOST = "127.0.0.1"
TIMEOUT_SECONDS = 30
PAUSE_SECONDS = 0.05


@dataclass
class Answers:
    """How long answers took, in milliseconds; one that failed or never came counts as the time waited."""

    milliseconds: list[float] = field(default_factory=list)
    failed: int = 0

    def percentile(self, percent: int) -> float:
        """Return the percentile; infinity if nothing was answered at all."""
        if len(self.milliseconds) < 2:
            return float("inf")
        return quantiles(self.milliseconds, n=100, method="inclusive")[percent - 1]


def make_judge_session(slug: str = "museum") -> str:
    """Make a campaign with a judge; return the Cookie header of the judge's session."""
    from django.test import Client

    from tests import factories

    task = factories.make_task(factories.make_campaign(slug))
    judge = factories.make_judge(task.test_set.campaign)
    assert judge.user is not None
    browser = Client()
    browser.force_login(judge.user)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())


@contextmanager
def judge_at_work(port: int, cookie: str, *, slug: str = "museum") -> Iterator[Answers]:
    """Ask for the judge's progress again and again, each time on a new connection, until the block ends."""
    answers, done = Answers(), Event()

    def work() -> None:
        while not done.is_set():
            _ask(port, cookie, slug, answers)
            done.wait(PAUSE_SECONDS)

    thread = Thread(target=work)
    thread.start()
    try:
        yield answers
    finally:
        done.set()
        thread.join()


def _ask(port: int, cookie: str, slug: str, answers: Answers) -> None:
    began = time.monotonic()
    connection = http.client.HTTPConnection(HOST, port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request(
            "GET", f"/api/v1/judging/progress/?campaign={slug}", headers={"Cookie": cookie}
        )
        response = connection.getresponse()
        response.read()
        answers.failed += response.status != 200
    except OSError:
        answers.failed += 1
    finally:
        connection.close()
        answers.milliseconds.append(1000 * (time.monotonic() - began))

"""One judge rewrites a judgment with long comments without a pause, and somebody invents participants of a panel.

python -m tests.attacks.write_flood
"""

from __future__ import annotations

import http.client
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from tests.attacks.table import Figure, attack_run
from tests.benchmarks.web_server import HOST, web_server

CLIENTS = 4
SECONDS = 10
ARRIVALS_A_CLIENT = 25
COMMENT = "x" * 2000

# Asks once; returns the status.
Try = Callable[[], int]


def attack() -> list[Figure]:
    """Flood both; return what was stored."""
    from annotation.models import Judgment
    from annotation.services.judging.limits import COMMENT_BYTES_A_DAY, REVISIONS_A_MINUTE
    from campaign.models import Participation
    from campaign.services.arrivals import ARRIVALS_AN_HOUR

    cookie, token, block, labels, address = _world()
    with web_server() as (port, _process):
        headers = {"Cookie": cookie, "X-CSRFToken": token, "Content-Type": "application/json"}

        def revise() -> int:
            body = {"block": block, "labels": labels, "comment": COMMENT}
            path = f"/api/v1/judging/judgments/{uuid4()}/"
            return _ask(port, "PUT", path, headers, json.dumps(body))[0]

        def begin() -> int:
            return _participate(port, address)

        revisions = _flood(revise, seconds=SECONDS)
        arrivals = _flood(begin, times=ARRIVALS_A_CLIENT)
    stored = Judgment.objects.count()
    written = sum(len(judgment.comment) for judgment in Judgment.objects.all())
    begun = Participation.objects.count()
    # Requests of one judge under way at once see the same sum of comments.
    most_written = COMMENT_BYTES_A_DAY + CLIENTS * len(COMMENT)
    return [
        Figure(
            f"judgments of one block in {SECONDS} s",
            "436",
            f"{stored}",
            f"<= {REVISIONS_A_MINUTE + 1}",
            stored <= REVISIONS_A_MINUTE + 1,
        ),
        Figure(
            "acknowledged and not stored",
            "0",
            f"{revisions[200] - stored}",
            "0",
            revisions[200] == stored,
        ),
        Figure(
            "bytes of comments",
            "2,180,000",
            f"{written:,}",
            f"<= {most_written:,}",
            written <= most_written,
        ),
        Figure(
            "answers",
            "all 200",
            _in_words(revisions),
            "200, 400, 429",
            set(revisions) <= {200, 400, 429},
        ),
        Figure(
            f"participations of {CLIENTS * ARRIVALS_A_CLIENT} who came",
            "all",
            f"{begun}",
            f"<= {ARRIVALS_AN_HOUR} an hour",
            begun <= ARRIVALS_AN_HOUR,
        ),
        Figure("answers", "all 302", _in_words(arrivals), "302, 429", set(arrivals) <= {302, 429}),
    ]


def _world() -> tuple[str, str, str, list[int], str]:
    """Make a judge with a HIT and a panel.

    Returns the judge's Cookie header and token, a block, its labels, and the panel's address.
    """
    from django.conf import settings
    from django.middleware.csrf import get_token
    from django.test import Client, RequestFactory
    from django.urls import reverse

    from annotation.selectors import assigned_blocks
    from annotation.services import hits_plan
    from tests import factories
    from tests.at_work import assignment_lend
    from tests.recruiting import make_panel

    task = factories.make_task(factories.make_campaign("museum"))
    hits_plan(task_id=task.pk, count=4)
    judge = factories.make_judge(task.test_set.campaign)
    assert judge.user is not None
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    block = assigned_blocks(assignment)[0]
    browser = Client()
    browser.force_login(judge.user)
    request = RequestFactory().get("/")
    token = get_token(request)
    session = browser.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = (
        f"{settings.SESSION_COOKIE_NAME}={session}; "
        f"{settings.CSRF_COOKIE_NAME}={request.META['CSRF_COOKIE']}"
    )
    labels = list(range(1, len(block.candidates) + 1))
    address = reverse("panel-entry", args=[make_panel(task.test_set.campaign).key])
    return cookie, token, str(block.public_id), labels, address


def _participate(port: int, address: str) -> int:
    """Come with invented ids, and press the button if there is one; return the last status."""
    ids = {name: uuid4().hex[:24] for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}
    path = f"{address}?{'&'.join(f'{name}={value}' for name, value in ids.items())}"
    status, cookies = _ask(port, "GET", path, {})
    token = re.search(r"csrftoken=(\w+)", cookies)
    if status != 200 or token is None:
        return status
    headers = {"Cookie": token[0], "X-CSRFToken": token[1]}
    return _ask(port, "POST", path, headers)[0]


def _ask(
    port: int, method: str, path: str, headers: dict[str, str], body: str | None = None
) -> tuple[int, str]:
    """Ask once on a new connection; return the status and the cookies that were set."""
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        response.read()
        return response.status, response.headers.get("Set-Cookie", "")
    finally:
        connection.close()


def _flood(attempt: Try, *, seconds: float = 600, times: int = 10**9) -> Counter[int]:
    """Let each client try without a pause, so long and so often; return how often each status came."""
    until = time.monotonic() + seconds

    def work(_client: int) -> Counter[int]:
        statuses: Counter[int] = Counter()
        while time.monotonic() < until and statuses.total() < times:
            statuses[attempt()] += 1
        return statuses

    with ThreadPoolExecutor(CLIENTS) as pool:
        return sum(pool.map(work, range(CLIENTS)), Counter[int]())


def _in_words(statuses: Counter[int]) -> str:
    return ", ".join(f"{count} x {status}" for status, count in statuses.most_common())


if __name__ == "__main__":
    attack_run("tests.attacks.write_flood", attack)

"""Two hundred judges at the same moment, over HTTP: real web server, worker and database."""

import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.client import HTTPConnection
from subprocess import Popen
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import HIT, Assignment, Exposure, Judgment
from annotation.services.planning.designs import design_change
from campaign.services.api_tokens import token_create
from tests.factories import make_campaign, make_judge, make_long_task

pytestmark = pytest.mark.thorough


JUDGES = 200
REDUNDANCY = 2
# Fewer than judges: the others must be told that there is no more work, and only when it is true.
HITS = 180


class Browser:
    """What a judge's browser does, with every submission sent twice."""

    def __init__(self, address: str, token: str, together: Barrier) -> None:
        self._server = HTTPConnection(address.removeprefix("http://"), timeout=120)
        self._token, self._together = token, together
        self.taken: list[str] = []
        self.lent: set[str] = set()

    def work(self) -> None:
        """Ask for HITs, judge one, and ask again until the server says that there is no more."""
        self._together.wait()
        status, assignment = self._ask()
        while status == HTTPStatus.ACCEPTED:
            status, assignment = self._ask()
        if status == HTTPStatus.OK:
            again, same = self._ask()
            assert (again, same["id"]) == (status, assignment["id"])
            self.lent.add(assignment["id"])
            for block in assignment["blocks"]:
                self._judge(block)
        else:
            assert status == HTTPStatus.NO_CONTENT
        self._server.close()

    def _ask(self) -> tuple[int, Any]:
        return self._send("POST", "assignments/", {})

    def _judge(self, block: dict[str, Any]) -> None:
        client_id = str(uuid4())
        labels = [min(5, place) for place in range(1, len(block["candidates"]) + 1)]
        body = {
            "block": block["id"],
            "labels": labels,
            "duration_ms": 9000,
            "active_ms": 8000,
        }
        for _time in range(2):
            status, _answer = self._send("PUT", f"judgments/{client_id}/", body)
            assert status == HTTPStatus.OK
        self.taken.append(client_id)

    def _send(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Token {self._token}",
        }
        self._server.request(
            method,
            f"/api/v1/judging/{path}",
            json.dumps(body),
            headers,
        )
        answer = self._server.getresponse()
        read = answer.read()
        return answer.status, json.loads(read) if read else None


def test_two_hundred_judges_at_once_hold_and_judge_each_hit_once(
    web: str,
    start_worker: Callable[[], "Popen[bytes]"],
    eventually: Callable[..., None],
) -> None:
    task = make_long_task(
        make_campaign(),
        segments=300,
        systems=5,
        blocks_wanted=HITS * 3,
    )
    design_change(task=task, redundancy=REDUNDANCY)
    together = Barrier(JUDGES)
    browsers = []
    for n in range(JUDGES):
        judge = make_judge(task.test_set.campaign, f"judge{n:03}")
        assert judge.user is not None
        _stored, token = token_create(user=judge.user)
        browsers.append(Browser(web, token, together))
    start_worker()
    with ThreadPoolExecutor(JUDGES) as pool:
        for working in [pool.submit(browser.work) for browser in browsers]:
            working.result()
    eventually(lambda: not HIT.objects.incomplete().exists())
    taken = [client_id for browser in browsers for client_id in browser.taken]
    stored = {
        str(client_id)
        for client_id in Judgment.objects.values_list("client_id", flat=True)
    }
    assert stored == set(taken)
    assert len(taken) == HITS * 3
    assert (
        sum(len(browser.lent) for browser in browsers)
        == HITS
        == Assignment.objects.count()
    )
    assert set(Counter(Assignment.objects.values_list("hit", flat=True)).values()) == {
        1,
    }
    assert set(Counter(Judgment.objects.values_list("block", flat=True)).values()) == {
        1,
    }
    assert set(Counter(Exposure.objects.values_list("judge", "segment")).values()) == {
        1,
    }
    families = Counter(HIT.objects.values_list("family", flat=True))
    assert set(families.values()) == {REDUNDANCY}

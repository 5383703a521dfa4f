"""The service worker's script: from an address above the judging pages."""

import json
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from campaign.models import Judge
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign()).test_set.campaign)


def test_the_page_names_a_worker_whose_scope_it_is_in(
    client: Client,
    judge: Judge,
) -> None:
    """Under a prefix, too: tests/browser/test_judge_reload.py."""
    assert judge.user is not None
    client.force_login(judge.user)
    page = client.get("/judge/museum/").content.decode()
    found = re.search(
        r'<script id="setup" type="application/json">(.*?)</script>',
        page,
    )
    assert found is not None
    worker = json.loads(found[1])["worker"]
    assert worker == "/judge/worker.js"
    # A worker's scope is the folder of its own address.
    assert "/judge/museum/".startswith(worker.removesuffix("worker.js"))


def test_the_script_is_asked_for_each_time_and_sent_once(
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(0):
        first = client.get("/judge/worker.js")
    assert first.status_code == 200
    assert first["Content-Type"].startswith("text/javascript")
    assert first["Cache-Control"] == "no-cache"
    assert "skipWaiting" in first.content.decode()
    again = client.get("/judge/worker.js", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_policy_lets_in_our_own_worker_and_nothing_more(client: Client) -> None:
    policy = dict(
        part.strip().split(" ", 1)
        for part in client.get("/judge/worker.js")["Content-Security-Policy"].split(";")
    )
    # Workers go by script-src where no directive is about them.
    assert {"worker-src", "child-src"}.isdisjoint(policy)
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert policy["default-src"] == "'none'"

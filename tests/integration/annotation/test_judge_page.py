"""The frame of the judging page: who gets it, what it costs, what it holds."""

import json
import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from campaign.models import Judge
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign()).test_set.campaign)


def test_the_page_costs_one_query_beside_the_session_and_its_user(
    judging: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    with django_assert_num_queries(3):
        response = judging.get("/judge/museum/")
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert "csrftoken" in response.cookies


def test_the_page_runs_no_inline_script_or_style(judging: Client) -> None:
    response = judging.get("/judge/museum/")
    page = response.content.decode()
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    for attributes in re.findall(r"<script([^>]*)>", page):
        assert 'type="application/json"' in attributes or 'src="/static/' in attributes
    assert "<style" not in page
    assert not re.search(r"\s(style|on\w+)=", page)


def test_the_page_knows_the_screens_of_its_campaigns_tasks(judging: Client) -> None:
    page = judging.get("/judge/museum/").content.decode()
    found = dict(
        re.findall(r'<script id="(\w+)" type="application/json">(.*?)</script>', page),
    )
    assert json.loads(found["setup"])["screens"] == {
        "ranking": "/static/judge/ranking/screen.js",
    }
    assert 'rel="later" href="/static/judge/ranking/later/tiers.js"' in page
    assert "two_outputs" not in page
    assert "verdict" not in page


@pytest.mark.thorough
def test_hashed_modules_import_hashed_modules(static_files: Path) -> None:
    """What a production server serves: a stale module must never meet a new one in a cache."""
    hashed = re.compile(r"\w+\.[0-9a-f]{12}\.js")
    modules = [
        path
        for path in (static_files / "judge").rglob("*.js")
        if hashed.fullmatch(path.name)
    ]
    for begin, least in (("from ", len(modules)), (r"import\(", 5)):
        imports = [
            path.parent / name
            for path in modules
            for name in re.findall(rf'\b{begin}"(\.[^"]+)"', path.read_text())
        ]
        assert len(imports) >= least
        assert [path for path in imports if not path.exists()] == []
        assert all(hashed.fullmatch(path.name) for path in imports)


def test_two_judges_in_one_browser_keep_their_work_apart(
    client: Client,
    judge: Judge,
) -> None:
    owners = set()
    for each in (judge, make_judge(judge.campaign, "judge02")):
        assert each.user is not None
        client.force_login(each.user)
        page = client.get("/judge/museum/").content.decode()
        owners.update(re.findall(r'"owner": "(\w+)"', page))
    assert len(owners) == 2

"""The frame of the judging page: who gets it, what it costs, what it holds."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from campaign.models import Judge
from tests.factories import make_campaign, make_judge, make_organiser, make_test_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_test_set(make_campaign()).campaign)


@pytest.fixture
def judging(client: Client, judge: Judge) -> Client:
    assert judge.user is not None
    client.force_login(judge.user)
    return client


def test_a_stranger_is_asked_to_sign_in(client: Client, judge: Judge) -> None:
    response = client.get("/judge/museum/")
    assert response.status_code == 302
    assert response["Location"] == "/sign-in/?next=/judge/museum/"


def test_whoever_is_no_judge_there_finds_no_page(judging: Client) -> None:
    make_campaign("other")
    assert judging.get("/judge/other/").status_code == 404
    assert judging.get("/judge/none/").status_code == 404


def test_an_organiser_is_no_judge(client: Client, judge: Judge) -> None:
    client.force_login(make_organiser(judge.campaign))
    assert client.get("/judge/museum/").status_code == 404


def test_the_page_costs_one_query_beside_the_session(
    judging: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
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


def test_the_page_asks_for_all_its_modules_at_once(judging: Client) -> None:
    page = judging.get("/judge/museum/").content.decode()
    ours = {module.name for module in (settings.BASE_DIR / "static" / "judge").glob("*.js")}
    preloaded = re.findall(r'<link rel="modulepreload" href="/static/judge/([\w.]+)">', page)
    assert sorted([*preloaded, "main.js"]) == sorted(ours)


def test_hashed_modules_import_hashed_modules(tmp_path: Path, settings: Settings) -> None:
    """What a production server serves: a stale module must never meet a new one in a cache."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "config.storage.HashedStaticFiles"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    hashed = re.compile(r"\w+\.[0-9a-f]{12}\.js")
    modules = [path for path in (tmp_path / "judge").iterdir() if hashed.fullmatch(path.name)]
    imports = [
        name for path in modules for name in re.findall(r'from "\./([^"]+)"', path.read_text())
    ]
    assert len(imports) > len(modules)
    assert {name for name in imports if not (tmp_path / "judge" / name).exists()} == set()
    assert all(hashed.fullmatch(name) for name in imports)
    later = [
        name
        for path in modules
        for name in re.findall(r'import\("\./later/([^"]+)"\)', path.read_text())
    ]
    assert len(later) >= 1
    assert {name for name in later if not (tmp_path / "judge" / "later" / name).exists()} == set()
    assert all(hashed.fullmatch(name) for name in later)


def test_the_page_ships_its_words_and_settings_as_data(judging: Client) -> None:
    page = judging.get("/judge/museum/").content.decode()
    found = dict(re.findall(r'<script id="(\w+)" type="application/json">(.*?)</script>', page))
    words, setup = json.loads(found["words"]), json.loads(found["setup"])
    assert words["waiting"]["1"].startswith("Waiting for the network: {n} judgment is")
    assert words["waiting"]["2"].startswith("Waiting for the network: {n} judgments are")
    assert setup["api"] == "/api/v1/judging/"
    assert setup["campaign"] == "museum"


def test_two_judges_in_one_browser_keep_their_work_apart(client: Client, judge: Judge) -> None:
    owners = set()
    for each in (judge, make_judge(judge.campaign, "judge02")):
        assert each.user is not None
        client.force_login(each.user)
        page = client.get("/judge/museum/").content.decode()
        owners.update(re.findall(r'"owner": "(\w+)"', page))
    assert len(owners) == 2

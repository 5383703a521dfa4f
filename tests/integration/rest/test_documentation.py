"""docs/rest.md: every address is named, and its notebook runs as it stands against a live server."""

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.live_server_helper import LiveServer

from campaign.models import Campaign, User
from ranking.models import RankingRun
from tests.rest_operations import STABLE

DOCUMENT = Path(__file__).parents[3] / "docs" / "rest.md"


def test_every_address_is_named() -> None:
    """By each of its parts that says what is there."""
    named = set(re.findall(r"[\w-]+", DOCUMENT.read_text(encoding="utf-8")))
    unnamed = {
        (path, word)
        for path in (line.split()[-1] for line in STABLE.read_text(encoding="utf-8").splitlines())
        for word in re.findall(r"[\w-]+", re.sub(r"{\w+}", "", path.removeprefix("/api/v1/")))
        if word not in named
    }
    assert unnamed == set()


@pytest.mark.django_db(transaction=True)
def test_notebook_reads_the_ranking_and_counts_its_comparisons(
    live_server: LiveServer,
    campaign: Campaign,
    ranking: RankingRun,
    make_member: Callable[..., User],
) -> None:
    make_member(campaign)
    token = io.StringIO()
    call_command("create_token", "rosa@example.org", stdout=token)
    # The other one checks signatures: tests/integration/webhooks/test_delivery.py.
    code, _check = re.findall(
        r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL
    )
    code = code.replace("http://127.0.0.1:8000", live_server.url).replace(
        'TOKEN = "…"', f'TOKEN = "{token.getvalue().strip()}"'
    )
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, str(DOCUMENT), "exec"), {})
    *table, count = said.getvalue().splitlines()
    systems = ranking.result["systems"]
    assert [line.split()[-1] for line in table] == [row["system"] for row in systems]
    decided = sum(row["wins"] for row in systems)
    assert count == f"{decided} decided comparisons"

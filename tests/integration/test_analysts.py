"""Analysts read every page and every answer of their campaign, and change nothing: for every address there is."""

from typing import Final

import pytest
from django.db import connection
from django.test import Client

from campaign.models import Campaign
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.permissions.addresses import ADDRESSES
from tests.permissions.world import World, make_world

pytestmark = pytest.mark.django_db

ONLY_READ: Final = "You have read-only access to this campaign as an analyst."
OF_A_CAMPAIGN: Final = (
    "campaigns/<slug:slug>/",
    "api/v1/campaigns/<slug:slug>/",
    "api/v1/tasks/<int:task_id>/",
)
ROUTES: Final = [route for route in ADDRESSES if route.startswith(OF_A_CAMPAIGN)]
#: What judges see, without the bars of the desk: whatever is sent there is dropped, for organisers too.
AS_JUDGES: Final = "/as-judge/"
#: What is not there for anybody while the campaign is not in the bin: see the last test but one.
NOT_THERE: Final = {"api/v1/campaigns/<slug:slug>/restore/"}
#: What is asked by POST and stores nothing.
ONLY_ASKED: Final = {
    "api/v1/tasks/<int:task_id>/designs/preview/",
    "api/v1/tasks/<int:task_id>/designs/forecast/",
}
#: What is everybody's own, and no change of the campaign: tests/integration/credentials/test_leaving.py.
OWN: Final = {
    "campaigns/<slug:slug>/people/leave/",
    "api/v1/campaigns/<slug:slug>/members/leave/",
}
#: What analysts are there for: an answer is kept, and the campaign stays as it is (ranking/test_analyses.py).
ASKED: Final = {
    "campaigns/<slug:slug>/tasks/<int:task_id>/analyses/<slug:kind>/",
    "campaigns/<slug:slug>/tables/<slug:name>/",
    "api/v1/campaigns/<slug:slug>/tables/<slug:name>/",
    "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/results/ask/",
    "api/v1/tasks/<int:task_id>/analyses/",
    "api/v1/tasks/<int:task_id>/rankings/",
    # The same of exports (exports/test_rest_and_page.py).
    "campaigns/<slug:slug>/tasks/<int:task_id>/exports/",
    "api/v1/tasks/<int:task_id>/exports/",
}


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.mark.thorough
def test_whatever_analysts_send_is_refused_in_words_and_changes_nothing(
    world: World,
) -> None:
    analyst = world.client("analyst")
    before = _rows()
    refused = 0
    for route in ROUTES:
        if route in NOT_THERE | OWN | ASKED:
            continue
        for method in ("post", "put", "patch", "delete"):
            # REST refuses unknown keys before it looks at who asks.
            sent = {} if route.startswith("api/") else {"act": "yes"}
            answer = getattr(analyst, method)(world.fill(route), sent, format="json")
            if AS_JUDGES in route:
                continue
            if answer.status_code == 307:
                # Sent on as it is, from an address of before there were tasks, to be refused there.
                continue
            if answer.status_code == 405:
                # Nobody may: the view itself does not know the method.
                assert method.upper() not in answer["Allow"], (method, route)
                continue
            if route in ONLY_ASKED:
                assert answer.status_code == 200, (method, route)
                continue
            assert answer.status_code == 403, (method, route)
            assert ONLY_READ in answer.content.decode(), (method, route)
            refused += 1
    assert refused > 50
    assert _rows() == before


def _rows() -> dict[str, tuple[int, str]]:
    """Return how many rows each table has, and a digest of them."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table == "campaign_requestcount":
                continue  # Requests are counted, refused ones, too.
            name = connection.ops.quote_name(table)
            cursor.execute(
                f"SELECT count(*), md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))"
                f" FROM {name} t",
            )
            found[table] = cursor.fetchone()
    return found


def test_an_analyst_makes_no_campaign_and_restores_none() -> None:
    campaign = make_campaign()
    make_organiser(campaign)
    client = Client()
    client.force_login(make_analyst(campaign))
    for address in ("/new-campaign/", "/new-campaign/file/"):
        assert client.post(address, {"name": "Mine"}).status_code == 404
    Campaign.objects.update(state="bin")
    assert "Restore" not in client.get("/bin/").content.decode()
    for address in ("/bin/museum/restore/", "/api/v1/campaigns/museum/restore/"):
        assert client.post(address).status_code == 403
    assert Campaign.objects.get().state == "bin"

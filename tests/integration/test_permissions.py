"""Who may do what: every address by every method as every role, on real services, and docs/permissions.md."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.permissions.addresses import ADDRESSES
from tests.permissions.audiences import ROLES
from tests.permissions.table import audiences
from tests.permissions.walk import differences, knocker
from tests.permissions.words import page
from tests.permissions.world import make_world

SECRET = re.compile("SECRET-(NEWS|PANEL|FILE|GROUP|EXPORT)|secretron")
WRITES = ("INSERT", "UPDATE", "DELETE")
NOTED = (
    *("campaign_apitoken", "campaign_session", "campaign_requestcount", "campaign_signincount"),
)
PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"


# One role an address sends what nobody may send; all of them by `make test-thorough`.
EVERYTHING = pytest.mark.parametrize(
    "everything",
    [
        pytest.param(False, id="each role or one"),
        pytest.param(True, id="everything", marks=pytest.mark.thorough),
    ],
)


@pytest.mark.thorough
@pytest.mark.django_db
@EVERYTHING
def test_each_role_may_what_the_table_says_and_nothing_else(everything: bool) -> None:
    world = make_world()
    found = [each for role in ROLES for each in differences(world, role, everything=everything)]
    assert not found, "\n".join(found)


@pytest.mark.thorough
@pytest.mark.django_db
def test_asking_what_can_be_done_tells_nobody_of_a_campaign_and_changes_nothing() -> None:
    """OPTIONS, of every address: refused as others are, or a description without a word of the campaign."""
    world = make_world()
    found = []
    for role in ROLES:
        client = knocker(world, role)
        for route in ADDRESSES:
            with CaptureQueriesContext(connection) as asked:
                answer = client.options(world.fill(route))
            body = b"".join(answer) if answer.streaming else answer.content
            written = [each["sql"] for each in asked if each["sql"].startswith(WRITES)]
            # A token's last use is noted, and a session kept.
            written = [each for each in written if not any(name in each for name in NOTED)]
            is_told = SECRET.search(body.decode(errors="replace")) is not None
            is_wrong = is_told or answer.status_code >= 500
            if role == "visitor" and route.startswith("api/v1/campaigns/"):
                is_wrong = is_wrong or answer.status_code != 401
            if is_wrong or written:
                found.append((role, route, answer.status_code, written[:1]))
    assert found == []


def test_the_page_for_operators_is_what_the_table_says() -> None:
    assert PAGE.read_text() == page(), (
        "Write it anew: .venv/bin/python -m tests.permissions > docs/permissions.md"
    )


def test_nobody_may_send_anything_that_changes_a_campaign_without_signing_in() -> None:
    for route in ADDRESSES:
        if route.startswith(("campaigns/", "api/v1/")):
            for method, audience in audiences(route).items():
                assert method == "GET" or "visitor" not in audience.roles, route

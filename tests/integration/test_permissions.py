"""Who may do what: every address by every method as every role, on real services, and docs/permissions.md."""

from pathlib import Path

import pytest

from tests.permissions.audiences import AUDIENCES, ROLES
from tests.permissions.table import audiences
from tests.permissions.walk import differences
from tests.permissions.words import page
from tests.permissions.world import make_world

PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"


@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_what_the_table_says_and_nothing_else(role: str) -> None:
    found = list(differences(make_world(), role))
    assert not found, "\n".join(found)


def test_the_page_for_operators_is_what_the_table_says() -> None:
    assert PAGE.read_text() == page(), (
        "Write it anew: .venv/bin/python -m tests.permissions > docs/permissions.md"
    )


def test_owners_may_what_organisers_may_and_these_what_analysts_may() -> None:
    for audience in AUDIENCES:
        if audience.words == "the member themselves":
            continue
        assert "owner" in audience.roles or "organiser" not in audience.roles
        assert "organiser" in audience.roles or "analyst" not in audience.roles


def test_nobody_may_send_anything_that_changes_a_campaign_without_signing_in() -> None:
    from tests.permissions.addresses import ADDRESSES

    for route in ADDRESSES:
        if route.startswith(("campaigns/", "api/v1/")):
            for method, audience in audiences(route).items():
                assert method == "GET" or "nobody" not in audience.roles, route

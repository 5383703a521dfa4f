"""Operators list and end what lets people in."""

import pytest
from django.core.management import CommandError
from django.test import Client

from campaign.models import (
    Judge,
    User,
)
from tests.integration.credentials.browsers import (
    LISTED,
    asks,
    by_link,
    by_token,
    said,
)

pytestmark = pytest.mark.django_db


class TestCommands:
    def test_all_is_listed_and_what_is_named_ends_if_confirmed(
        self,
        organiser: User,
        judge: Judge,
    ) -> None:
        browser, link = by_link(judge)
        notebook = by_token(organiser)
        listed = said("credentials")
        names = [line.split("\t")[0] for line in listed.splitlines()]
        assert [name.split(":")[0] for name in names] == ["link", "token", "session"]
        told = said("credentials", *names)
        assert told.count("would: ") == 3
        assert "Add --yes" in told
        assert (asks(browser), notebook.get(LISTED).status_code) == (200, 200)
        said("credentials", *names, "--yes")
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert Client().get(link).status_code == 404
        assert said("credentials") == ""
        with pytest.raises(CommandError, match="is not active"):
            said("credentials", names[0])
        with pytest.raises(CommandError, match="not active"):
            said("credentials", "link:0")

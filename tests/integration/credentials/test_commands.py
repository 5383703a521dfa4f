"""Operators list and end what lets people in."""

import re

import pytest
from django.core.management import CommandError
from django.test import Client

from campaign.models import (
    Campaign,
    Judge,
    Membership,
    User,
)
from tests.factories import make_campaign, make_organiser
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
        self, organiser: User, judge: Judge
    ) -> None:
        browser, link = by_link(judge)
        notebook = by_token(organiser)
        listed = said("list_credentials")
        names = [line.split("\t")[0] for line in listed.splitlines()]
        assert [name.split(":")[0] for name in names] == ["link", "token", "session"]
        told = said("revoke_credentials", *names)
        assert told.count("would: ") == 3
        assert "Add --yes" in told
        assert (asks(browser), notebook.get(LISTED).status_code) == (200, 200)
        said("revoke_credentials", *names, "--yes")
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert Client().get(link).status_code == 404
        assert said("list_credentials") == ""
        with pytest.raises(CommandError, match="is nothing that works now"):
            said("revoke_credentials", names[0])

    def test_the_list_can_be_of_one_campaign_or_one_user(
        self, organiser: User, judge: Judge
    ) -> None:
        by_link(judge)
        by_token(organiser)
        other = make_organiser(make_campaign("other"), "other@example.org")
        by_token(other)
        assert len(said("list_credentials").splitlines()) == 4
        assert len(said("list_credentials", "--campaign", "museum").splitlines()) == 3
        [line] = said("list_credentials", "--email", "other@example.org").splitlines()
        assert line.startswith("token:")

    @pytest.mark.usefixtures("organiser")
    def test_people_are_withdrawn_and_let_in_again(self, campaign: Campaign, judge: Judge) -> None:
        otto = make_organiser(campaign, "otto@example.org")
        browser, _link = by_link(judge)
        notebook = by_token(otto)
        people = ("--judge", "judge01", "--member", "otto@example.org")
        told = said("revoke_credentials", "--campaign", "museum", *people)
        assert "would: withdraw judge judge01, ending links: 1, sessions: 1, tokens: 0" in told
        said("revoke_credentials", "--campaign", "museum", *people, "--yes")
        assert (asks(browser), notebook.get(LISTED).status_code) == (401, 401)
        assert not Membership.objects.filter(user=otto).exists()
        with pytest.raises(CommandError, match="is withdrawn"):
            said("change_judge", "judge01", "--campaign", "museum", "--new-link")
        link = said("change_judge", "judge01", "--campaign", "museum", "--readmit", "--new-link")
        address = re.search(r"/i/[\w-]+/", link)
        assert address is not None
        assert Client().post(address[0]).status_code == 302

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ((), "Name what is to end"),
            (("link:0",), "nothing that works"),
            (("nonsense",), "nothing that works"),
            (("--judge", "judge01"), "need --campaign"),
            (("--campaign", "museum", "--member", "rosa@example.org"), "does not run"),
        ],
    )
    @pytest.mark.usefixtures("campaign")
    def test_what_is_wrong_is_named(self, arguments: tuple[str, ...], problem: str) -> None:
        User.objects.create_user(name="Rosa", email="rosa@example.org")
        with pytest.raises(CommandError, match=problem):
            said("revoke_credentials", *arguments)

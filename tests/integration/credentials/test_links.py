"""A link has a button, which alone signs in."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from campaign.models import Invitation, Judge, PanelKind, Session, User
from campaign.services.invitations import invitation_revoke
from campaign.services.judges import judge_link_create
from tests.factories import make_organiser
from tests.integration.credentials.browsers import words
from tests.recruiting import make_panel

#: What mails and chats leave at the end of a link.
TAILS = [".", ",", ")", "%3E", '"', "%20", "%C2%A0", "%E2%80%8B", "%0D", "/.", "//"]
pytestmark = pytest.mark.django_db


def test_only_the_button_signs_in_and_it_needs_this_page(judge: Judge) -> None:
    _link, token = judge_link_create(judge=judge)
    strict = Client(enforce_csrf_checks=True)
    refusals: list[Callable[..., Any]] = [
        strict.head,
        strict.options,
        strict.post,
        strict.put,
    ]
    assert [ask(f"/i/{token}/").status_code for ask in refusals] == [405, 405, 403, 403]
    page = strict.get(f"/i/{token}/")
    assert page.status_code == 200
    assert re.search(
        r"autofocus>Begin judging as judge01</button>",
        page.content.decode(),
    )
    assert not Session.objects.exists()
    found = re.search(
        r'name="csrfmiddlewaretoken" value="(\w+)"',
        page.content.decode(),
    )
    assert found is not None
    sent = {"csrfmiddlewaretoken": found[1]}
    assert strict.post(f"/i/{token}/", sent)["Location"] == "/judge/museum/"
    assert strict.get(f"/i/{token}/")["Location"] == "/judge/museum/"


def test_button_in_a_second_tab_leads_on_too(judge: Judge) -> None:
    """specify7 3180, mhacks-admin 23: signing in makes the forms of other tabs invalid."""
    _link, token = judge_link_create(judge=judge)
    panel = make_panel(judge.campaign, PanelKind.GENERIC)
    entrance = reverse("panel-entry", args=[panel.key])
    strict = Client(enforce_csrf_checks=True)
    for address in (f"/i/{token}/", f"{entrance}?participant=7"):
        tabs = [strict.get(address) for _tab in range(2)]
        sent = [{"csrfmiddlewaretoken": tab.context["csrf_token"]} for tab in tabs]
        assert strict.post(address, sent[0])["Location"] == "/judge/museum/"
        late = strict.post(address, sent[1])
        assert late["Location"] == address
        assert strict.get(address)["Location"] == "/judge/museum/"


def test_link_greets_judge_by_the_name_that_organisers_gave(
    client: Client,
    judge: Judge,
) -> None:
    assert judge.user is not None
    User.objects.filter(pk=judge.user.pk).update(name="Anna <A>")
    _link, token = judge_link_create(judge=judge)
    body = client.get(f"/i/{token}/").content.decode()
    assert "Begin judging as Anna &lt;A&gt;</button>" in body
    assert judge.pseudonym not in body


def test_link_of_another_user_asks_before_signing_in(
    page: Client,
    organiser: User,
    judge: Judge,
) -> None:
    _link, token = judge_link_create(judge=judge)
    assert "You are signed in as Olga." in words(page.get(f"/i/{token}/"))
    assert int(page.session["_auth_user_id"]) == organiser.pk


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "null"}, {"Origin": "https://proxy.example.org"}, {}],
    ids=["hidden", "changed", "absent"],
)
def test_form_whose_origin_is_hidden_names_the_cause(
    judge: Judge,
    headers: dict[str, str],
) -> None:
    """qbittorrent/qBittorrent 21106, nsupdate-info 493, swarfarm 89: cookies were blamed, and allowing them did not help."""
    _link, token = judge_link_create(judge=judge)
    strict = Client(enforce_csrf_checks=True)
    strict.get(f"/i/{token}/", secure=True)
    refused = strict.post(f"/i/{token}/", headers=headers, secure=True)
    assert refused.status_code == 403
    body = words(refused)
    assert "hide or change the address of the page" in body
    assert "cookies" not in body


def test_form_without_cookies_names_them(judge: Judge) -> None:
    _link, token = judge_link_create(judge=judge)
    refused = Client(enforce_csrf_checks=True).post(f"/i/{token}/")
    assert refused.status_code == 403
    assert "your browser blocks cookies for this site" in words(refused)


def test_link_with_punctuation_at_its_end_leads_to_the_link(
    judge: Judge,
    subtests: pytest.Subtests,
) -> None:
    _link, token = judge_link_create(judge=judge)
    for tail in TAILS:
        with subtests.test(tail=tail):
            answer = Client().get(f"/i/{token}{tail}?utm_source=mail")
            assert (answer.status_code, answer["Location"]) == (
                302,
                f"/i/{token}/?utm_source=mail",
            )


def test_link_with_a_missing_end_is_still_refused(judge: Judge) -> None:
    _link, token = judge_link_create(judge=judge)
    assert Client().get(f"/i/{token[:-1]}/").status_code == 404
    assert Client().post(f"/i/{token}./").status_code == 404


@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_ended_link_leads_its_person_on_while_they_are_signed_in(
    judge: Judge,
    end: str,
) -> None:
    link, token = judge_link_create(judge=judge)
    here = Client()
    here.post(f"/i/{token}/")
    if end == "expired":
        Invitation.objects.filter(pk=link.pk).update(expires_at=Now())
    else:
        invitation_revoke(invitation=link)
    assert here.get(f"/i/{token}/")["Location"] == "/judge/museum/"
    assert Client().get(f"/i/{token}/").status_code == 404
    other = Client()
    other.force_login(make_organiser(judge.campaign, "other@example.org"))
    assert other.get(f"/i/{token}/").status_code == 404

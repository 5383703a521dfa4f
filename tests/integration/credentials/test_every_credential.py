"""When each credential that a member makes ends: with the member, with their account, or with the campaign's state."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import (
    Campaign,
    CampaignState,
    InvitationRole,
    Judge,
    Membership,
    MembershipRole,
    User,
)
from campaign.services.api_tokens import token_create
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
    results_link_create,
)
from campaign.services.judges import judge_link_create
from campaign.services.machines import (
    MachineTerms,
    machine_add,
    machine_token_replace,
)
from campaign.services.members import member_remove, member_role_change
from tests.factories import make_analyst, make_organiser
from tests.integration.credentials.browsers import LEND, LISTED, OWN, said
from tests.recruiting import Prolific, make_panel

pytestmark = pytest.mark.django_db

Works = Callable[[], bool]


@dataclass(frozen=True)
class Made:
    """A member of a campaign, a judge, and what the member makes."""

    campaign: Campaign
    maker: User
    judge: Judge


def session(made: Made) -> Works:
    client = Client()
    client.force_login(made.maker)
    return lambda: client.get(OWN).status_code == 200


def api_token(made: Made) -> Works:
    client = program(token_create(user=made.maker)[1])
    return lambda: client.get(LISTED).status_code == 200


def machine_token(made: Made) -> Works:
    _machine, text = machine_add(
        campaign=made.campaign,
        by=made.maker,
        terms=MachineTerms(name="judgebot", version="1"),
    )
    client = program(text)
    return lambda: lends(client)


def judge_link(made: Made) -> Works:
    _link, token = judge_link_create(judge=made.judge, by=made.maker)
    browser = Client()
    browser.post(f"/i/{token}/")
    return lambda: lends(browser)


def open_link(made: Made) -> Works:
    link, token = invitation_create_for_anybody(
        campaign=made.campaign,
        cap=5,
        created_by=made.maker,
    )
    del link
    return lambda: opens(f"/i/{token}/")


def member_link(made: Made) -> Works:
    other = make_analyst(made.campaign, "other@example.org")
    _link, token = invitation_create(
        campaign=made.campaign,
        user=other,
        role=InvitationRole.ANALYST,
        created_by=made.maker,
    )
    return lambda: opens(f"/i/{token}/")


def results_link(made: Made) -> Works:
    _link, token = results_link_create(
        campaign=made.campaign,
        is_anonymous=False,
        created_by=made.maker,
    )
    address = reverse("published-review", args=["museum", token])
    return lambda: opens(address)


def panel_address(made: Made) -> Works:
    study = Prolific(make_panel(made.campaign))
    address = f"{study.address}?{urlencode(study.query('paula'))}"
    return lambda: opens(address)


def program(token: str) -> Client:
    return Client(headers={"Authorization": f"Token {token}"})


def lends(client: Client) -> bool:
    """Return whether judging may go on: blocks, or none left now."""
    sent = client.post(LEND, {}, content_type="application/json")
    return sent.status_code in {200, 204}


def opens(address: str) -> bool:
    return Client().get(address).status_code == 200


def removed(made: Made) -> None:
    member_remove(membership=membership(made))


def demoted(made: Made) -> None:
    member_role_change(
        membership=membership(made),
        role=MembershipRole.ANALYST,
        by=None,
    )


def deactivated(made: Made) -> None:
    User.objects.filter(pk=made.maker.pk).update(is_active=False)


def membership(made: Made) -> Membership:
    return Membership.objects.get(campaign=made.campaign, user=made.maker)


#: The states through which a campaign comes to each one.
STATES = {
    "paused": ["paused"],
    "closed": ["closed"],
    "archived": ["closed", "archived"],
    "bin": ["closed", "bin"],
}
EVENTS: dict[str, Callable[[Made], object]] = {
    "removed": removed,
    "demoted": demoted,
    "deactivated": deactivated,
}
#: What ends each credential, and its name in `./quintet credentials`, if it is listed there.
ENDS: dict[Callable[[Made], Works], tuple[set[str], str]] = {
    session: ({"removed", "deactivated"}, "session"),
    api_token: ({"removed", "deactivated"}, "token"),
    # A machine judge gets work when people do, and ends with the right of its maker to create it.
    machine_token: ({*EVENTS, *STATES}, "machine"),
    judge_link: (set(STATES), "link"),
    open_link: (set(), "link"),
    member_link: ({"removed", "demoted"}, "link"),
    results_link: ({"removed", "demoted", "bin"}, "link"),
    # On the page of the panel; it belongs to the campaign, and says when the study is closed.
    panel_address: (set(STATES), ""),
}


@pytest.fixture
def made(judge: Judge) -> Made:
    campaign = judge.campaign
    Campaign.objects.filter(pk=campaign.pk).update(state=CampaignState.OPEN)
    make_organiser(campaign, "owner@example.org")
    maker = make_organiser(campaign, "otto@example.org")
    return Made(Campaign.objects.get(pk=campaign.pk), maker, judge)


@pytest.mark.parametrize("credential", ENDS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("event", [*EVENTS, *STATES])
def test_credential_ends_as_documented(
    made: Made,
    credential: Callable[[Made], Works],
    event: str,
) -> None:
    ends, _listed = ENDS[credential]
    works = credential(made)
    assert works()
    if event in EVENTS:
        EVENTS[event](made)
    else:
        for state in STATES[event]:
            Campaign.objects.filter(pk=made.campaign.pk).update(state=state)
    assert works() is (event not in ends)


@pytest.mark.parametrize("credential", ENDS, ids=lambda make: make.__name__)
def test_command_lists_and_ends_credential(
    made: Made,
    credential: Callable[[Made], Works],
) -> None:
    _ends, listed = ENDS[credential]
    before = names()
    works = credential(made)
    new = [name for name in names() if name not in before]
    kinds = {name.partition(":")[0] for name in new}
    assert (listed in kinds) if listed else not kinds
    if listed:
        said("credentials", *new, "--yes")
        assert not works()


def names() -> list[str]:
    lines = said("credentials", "--campaign", "museum").splitlines()
    return [line.partition("\t")[0] for line in lines]


def test_a_token_made_anew_by_another_organiser_outlives_the_first_maker(
    made: Made,
) -> None:
    works = machine_token(made)
    removed(made)
    assert not works()
    owner = User.objects.get(email="owner@example.org")
    machine = made.campaign.machines.get()
    client = program(machine_token_replace(machine=machine, by=owner))
    assert lends(client)
    deactivated(replace(made, maker=owner))
    assert not lends(client)


def test_the_page_that_removes_a_member_names_machine_judges_that_stop(
    made: Made,
) -> None:
    machine_token(made)
    owner = Client()
    owner.force_login(User.objects.get(email="owner@example.org"))
    address = f"/campaigns/museum/people/{membership(made).pk}/"
    for action, sent in (("remove", {}), ("role", {"role": "analyst"})):
        assert "judgebot 1" in owner.post(f"{address}{action}/", sent).text

"""What a new campaign begins with: suggested rules, however it was made, starter instructions and links."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import translation
from rest_framework.test import APIClient

from annotation.models import QualityRule
from annotation.services.quality import SUGGESTED_RULES
from campaign.models import Campaign, Instructions, MembershipRole, Protocol, User
from campaign.services.invitations import (
    invitation_create_for_anybody,
    invitation_open,
    invitation_revoke,
)
from campaign.services.members import member_add, organiser_add
from campaign.texts.studies import study
from tests.factories import make_campaign
from whole_campaigns.cloning import campaign_clone

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    user = User.objects.create_user(email="olga@example.org", name="Olga")
    other = Campaign.objects.create(slug="other", name="Other")
    member_add(campaign=other, user=user, role=MembershipRole.OWNER)
    return user


def terms_in_force(slug: str) -> set[tuple[str, str, float, int, str]]:
    rules = QualityRule.objects.filter(campaign__slug=slug, switched_off_at=None)
    return set(
        rules.values_list("measure", "direction", "threshold", "minimum", "action"),
    )


def on_the_page(user: User, _folder: Path) -> None:
    client = Client()
    client.force_login(user)
    client.post("/new-campaign/", {"name": "Tour", "slug": "tour"})


def over_rest(user: User, _folder: Path) -> None:
    api = APIClient()
    api.force_login(user)
    api.post("/api/v1/campaigns/", {"name": "Tour", "slug": "tour"}, format="json")


def by_command(_user: User, folder: Path) -> None:
    for name, text in (("source", "Hund\n"), ("a", "dog\n"), ("b", "hound\n")):
        (folder / name).write_text(text)
    call_command(
        "import_test_set",
        *("--campaign", "tour", "--create-campaign", "Tour", "--name", "de-en"),
        *(
            "--source-language",
            "de",
            "--target-language",
            "en",
            "--source",
            str(folder / "source"),
        ),
        *("--system", f"a={folder / 'a'}", "--system", f"b={folder / 'b'}"),
    )


def by_file(_user: User, folder: Path) -> None:
    (folder / "tour.yaml").write_text("slug: tour\nname: Tour\n")
    call_command("apply_campaign", str(folder / "tour.yaml"), "--yes")


@pytest.mark.parametrize("make", [on_the_page, over_rest, by_command, by_file])
def test_a_new_campaign_starts_with_the_suggested_rules_which_warn(
    organiser: User,
    tmp_path: Path,
    make: Callable[[User, Path], None],
) -> None:
    make(organiser, tmp_path)
    assert terms_in_force("tour") == {(*terms, "warn") for terms in SUGGESTED_RULES}


def test_a_file_with_rules_and_a_clone_keep_their_own(
    organiser: User,
    tmp_path: Path,
) -> None:
    rule = (
        "{measure: ties, direction: above, threshold: 0.9, minimum: 60, action: warn}"
    )
    (tmp_path / "tour.yaml").write_text(
        f"slug: tour\nname: Tour\nquality_rules: [{rule}]\n",
    )
    call_command("apply_campaign", str(tmp_path / "tour.yaml"), "--yes")
    assert terms_in_force("tour") == {("ties", "above", 0.9, 60, "warn")}
    campaign_clone(
        source=Campaign.objects.get(slug="tour"),
        slug="again",
        name="Again",
        by=organiser,
        texts=False,
        people=False,
    )
    assert terms_in_force("again") == terms_in_force("tour")


def test_an_organiser_without_campaigns_is_led_to_the_first(client: Client) -> None:
    user = User.objects.create_user(
        email="rosa@example.org",
        name="Rosa",
        is_staff=True,
    )
    client.force_login(user)
    page = client.get("/", follow=True).content.decode()
    assert "Welcome, Rosa" in page
    assert 'class="button primary" href="/new-campaign/"' in page


def test_the_first_instructions_begin_with_the_criterion_and_are_always_accepted(
    organiser: User,
    client: Client,
) -> None:
    client.force_login(organiser)
    page = "/campaigns/other/instructions/"
    first = client.get(page, {"language": "de"}).context["form"]
    assert "demands_acceptance" not in first.fields
    with translation.override("de"):
        criterion = study(Protocol.RANKING, {}).criterion(outputs_are_media=False)
        assert str(criterion) in first["text"].value()
    client.post(page, {"language": "de", "text": "Lesen Sie genau."})
    assert Instructions.objects.get().demands_acceptance
    second = client.get(page, {"language": "de"}).context["form"]
    assert "demands_acceptance" in second.fields
    assert second["text"].value() == "Lesen Sie genau."


def test_a_shared_link_can_be_read_again_until_it_is_withdrawn(
    organiser: User,
    client: Client,
) -> None:
    client.force_login(organiser)
    campaign = Campaign.objects.get(slug="other")
    link, token = invitation_create_for_anybody(campaign=campaign, cap=3)
    page = f"/campaigns/{campaign.slug}/invitations/"
    assert invitation_open(token=token) == link
    assert f"/i/{token}/" in client.get(page).content.decode()
    invitation_revoke(invitation=link)
    assert token not in client.get(page).content.decode()


def test_only_members_who_may_change_a_campaign_read_its_shared_links(
    organiser: User,
    client: Client,
) -> None:
    campaign = organiser.memberships.get().campaign
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=3)
    reader = User.objects.create_user(email="ana@example.org", name="Ana")
    member_add(campaign=campaign, user=reader, role=MembershipRole.ANALYST)
    client.force_login(reader)
    page = client.get(f"/campaigns/{campaign.slug}/invitations/")
    assert page.status_code == 200
    assert token not in page.content.decode()


@pytest.mark.parametrize("make", [by_command, by_file])
@pytest.mark.parametrize(
    ("email", "is_staff"),
    [("olga@example.org", False), ("demo@demo.invalid", True), (None, True)],
)
def test_a_campaign_made_by_a_command_belongs_to_the_first_organiser(
    tmp_path: Path,
    make: Callable[[User, Path], None],
    email: str | None,
    is_staff: bool,
) -> None:
    user = User.objects.create_user(name="Olga", email=email, is_staff=is_staff)
    if not is_staff:
        organiser_add(campaign=make_campaign(), user=user)
    make(user, tmp_path)
    member = Campaign.objects.get(slug="tour").memberships.get()
    assert (member.user, member.role) == (user, MembershipRole.OWNER)


@pytest.mark.parametrize("make", [by_command, by_file])
def test_no_campaign_is_made_without_an_owner(
    tmp_path: Path,
    make: Callable[[User, Path], None],
) -> None:
    with pytest.raises(CommandError, match="no organiser"):
        make(User(), tmp_path)
    assert not Campaign.objects.exists()

"""A new campaign watches its judges by the suggested rules, whichever way it was made."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import QualityRule
from annotation.services.quality import SUGGESTED_RULES
from campaign.models import Campaign, MembershipRole, User
from campaign.services.members import member_add
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
    return set(rules.values_list("measure", "direction", "threshold", "minimum", "action"))


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
        *("--source-language", "de", "--target-language", "en", "--source", str(folder / "source")),
        *("--system", f"a={folder / 'a'}", "--system", f"b={folder / 'b'}"),
    )


def by_file(_user: User, folder: Path) -> None:
    (folder / "tour.yaml").write_text("slug: tour\nname: Tour\n")
    call_command("apply_campaign", str(folder / "tour.yaml"), "--yes")


@pytest.mark.parametrize("make", [on_the_page, over_rest, by_command, by_file])
def test_a_new_campaign_starts_with_the_suggested_rules_which_warn(
    organiser: User, tmp_path: Path, make: Callable[[User, Path], None]
) -> None:
    make(organiser, tmp_path)
    assert terms_in_force("tour") == {(*terms, "warn") for terms in SUGGESTED_RULES}


def test_a_file_with_rules_and_a_clone_keep_their_own(organiser: User, tmp_path: Path) -> None:
    rule = "{measure: ties, direction: above, threshold: 0.9, minimum: 60, action: warn}"
    (tmp_path / "tour.yaml").write_text(f"slug: tour\nname: Tour\nquality_rules: [{rule}]\n")
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

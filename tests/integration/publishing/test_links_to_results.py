"""Links to the results of a campaign: what their holders see, in which state, and how organisers manage them."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import QualityActionKind
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Invitation, InvitationRole, Judge, User
from campaign.services.invitations import invitation_restore, results_link_create
from ranking.models import LatestRanking
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.kept_rankings import latest_ranking_keep
from ranking.services.published_results.publish import ResultChoices, result_publish
from ranking.services.runs import ranking_run_compute
from tests.clocks import set_process_clock
from tests.factories import make_analyst, make_campaign, make_organiser
from tests.integration.protocols.judging import rated_task
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

SYSTEMS = ("amber", "birch", "cobalt", "dune")
PEOPLE = "/campaigns/autumn/people/"
LINKS = "/campaigns/autumn/invitations/links/"


def address_of(
    campaign: Campaign,
    *,
    is_anonymous: bool = False,
    **described: Any,
) -> str:
    """Return the address of a new link to the results of a campaign."""
    _link, token = results_link_create(
        campaign=campaign,
        is_anonymous=is_anonymous,
        **described,
    )
    return reverse("published-review", args=[campaign.slug, token])


@pytest.mark.parametrize("state", ["paused", "closed", "archived"])
def test_holder_sees_ranking_in_every_state_after_judging(
    judged: TestSetWriter,
    client: Client,
    state: str,
) -> None:
    Campaign.objects.update(state="closed" if state == "archived" else state)
    Campaign.objects.update(state=state)
    answer = client.get(address_of(judged.campaign))
    assert answer.status_code == 200
    assert answer["Cache-Control"].endswith("private")
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    text = text_of(answer)
    assert all(system in text for system in SYSTEMS)
    assert "144 comparisons" in text
    assert "by 3 judges" in text


def test_campaign_in_bin_shows_nothing(judged: TestSetWriter, client: Client) -> None:
    address = address_of(judged.campaign)
    for state in ("closed", "bin"):
        Campaign.objects.update(state=state)
    assert client.get(address).status_code == 404


def test_open_campaign_shows_ranking_of_the_day_before(
    judged: TestSetWriter,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A judge who watched scores change would know which system wrote which output."""
    address = address_of(judged.campaign)
    before = text_of(client.get(address))
    assert "No ranking yet" in before
    assert not any(system in before for system in SYSTEMS)
    with judged.at_once():
        # So many that one more judgment keeps no other ranking.
        for segment in range(9, 65):
            judged.judgment("j1", judged.block(segment, ["amber", "birch"]), [1, 2])
    assert ranking_run_compute(task_id=judged.task.pk) is not None
    assert latest_ranking_keep(task_id=judged.task.pk) is not None
    set_process_clock(monkeypatch, ahead_by=timedelta(days=1))
    shown = text_of(client.get(address))
    assert "200 comparisons" in shown
    judged.judgment("j1", judged.block(65, ["dune", "amber"]), [1, 2])
    assert ranking_run_compute(task_id=judged.task.pk) is not None
    LatestRanking.objects.update(finished_at=timezone.now())
    assert text_of(client.get(address)) == shown
    Campaign.objects.update(state="paused")
    assert "201 comparisons" in text_of(client.get(address))


def test_anonymous_link_names_no_system(judged: TestSetWriter, client: Client) -> None:
    Campaign.objects.update(state="closed")
    body = client.get(address_of(judged.campaign, is_anonymous=True)).content.decode()
    assert not any(system in body for system in SYSTEMS)
    assert all(f"System {letter}" in body for letter in "ABCD")


def test_systems_anonymous_in_published_version_stay_so(
    judged: TestSetWriter,
    client: Client,
) -> None:
    Campaign.objects.update(state="closed")
    result = result_publish(
        task=judged.task,
        by=None,
        choices=ResultChoices(anonymous=["birch"]),
    )
    hidden = judged.task.test_set.systems.get(name="birch")
    body = client.get(address_of(judged.campaign)).content.decode()
    assert "birch" not in body
    assert result.labels[str(hidden.pk)] in body
    assert "amber" in body


def test_page_names_no_judge_reason_or_text(
    judged: TestSetWriter,
    client: Client,
) -> None:
    quality_action_take(
        judge=judged.judge("j3"),
        task=judged.task,
        decision=JudgeDecision(
            action=QualityActionKind.EXCLUDE,
            user=make_organiser(judged.campaign),
            note="Clicked at random.",
        ),
    )
    assert ranking_run_compute(task_id=judged.task.pk) is not None
    Campaign.objects.update(state="closed")
    body = client.get(address_of(judged.campaign)).content.decode()
    assert "by 2 judges" in body
    assert not any(word in body for word in ("j1", "j2", "j3", "at random", "Olga"))


def test_link_shows_only_its_campaign(judged: TestSetWriter, client: Client) -> None:
    other = make_campaign("winter", state="closed")
    foreign = TestSetWriter(other, "secret", ("ebony", "fern"))
    foreign.judgment("k1", foreign.block(1, ["ebony", "fern"]), [1, 2])
    assert ranking_run_compute(task_id=foreign.task.pk) is not None
    Campaign.objects.update(state="closed")
    address = address_of(judged.campaign)
    assert client.get(address.replace("/autumn/", "/winter/")).status_code == 404
    body = client.get(f"{address}?task={foreign.task.pk}").content.decode()
    assert not any(word in body for word in ("ebony", "fern", "secret"))
    assert client.get(PEOPLE).status_code == 302
    assert client.get(f"/campaigns/autumn/tasks/{judged.task.pk}/").status_code == 302


def test_test_sets_are_chosen_on_page(judged: TestSetWriter, client: Client) -> None:
    second = TestSetWriter(judged.campaign, "talks", ("onyx", "pearl"))
    second.judgment("j1", second.block(1, ["onyx", "pearl"]), [1, 2])
    assert ranking_run_compute(task_id=second.task.pk) is not None
    Campaign.objects.update(state="closed")
    address = address_of(judged.campaign)
    assert "onyx" not in text_of(client.get(address))
    assert "onyx" in text_of(client.get(f"{address}?task={second.task.pk}"))


def test_withdrawn_expired_and_other_links_show_nothing(
    judged: TestSetWriter,
    client: Client,
) -> None:
    Campaign.objects.update(state="closed")
    address = address_of(judged.campaign)
    Invitation.objects.update(revoked_at=timezone.now())
    assert client.get(address).status_code == 404
    invitation_restore(invitation=Invitation.objects.get())
    assert client.get(address).status_code == 200
    Invitation.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert client.get(address).status_code == 404
    token = address.rstrip("/").rpartition("/")[2]
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    assert client.get(f"/i/{token}/").status_code == 404
    assert client.get(address[:-2] + "/").status_code == 404


class TestManaging:
    @pytest.fixture
    def page(self, campaign: Campaign, client: Client) -> Client:
        client.force_login(make_organiser(campaign))
        return client

    @pytest.mark.usefixtures("judged")
    def test_organiser_creates_withdraws_and_sees_it_again(self, page: Client) -> None:
        Campaign.objects.update(state="closed")
        made = page.post(
            LINKS,
            {"page": "people", "results-anonymous": "on", "results-note": "board"},
        )
        assert made.status_code == 201
        link = Invitation.objects.get()
        assert link.role == InvitationRole.RESULTS_ANONYMOUS
        address = reverse("published-review", args=["autumn", link.shared_token])
        assert address in made.content.decode()
        again = page.get(PEOPLE).content.decode()
        assert address in again
        assert "board" in again
        assert (
            "board" not in page.get("/campaigns/autumn/invitations/").content.decode()
        )
        assert "Invitation" in text_of(page.get("/campaigns/autumn/activity/"))
        page.post(f"{LINKS}{link.pk}/revoke/", {"page": "people", "act": "yes"})
        assert Client().get(address).status_code == 404
        assert address not in page.get(PEOPLE).content.decode()
        page.post(f"{LINKS}{link.pk}/restore/", {"page": "people"})
        assert Client().get(address).status_code == 200

    def test_analyst_neither_creates_nor_sees_it(
        self,
        judged: TestSetWriter,
        client: Client,
    ) -> None:
        address = address_of(judged.campaign)
        make_organiser(judged.campaign)
        client.force_login(make_analyst(judged.campaign))
        assert address not in client.get(PEOPLE).content.decode()
        assert client.post(LINKS, {"page": "people"}).status_code == 403
        assert Invitation.objects.count() == 1

    def test_past_day_is_refused_at_its_field(self, page: Client) -> None:
        answer = page.post(LINKS, {"page": "people", "results-expires": "2020-01-01"})
        assert answer.status_code == 400
        assert set(answer.context["results_form"].errors) == {"expires"}
        assert not Invitation.objects.exists()


def test_link_to_results_admits_no_judge(judged: TestSetWriter, client: Client) -> None:
    users = User.objects.count()
    client.post(address_of(judged.campaign))
    assert User.objects.count() == users


def test_protocol_without_ranking_shows_first_table_of_its_answer(
    client: Client,
) -> None:
    task = rated_task(make_campaign("autumn"))
    for is_anonymous, expected in ((False, SYSTEMS[0]), (True, "System A")):
        address = address_of(task.test_set.campaign, is_anonymous=is_anonymous)
        address = f"{address}?task={task.pk}"
        assert expected not in client.get(address).content.decode()
    choice = analysis_choice(task.protocol, {})
    analysis_compute(analysis=analysis_ask(task=task, choice=choice, is_queued=False))
    Campaign.objects.update(state="closed")
    bodies = []
    for link in Invitation.objects.order_by("pk"):
        address = reverse("published-review", args=["autumn", link.shared_token])
        bodies.append(client.get(f"{address}?task={task.pk}").content.decode())
    named, anonymous = bodies
    names = ("cobalt", "dune", "ember")
    assert all(name in named for name in names)
    assert not any(name in anonymous for name in names)
    assert re.search(r"System [A-D]\b", anonymous)
    judges = Judge.objects.values_list("pseudonym", flat=True)
    assert not any(judge in body for judge in judges for body in bodies)

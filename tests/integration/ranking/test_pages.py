"""The organiser's pages: who may see them, what they say, what they cost."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Judge, Membership, User
from ranking.selectors.dashboards import dashboard_state
from ranking.services import ranking_run_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter


class Response(Protocol):
    @property
    def content(self) -> bytes: ...

    @property
    def status_code(self) -> int: ...


Ask = Callable[[str], Response]

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(writer: TestSetWriter) -> TestSetWriter:
    for segment in range(1, 6):
        block = writer.block(segment, ["A", "B", "C"])
        writer.judgment("j1", block, [1, 2, 3], active_ms=125_000)
        writer.judgment("j2", block, [1, 2, 3] if segment != 3 else [2, 1, 1])
    ranking_run_compute(test_set_id=writer.test_set.pk)
    return writer


@pytest.fixture
def as_organiser(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


@pytest.fixture
def somebody(db: None) -> Callable[[str], User]:
    """People who must not see the campaign, and why one might think they may."""

    def make(role: str) -> User:
        user = User.objects.create_user(name=role, email=f"{role}@example.org")
        museum = Campaign.objects.get(slug="museum")
        if role == "judge":
            Judge.objects.create(campaign=museum, user=user, pseudonym="j9", origin="person")
        if role == "researcher":
            Membership.objects.create(campaign=museum, user=user, role="researcher")
        if role == "organiser-of-another":
            other = Campaign.objects.create(slug="other", name="Other")
            Membership.objects.create(campaign=other, user=user, role="organiser")
        return user

    return make


def addresses(writer: TestSetWriter) -> dict[str, str]:
    arguments = {"slug": writer.campaign.slug, "test_set_id": writer.test_set.pk}
    return {
        "campaign": reverse("campaign-detail", kwargs={"slug": writer.campaign.slug}),
        "dashboard": reverse("test-set-dashboard", kwargs=arguments),
        "live": reverse("test-set-live", kwargs=arguments),
    }


def text_of(response: Response) -> str:
    """The words of a page, with single spaces."""
    page = re.sub(
        r"<(head|script|noscript)\b.*?</\1>", " ", response.content.decode(), flags=re.DOTALL
    )
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)).replace(" ,", ",")


# --- Who may see them -------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["campaign", "dashboard", "live"])
@pytest.mark.parametrize("role", ["judge", "researcher", "organiser-of-another", "nobody"])
def test_nobody_but_its_organisers_sees_a_campaign(
    client: Client, judged: TestSetWriter, somebody: Callable[[str], User], role: str, page: str
) -> None:
    client.force_login(somebody(role))

    response = client.get(addresses(judged)[page])

    assert response.status_code == 404
    assert b"A day at the museum" not in response.content


@pytest.mark.parametrize("page", ["campaign", "dashboard"])
def test_strangers_are_asked_to_sign_in(client: Client, judged: TestSetWriter, page: str) -> None:
    address = addresses(judged)[page]

    response = client.get(address)

    assert (response.status_code, response["Location"]) == (302, f"/sign-in/?next={address}")


def test_a_page_whose_session_ended_learns_so_instead_of_swapping_in_a_form(
    client: Client, judged: TestSetWriter
) -> None:
    assert client.get(addresses(judged)["live"]).status_code == 401


def test_a_test_set_is_found_under_its_own_campaign_only(
    as_organiser: Client, organiser: User, judged: TestSetWriter
) -> None:
    other = Campaign.objects.create(slug="other", name="Other")
    Membership.objects.create(campaign=other, user=organiser, role="organiser")

    for page in ("test-set-dashboard", "test-set-live"):
        address = reverse(page, kwargs={"slug": "other", "test_set_id": judged.test_set.pk})
        assert as_organiser.get(address).status_code == 404


def test_the_list_holds_the_organisers_own_campaigns(
    as_organiser: Client, judged: TestSetWriter
) -> None:
    Campaign.objects.create(slug="secret", name="Not yours")

    page = text_of(as_organiser.get(reverse("campaign-list")))

    assert "A day at the museum" in page
    assert "Not yours" not in page


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_are_read_only(as_organiser: Client, judged: TestSetWriter, method: str) -> None:
    for address in addresses(judged).values():
        assert getattr(as_organiser, method)(address).status_code == 405


# --- Home -------------------------------------------------------------------------------------------


def test_home_leads_an_organiser_to_their_campaigns(as_organiser: Client) -> None:
    assert as_organiser.get("/")["Location"] == reverse("campaign-list")


def test_home_leads_a_judge_to_their_work(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    client.force_login(somebody("judge"))
    assert client.get("/")["Location"] == reverse("judge", kwargs={"slug": "museum"})


def test_home_lets_a_judge_of_several_campaigns_choose(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    user = somebody("judge")
    zoo = Campaign.objects.create(slug="zoo", name="A night at the zoo")
    Judge.objects.create(campaign=zoo, user=user, pseudonym="j9", origin="person")
    client.force_login(user)

    page = client.get("/").content.decode()

    assert reverse("judge", kwargs={"slug": "museum"}) in page
    assert reverse("judge", kwargs={"slug": "zoo"}) in page


def test_home_tells_anybody_else_how_to_get_in(
    client: Client, campaign: Campaign, somebody: Callable[[str], User]
) -> None:
    client.force_login(somebody("nobody"))
    assert "by an invitation" in text_of(client.get("/"))


def test_home_asks_a_stranger_to_sign_in(client: Client, db: None) -> None:
    assert client.get("/")["Location"] == "/sign-in/?next=/"


# --- What they say ----------------------------------------------------------------------------------


def test_a_campaign_leads_to_its_first_test_set(
    as_organiser: Client, judged: TestSetWriter
) -> None:
    response = as_organiser.get(addresses(judged)["campaign"])
    assert response["Location"] == addresses(judged)["dashboard"]


def test_a_campaign_without_test_sets_says_how_it_comes_by_one(
    as_organiser: Client, campaign: Campaign
) -> None:
    page = text_of(as_organiser.get(reverse("campaign-detail", kwargs={"slug": campaign.slug})))
    assert "No test set yet" in page
    assert "import_test_set --campaign museum" in page


def test_the_finding_in_words_and_what_it_rests_on(
    as_organiser: Client, judged: TestSetWriter
) -> None:
    page = text_of(as_organiser.get(addresses(judged)["dashboard"]))

    assert "Two clusters among three systems" in page
    assert "A and B cannot be told apart yet." in page
    assert "30 comparisons from 10 blocks by 2 judges." in page
    assert "95 % rank ranges from 1,000 block resamples." in page
    assert "Reference left out" not in page


def test_the_table_carries_what_the_plot_shows(as_organiser: Client, judged: TestSetWriter) -> None:
    content = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    table = re.search(r'<table class="ranking".*?</table>', content, flags=re.DOTALL)
    assert table is not None
    rows = [
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).replace(" ,", ",").strip()
        for row in re.findall(
            r"<tr.*?</tr>", re.sub(r"<svg.*?</svg>", "", table[0], flags=re.DOTALL), flags=re.DOTALL
        )
    ]

    assert rows[1:] == [
        "1 A 0.900 rank 1–2, cluster 1 18 2 0",
        "2 B 0.550 rank 1–2, cluster 1 10 9 1",
        "3 C 0.050 rank 3, cluster 2 1 18 1",
    ]
    assert content.count('class="begins-cluster"') == 1
    assert re.findall(r"<svg(?![^>]*aria-hidden=\"true\")", content) == []


def test_progress_and_judges(as_organiser: Client, judged: TestSetWriter) -> None:
    judged.test_set.blocks_wanted = 40
    judged.test_set.save()
    judged.skip("j2", judged.block(9, ["A", "B"]))

    page = text_of(as_organiser.get(addresses(judged)["dashboard"]))

    assert "25 % of 40 blocks" in page
    assert "Skipped 1" in page
    assert "j1 5 0 2 min 5 s just now" in page
    assert "j2 5 1 –" in page
    assert "Two judges gave the same answer in 80 % of 15 shared comparisons" in page


def test_the_judgments_are_a_link_away(as_organiser: Client, judged: TestSetWriter) -> None:
    address = reverse(
        "judgments-download",
        kwargs={"slug": judged.campaign.slug, "test_set_id": judged.test_set.pk},
    )
    page = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    assert f'href="{address}" download' in page
    assert as_organiser.get(address).status_code == 200


def test_before_the_first_judgment_the_page_says_so(
    as_organiser: Client, writer: TestSetWriter
) -> None:
    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "No ranking yet It forms with the first judgments." in page
    assert "Nobody has judged anything yet." in page


def test_systems_without_a_rank_are_listed_with_the_reason(
    as_organiser: Client, writer: TestSetWriter
) -> None:
    writer.system("human", kind="reference")
    writer.judgment("j", writer.block(1, ["A", "B", "human"]), [3, 3, 1])
    ranking_run_compute(test_set_id=writer.test_set.pk)

    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "No system can be ranked yet" in page
    assert "Reference left out." in page
    assert "A only ties so far" in page
    assert "C not compared yet" in page
    assert "No two judges have judged the same comparison yet." in page


def test_groups_that_were_never_compared_are_no_ranking(
    as_organiser: Client, write_test_set: WriteTestSet
) -> None:
    writer = write_test_set(["A", "B", "C", "D"])
    writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
    writer.judgment("j", writer.block(2, ["C", "D"]), [1, 2])
    ranking_run_compute(test_set_id=writer.test_set.pk)

    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "Some systems were never compared with the others" in page
    assert "their common order means nothing: A and B; C and D." in page


def test_a_careless_judge_is_worth_a_look(as_organiser: Client, writer: TestSetWriter) -> None:
    labels = {"good": [1, 2, 3], "fine": [1, 2, 3], "sound": [1, 2, 3], "random": [3, 1, 2]}
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "B", "C"])
        for judge, given in labels.items():
            writer.judgment(judge, block, given)
    ranking_run_compute(test_set_id=writer.test_set.pk)

    content = as_organiser.get(addresses(writer)["dashboard"])

    assert (
        "random agrees with the others less than is usual here: κ −0.33 (−0.33 to −0.33, 108 comparisons) against 0.33."
        in text_of(content)
    )
    assert content.content.decode().count('class="suspect"') == 1


def test_names_are_text_whatever_they_hold(
    as_organiser: Client, write_test_set: WriteTestSet
) -> None:
    writer = write_test_set(["<b>A</b>", "B"], name="<script>alert(1)</script>")
    writer.judgment("<i>j</i>", writer.block(1, ["<b>A</b>", "B"]), [1, 2])
    ranking_run_compute(test_set_id=writer.test_set.pk)

    content = as_organiser.get(addresses(writer)["dashboard"]).content.decode()

    for raw in ("<script>alert", "<b>A", "<i>j"):
        assert raw not in content


# --- Live -------------------------------------------------------------------------------------------


def version_of(response: Response) -> str:
    found = re.search(r"\?seen=([\d.]+)", response.content.decode())
    assert found is not None
    return found[1]


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minute does not turn in the middle of the test."""
    now = timezone.now().replace(second=30)
    monkeypatch.setattr("ranking.selectors.dashboards.timezone.now", lambda: now)


@pytest.fixture
def ask(as_organiser: Client, judged: TestSetWriter, still_clock: None) -> Ask:
    live = addresses(judged)["live"]
    return lambda seen: as_organiser.get(live, {"seen": seen})


def test_nothing_new_is_no_answer(ask: Ask) -> None:
    response = ask(version_of(ask("")))

    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize("event", ["judgment", "revision", "skip", "run"])
def test_whatever_happens_is_shown(ask: Ask, judged: TestSetWriter, event: str) -> None:
    seen = version_of(ask(""))
    first = judged.test_set.judgments.get(number=1)
    if event == "judgment":
        judged.judgment("j1", judged.block(9, ["A", "B"]), [1, 2])
    elif event == "revision":
        judged.judgment("j1", first.block, [3, 2, 1], supersedes=first)
    elif event == "skip":
        judged.skip("j1", judged.block(9, ["A", "B"]))
    else:
        judged.judgment("j1", judged.block(9, ["A", "B"]), [1, 2])
        seen = version_of(ask(seen))
        ranking_run_compute(test_set_id=judged.test_set.pk)

    response = ask(seen)

    assert response.status_code == 200
    assert version_of(response) != seen
    assert ask(version_of(response)).status_code == 204


def test_another_test_sets_judgments_are_no_news(ask: Ask, write_test_set: WriteTestSet) -> None:
    seen = version_of(ask(""))
    other = write_test_set(name="two")
    other.judgment("j1", other.block(1, ["A", "B"]), [1, 2])
    other.skip("j1", other.block(2, ["A", "B"]))
    ranking_run_compute(test_set_id=other.test_set.pk)

    assert ask(seen).status_code == 204


def test_a_minute_later_ages_are_told_anew(
    organiser: User, judged: TestSetWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now().replace(second=30)
    versions = []
    for seconds in (0, 20, 40):
        later = now + timedelta(seconds=seconds)
        monkeypatch.setattr("ranking.selectors.dashboards.timezone.now", lambda at=later: at)
        state = dashboard_state(user=organiser, slug="museum", test_set_id=judged.test_set.pk)
        assert state is not None
        versions.append(state.version)

    assert versions[0] == versions[1] != versions[2]


def test_the_fragment_is_the_part_of_the_page_it_replaces(
    as_organiser: Client, judged: TestSetWriter, still_clock: None
) -> None:
    page = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    fragment = as_organiser.get(addresses(judged)["live"]).content.decode()

    assert fragment.strip().startswith('<div id="dashboard"')
    assert fragment.strip() in page
    assert "<html" not in fragment


def test_answers_are_never_kept(as_organiser: Client, judged: TestSetWriter) -> None:
    for page in ("dashboard", "live"):
        assert "no-store" in as_organiser.get(addresses(judged)[page])["Cache-Control"]


# --- What they cost ---------------------------------------------------------------------------------


def queries_of(client: Client, address: str, **data: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address, data).status_code in {200, 204}
    return len(queries)


def test_asking_for_news_costs_three_queries(
    as_organiser: Client, judged: TestSetWriter, still_clock: None
) -> None:
    live = addresses(judged)["live"]
    seen = version_of(as_organiser.get(live))

    assert queries_of(as_organiser, live, seen=seen) <= 3


def test_the_dashboard_costs_the_same_with_one_judge_and_with_fifty(
    as_organiser: Client, write_test_set: WriteTestSet
) -> None:
    costs = []
    for name, count in (("one", 1), ("fifty", 50)):
        writer = write_test_set(name=name)
        for number in range(count):
            writer.judgment(f"j{number}", writer.block(number + 1, ["A", "B", "C"]), [1, 2, 3])
        ranking_run_compute(test_set_id=writer.test_set.pk)
        costs.append(queries_of(as_organiser, addresses(writer)["dashboard"]))

    assert costs[0] == costs[1] <= 16


def test_the_list_costs_the_same_for_one_test_set_and_for_many(
    as_organiser: Client, organiser: User, write_test_set: WriteTestSet
) -> None:
    costs = []
    for number in range(4):
        other = Campaign.objects.create(slug=f"c{number}", name=f"Campaign {number}")
        Membership.objects.create(campaign=other, user=organiser, role="organiser")
        writer = write_test_set(into=other)
        writer.judgment(f"j{number}", writer.block(1, ["A", "B", "C"]), [1, 2, 3])
        ranking_run_compute(test_set_id=writer.test_set.pk)
        costs.append(queries_of(as_organiser, reverse("campaign-list")))

    assert len(set(costs)) == 1

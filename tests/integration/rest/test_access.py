"""Who may read what: every address of the research API, for everybody."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from campaign.models import ApiToken, Campaign, Judge, Task, User
from campaign.services import token_create
from config.api import urls as api_urls
from ranking.models import RankingRun
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db

Members = Callable[..., User]
Clients = Callable[[User], Client]

OF_A_CAMPAIGN = ("api-campaign",)
OF_A_TEST_SET = (
    "api-comparisons",
    "api-documents",
    "api-outputs",
    "api-task",
    "api-segments",
    "api-systems",
    "api-judgments",
    "api-skips",
    "api-rankings",
    "api-ranking-latest",
    "api-ranking",
    "api-judges",
    "api-designs",
)
# `tests/permissions/addresses` says who may.
OF_ITS_ORGANISERS = (
    "api-bad-reference",
    "api-bad-reference-redraw",
    "api-bad-references",
    "api-training",
    "api-training-block",
    "api-activity",
    "api-analyses",
    "api-analysis",
    "api-analysis-kinds",
    "api-analysis-report",
    "api-campaign-table",
    "api-campaign-table-report",
    "api-campaign-tables",
    "api-ranking-keep",
    "api-alert-mail",
    "api-alerts",
    "api-campaign-clone",
    "api-campaign-copies",
    "api-campaign-copy",
    "api-campaign-file",
    "api-campaign-judge",
    "api-campaign-judge-link",
    "api-campaign-judges",
    "api-campaign-restore",
    "api-campaign-state",
    "api-campaign-transition",
    "api-closing",
    "api-answers",
    "api-design-again",
    "api-export",
    "api-export-content",
    "api-export-kinds",
    "api-export-stream",
    "api-exports",
    "api-erasure-carry-out",
    "api-erasure-refuse",
    "api-erasures",
    "api-design-forecast",
    "api-design-preview",
    "api-hits",
    "api-job",
    "api-job-again",
    "api-job-stop",
    "api-jobs",
    "api-overview",
    "api-member",
    "api-member-invitation",
    "api-member-invitations",
    "api-member-leave",
    "api-member-link",
    "api-members",
    "api-instructions",
    "api-instructions-version",
    "api-judge-invitations",
    "api-judge-invite-again",
    "api-judge-readmit",
    "api-judge-withdraw",
    "api-judges-link-restore",
    "api-judges-link-revoke",
    "api-judges-links",
    "api-panel",
    "api-panel-open",
    "api-panel-participations",
    "api-panel-topic",
    "api-panels",
    "api-judge-group",
    "api-judge-group-delete",
    "api-judge-group-judges",
    "api-judge-groups",
    "api-problem-replies",
    "api-problem-reply-take-back",
    "api-problem-reports",
    "api-quality-action-revert",
    "api-quality-actions",
    "api-published-bundle",
    "api-quality-actions-undo",
    "api-published-result",
    "api-published-results",
    "api-ranking-settings",
    "api-rehearsal",
    "api-rule-act",
    "api-rule-off",
    "api-rule-undo",
    "api-segment",
    "api-rules",
    "api-rules-preview",
    "api-rules-suggested",
    "api-snippets",
    "api-stopping-rule",
    "api-system",
    "api-system-restore",
    "api-system-withdraw",
    "api-tasks",
    "api-time-sheet",
    "api-token",
    "api-tokens",
    "api-upload",
    "api-upload-check",
    "api-upload-content",
    "api-upload-file",
    "api-upload-files",
    "api-upload-import",
    "api-uploads",
    "api-webhook",
    "api-webhook-deliveries",
    "api-webhook-redeliver",
    "api-webhook-secret",
    "api-webhook-test",
    "api-webhooks",
)


@pytest.fixture
def addresses(campaign: Campaign, task: Task, ranking: RankingRun) -> list[str]:
    """Of everything that belongs to the campaign, the download of its dashboard included."""
    of_task = {"task_id": task.pk}
    return [
        reverse("api-campaign", args=[campaign.slug]),
        *(
            reverse(
                name,
                kwargs=of_task | ({"ranking_id": ranking.pk} if name == "api-ranking" else {}),
            )
            for name in OF_A_TEST_SET
        ),
        reverse("api-judgments", kwargs=of_task) + "?format=csv",
    ]


def names(patterns: list[object]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.name)
        else:
            yield from names(pattern.url_patterns)  # type: ignore[attr-defined]


def test_matrix_knows_every_address() -> None:
    research = {name for name in names(list(api_urls.urlpatterns)) if name.startswith("api-")}
    assert research == {
        "api-root",
        "api-campaigns",
        *OF_A_CAMPAIGN,
        *OF_A_TEST_SET,
        *OF_ITS_ORGANISERS,
    }
    others = {name for name in names(list(api_urls.urlpatterns)) if not name.startswith("api-")}
    # Addresses of test sets lead to their rankings: tests/integration/test_test_set_addresses.py.
    others.remove("None")
    # The same for everybody.
    others.remove("campaign-schema")
    assert all(name.startswith(("judging-", "preview-")) for name in others)
    assert get_resolver().reverse_dict  # all of them resolve


def statuses(client: Client, addresses: list[str]) -> dict[str, int]:
    found = {}
    for address in addresses:
        response = client.get(address)
        found[address] = response.status_code
        if response.status_code >= 400:
            assert response.headers["Content-Type"] == "application/problem+json"
            assert response.json()["detail"]
    return found


def all_are(status: int, addresses: list[str]) -> dict[str, int]:
    return dict.fromkeys(addresses, status)


def test_nobody_reads_without_a_token(addresses: list[str]) -> None:
    everything = [*addresses, reverse("api-campaigns")]
    for client in (Client(), Client(headers={"Authorization": "Token 0123456789abcdef"})):
        assert statuses(client, everything) == all_are(401, everything)
    assert Client().get(everything[0]).headers["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("role", ["organiser", "analyst"])
def test_members_read_everything(
    campaign: Campaign, addresses: list[str], make_member: Members, client_of: Clients, role: str
) -> None:
    member = make_member(campaign, role)
    assert statuses(client_of(member), addresses) == all_are(200, addresses)
    signed_in = Client()
    signed_in.force_login(member)
    assert statuses(signed_in, addresses) == all_are(200, addresses)


def test_members_of_other_campaigns_and_judges_find_nothing(
    addresses: list[str], judge: Judge, make_member: Members, client_of: Clients
) -> None:
    other = make_campaign("zoo")
    organiser = client_of(make_member(other, "organiser"))
    assert judge.user is not None
    for client in (organiser, client_of(judge.user)):
        assert statuses(client, addresses) == all_are(404, addresses)
    listed = organiser.get(reverse("api-campaigns")).json()["results"]
    assert [campaign["slug"] for campaign in listed] == ["zoo"]
    assert client_of(judge.user).get(reverse("api-campaigns")).json()["results"] == []


def test_runs_of_another_task_are_not_found_here(
    campaign: Campaign, ranking: RankingRun, analyst: Client
) -> None:
    other = make_task(campaign, name="other")
    address = reverse("api-ranking", args=[other.pk, ranking.pk])
    assert analyst.get(address).status_code == 404


def test_expired_deleted_and_inactive_tokens_open_nothing(
    campaign: Campaign, make_member: Members, client_of: Clients
) -> None:
    address = reverse("api-campaigns")
    member = make_member(campaign)
    client = client_of(member)
    assert client.get(address).status_code == 200
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert client.get(address).status_code == 401
    client = client_of(member)
    ApiToken.objects.all().delete()
    assert client.get(address).status_code == 401
    client = client_of(member)
    User.objects.update(is_active=False)
    assert client.get(address).status_code == 401


def test_tokens_are_stored_as_hashes(campaign: Campaign, make_member: Members) -> None:
    _instance, token = token_create(user=make_member(campaign))
    stored = ApiToken.objects.values().get()
    assert token not in str(stored)
    # The first characters are kept to find the row by; the rest is not.
    assert token[15:] not in str(stored)


def test_nothing_is_written_here(addresses: list[str], task: Task, analyst: Client) -> None:
    changed_by_organisers = {
        ("patch", reverse("api-campaign", args=["museum"])),
        ("patch", reverse("api-task", args=[task.pk])),
        ("delete", reverse("api-task", args=[task.pk])),
        ("post", reverse("api-systems", args=[task.pk])),
        ("post", reverse("api-designs", args=[task.pk])),
    }
    # A question, which changes nothing: tests/integration/ranking/test_analyses.py.
    asked = ("post", reverse("api-rankings", args=[task.pk]))
    for address in addresses:
        for method in ("post", "put", "patch", "delete"):
            if (method, address) == asked:
                continue
            response = getattr(analyst, method)(address)
            # What organisers may change is refused to everybody else.
            refused = 403 if (method, address) in changed_by_organisers else 405
            assert response.status_code == refused, (method, address)


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/tasks/99999999999999999999999/",
        "/api/v1/tasks/99999999999999999999999/judgments/",
        "/api/v1/tasks/0/rankings/1/",
        "/api/v1/campaigns/nowhere/",
        "/api/v1/nothing/",
        "/api/nothing/",
    ],
)
def test_what_is_not_there_is_404_in_json(analyst: Client, address: str) -> None:
    response = analyst.get(address)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/problem+json"


def test_download_is_for_members_of_this_campaign(
    campaign: Campaign, task: Task, judge: Judge, make_member: Members
) -> None:
    address = reverse("judgments-download", args=[campaign.slug, task.pk])

    def status(user: User | None) -> int:
        client = Client()
        if user:
            client.force_login(user)
        return client.get(address).status_code

    other = make_campaign("zoo")
    assert status(None) == 302
    assert status(judge.user) == 404
    assert status(make_organiser(other)) == 404
    assert status(make_member(campaign, "analyst", "rita")) == 200
    organiser = make_member(campaign, "organiser", "olaf")
    assert status(organiser) == 200
    client = Client()
    client.force_login(organiser)
    wrong = reverse("judgments-download", args=[other.slug, task.pk])
    assert client.get(wrong).status_code == 404
    assert client.post(address).status_code == 405

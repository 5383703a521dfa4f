"""Who sees the page of a published result, what it shows, and what caches may keep of it."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.accounts.time_zone import COOKIE
from campaign.models import Campaign, System, User
from ranking.models import PublishedResult
from ranking.reports.published_results import FOLDER
from ranking.services.published_results.bundles import result_bundle_ask
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.publish import (
    result_retract,
    result_reviewer_link_end,
    result_reviewer_link_make,
)
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.publishing.bundled import bundled, published
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]


def publish(writer: TestSetWriter, **chosen: Any) -> PublishedResult:
    return published(writer.task, **chosen)


def page_of(result: PublishedResult) -> str:
    return reverse("published-result", args=[result.address])


def addresses_of(result: PublishedResult) -> list[str]:
    names = ["bundle.zip", *FOLDER]
    files = [reverse("published-file", args=[result.address, name]) for name in names]
    return [page_of(result), reverse("published-embed", args=[result.address]), *files]


def tomorrow() -> Any:
    return timezone.now() + timedelta(days=1)


def test_everybody_reads_an_open_result(judged: TestSetWriter, client: Client) -> None:
    front_matter = FrontMatter(
        authors=("Horáková, Marta", "Lind, Jon"),
        acknowledgement="Thanks to all judges.",
        contact="mail@example.org",
    )
    result = publish(judged, front_matter=front_matter)

    answer = client.get(page_of(result))

    text = text_of(answer)
    assert answer.status_code == 200
    assert "Version 1 · frozen" in text
    told = result.content["finding"]["pairs_told_apart"]
    assert f"Pairs: {told} of 6 told apart" in text
    for said in (
        "amber",
        "dune",
        "Reference",
        "Thanks to all judges.",
        "Expected Wins",
        "Holm",
    ):
        assert said in text
    assert result.digest in text
    assert 'href="mailto:mail@example.org"' in answer.content.decode()
    assert "@misc{" in text
    assert answer["Cache-Control"] == "public, max-age=60"
    assert "noindex" not in answer.content.decode()
    assert not answer.cookies


def test_files_follow_when_judging_has_ended(
    judged: TestSetWriter,
    client: Client,
) -> None:
    page = page_of(publish(judged))
    assert "Files follow when judging has ended." in text_of(client.get(page))
    for state in ("closed", "archived"):
        Campaign.objects.update(state=state)
    result_bundle_ask(result=PublishedResult.objects.get(), with_texts=False, by=None)
    assert "Files are being prepared." in text_of(client.get(page))


def test_page_is_the_same_for_readers_in_all_time_zones(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result = publish(judged)
    result_retract(result=result, reason="Wrong.")
    pages = []
    for zone in ("", "Pacific/Kiritimati", "Pacific/Honolulu"):
        client.cookies[COOKIE] = zone
        pages.append(client.get(page_of(result)).content)
    assert pages[0] == pages[1] == pages[2]


def test_a_page_asks_nothing_of_other_hosts_and_has_no_script(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result = publish(judged)
    for address in (page_of(result), reverse("published-embed", args=[result.address])):
        body = client.get(address).content.decode()
        assert "<script" not in body
        assert "csrfmiddlewaretoken" not in body
        loaded = re.findall(
            r'(?:src|<link[^>]*rel="stylesheet"[^>]*href)="([^"]*)"',
            body,
        )
        assert all(each.startswith("/static/") for each in loaded)


def test_a_page_shows_its_content_and_nothing_live(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result = publish(judged)
    before = client.get(page_of(result)).content
    System.objects.filter(name="amber").update(name="gold", team="Gold")
    judged.campaign.name = "Renamed"
    judged.campaign.save()
    judged.judgment("j1", judged.block(30, ["gold", "birch"]), [2, 1])
    ranking_run_compute(task_id=judged.task.pk)
    assert client.get(page_of(result)).content == before


def test_under_an_embargo_members_read_it_and_strangers_find_nothing(
    judged: TestSetWriter,
    organiser: User,
    analyst: User,
    signed_in: SignedIn,
) -> None:
    judge = make_judge(judged.campaign, "ada")
    stranger = make_organiser(make_campaign("other"), "other@example.org")
    result, _zipped = bundled(judged.task, embargo_until=tomorrow())
    assert judge.user is not None
    for client in (Client(), signed_in(judge.user), signed_in(stranger)):
        for address in addresses_of(result):
            answer = client.get(address)
            assert answer.status_code == 404
            assert "no-store" in answer["Cache-Control"]
    for member in (organiser, analyst):
        answer = signed_in(member).get(page_of(result))
        assert answer.status_code == 200
        assert "Under embargo until" in text_of(answer)
        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Robots-Tag"] == "noindex, nofollow"


def test_an_embargo_ends_by_itself(judged: TestSetWriter, client: Client) -> None:
    now = timezone.now()
    result = publish(judged)
    PublishedResult.objects.bulk_create(
        [
            PublishedResult(
                task=result.task,
                version=2,
                content=result.content,
                digest="a" * 64,
                labels={},
                run=result.run,
                published_at=now - timedelta(days=2),
                embargo_until=now - timedelta(seconds=1),
            ),
        ],
    )
    assert client.get(reverse("published-result", args=["a" * 16])).status_code == 200


def test_reviewers_read_it_by_their_link_until_it_ends(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result, _zipped = bundled(judged.task, embargo_until=tomorrow())
    token = result_reviewer_link_make(result=result)
    address = reverse("published-review", args=[result.address, token])
    answer = client.get(address)
    assert answer.status_code == 200
    assert "You opened it with a reviewer link." in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "strict-origin"
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert '<meta name="robots" content="noindex, nofollow">' in answer.content.decode()
    file = reverse("published-review-file", args=[result.address, token, "ranking.csv"])
    assert file in answer.content.decode()
    assert client.get(file).status_code == 200
    assert client.get(file.replace(token, "wrong")).status_code == 404
    result_reviewer_link_end(result=result)
    assert client.get(address).status_code == 404
    assert client.get(file).status_code == 404


def test_a_retracted_result_says_why_and_hides_nothing(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result = publish(judged)
    result_retract(result=result, reason="The reference was wrong.")
    answer = client.get(page_of(result))
    text = text_of(answer)
    assert answer.status_code == 200
    assert "Retracted on" in text
    assert "The reference was wrong." in text
    assert "amber" in text
    embedded = text_of(client.get(reverse("published-embed", args=[result.address])))
    assert "The reference was wrong." in embedded


def test_old_versions_name_the_newest_and_each_says_what_it_changes(
    judged: TestSetWriter,
    organiser: User,
    client: Client,
) -> None:
    first = publish(judged)
    quality_action_take(
        judge=judged.judge("j3"),
        task=judged.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    ranking_run_compute(task_id=judged.task.pk)
    second = publish(judged, front_matter=FrontMatter(change_note="A judge clicked."))

    old, new = (text_of(client.get(page_of(each))) for each in (first, second))

    assert "A newer version is available: Version 2" in old
    # On paper a link is its address, beside the notice and in the list of versions.
    assert old.count(f"http://testserver/results/{second.address}/") == 2
    assert "newer version" not in new
    for text in (old, new):
        assert "Excludes 1 judge." in text
        assert "j3" not in text
        assert "Blocks 24 → 16." in text
        assert "A judge clicked." in text
    assert "Same order." in new
    assert "Excluded judge 1" in new


def test_versions_under_an_embargo_are_not_named_to_strangers(
    judged: TestSetWriter,
    client: Client,
) -> None:
    first = publish(judged)
    second = publish(judged, embargo_until=tomorrow())
    text = text_of(client.get(page_of(first)))
    assert "Version 2" not in text
    assert second.address not in client.get(page_of(first)).content.decode()


def test_a_hidden_name_is_nowhere(judged: TestSetWriter, client: Client) -> None:
    System.objects.filter(name="cobalt").update(
        team="Secret Lab",
        contact="ada@secret.example",
    )
    result, _zipped = bundled(judged.task, anonymous=["cobalt"])
    for address in addresses_of(result):
        body = b"".join(client.get(address)).decode(errors="replace").lower()
        for hidden in ("cobalt", "secret lab", "ada@secret"):
            assert hidden not in body, address
    assert "System A" in text_of(client.get(page_of(result)))


def test_other_sites_may_frame_the_table_and_nothing_else(
    judged: TestSetWriter,
    client: Client,
) -> None:
    result = publish(judged)
    embedded = client.get(reverse("published-embed", args=[result.address]))
    assert "X-Frame-Options" not in embedded
    assert "frame-ancestors *" in embedded["Content-Security-Policy"]
    assert "amber" in text_of(embedded)
    page = client.get(page_of(result))
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]

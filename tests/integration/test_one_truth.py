"""Pages, files and REST say the same of one campaign, in each of its states."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import Settings

from annotation.models import Block, ProblemReport, QualityActionKind
from annotation.services.numbers import pages_changed
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import (
    Campaign,
    Mail,
    Membership,
    Output,
    Protocol,
    Segment,
    System,
    Task,
    User,
)
from campaign.services.members import daily_alerts_set
from desk.services.alert_mails import alert_mails_send
from ranking.files.bundles import JUDGMENTS
from ranking.models import Analysis
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.ranking_settings import stopping_rule_set
from ranking.services.runs import ranking_run_compute
from tests.clocks import stop_process_clock
from tests.factories import make_campaign, make_organiser
from tests.integration.publishing.bundled import bundled, files_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

#: 14 hours before UTC.
KIRITIMATI = "Pacific/Kiritimati"
STATES = ("draft", "open", "paused", "closed", "archived")
#: What ranges account for, wherever it is said.
ACCOUNTED = re.compile(
    r"account for (?!them\b|segments and judges where)((?:[a-z]+(?:,| ))*?[a-z]+)[.,](?= |$)",
)


def told(body: str) -> str:
    """The words of an answer, in one line."""
    text = re.sub(r"(?s)<script.*?</script>|<option.*?</option>|<[^>]+>", " ", body)
    return " ".join(unescape(text).split())


#: Pages of one judge alone, and of all that ranges may account for.
OTHERS = re.compile(r"/judges/\d+/$|/ranking-settings/$")
#: Links that lead out of the campaign, or make something new of it.
ELSEWHERE = re.compile(r"/(sign-out|language|live|plots)/|/plots|\.(svg|png)$")


def links(text: str, campaign: str) -> set[str]:
    """The addresses of the campaign that a page links to, without what they choose of lists."""
    found = re.findall(r'href="(/campaigns/[^"#?]*)', unescape(text))
    return {
        each
        for each in found
        if each.startswith(campaign) and not ELSEWHERE.search(each)
    }


def walked(client: Client, starts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The first page or file of each shape that links lead to, with its text."""
    left = sorted(starts)
    shapes = {re.sub(r"\d+", "1", address) for address in left}
    while left:
        address = left.pop()
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        body = (
            b"".join(answer) if getattr(answer, "streaming", False) else answer.content
        )
        if not body.startswith(b"PK"):
            text = body.decode()
            yield address, text
            for each in sorted(links(text, "/campaigns/museum/")):
                shape = re.sub(r"\d+", "1", each)
                if shape not in shapes:
                    shapes.add(shape)
                    left.append(each)


#: Every way in which a page, a file or REST states a number of the campaign below, and its value.
FACTS = {
    "judged": (
        re.compile(
            r"\b(\d+) blocks? judged|Blocks judged:? (\d+)|\"judged\": ?(\d+), ?\"counted\"",
        ),
        "15",
    ),
    "counted": (re.compile(r"\bfrom (\d+) blocks?\b|\"counted\": ?(\d+)"), "12"),
    # Those of people, whether they count or not, as in the number of blocks judged.
    "today": (re.compile(r"\b(\d+) today\b"), "9"),
    "skipped": (re.compile(r"\bSkipped (\d+)|, (\d+) skipped|skipped: (\d+)"), "1"),
    "share": (re.compile(r"\b(\d+)% of (?:target|20 blocks)"), "60"),
    "judges": (re.compile(r"Skipped \d+ Judges (\d+)"), "5"),
    "not in pace": (re.compile(r"Not in pace: (\d+) imported or simulated"), "6"),
    "ranked judges": (re.compile(r"\bblocks by (\d+) judges"), "4"),
}
#: Numbers of all judgments and of those that rankings count; a page with both says why they differ.
WITH_REASON = (("judged", "counted"), ("judged", "share"), ("judges", "ranked judges"))
REASON = re.compile(
    r"Not counted: 3 blocks left out of the results|1 judge excluded|left out of the ranking",
)


def stated(text: str) -> dict[str, set[str]]:
    """Return the values of each fact that a text states."""
    values = {
        name: {
            value
            for match in pattern.findall(text)
            for value in _groups(match)
            if value
        }
        for name, (pattern, _value) in FACTS.items()
    }
    return {name: numbers for name, numbers in values.items() if numbers}


def _groups(match: str | tuple[str, ...]) -> tuple[str, ...]:
    return (match,) if isinstance(match, str) else match


def several_kinds_of_judges(campaign: Campaign) -> TestSetWriter:
    """Write judgments of three people, one of them excluded, of a simulated judge and of a file."""
    writer = TestSetWriter(
        campaign,
        "museum en-de",
        ("amber", "birch", "cobalt", "delta"),
    )
    writer.judge("dan", origin="simulated")
    writer.judge("eve", origin="imported")
    for segment in (1, 2, 3):
        block = writer.block(segment, ["amber", "birch", "cobalt"])
        for judge in ("ada", "bob", "cleo", "dan", "eve"):
            writer.judgment(judge, block, [1, 2, 3])
    writer.skip("bob", writer.block(4, ["amber", "birch"]))
    Task.objects.filter(pk=writer.task.pk).update(blocks_wanted=20)
    writer.task.refresh_from_db()
    quality_action_take(
        judge=writer.judge("cleo"),
        task=writer.task,
        decision=JudgeDecision(
            action=QualityActionKind.EXCLUDE,
            user=make_organiser(campaign),
        ),
    )
    assert ranking_run_compute(task_id=writer.task.pk) is not None
    return writer


def test_state_counts_and_ranges_agree_everywhere(client: Client) -> None:
    """A ranking leaves a judge out, so that counts differ between places, which then say why."""
    campaign = make_campaign("museum", state="draft")
    task = several_kinds_of_judges(campaign).task
    client.force_login(User.objects.get(email="organiser@example.org"))
    over_rest = f"/api/v1/tasks/{task.pk}/"
    starts = (
        "/campaigns/",
        "/campaigns/museum/",
        "/api/v1/campaigns/museum/",
        "/api/v1/campaigns/museum/overview/",
        over_rest,
        f"{over_rest}rankings/latest/",
        f"{over_rest}exports/",
        f"{over_rest}exports/stream/?kind=counted&file_format=jsonl",
    )
    wrong: list[tuple[str, ...]] = []
    seen: Counter[str] = Counter()
    for state in STATES:
        # Each follows the one before.
        Campaign.objects.update(state=state)
        accounted = set()
        pages = 0
        for address, body in walked(client, starts):
            pages += 1
            text = told(body)
            if ("still open" in text) > (state == "open"):
                wrong.append((state, address, "still open"))
            if "/api/" in address and '"state"' in text:
                assert f'"state":"{state}"' in text.replace(" ", ""), (state, address)
            if address.endswith("&file_format=jsonl"):
                assert str(len(body.splitlines())) == FACTS["counted"][1], state
            if OTHERS.search(address):
                continue
            accounted.update(ACCOUNTED.findall(text))
            values = stated(text)
            seen.update(values.keys())
            for name, numbers in values.items():
                if numbers != {FACTS[name][1]}:
                    wrong.append((state, address, name, *sorted(numbers)))
            if "/api/" not in address and not REASON.search(text):
                missing = (
                    names for names in WITH_REASON if values.keys() >= set(names)
                )
                wrong += [(state, address, "no reason", *names) for names in missing]
        assert len(accounted) == 1, (state, accounted)
        assert pages > 50
    assert not wrong, "\n".join(map(str, wrong))
    assert seen.keys() == FACTS.keys()


def organised_on_another_day(monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """Return a campaign whose day is not the server's, which is late, and needs its organiser in other ways."""
    noon = datetime.now(UTC).replace(hour=10, minute=30, second=0, microsecond=0)
    stop_process_clock(monkeypatch, ahead_by=noon - datetime.now(UTC))
    campaign = make_campaign(state="draft", time_zone=KIRITIMATI)
    Campaign.objects.update(closes_at=noon + timedelta(days=2))
    writer = TestSetWriter(campaign, "museum en-de", ("amber", "birch"))
    Task.objects.filter(pk=writer.task.pk).update(blocks_wanted=200)
    judged = ((day, block) for day in range(9) for block in range(6))
    with writer.at_once():
        for segment, (day, block) in enumerate(judged, start=1):
            # One of six before midnight of the server, the others after the campaign's.
            at = noon - timedelta(days=day, hours=12 if block else 0)
            writer.judgment(
                "ada",
                writer.block(segment, ["amber", "birch"]),
                [1, 2],
                at=at,
            )
    for reported in Block.objects.order_by("pk")[:2]:
        ProblemReport.objects.create(
            client_id=uuid4(),
            judge=writer.judge("ada"),
            block=reported,
            task=writer.task,
            kind="source",
        )
    pages_changed([writer.task.pk], problem_reports=2)
    user = make_organiser(campaign)
    daily_alerts_set(membership=Membership.objects.get(user=user), daily_alerts=True)
    return campaign


def test_mails_have_numbers_and_days_of_pages_and_rest(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    settings.PUBLIC_ADDRESS = "https://judge.example.org"
    organised_on_another_day(monkeypatch)
    client.force_login(User.objects.get(email="organiser@example.org"))
    counts = {}
    for state in STATES:
        Campaign.objects.update(state=state)
        Mail.objects.all().delete()
        mail.outbox.clear()
        alert_mails_send()
        text = "\n".join(
            f"{message.subject}\n{message.body}" for message in mail.outbox
        )
        items = re.findall(r"(?m)^- (.+?) *$", text)
        over_rest = client.get("/api/v1/campaigns/museum/alerts/").json()["results"]
        assert items == [f"{alert['what']} {alert['why']}" for alert in over_rest]
        counts[state] = len(items)
        assert (f"Quintet: {counted_items(items)}" in text) == bool(items)
        overview = told(client.get("/campaigns/museum/").content.decode())
        campaigns = told(client.get("/campaigns/").content.decode())
        # The checklist of a draft takes their place.
        if state != "draft":
            assert all(item in overview for item in items), (state, items)
            assert f"{counted_items(items)} " in overview
        if state == "open":
            (item,) = (
                item for item in items if item.startswith("museum en-de will not")
            )
            rest = client.get("/api/v1/campaigns/museum/overview/").json()["results"][0]
            end = date_format(
                date.fromisoformat(rest["end"]["expected"]),
                "DATE_FORMAT",
            )
            assert f"Forecast end: {end}." in item
            assert f" {end} " in overview
            assert f" {end} " in campaigns
            closing = timezone.localtime(
                Campaign.objects.get().closes_at,
                ZoneInfo(KIRITIMATI),
            )
            assert f"closes on {date_format(closing, 'DATE_FORMAT')}." in item
            assert counted_items(items) in campaigns
    assert counts == {"draft": 0, "open": 2, "paused": 1, "closed": 1, "archived": 0}


def counted_items(items: Sequence[str]) -> str:
    """Return the number of items as pages and mails say it."""
    if not items:
        return "Nothing needs your attention"
    return f"{len(items)} item{'s' * (len(items) > 1)} need{'s' * (len(items) == 1)} your attention"


def test_files_bundle_and_command_have_counts_of_ranking(
    client: Client,
    tmp_path: Path,
) -> None:
    task = several_kinds_of_judges(make_campaign("museum", state="open")).task
    client.force_login(User.objects.get(email="organiser@example.org"))
    exports = f"/api/v1/tasks/{task.pk}/exports/"
    stated_rows = {
        kind["name"]: kind["rows"]
        for kind in client.get(f"{exports}kinds/").json()["results"]
    }
    rows = {
        (kind, file_format): lines_of(client, f"{exports}stream/", kind, file_format)
        - header
        for kind, file_format, header in (
            ("counted", "jsonl", 0),
            ("counted", "five-way-csv", 1),
            ("with-skips", "five-way-csv", 1),
            ("comparisons", "pairwise-csv", 1),
        )
    }
    assert list(rows.values()) == [12, 12, 13, 36]
    assert all(count <= stated_rows[kind] for (kind, _format), count in rows.items())
    result, zipped = bundled(task)
    files = files_of(zipped)
    judgments = tmp_path / "judgments.csv"
    judgments.write_bytes(files[JUDGMENTS])
    by_command = io.StringIO()
    call_command(
        "rank_judgments",
        str(judgments),
        "--format",
        "json",
        stdout=by_command,
    )
    latest = client.get(f"/api/v1/tasks/{task.pk}/rankings/latest/").json()
    inputs = {
        "REST": latest["input"],
        "Publish": result.content["ranking"]["input"],
        "bundle": json.loads(files["result.json"])["ranking"]["input"],
        "command": json.loads(by_command.getvalue())["input"],
    }
    counts = {
        place: (counts["blocks"], counts["judges"]) for place, counts in inputs.items()
    }
    assert set(counts.values()) == {(12, 4)}, counts


def lines_of(client: Client, address: str, kind: str, file_format: str) -> int:
    """Return the number of lines of an export."""
    answer = client.get(address, {"kind": kind, "file_format": file_format})
    return len(b"".join(answer).splitlines())


def test_tab_of_test_sets_counts_rows_of_its_table(client: Client) -> None:
    campaign = make_campaign("museum", state="draft")
    writer = TestSetWriter(campaign, "museum en-de", ("amber", "birch"))
    Task.objects.create(test_set=writer.task.test_set, protocol=Protocol.TWO_OUTPUTS)
    client.force_login(make_organiser(campaign))
    body = client.get(reverse("test-sets", args=["museum"])).content.decode()
    rows = re.findall(r'href="/campaigns/museum/tasks/\d+/"', body)
    assert len(set(rows)) == 2
    # Both tasks ask about one test set.
    assert "Test sets 1 " in told(body)


def race(writer: TestSetWriter) -> None:
    """Six judges on sixteen sentences: the first system is ahead, the others are close."""
    random = np.random.default_rng(3)
    with writer.at_once():
        for segment in range(1, 17):
            block = writer.block(segment, ["amber", "birch", "cobalt"])
            for judge in range(6):
                seen = random.normal(size=3) - [1.2, 0.3, 0]
                ranks = 1 + np.argsort(np.argsort(seen))
                writer.judgment(f"j{judge}", block, ranks.tolist())


def texts(writer: TestSetWriter) -> None:
    """Give the outputs texts, so that designs have a forecast."""
    Segment.objects.filter(test_set_id=writer.task.test_set_id).update(
        source_text="Ein Satz.",
    )
    for system in System.objects.filter(test_set_id=writer.task.test_set_id):
        Output.objects.filter(system=system).update(
            text=f"A sentence by {system.name}.",
        )


def of_pair(pairs: Iterable[dict[str, Any]], one: str, other: str) -> dict[str, Any]:
    """The row of two systems, by which their keys differ between places."""
    names = {frozenset({one, other})}
    (row,) = (
        row
        for row in pairs
        if frozenset(
            {row.get("better", row.get("system")), row.get("worse", row.get("other"))},
        )
        in names
    )
    return row


def computed(writer: TestSetWriter, kind: str, **options: Any) -> Analysis:
    """Compute an analysis now."""
    choice = analysis_choice(kind, options)
    return analysis_compute(
        analysis=analysis_ask(task=writer.task, choice=choice, is_queued=False),
    )


def test_pairs_told_apart_and_their_p_values_are_the_same_everywhere(
    client: Client,
    tmp_path: Path,
) -> None:
    """A rule by Holm's correction and the anytime ranges differ with their reason: another test."""
    campaign = make_campaign("museum", state="open")
    writer = TestSetWriter(campaign, "museum en-de", ("amber", "birch", "cobalt"))
    race(writer)
    texts(writer)
    task = writer.task
    stopping_rule_set(task=task, pairs_share=1, tests="holm", reason="Tried.")
    assert ranking_run_compute(task_id=task.pk) is not None
    client.force_login(make_organiser(campaign))
    latest = client.get(f"/api/v1/tasks/{task.pk}/rankings/latest/").json()
    ranking = computed(writer, "ranking").data
    pairs = computed(writer, "pairs").data
    stopping = computed(writer, "stopping", experiments=40, limit=1000)
    result, zipped = bundled(task)
    files = files_of(zipped)
    judgments = tmp_path / "judgments.csv"
    judgments.write_bytes(files[JUDGMENTS])
    by_command = io.StringIO()
    call_command(
        "rank_judgments",
        str(judgments),
        "--format",
        "json",
        stdout=by_command,
    )
    assert ranking is not None
    assert pairs is not None
    assert stopping.data is not None
    (of_command,) = json.loads(by_command.getvalue())["rankings"]
    (of_analysis,) = ranking["rankings"]
    in_bundle = json.loads(files["result.json"])

    apart = {
        "REST": latest["told_apart"]["told_apart"],
        "the rule, by Holm like the ranking": latest["stopping"]["pairs_apart"],
        "Results, Other settings": of_analysis["told_apart"]["told_apart"],
        "When to stop": stopping.data["told_apart"]["told_apart"],
        "Publish": result.content["finding"]["pairs_told_apart"],
        "bundle": in_bundle["finding"]["pairs_told_apart"],
        "command": of_command["told_apart"]["told_apart"],
    }
    assert set(apart.values()) == {2}, apart
    said = "2 of 3 pairs told apart."
    assert stopping.reports is not None
    assert said in report_in(stopping.reports, "en").notes
    assert said in told(
        client.get(f"/campaigns/museum/tasks/{task.pk}/design/").content.decode(),
    )
    page = told(
        client.get(reverse("published-result", args=[result.address])).content.decode(),
    )
    assert "Pairs: 2 of 3 told apart" in page

    one, other = "amber", "birch"
    published = of_pair(result.content["ranking"]["pairs"], one, other)
    bundle_pair = of_pair(in_bundle["ranking"]["pairs"], one, other)
    rest_pair = of_pair(latest["pairs"], one, other)
    own_pair = of_pair(pairs["pairs"], one, other)
    of_scores = {
        "REST": rest_pair["p_value"],
        "Results, Other settings": of_pair(of_analysis["pairs"], one, other)["p_value"],
        "Publish": published["p"],
        "bundle": bundle_pair["p"],
        "command": of_pair(of_command["pairs"], one, other)["p_value"],
    }
    own = {
        "Results, Pairs": (own_pair["p_value"], own_pair["adjusted_p"]),
        "Publish": (published["own_p"], published["own_adjusted_p"]),
        "bundle": (bundle_pair["own_p"], bundle_pair["own_adjusted_p"]),
    }
    first = of_scores["REST"]
    assert all(p == pytest.approx(first, rel=1e-9) for p in of_scores.values()), (
        of_scores
    )
    first_own = own["Results, Pairs"]
    assert all(tests == pytest.approx(first_own, rel=1e-9) for tests in own.values()), (
        own
    )
    assert first_own[0] != pytest.approx(first, rel=1e-3)
    # These settings have no correction, so nothing is called significant.
    assert (rest_pair["adjusted_p"], rest_pair["significant"]) == (None, None)
    assert f"{published['own_adjusted_p']:.3f}" in page

"""Problem reports are answered, closed and opened again; the judge reads the answers."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import PageChanges, ProblemReport
from annotation.services.problem_reports import (
    ReplyRefusedError,
    problem_reply,
    problem_reply_take_back,
)
from campaign.models import User
from tests.factories import make_campaign, make_organiser
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db
PAGE = "/campaigns/museum/problem-reports/"
API = "/api/v1/campaigns/museum/problem-reports/"


def reported(
    writer: TestSetWriter,
    judge: str,
    segment: int,
    **fields: Any,
) -> ProblemReport:
    block = writer.block(segment, ["A", "B,C"])
    return ProblemReport.objects.create(
        client_id=uuid4(),
        judge=writer.judge(judge),
        block=block,
        task=writer.task,
        **{"kind": "source", **fields},
    )


@pytest.fixture
def writer() -> TestSetWriter:
    return TestSetWriter(make_campaign("museum"), "news", ["A", "B", "C"])


@pytest.fixture
def report(writer: TestSetWriter) -> ProblemReport:
    return reported(writer, "ada", 1, comment="Cut <b>off</b>.")


@pytest.fixture
def organiser(writer: TestSetWriter) -> User:
    return make_organiser(writer.campaign)


@pytest.fixture
def desk(client: Client, organiser: User) -> Client:
    client.force_login(organiser)
    return client


def signed_in(user: User | None) -> Client:
    assert user is not None
    client = Client()
    client.force_login(user)
    return client


def is_closed(report: ProblemReport) -> bool:
    found: Any = ProblemReport.objects.with_state().get(pk=report.pk)
    counted = PageChanges.objects.filter(pk=report.task_id).values_list(
        "problems_closed",
        flat=True,
    )
    assert (counted.first() or 0) == int(found.is_closed)
    return bool(found.is_closed)


def test_a_report_is_answered_closed_and_opened_again(
    report: ProblemReport,
    organiser: User,
) -> None:
    assert not is_closed(report)
    states = [
        ("Which word?", False),
        ("", True),
        ("Still there.", False),
        ("Mended.", True),
    ]
    for text, closes in states:
        reply = problem_reply(
            report=report,
            user=organiser,
            text=f" {text} ",
            closes=closes,
        )
        assert reply.text == text
        assert is_closed(report) == closes
    assert list(report.replies.values_list("number", "created_by")) == [
        (number, organiser.pk) for number in (1, 2, 3, 4)
    ]


def test_empty_or_late_reply_is_refused(report: ProblemReport, organiser: User) -> None:
    with pytest.raises(ReplyRefusedError, match="Enter a reply"):
        problem_reply(report=report, user=organiser, text="  ", closes=False)
    problem_reply(report=report, user=organiser, text="Mended.", closes=True, seen=0)
    with pytest.raises(ReplyRefusedError, match="already closed"):
        problem_reply(report=report, user=organiser, text="", closes=True)
    for seen in (0, 2):
        with pytest.raises(ReplyRefusedError, match="newer reply"):
            problem_reply(
                report=report,
                user=organiser,
                text="Me too.",
                closes=True,
                seen=seen,
            )
    assert report.replies.count() == 1


def judges_in(answer: Any) -> list[str]:
    """Return the judges of a list. Their names may stand by chance in what is random elsewhere on a page."""
    if answer["Content-Type"].startswith("application/json"):
        return [row["judge"] for row in answer.json()["results"]]
    return re.findall(r'data-label="Judge"><bdi>([^<]+)<', answer.content.decode())


def test_the_list_is_filtered_by_tasks_of_the_campaign(
    writer: TestSetWriter,
    report: ProblemReport,
    desk: Client,
) -> None:
    second = TestSetWriter(writer.campaign, "second", ["A", "B", "C"])
    reported(second, "cy", 1)
    elsewhere = TestSetWriter(make_campaign("zoo"), "elsewhere", ["A", "B", "C"])
    reported(elsewhere, "dee", 1)
    for address in (PAGE, API):
        assert set(judges_in(desk.get(address))) == {"ada", "cy"}
        assert judges_in(desk.get(f"{address}?task={second.task.pk}")) == ["cy"]
        for wrong in (f"task={elsewhere.task.pk}", "task=x", "state=x", "kind=x"):
            assert desk.get(f"{address}?{wrong}").status_code == 400, wrong
    assert report.task_id == writer.task.pk


def test_a_report_is_answered_closed_and_taken_back_on_its_page(
    writer: TestSetWriter,
    report: ProblemReport,
    desk: Client,
) -> None:
    address = f"{PAGE}{report.pk}/"
    page = desk.get(address).content.decode()
    assert "Cut &lt;b&gt;off&lt;/b&gt;." in page
    assert "B, C" in re.sub(r"<[^>]+>", "", page)
    assert "Do not name systems" in page
    assert "no rank" in page
    judged = writer.judgment("ada", report.block, [2, 1])
    page = desk.get(address).content.decode()
    number = judged.numbered.number
    assert f"/tasks/{report.task_id}/judgments/{number}/" in page
    assert "rank 2" in page
    # Browsers send each field; Django reads the last of a name.
    assert re.findall(r'name="seen"[^>]*', page) == ['name="seen" value="0"']
    sent = {"text": "<i>Mended</i>", "closes": "on", "seen": "0"}
    answer = desk.post(address, sent, follow=True)
    assert answer.redirect_chain == [(address, 302)]
    page = answer.content.decode()
    assert "&lt;i&gt;Mended&lt;/i&gt;" in page
    assert "Saved." in page
    # The button pressed twice, or another organiser.
    late = desk.post(address, sent)
    assert late.status_code == 409
    assert "newer reply" in late.content.decode()
    assert 'name="seen" value="1"' in late.content.decode()
    assert desk.post(address, {"text": "x", "seen": "many"}).status_code == 400
    assert desk.post(address, {"text": "x\0", "seen": "1"}).status_code == 400
    back = f"{address}replies/1/take-back/"
    assert desk.get(back).status_code == 405
    assert "no longer sees this reply" in desk.post(back, follow=True).content.decode()
    assert "already" in desk.post(back, follow=True).content.decode()
    assert not is_closed(report)


def test_the_judge_reads_the_answers_and_no_names(
    writer: TestSetWriter,
    report: ProblemReport,
    organiser: User,
) -> None:
    judge = signed_in(report.judge.user)
    other = signed_in(writer.judge("ben").user)
    problem_reply(
        report=report,
        user=organiser,
        text="It is <b>mended</b>.",
        closes=True,
    )
    wrong = problem_reply(
        report=report,
        user=organiser,
        text="B wrote that.",
        closes=True,
    )
    problem_reply_take_back(reply=wrong, user=organiser)
    own = "/api/v1/judging/problem-reports/?campaign=museum"
    (row,) = judge.get(own).json()
    assert (row["id"], row["closed"]) == (str(report.client_id), True)
    assert [sorted(answer) for answer in row["answers"]] == [["created_at", "text"]]
    assert other.get(own).json() == []
    page = judge.get("/judge/museum/time/").content.decode()
    assert "It is &lt;b&gt;mended&lt;/b&gt;." in page
    for hidden in ("B wrote", organiser.name):
        assert hidden not in page
        assert hidden not in str(row)
    assert (
        "Problems you reported" not in other.get("/judge/museum/time/").content.decode()
    )

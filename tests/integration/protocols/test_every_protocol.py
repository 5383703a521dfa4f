"""A judge's way through a HIT, in every protocol."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Model
from django.db.models.functions import Now
from django.test import Client

from annotation.models import (
    HIT,
    Assignment,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    ProblemReport,
    Skip,
)
from annotation.protocols.answer_kinds import answer_kind
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from campaign.models import Judge, Participation, ParticipationState, Protocol, Task
from tests.at_work import assignment_lend, expire, lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import (
    EVERY_PROTOCOL,
    POOR,
    TWO_PROTOCOLS,
    asked_first,
    field_of,
    said_about,
)
from tests.recruiting import COMPLETION, Prolific, make_panel

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"


@dataclass
class Browser:
    """A judge's browser, which keeps all bytes it receives."""

    client: Client
    judge: Judge
    bytes: bytes = b""

    @classmethod
    def of(cls, judge: Judge) -> "Browser":
        assert judge.user is not None
        client = Client()
        client.force_login(judge.user)
        return cls(client, judge)

    def got(self, answer: Any) -> Any:
        self.bytes += str(answer.headers).encode() + b"".join(answer)
        return answer

    def get(self, address: str) -> Any:
        return self.got(self.client.get(address))

    def asks(self) -> Any:
        address = f"{JUDGING}/assignments/"
        return self.got(self.client.post(address, {}, content_type="application/json"))

    def puts(self, what: str, block: AssignedBlock, **body: Any) -> Any:
        """Send an answer about a block, with the id `id_` if one is given."""
        address = f"{JUDGING}/{what}/{body.pop('id_', uuid4())}/"
        body = {"block": str(block.public_id), **body}
        return self.got(self.client.put(address, body, content_type="application/json"))

    def blocks(self) -> list[AssignedBlock]:
        """Ask for a HIT and return its blocks."""
        lent = self.asks().json()
        return assigned_blocks(Assignment.objects.get(public_id=lent["id"]))


@pytest.fixture
def task(protocol: Protocol, make_task_of: MakeTask) -> Task:
    return make_task_of(protocol)


@pytest.fixture
def browser(task: Task) -> Browser:
    return Browser.of(make_judge(task.test_set.campaign))


def answer_table(protocol: str) -> type[Model] | None:
    """The table of answers beyond labels, if there is one."""
    kind = answer_kind(protocol)
    return kind.table if kind.keeps_answers else None


def answers(protocol: str) -> int:
    table = answer_table(protocol)
    return Judgment.objects.count() if table is None else table._default_manager.count()


@TWO_PROTOCOLS
def test_a_hit_is_lent_to_one_judge_and_goes_back_when_the_lease_ends(
    task: Task,
) -> None:
    first, other = (
        make_judge(task.test_set.campaign, name) for name in ("judge01", "judge02")
    )
    held = lend(first)
    assert lend(first) == held
    HIT.objects.exclude(pk=held.hit_id).update(completed_at=Now())
    assert assignment_lend(judge=other) is None
    expire(held)
    assert lend(other).hit_id == held.hit_id
    # A late answer of the first judge is kept, too.
    late = assigned_blocks(held)[0]
    assert (
        Browser.of(first).puts("judgments", late, **said_about(late)).status_code == 200
    )
    assert Judgment.objects.get().judge == first


@EVERY_PROTOCOL
def test_an_answer_is_stored_once_and_numbered_and_superseded(
    protocol: Protocol,
    browser: Browser,
    task: Task,
) -> None:
    first, *others = asked_first(browser.blocks())
    id_, said = uuid4(), said_about(first)
    stored = browser.puts("judgments", first, id_=id_, **said)
    assert stored.status_code == 200, stored.content
    assert browser.puts("judgments", first, id_=id_, **said).json() == stored.json()
    # Whatever the second request contained.
    assert (
        browser.puts("judgments", first, id_=id_, **said_about(first, POOR)).json()
        == stored.json()
    )
    assert (Judgment.objects.count(), answers(protocol)) == (1, 1)
    for block in others:
        assert browser.puts("judgments", block, **said_about(block)).status_code == 200
    revised = browser.puts("judgments", first, **said_about(first, POOR))
    assert revised.status_code == 200, revised.content
    assert said_about(first, POOR) != said
    assert revised.json()[field_of(protocol)] != stored.json()[field_of(protocol)]
    revision = Judgment.objects.latest("pk")
    assert revision.supersedes == Judgment.objects.earliest("pk")
    count = len(others) + 2
    assert judgments_number(task_id=task.pk) == count == answers(protocol)
    numbers = JudgmentNumber.objects.filter(task=task).order_by("number")
    ids = list(Judgment.objects.order_by("pk").values_list("pk", flat=True))
    assert list(numbers.values_list("number", "judgment")) == list(enumerate(ids, 1))
    # The HIT has the current answer when it is lent again.
    again = next(
        block
        for block in browser.get(f"{JUDGING}/judgments/").json()["results"]
        if block["block"]["id"] == str(first.public_id)
    )
    assert (
        again["block"]["judgment"][field_of(protocol)]
        == revised.json()[field_of(protocol)]
    )


def malformed(said: Any) -> Iterator[Any]:
    """Yield invalid answers: of no protocol, and this one with each part replaced by an invalid value."""
    yield from (None, "first", 7, True, "\0")
    yield from (
        ([], {}) if not isinstance(said, dict) else ([], [said], {}, {"nonsense": said})
    )
    yield from broken(said)


def broken(said: Any) -> Iterator[Any]:
    """Yield a value with each part replaced by another type, a number outside all scales, or too many values."""
    if isinstance(said, dict):
        for name, value in said.items():
            yield from ({**said, name: each} for each in broken(value))
    elif isinstance(said, list):
        if said:
            # Missing content may be marked twice.
            yield said * 200
        for place, value in enumerate(said):
            for each in broken(value):
                yield [*said[:place], each, *said[place + 1 :]]
    else:
        yield from ({"a": said}, [[said]], "\0", 10**30, -1)


@EVERY_PROTOCOL
def test_a_malformed_answer_is_refused_in_words_and_stores_nothing(
    protocol: Protocol,
    browser: Browser,
) -> None:
    block = asked_first(browser.blocks())[0]
    name = field_of(protocol)
    for wrong in malformed(said_about(block)[name]):
        refused = browser.puts("judgments", block, **{name: wrong})
        assert refused.status_code == 400, (wrong, refused.content)
        said = refused.json()
        assert said["detail"], wrong
        # At the field, or at a place inside it.
        words = json.dumps(
            [
                each
                for place, each in said["errors"].items()
                if place.split(".")[0] == name
            ],
        )
        # In words, without traces of Python.
        assert any(character.isspace() for character in words), (wrong, words)
        assert not {"ErrorDetail", "Traceback", "<class"} & set(words.split("(")), (
            wrong,
            words,
        )
    other = {"answer": "labels", "labels": "answer"}[name]
    for body in ({}, {other: [1]}, {**said_about(block), other: [1]}):
        assert browser.puts("judgments", block, **body).status_code == 400
    assert (Judgment.objects.count(), answers(protocol)) == (0, 0)


@TWO_PROTOCOLS
def test_skips_reports_comments_and_times_are_kept(
    browser: Browser,
    task: Task,
) -> None:
    first, second, *_others = browser.blocks()
    times = {"duration_ms": 21_000, "active_ms": 18_000}
    comment = "Two sentences are one."
    said = browser.puts(
        "judgments",
        first,
        **said_about(first),
        **times,
        comment=comment,
    )
    assert said.json()["comment"] == comment
    skipped = browser.puts(
        "skips",
        second,
        reason="cannot_judge",
        comment="Of law.",
        **times,
    )
    assert skipped.status_code == 200, skipped.content
    report = {"kind": "output", "comment": "It is cut off."}
    assert browser.puts("problem-reports", first, **report).status_code == 200
    judgments_number(task_id=task.pk)
    sequence = JudgmentSequence.objects.get(task=task)
    assert (sequence.last_number, sequence.judged, sequence.skipped) == (1, 1, 1)
    assert Judgment.objects.get().comment == comment
    assert Skip.objects.get().comment == "Of law."
    assert ProblemReport.objects.get().task == task
    # A skip is taken back by an answer.
    assert (
        browser.puts("judgments", second, **said_about(second), **times).status_code
        == 200
    )
    assert not Skip.objects.standing().exists()
    today = browser.get(f"{JUDGING}/work-time/").json()["today"]
    assert (today["sentences"], today["active_seconds"]) == (2, 54)
    organising = Client()
    organising.force_login(make_organiser(task.test_set.campaign))
    [row] = organising.get("/api/v1/campaigns/museum/time/").json()["results"]
    assert (row["judge"], row["total"]["sentences"]) == (browser.judge.pseudonym, 2)
    assert row["total"]["active_seconds"] == 54


@EVERY_PROTOCOL
def test_no_byte_that_a_judge_gets_names_a_system(browser: Browser, task: Task) -> None:
    blocks = browser.blocks()
    browser.asks()
    for block in blocks:
        browser.puts("judgments", block, **said_about(block))
        browser.puts("judgments", block, **said_about(block, POOR))
        browser.puts("judgments", block, answer={}, labels=[9])
    for address in ("judgments", "progress", "work-time"):
        assert browser.get(f"{JUDGING}/{address}/").status_code == 200
    assert browser.get("/judge/museum/").status_code == 200
    names = set(task.test_set.systems.values_list("name", flat=True))
    # As words: “bad_reference” is a reason to skip.
    assert names & set(re.findall(r"[\w-]+", browser.bytes.decode())) == set()


@TWO_PROTOCOLS
def test_panel_participant_gets_a_completion(task: Task) -> None:
    campaign = task.test_set.campaign
    prolific = Prolific(make_panel(campaign, blocks_asked=2))
    client = Client()
    prolific.opens(client, "ada")
    judge = campaign.judges.get()
    browser = Browser(client, judge)
    blocks = browser.blocks()
    for block in blocks:
        assert (
            COMPLETION not in client.get("/judge/museum/completion/").content.decode()
        )
        if (
            browser.puts("judgments", block, **said_about(block)).json()
            and block is blocks[1]
        ):
            break
    assert browser.asks().status_code in {200, 204}
    assert COMPLETION in client.get("/judge/museum/completion/").content.decode()
    row = Participation.objects.get()
    assert (row.state, row.blocks_done) == (ParticipationState.FINISHED, 2)

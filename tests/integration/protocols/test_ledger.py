"""Each answer of every form is stored once, exported once and counted once, however often it is sent."""

import json
from collections.abc import Callable, Mapping, Sequence
from csv import DictReader
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Block, Judgment, JudgmentNumber, MachineJudgment
from annotation.protocols.answer_kinds import answer_kind
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.machines import MachineBlock
from annotation.services.answers_taken_back import AnswerKeptError
from annotation.services.machines import machine_judgment_submit
from annotation.services.numbers import judgments_number
from annotation.services.quality import answer_take_back, quality_action_revert
from campaign.models import Protocol, Task
from campaign.selectors.questions import answers_summaries
from campaign.services.campaigns import campaign_change
from campaign.services.machines import MachineTerms, machine_add
from campaign.services.questions import judge_answers_delete
from protocols.spans.suggestions import suggestions_import
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.answered_tasks import FORMS
from tests.at_work import lend
from tests.counters import counters_by_row, counters_stored
from tests.criteria import FOUR
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.protocols.every import (
    FINE,
    POOR,
    asked_first,
    judgment_put,
    said_about,
)
from tests.integration.protocols.test_suggestions import FIRST, lines, sent
from tests.media_tasks import make_media_task
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db
Answer = Callable[[int], dict[str, Any]]


def _nothing(_task: Task) -> None:
    """Leave the task as it is."""


def _suggest(task: Task) -> None:
    suggestions_import(
        task=task,
        file=sent(lines(task, FIRST)),
        withheld=30,
        planted=50,
    )


@dataclass(frozen=True)
class Screen:
    """A task whose judges give one kind of answer.

    Attributes
    ----------
    name : str
        Of the test's case.
    protocol : Protocol
    rules : dict
    prepare : function
        Changes the task before it is judged.
    answers : pair of functions or None
        Map the number of candidates to an answer, and to another; None to answer as simulated judges do.
    has_media : bool
        Whether outputs are recordings, of which shares are played.
    """

    name: str
    protocol: Protocol
    rules: Mapping[str, Any] = field(default_factory=dict)
    prepare: Callable[[Task], None] = _nothing
    answers: tuple[Answer, Answer] | None = None
    has_media: bool = False

    def of_documents(self) -> "Screen":
        """Return the same with all segments of a document on a page."""
        rules = {**self.rules, "page": "document"}
        return replace(self, name=f"{self.name} of documents", rules=rules)

    def task(self) -> Task:
        if self.has_media:
            task = make_media_task(make_campaign(state="open"), protocol=self.protocol)
        else:
            rules = dict(self.rules) or None
            task = make_task_of_protocol(self.protocol, rules=rules, state="open")
        self.prepare(task)
        return task


def _same(output: dict[str, Any]) -> Answer:
    """Return a function that says the same about each output."""
    return lambda count: {"outputs": [output] * count}


def _marked(severity: str) -> Answer:
    span = {"start": 0, "end": 2, "severity": severity, "category": "Other"}
    return _same({"score": None, "spans": [span]})


def _rated(criteria: Sequence[Mapping[str, Any]]) -> tuple[Answer, Answer]:
    lowest = {each["key"]: each["lowest"] for each in criteria}
    highest = {each["key"]: each["highest"] for each in criteria}
    return _same(lowest), _same(highest)


_RULES: Final = {form.name: form.rules for form in FORMS}
#: Of forms that simulated judges do not give.
_ANSWERS: Final[dict[str, tuple[Answer, Answer]]] = {
    "criteria": (
        _same({"fluency": 4, "adequacy": 2}),
        _same({"fluency": 1, "adequacy": 5}),
    ),
    "direct assessment": (
        _same({"score": 48, "spans": []}),
        _same({"score": 12, "spans": []}),
    ),
    "mqm": (_marked("minor"), _marked("critical")),
    "best and worst": (
        lambda _count: {"best": 1, "worst": 2},
        lambda _count: {"best": 2, "worst": 1},
    ),
}
_MQM: Final = Screen(
    "mqm from suggestions",
    Protocol.SPANS,
    _RULES["mqm"],
    prepare=_suggest,
    answers=_ANSWERS["mqm"],
)
_OWN_CRITERIA: Final = Screen(
    "own criteria",
    Protocol.RATING,
    {"criteria": FOUR, "all_at_once": True},
    answers=_rated(FOUR),
)
SCREENS: Final = (
    Screen("ranking", Protocol.RANKING),
    *(
        Screen(form.name, form.protocol, form.rules, answers=_ANSWERS.get(form.name))
        for form in FORMS
    ),
    Screen("esa from suggestions", Protocol.SPANS, prepare=_suggest),
    _MQM,
    _MQM.of_documents(),
    _OWN_CRITERIA,
    _OWN_CRITERIA.of_documents(),
    Screen("recordings", Protocol.RANKING, has_media=True),
    Screen("recordings rated", Protocol.RATING, has_media=True),
    Screen("two recordings", Protocol.TWO_OUTPUTS, has_media=True),
)
EVERY_SCREEN: Final = pytest.mark.parametrize(
    "screen",
    [pytest.param(screen, id=screen.name) for screen in SCREENS],
)


def rows(task: Task, kind: str = "judgments") -> list[dict[str, Any]]:
    """Return the lines of an export."""
    asked = requested_export(task=task, kind=kind, file_format="jsonl")
    return [json.loads(row) for row in b"".join(export_bytes(asked)).splitlines()]


def said(
    screen: Screen,
    block: AssignedBlock,
    *,
    is_revised: bool = False,
) -> dict[str, Any]:
    """Return an answer about a block, with the shares that were played; or another answer."""
    count = len(block.candidates)
    if screen.answers is None:
        answer = said_about(block, POOR if is_revised else FINE)
    else:
        answer = {"answer": screen.answers[is_revised](count)}
    if screen.has_media:
        answer["played"] = [0.5 if is_revised else 1] * count
    return answer


@EVERY_SCREEN
def test_answer_is_stored_exported_and_counted_once(screen: Screen) -> None:
    task = screen.task()
    organiser = make_organiser(task.test_set.campaign)
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    judging = Client()
    judging.force_login(judge.user)
    first, *others = asked_first(assigned_blocks(lend(judge)))

    def put(block: AssignedBlock, id_: UUID, *, is_revised: bool = False) -> Any:
        answer = judgment_put(
            judging,
            {"id": str(block.public_id)},
            id_,
            **said(screen, block, is_revised=is_revised),
        )
        assert answer.status_code == 200, answer.content
        return answer.json()

    first_id, revised_id = uuid4(), uuid4()
    stored = put(first, first_id)
    # Sent again, and with another answer under the same id.
    assert put(first, first_id) == stored
    assert put(first, first_id, is_revised=True) == stored
    assert Judgment.objects.count() == 1
    revised = put(first, revised_id, is_revised=True)
    assert put(first, revised_id, is_revised=True) == revised
    # The first one, which was on its way for long, does not come back.
    assert put(first, first_id) == stored
    for block in others:
        id_ = uuid4()
        assert put(block, id_) == put(block, id_)
    blocks = 1 + len(others)
    assert judgments_number(task_id=task.pk) == blocks + 1
    table = answer_kind(screen.protocol).table
    if answer_kind(screen.protocol).keeps_answers:
        assert table._default_manager.count() == blocks + 1

    def counted() -> list[str]:
        """Return the blocks that count, after checking that all ways to count agree."""
        assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)
        current = Judgment.objects.of(task.pk).current().counted()
        return sorted(map(str, current.values_list("client_id", flat=True)))

    before = counted()
    assert len(before) == blocks
    assert str(revised_id) in before
    assert str(first_id) not in before
    exported = rows(task)
    assert len(exported) == blocks + 1
    assert len({row["number"] for row in exported}) == blocks + 1
    assert sum(row["current"] for row in exported) == blocks
    if screen.has_media:
        judgment = Judgment.objects.get(client_id=revised_id)
        assert judgment.played == [0.5] * len(first.candidates)

    number = JudgmentNumber.objects.get(judgment__client_id=revised_id).number
    judgment = Judgment.objects.get(client_id=revised_id)
    taken: dict[str, Any] = {
        "judgment": judgment,
        "number": number,
        "task": task,
        "user": organiser,
    }
    try:
        action = answer_take_back(**taken)
    except AnswerKeptError:
        # Comparisons of a sort follow from it, and others are asked about edits.
        assert screen.protocol in {Protocol.SORTING, Protocol.EDITING}
        assert counted() == before
        return
    assert counted() == [id_ for id_ in before if id_ != str(revised_id)]
    with pytest.raises(AnswerKeptError):
        answer_take_back(**taken)
    quality_action_revert(action=action, user=organiser)
    assert counted() == before
    assert rows(task) == exported


# The others: tests/integration/machines/test_protocols.py.
@pytest.mark.parametrize(
    "screen",
    [
        pytest.param(screen, id=screen.name)
        for screen in SCREENS
        if screen.answers or screen.has_media
    ],
)
def test_answer_of_a_machine_judge_is_stored_and_exported_once(screen: Screen) -> None:
    task = screen.task()
    campaign = task.test_set.campaign
    [first, *_others] = asked_first(assigned_blocks(lend(make_judge(campaign))))
    machine, _token = machine_add(
        campaign=campaign,
        by=make_organiser(campaign),
        terms=MachineTerms(name="bot", version="1"),
    )
    block = Block.objects.get(pk=first.block_id)
    asked = MachineBlock(block, is_reversed=False)

    def submit(id_: UUID, *, is_revised: bool = False) -> MachineJudgment:
        answer = said(screen, first, is_revised=is_revised)
        kind = answer_kind(screen.protocol)
        checked = kind.validated(answer["answer"]) if "answer" in answer else None
        return machine_judgment_submit(
            machine=machine,
            machine_block=asked,
            client_id=id_,
            sent={"labels": answer.get("labels"), "answer": checked},
        )

    id_ = uuid4()
    stored = submit(id_)
    assert submit(id_) == stored
    # The first answer counts, under the same id and under another.
    assert submit(id_, is_revised=True) == stored
    with pytest.raises(SubmissionRefusedError):
        submit(uuid4(), is_revised=True)
    assert MachineJudgment.objects.get() == stored
    [row] = rows(task, "machine-judgments")
    assert row["machine"] == "bot"
    assert not Judgment.objects.exists()
    assert judgments_number(task_id=task.pk) == 0
    assert rows(task) == []


def test_answer_to_a_question_is_stored_and_exported_once() -> None:
    task = Screen("ranking", Protocol.RANKING).task()
    campaign = task.test_set.campaign
    questions = [
        {
            "name": name,
            "kind": kind,
            "texts": [{"language": "en", "question": f"Which {name}?"}],
        }
        for name, kind in (("town", "text"), ("age", "number"))
    ]
    campaign_change(campaign=campaign, questions=questions)
    judge = make_judge(campaign)
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    address = reverse("judge-questions", args=[campaign.slug])
    answers = []
    for town in ("Wien", "Wien", "Graz"):
        sent = client.post(address, {"action": "save", "town": town, "age": "0"})
        assert sent.status_code == 302, sent.content
        judge.refresh_from_db()
        answers.append(judge.answers)
        exported = requested_export(
            task=task,
            kind="judge-answers",
            file_format="csv",
        )
        [row] = DictReader(
            StringIO(b"".join(export_bytes(exported)).decode("utf-8-sig")),
        )
        assert (row["town"], row["age"]) == (town, "0")
        for summary in answers_summaries(campaign=campaign):
            assert summary.answered == 1
    first, again, corrected = answers
    assert first == again
    assert corrected["age"] == first["age"]
    judge_answers_delete(judge=judge)
    for summary in answers_summaries(campaign=campaign):
        assert summary.answered == 0

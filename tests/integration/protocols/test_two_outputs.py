"""A judge's way through a task of two outputs, by the API of their browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from annotation.export.five_way import five_way_csv
from annotation.models import (
    Assignment,
    Block,
    Design,
    Exposure,
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    Skip,
)
from annotation.selectors import assigned_blocks, judge_work
from annotation.selectors.outputs_shown import candidate_count
from annotation.selectors.training import training_feedback
from annotation.services import (
    DesignRefusedError,
    SubmissionRefusedError,
    TrainingRefusedError,
    design_change,
    judgment_submit,
    judgments_number,
    task_rules_change,
    training_block_create,
    training_plan,
)
from annotation.services.simulation import (
    JudgedInRehearsal,
    SimulatedJudge,
    campaign_simulate,
    rehearsed_store,
)
from campaign.models import Judge, Output, Protocol, Task
from protocols.two_outputs.models import Answer
from ranking.models import LatestRanking
from ranking.tasks import rank_task
from tests.at_work import assignment_lend, lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

JUDGING = "/api/v1/judging"
LABELS = {"first": [1, 2], "same": [1, 1], "second": [2, 1]}


def asked(judging: Client, **body: Any) -> Any:
    return judging.post(f"{JUDGING}/assignments/", body, content_type="application/json").json()


def put(judging: Client, block: Any, id_: UUID | None = None, **body: Any) -> Any:
    address = f"{JUDGING}/judgments/{id_ or uuid4()}/"
    return judging.put(address, {"block": block["id"], **body}, content_type="application/json")


def said(judging: Client, block: Any, verdict: str, **body: Any) -> Any:
    return put(judging, block, answer={"verdict": verdict}, **body)


def test_a_judges_way_through_a_hit(judging: Client, judge: Judge, task: Task) -> None:
    hit = asked(judging)
    assert (hit["protocol"], hit["rules"]) == ("two_outputs", {"four_answers": False})
    blocks = hit["blocks"]
    assert [len(block["candidates"]) for block in blocks] == [2, 2, 2]
    assert [block["judgment"] for block in blocks] == [None, None, None]

    # Two answers, one of them changed, and a skip.
    times = {"duration_ms": 21_000, "active_ms": 18_000}
    id_ = uuid4()
    first = said(judging, blocks[0], "first", id_=id_, **times, comment="A is complete.")
    assert first.status_code == 200, first.content
    assert first.json()["answer"] == {"verdict": "first"}
    assert first.json()["labels"] == [1, 2]
    assert said(judging, blocks[0], "first", id_=id_, **times, comment="A is complete.").json() == (
        first.json()
    )
    assert said(judging, blocks[1], "same", **times).status_code == 200
    assert said(judging, blocks[0], "second", **times).status_code == 200
    skip = {"block": blocks[2]["id"], "reason": "bad_source"}
    address = f"{JUDGING}/skips/{uuid4()}/"
    assert judging.put(address, skip, content_type="application/json").status_code == 200
    assert Assignment.objects.get().completed_at is not None

    # Numbers have no gap, and the revision supersedes.
    assert judgments_number(task_id=task.pk) == 3
    numbers = JudgmentNumber.objects.filter(task=task).order_by("number")
    assert list(numbers.values_list("number", "judgment__labels")) == [
        (1, [1, 2]),
        (2, [1, 1]),
        (3, [2, 1]),
    ]
    original, _other, revision = Judgment.objects.order_by("pk")
    assert revision.supersedes == original
    assert list(Answer.objects.order_by("pk").values_list("pk", "verdict")) == [
        (original.pk, "first"),
        (_other.pk, "same"),
        (revision.pk, "second"),
    ]

    # What the judge sees of it: progress, history, the HIT as it is now, and their time sheet.
    assert judging.get(f"{JUDGING}/progress/").json()["done"] == judge_work(judge).done == 3
    history = judging.get(f"{JUDGING}/judgments/").json()["results"]
    assert [(row["protocol"], row["rules"]) for row in history] == [
        ("two_outputs", {"four_answers": False})
    ] * 3
    skipped, again, same = history
    assert (skipped["block"]["state"], skipped["block"]["judgment"]) == ("skipped", None)
    assert again["block"]["judgment"]["answer"] == {"verdict": "second"}
    assert again["block"]["judgment"]["labels"] == [2, 1]
    assert same["block"]["judgment"]["answer"] == {"verdict": "same"}
    work = judging.get(f"{JUDGING}/work-time/").json()
    assert work["today"]["sentences"] == 3
    assert work["today"]["active_seconds"] == 54
    report = {"block": blocks[0]["id"], "kind": "output", "comment": "A is cut off."}
    address = f"{JUDGING}/problem-reports/{uuid4()}/"
    assert judging.put(address, report, content_type="application/json").status_code == 200

    # What organisers see of it.
    organising = Client()
    organising.force_login(make_organiser(task.test_set.campaign))
    [row] = organising.get("/api/v1/campaigns/museum/time/").json()["results"]
    assert (row["judge"], row["total"]["sentences"]) == (judge.pseudonym, 3)
    assert row["total"]["active_seconds"] == 54
    counted = JudgmentSequence.objects.get(task=task)
    assert (counted.last_number, counted.judged, counted.skipped) == (3, 2, 1)


def test_an_answer_that_is_stored_comes_with_the_hit(judging: Client) -> None:
    block = asked(judging)["blocks"][0]
    said(judging, block, "second", comment="B reads well.")
    stored = asked(judging)["blocks"][0]
    assert stored["state"] == "judged"
    assert {name: stored["judgment"][name] for name in ("labels", "answer", "comment")} == {
        "labels": [2, 1],
        "answer": {"verdict": "second"},
        "comment": "B reads well.",
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"labels": [1, 2]}, "have an `answer`, and no `labels`"),
        ({"labels": [1, 2], "answer": {"verdict": "first"}}, "have an `answer`, and no `labels`"),
        ({}, "have an `answer`, and no `labels`"),
        ({"answer": {"verdict": "both_fine"}}, "“both fine” is none of the answers"),
    ],
)
def test_what_is_not_asked_is_refused_in_words(
    judging: Client, body: dict[str, Any], words: str
) -> None:
    refused = put(judging, asked(judging)["blocks"][0], **body)
    assert refused.status_code == 400
    assert words in refused.json()["detail"]
    assert words in refused.json()["errors"]["answer"][0]
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("answer", [{}, {"verdict": "third"}, [1, 2], "first", 7])
def test_a_malformed_answer_is_refused_by_its_field(judging: Client, answer: object) -> None:
    refused = put(judging, asked(judging)["blocks"][0], answer=answer)
    assert refused.status_code == 400
    assert refused.json()["errors"]["answer"]
    assert not Judgment.objects.exists()


def test_a_ranking_takes_no_answer(client: Client, make_task_of: MakeTask) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    judge = make_judge(task.test_set.campaign)
    judge.chosen_task = Task.objects.get(protocol=Protocol.RANKING)
    judge.save()
    assert judge.user is not None
    client.force_login(judge.user)
    hit = asked(client)
    assert (hit["protocol"], hit["rules"]) == ("ranking", {"partial": False})
    block = hit["blocks"][0]
    labels = [1] * len(block["candidates"])
    for body in ({"answer": {"verdict": "first"}}, {"answer": {}, "labels": labels}, {}):
        refused = put(client, block, **body)
        assert refused.status_code == 400
        assert "have `labels`, and no `answer`" in refused.json()["detail"]
    stored = put(client, block, labels=labels)
    assert stored.status_code == 200
    assert stored.json()["answer"] is None
    assert asked(client)["blocks"][0]["judgment"]["answer"] is None


def test_with_four_answers_the_same_is_either_fine_or_wrong(
    client: Client, make_task_of: MakeTask
) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": True})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    hit = asked(client)
    assert hit["rules"] == {"four_answers": True}
    assert said(client, hit["blocks"][0], "same").status_code == 400
    for block, verdict in zip(hit["blocks"], ("both_fine", "both_wrong", "first"), strict=True):
        assert said(client, block, verdict).status_code == 200
    assert list(Judgment.objects.order_by("pk").values_list("labels", flat=True)) == [
        [1, 1],
        [1, 1],
        [1, 2],
    ]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"five_answers": True}, "no rule “five_answers”"),
        ({"four_answers": "yes"}, "four_answers is true or false"),
    ],
)
def test_rules_that_the_protocol_does_not_have_are_refused(
    task: Task, rules: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        task_rules_change(task=task, rules=rules)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    with pytest.raises(ValidationError, match="no rule “four_answers”"):
        task_rules_change(task=ranking, rules={"four_answers": True})
    task.refresh_from_db()
    assert task.rules == {}


def test_rules_stay_once_judges_have_begun(task: Task, judge: Judge) -> None:
    assert task_rules_change(task=task, rules={"four_answers": False}).rules == {}
    lend(judge)
    with pytest.raises(ValidationError, match="Judges have begun"):
        task_rules_change(task=task, rules={"four_answers": True})


class TestDesigns:
    def test_the_first_one_has_blocks_of_two(self, task: Task, judge: Judge) -> None:
        design = Design.objects.get(task=task)
        assert (design.kind, design.systems_per_block) == (Design.Kind.BINARY, 2)
        lend(judge)
        sizes = Block.objects.filter(hit__task=task).annotate(size=candidate_count())
        assert set(sizes.values_list("size", flat=True)) == {2}

    @pytest.mark.parametrize(
        ("parameters", "field"),
        [
            ({"kind": "uniform", "systems_per_block": 5}, "systems_per_block"),
            ({"kind": "active", "systems_per_block": 3}, "systems_per_block"),
            ({"kind": "all", "systems_per_block": 2}, "kind"),
        ],
    )
    def test_larger_blocks_are_refused_in_words(
        self, task: Task, parameters: dict[str, Any], field: str
    ) -> None:
        with pytest.raises(DesignRefusedError, match="about 2 outputs at a time") as refused:
            design_change(task=task, **parameters)
        assert refused.value.field == field
        assert Design.objects.get(task=task).kind == Design.Kind.BINARY

    @pytest.mark.parametrize("kind", ["uniform", "balanced", "active"])
    def test_other_kinds_may_show_two(self, task: Task, kind: str) -> None:
        design = design_change(task=task, kind=kind)
        assert (design.kind, design.systems_per_block) == (kind, 2)


def test_a_judge_meets_a_segment_once_across_tasks(make_task_of: MakeTask) -> None:
    two = make_task_of(Protocol.TWO_OUTPUTS, ranking_is_open=True)
    ranking = Task.objects.get(protocol=Protocol.RANKING)
    judge = make_judge(two.test_set.campaign)
    met: list[int] = []
    for chosen in [two, ranking] * 4:
        judge.chosen_task = chosen
        judge.save()
        assignment = assignment_lend(judge=judge)
        if assignment is None:
            continue
        met += assignment.hit.segment_ids
        for block in assigned_blocks(assignment):
            is_ranking = block.protocol == Protocol.RANKING
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                labels=[1] * len(block.candidates) if is_ranking else None,
                answer=None if is_ranking else {"verdict": "same"},
            )
    assert {hit.task for hit in (row.hit for row in Assignment.objects.all())} == {two, ranking}
    assert len(met) == len(set(met)) > 3
    exposed = Exposure.objects.filter(judge=judge).values_list("segment", flat=True)
    assert sorted(exposed) == sorted(met)


class TestTheDatabase:
    """Refuses a judgment without its answer, and an answer without its judgment."""

    def judgment(self, judge: Judge, **fields: Any) -> Judgment:
        assignment = lend(judge)
        block = assignment.hit.blocks.earliest("position")
        values = {"labels": [1, 2], "assignment": assignment, **fields}
        return Judgment.objects.create(
            task=assignment.hit.task, client_id=uuid4(), judge=judge, block=block, **values
        )

    @contextmanager
    def to_the_commit(self) -> Iterator[None]:
        """Do something as if its transaction ended with it."""
        with transaction.atomic():
            yield
            connection.check_constraints()

    def test_a_judgment_has_its_answer_at_the_commit(self, judge: Judge) -> None:
        with pytest.raises(IntegrityError, match="has no answer"), self.to_the_commit():
            self.judgment(judge)
        with self.to_the_commit():
            Answer.objects.create(judgment=self.judgment(judge), verdict="first")

    def test_imported_ones_have_theirs_at_the_end_of_the_statement(self, judge: Judge) -> None:
        with pytest.raises(IntegrityError, match="has no answer"):
            self.judgment(judge, assignment=None)


def test_a_submission_whose_answer_is_not_stored_stores_nothing(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = assigned_blocks(lend(judge))[0]

    def refuse(*_arguments: Any, **_fields: Any) -> None:
        raise IntegrityError

    monkeypatch.setattr(Answer.objects, "create", refuse)
    with pytest.raises(IntegrityError), transaction.atomic():
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": "first"})
    assert not Judgment.objects.exists()


def test_another_judges_id_is_refused(judge: Judge) -> None:
    client_id, other = uuid4(), make_judge(judge.campaign, "judge02")
    mine, theirs = (assigned_blocks(lend(each))[0] for each in (judge, other))
    judgment_submit(assigned=mine, client_id=client_id, answer={"verdict": "first"})
    with pytest.raises(SubmissionRefusedError, match="another judge"):
        judgment_submit(assigned=theirs, client_id=client_id, answer={"verdict": "first"})
    assert Answer.objects.count() == 1


def test_members_read_answers(judge: Judge, task: Task, client: Client) -> None:
    blocks = assigned_blocks(lend(judge))
    for block, verdict in zip(blocks, LABELS, strict=True):
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": verdict})
    client.force_login(make_organiser(task.test_set.campaign))
    rows = client.get(f"/api/v1/tasks/{task.pk}/judgments/").json()["results"]
    assert [(row["number"], row["answer"]["verdict"], row["labels"]) for row in rows] == [
        (number, verdict, labels) for number, (verdict, labels) in enumerate(LABELS.items(), 1)
    ]
    # The order that the answers imply, for whoever ranks files.
    assert len(list(five_way_csv(task=task))) == 1 + len(LABELS)


def test_training_is_of_two_outputs_too(task: Task) -> None:
    segment = task.test_set.segments.get(number=2)
    outputs = list(segment.outputs.filter(system__name__in=["cobalt", "dune", "ember"]))
    words = "One of them is shorter."
    with pytest.raises(TrainingRefusedError, match="about 2 outputs at a time"):
        training_block_create(
            task=task,
            segment=segment,
            explanation=words,
            expected=dict(zip(outputs, (1, 2, 3), strict=True)),
        )
    block = training_block_create(
        task=task,
        segment=segment,
        explanation=words,
        expected=dict(zip(outputs[:2], (1, 2), strict=True)),
    )
    assert block.candidates.count() == 2
    judge = make_judge(task.test_set.campaign)
    training_plan(task_id=task.pk, judge_id=judge.pk)
    [assigned] = assigned_blocks(lend(judge))
    shown = Block.objects.get(pk=assigned.block_id)
    assert shown.expected is not None
    better = "first" if shown.expected == [1, 2] else "second"
    stored = judgment_submit(assigned=assigned, client_id=uuid4(), answer={"verdict": better})
    feedback = training_feedback(stored)
    assert feedback is not None
    assert feedback.agrees


def test_a_task_is_ranked(judge: Judge, task: Task) -> None:
    for block in assigned_blocks(lend(judge)):
        judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": "first"})
    rank_task(task.pk)
    assert LatestRanking.objects.get(task=task).watermark == 3


def test_the_judgments_of_a_rehearsal_have_answers(judge: Judge) -> None:
    assignment = lend(judge)
    judged = [
        JudgedInRehearsal(
            block_id=block,
            client_id=uuid4(),
            said={"verdict": "second"},
            candidates=2,
            duration_ms=20_000,
            active_ms=20_000,
            submitted_at=timezone.now(),
        )
        for block in assignment.hit.blocks.values_list("pk", flat=True)
    ]
    rehearsed_store(assignment, judged)
    assert (
        list(Answer.objects.values_list("verdict", "judgment__labels")) == [("second", [2, 1])] * 3
    )


def test_a_skip_may_be_taken_back(judging: Client) -> None:
    block = asked(judging)["blocks"][0]
    address = f"{JUDGING}/skips/{uuid4()}/"
    body = {"block": block["id"], "reason": "cannot_judge"}
    judging.put(address, body, content_type="application/json")
    assert Skip.objects.standing().exists()
    assert said(judging, block, "first").status_code == 200
    assert not Skip.objects.standing().exists()


@pytest.mark.parametrize("four_answers", [False, True])
def test_simulated_judges_answer(make_task_of: MakeTask, *, four_answers: bool) -> None:
    task = make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": four_answers})
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    best = outputs.filter(system__name="amber").values_list("pk", flat=True)
    fine, wrong = 90.0, 10.0
    count = campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge("exact", noise=0, ties_within=0)],
        languages=["en", "de"],
        hits_each=3,
        qualities=dict.fromkeys(outputs.values_list("pk", flat=True), wrong)
        | dict.fromkeys(best, fine),
        seed=3,
    )
    assert Answer.objects.count() == count > 3
    verdicts = set(Answer.objects.values_list("verdict", flat=True))
    assert verdicts <= {"first", "second", "both_wrong" if four_answers else "same"}
    assert len(verdicts) > 1


def test_organisers_see_it_as_judges_do(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    base = f"/api/v1/tasks/{task.pk}/as-judge"
    hit = client.post(f"{base}/assignments/", {}, content_type="application/json").json()
    assert (hit["protocol"], hit["rules"]) == ("two_outputs", {"four_answers": False})
    body = {"block": hit["blocks"][0]["id"], "answer": {"verdict": "second"}}
    address = f"{base}/judgments/{uuid4()}/"
    taken = client.put(address, body, content_type="application/json").json()
    assert (taken["labels"], taken["answer"]) == ([2, 1], {"verdict": "second"})
    assert not Judgment.objects.exists()

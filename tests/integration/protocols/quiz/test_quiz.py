"""A quiz from its snippets to its result: readers see a system's output of a snippet and answer its statements."""

import json
from collections import Counter
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.test import Client

from annotation.models import HIT, Block, Exposure
from annotation.selectors.hits import plans_read
from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.formats.streams import StoredFile
from campaign.models import Judge, Output, Protocol, Task
from campaign.services.campaigns import task_close, task_create
from protocols.models import Snippet
from protocols.quiz.files import LINES as READINGS
from protocols.quiz.snippets import (
    SnippetsRefusedError,
    snippets_import,
    snippets_replace,
)
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.protocols.every import JUDGING, hit_asked, judgment_put
from tests.protocol_tasks import given_snippet
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

SYSTEMS = ("amber", "cobalt", "dune")
SNIPPETS = (
    given_snippet(
        "opening",
        "document 1",
        1,
        3,
        ("It opens.", "It closes."),
        (True, False),
    ),
    given_snippet("tower", "document 1", 4, 5, ("It is high.",), (True,)),
    given_snippet(
        "garden",
        "document 2",
        2,
        4,
        ("It is red.", "It is new."),
        (False, False),
    ),
)


def quiz() -> Task:
    ranking = make_task(
        make_campaign(),
        documents=(6, 5),
        systems=SYSTEMS,
        identical=(),
    )
    task_close(task=ranking)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.QUIZ, by=None)
    design_ensure(task=task, seed=7)
    return task


def names(task: Task) -> list[str]:
    """The reference is read like a system."""
    return sorted(task.test_set.systems.values_list("name", flat=True))


@pytest.fixture
def task() -> Task:
    task = quiz()
    snippets_replace(task=task, snippets=SNIPPETS)
    hits_plan(task_id=task.pk, count=30)
    return task


def asked(client: Client, judge: Judge) -> Any:
    assert judge.user is not None
    client.force_login(judge.user)
    return hit_asked(client)


def put(
    client: Client,
    block: Any,
    *answers: bool | None,
    id_: UUID | None = None,
) -> Any:
    return judgment_put(
        client,
        block,
        id_,
        answer={"answers": list(answers)},
        active_ms=8000,
    )


@pytest.mark.thorough
def test_snippets_are_read_in_outputs_of_all_systems(task: Task) -> None:
    hits = HIT.objects.filter(task=task).order_by("number")
    plans = plans_read([hit.pk for hit in hits])
    shown: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for hit in hits:
        plan = plans[hit.pk]
        segments = [block.segment for block in plan.blocks]
        assert segments == list(range(segments[0], segments[-1] + 1))
        [systems] = {block.systems[0] for block in plan.blocks}
        shown[segments[0], systems] += 1
        assert hit_redraw(hit) == plan
    assert shown == Counter(
        {(n, (name,)): 1 for n in (1, 4, 8) for name in names(task)},
    )
    assert hits_plan(task_id=task.pk, count=5) == 0


def test_a_reader_sees_outputs_alone_and_statements_with_the_last(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    hit = asked(client, judge)
    snippet = Snippet.objects.get(
        task=task,
        first=Block.objects.get(public_id=hit["blocks"][0]["id"]).segment.position,
    )
    *before, last = hit["blocks"]
    assert hit["rules"] == {
        "protocol": "quiz",
        "statements": snippet.statements,
        "asked_with": last["id"],
    }
    texts = []
    for block in hit["blocks"]:
        assert (block["source"], block["references"]) == (None, [])
        assert block["context"] == {"before": [], "after": []}
        stored = Block.objects.get(public_id=block["id"])
        texts.append(Output.objects.get(pk=stored.outputs[0]).text or "")
        [candidate] = block["candidates"]
        assert candidate["text"] == "\n".join(texts)
    assert "expected" not in json.dumps(hit)
    answers = [not each for each in snippet.expected]
    assert put(client, before[0], *answers).status_code == 400
    assert put(client, last).status_code == 400
    assert put(client, last, *answers, True).status_code == 400
    for block in before:
        assert put(client, block).json()["answer"] == {"kind": "quiz", "answers": []}
    id_ = uuid4()
    stored = put(client, last, *answers, id_=id_)
    assert stored.status_code == 200, stored.content
    assert (stored.json()["labels"], stored.json()["answer"]) == (
        [1],
        {"kind": "quiz", "answers": answers},
    )
    assert put(client, last, *answers, id_=id_).json() == stored.json()
    # They can change their answers.
    assert put(client, last, *[None] * len(answers)).status_code == 200
    number = judgments_number(task_id=task.pk)
    [reading] = READINGS.stored(task=task, watermark=number)
    assert reading.answers == (None,) * len(answers)
    rows = client.get(f"{JUDGING}/judgments/").json()["results"]
    assert all(row["rules"] == hit["rules"] for row in rows)
    assert "expected" not in json.dumps(rows)


def test_judge_reads_a_snippet_once(task: Task, judge: Judge) -> None:
    for _snippet in SNIPPETS:
        blocks = assigned_blocks(lend(judge))
        for block in blocks[:-1]:
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(answer={"answers": []}),
            )
        count = len(
            Snippet.objects.get(
                task=task,
                document__segments__blocks=blocks[-1].block_id,
                last=Block.objects.get(pk=blocks[-1].block_id).segment.position,
            ).statements,
        )
        judgment_submit(
            assigned=blocks[-1],
            client_id=uuid4(),
            sent=SentJudgment(answer={"answers": [None] * count}),
        )
    segments = list(
        Exposure.objects.filter(judge=judge).values_list("segment", flat=True),
    )
    assert len(segments) == len(set(segments)) == 8
    with pytest.raises(AssertionError):
        lend(judge)


@pytest.mark.thorough
def test_systems_that_wrote_the_same_are_read_as_one() -> None:
    task = quiz()
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    theirs = {
        each.segment_id: each.text for each in outputs.filter(system__name="amber")
    }
    for output in outputs.filter(system__name="dune", segment__number__lte=3):
        Output.objects.filter(pk=output.pk).update(text=theirs[output.segment_id])
    snippets_replace(task=task, snippets=SNIPPETS[:2])
    hits_plan(task_id=task.pk, count=30)
    plans = plans_read(list(HIT.objects.filter(task=task).values_list("pk", flat=True)))
    systems = Counter(plan.blocks[0].systems[0] for plan in plans.values())
    assert systems == {
        ("amber", "dune"): 1,
        ("amber",): 1,
        ("dune",): 1,
        ("cobalt",): 2,
        ("_ref",): 2,
    }
    [needed] = judges_needed([task])
    assert (needed.is_feasible, "4 judges" in needed.words[0]) == (False, True)
    campaign = task.test_set.campaign
    for number in range(7):
        judge = make_judge(campaign, f"reader{number}")
        block = assigned_blocks(lend(judge))
        read: list[list[bool]] = (
            [[], [], [True, True]] if len(block) == 3 else [[], [True]]
        )
        for each, answers in zip(block, read, strict=True):
            judgment_submit(
                assigned=each,
                client_id=uuid4(),
                sent=SentJudgment(answer={"answers": answers}),
            )
    readings = READINGS.stored(task=task, watermark=judgments_number(task_id=task.pk))
    assert sorted(each.systems for each in readings if each.snippet == "opening") == [
        ("_ref",),
        ("amber", "dune"),
        ("cobalt",),
    ]


def test_outputs_have_the_number_of_readers_in_the_rules() -> None:
    task = quiz()
    task.rules = {"readers": 2}
    task.save()
    snippets_replace(task=task, snippets=SNIPPETS)
    assert hits_plan(task_id=task.pk, count=100) == 2 * 3 * 4
    for hit in HIT.objects.filter(task=task, repeats__isnull=False):
        plans = plans_read([hit.pk, hit.repeats_id or 0])
        assert plans[hit.pk].blocks == plans[hit.repeats_id or 0].blocks
        assert hit_redraw(hit) == plans[hit.pk]


def test_snippets_are_replaced_until_a_judge_has_one(task: Task, judge: Judge) -> None:
    planned = HIT.objects.filter(task=task).count()
    assert snippets_replace(task=task, snippets=SNIPPETS[:1]) == 1
    assert not HIT.objects.filter(task=task).exists()
    assert pool_fill(task_id=task.pk, size=20) == planned // 3
    lend(judge)
    with pytest.raises(SnippetsRefusedError, match="no longer be changed"):
        snippets_replace(task=task, snippets=SNIPPETS)
    [snippet] = Snippet.objects.filter(task=task)
    assert snippet.name == "opening"
    with pytest.raises(IntegrityError), transaction.atomic():
        Snippet.objects.all().delete()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"document": "document 9"}, "late: document “document 9” not found"),
        ({"first": 5, "last": 6}, "late: segment 6 does not exist: “document 2” has 5"),
        ({"first": 4, "last": 5}, "late: segment 4 of “document 2” is also in garden"),
        ({"name": "tower"}, "tower: two snippets have this name"),
    ],
)
def test_invalid_content_changes_nothing(
    task: Task,
    change: dict[str, Any],
    problem: str,
) -> None:
    late: dict[str, Any] = {
        "name": "late",
        "document": "document 2",
        "first": 5,
        "last": 5,
        "statements": ("It is late.",),
        "expected": (True,),
    }
    with pytest.raises(SnippetsRefusedError, match=problem):
        snippets_replace(
            task=task,
            snippets=[*SNIPPETS, given_snippet(**{**late, **change})],
        )
    assert Snippet.objects.filter(task=task).count() == 3
    assert HIT.objects.filter(task=task).count() == 12
    assert snippets_replace(task=task, snippets=[*SNIPPETS, given_snippet(**late)]) == 4


LINES = (
    '{"snippet": "a", "document": "document 1", "first": 1, "last": 2, '
    '"statements": [{"text": "It opens.", "expected": true}, {"text": "It, too.", "expected": false}]}\n'
    '{"snippet": "b", "document": "document 2", "first": 1, "last": 1, '
    '"statements": [{"text": "It closes.", "expected": false}]}\n'
)
ROWS = (
    "snippet,document,first,last,statement,expected\n"
    "a,document 1,1,2,It opens.,true\n"
    'a,document 1,1,2,"It, too.",false\n'
    "b,document 2,1,1,It closes.,false\n"
)


@pytest.mark.parametrize(("name", "text"), [("s.jsonl", LINES), ("s.csv", ROWS)])
def test_files_of_both_kinds_say_the_same(name: str, text: str, tmp_path: Path) -> None:
    task = quiz()
    (tmp_path / name).write_text(text)
    call_command(
        "import_snippets",
        task.test_set.campaign.slug,
        task.test_set.name,
        str(tmp_path / name),
    )
    rows = Snippet.objects.filter(task=task).values_list(
        *("name", "document__name", "first", "last", "statements", "expected"),
    )
    assert list(rows) == [
        ("a", "document 1", 1, 2, ["It opens.", "It, too."], [True, False]),
        ("b", "document 2", 1, 1, ["It closes."], [False]),
    ]


def test_a_file_out_of_order_is_refused() -> None:
    cases: list[tuple[str, str, str]] = [
        (
            "s.jsonl",
            LINES.replace('"expected": false}]}\n', '"expected": 7}]}\n'),
            "line 1",
        ),
        ("s.jsonl", LINES.replace('"b"', '"a"'), "two snippets have this name"),
        ("s.csv", ROWS.replace("closes.,false", "closes.,perhaps"), "valid boolean"),
        ("s.csv", ROWS.replace("statement,", "words,"), "the column is unknown"),
        (
            "s.csv",
            ROWS.replace("b,document 2,1,1", "b,document 2,1,x"),
            "valid integer",
        ),
    ]
    task = quiz()
    for name, text, problem in cases:
        file = StoredFile(name, partial(BytesIO, text.encode()))
        with pytest.raises(SnippetsRefusedError, match=problem):
            snippets_import(task=task, file=file)
        assert not Snippet.objects.exists()

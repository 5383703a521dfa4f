"""What campaign "mine" has beside its ranking: tasks of further protocols with answers, media, questions and machine judges."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Block
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.machines import MachineBlock
from annotation.services.machines import machine_judgment_submit
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change, design_ensure
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.tasks import task_rules_change
from campaign.models import Judge, MachineJudge, Output, Protocol, Task
from campaign.models.questions import QuestionJSON, WordingJSON, questions_stored
from campaign.services.campaigns import campaign_change, task_close, task_create
from campaign.services.instructions import instructions_accept
from campaign.services.judges import task_choose
from campaign.services.questions import judge_answers_write
from protocols.spans.suggestions import suggestions_import
from ranking.services.runs import ranking_run_compute
from tests.at_work import lend
from tests.factories import make_judge
from tests.media_tasks import make_media_task

#: Markup in what people enter, which no page may pass on as it is.
MARKUP: Final = '<qx title="x">{{ 7 }}'
_CRITERIA: Final = [
    {
        "key": "faithfulness",
        "name": f"SECRET-CRITERION {MARKUP}",
        "question": f"SECRET-FAITHFULNESS {MARKUP}",
        "lowest": 1,
        "highest": 7,
        "labels": {"1": f"SECRET-LOW {MARKUP}", "7": "SECRET-HIGH"},
        "weight": 1,
    },
]
_MQM: Final = {
    "scored": False,
    "source_marked": True,
    "severities": ["neutral", "minor", "major", "critical"],
    "categories": ["Accuracy/SECRET-CATEGORY <qx title=x>", "Fluency/Grammar"],
    "weights": "google-2021",
    "page": "document",
}
_ERROR: Final = {
    "start": 0,
    "end": 3,
    "severity": "major",
    "category": "Fluency/Grammar",
}


def _wording(question: str) -> WordingJSON:
    return {
        "language": "en",
        "question": f"{question} {MARKUP}",
        "choices": [],
    }


_QUESTIONS: Final[list[QuestionJSON]] = [
    {
        "name": "q1",
        "kind": "text",
        "stage": "start",
        "required": False,
        "texts": [_wording("SECRET-READING")],
    },
    {
        "name": "q2",
        "kind": "number",
        "stage": "end",
        "required": False,
        "texts": [_wording("SECRET-YEARS")],
    },
]


@dataclass(frozen=True)
class Features:
    """The further tasks of campaign "mine", all closed, each with answers of a colleague of the world's judge."""

    rating: Task
    spans: Task
    best_worst: Task
    speech: Task
    colleague: Judge


def features_add(*, ranking: Task, judge: Judge, machine: MachineJudge) -> Features:
    """Add own criteria on a document page, MQM with planted and withheld suggestions, best–worst, recordings,
    questions with answers, and an answer of a machine judge.
    """
    campaign = ranking.test_set.campaign
    colleague = make_judge(campaign, "secret-colleague")
    for instructions in campaign.instructions.all():
        instructions_accept(judge=colleague, instructions=instructions)
    campaign_change(campaign=campaign, questions=_QUESTIONS)
    for person, answer in (
        (judge, f"SECRET-BOOKS {MARKUP}"),
        (colleague, f"SECRET-PAPERS {MARKUP}"),
    ):
        judge_answers_write(
            judge=person,
            questions=questions_stored(_QUESTIONS),
            values={"q1": answer, "q2": 0},
            language="en",
        )
    rating = task_add(
        ranking,
        Protocol.RATING,
        rules={"all_at_once": True, "criteria": _CRITERIA, "page": "document"},
    )
    spans = task_add(ranking, Protocol.SPANS, rules=_MQM)
    suggestions_import(
        task=spans,
        file=suggestions_file(spans),
        withheld=30,
        planted=30,
    )
    best_worst = task_add(ranking, Protocol.TOP, rules={"best_worst": True})
    speech = make_media_task(campaign, name=f"SECRET-SPEECH {MARKUP}")
    ratings = {"outputs": [{"faithfulness": 5}]}
    _judge(rating, colleague, lambda _count: {"answer": ratings})
    errors = {"outputs": [{"score": None, "spans": [_ERROR]}]}
    _judge(spans, colleague, lambda _count: {"answer": errors})
    _judge(best_worst, colleague, lambda _count: {"answer": {"best": 1, "worst": 2}})
    _judge(speech, colleague, lambda count: {"labels": [1] * count})
    machine_answer(machine, ranking, comment=f"SECRET-REMARK {MARKUP}")
    for task in (rating, spans, best_worst, speech):
        task_close(task=task)
    return Features(
        rating=rating,
        spans=spans,
        best_worst=best_worst,
        speech=speech,
        colleague=colleague,
    )


def machine_answer(machine: MachineJudge, ranking: Task, *, comment: str) -> None:
    """Let a machine judge answer the first block of a ranking."""
    block = Block.objects.filter(hit__task=ranking, control="").earliest("pk")
    asked = MachineBlock(block, is_reversed=False)
    machine_judgment_submit(
        machine=machine,
        machine_block=asked,
        client_id=uuid4(),
        sent={"labels": [1] * len(asked.candidates), "comment": comment},
    )


def task_add(ranking: Task, protocol: Protocol, *, rules: dict[str, Any]) -> Task:
    """Add a task that shows segments again which judges have seen in other tasks, one output at a time."""
    task = task_create(test_set=ranking.test_set, protocol=protocol, by=None)
    Task.objects.filter(pk=task.pk).update(segments_again=True)
    task.refresh_from_db()
    task_rules_change(task=task, rules=rules)
    if protocol != Protocol.TOP:
        design_change(task=task, kind="balanced", systems_per_block=1)
    return task


def suggestions_file(task: Task, *, judge: str = "xCOMET") -> SimpleUploadedFile:
    """Return a file that suggests an error in every output."""
    outputs = Output.objects.filter(
        system__test_set=task.test_set_id,
        system__kind="system",
    ).select_related("segment__document", "system")
    lines = [
        json.dumps(
            {
                "document": output.segment.document.name,
                "segment": str(output.segment.position),
                "source": output.segment.source_text,
                "judge": judge,
                "outputs": [{"systems": [output.system.name], "spans": [_ERROR]}],
            },
        )
        for output in outputs
    ]
    return SimpleUploadedFile("suggested.jsonl", "\n".join(lines).encode())


def _judge(task: Task, judge: Judge, answer: Callable[[int], dict[str, Any]]) -> None:
    """Lend a HIT of a task to a judge, who gives the same answer about each block."""
    design_ensure(task=task)
    hits_plan(task_id=task.pk, count=2)
    task_choose(judge=judge, task=task)
    for block in assigned_blocks(lend(judge)):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(**answer(len(block.candidates))),
        )
    judgments_number(task_id=task.pk)
    ranking_run_compute(task_id=task.pk)

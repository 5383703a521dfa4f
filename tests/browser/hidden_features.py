"""Tasks of further protocols, media and machine judges in a campaign, with secrets that `told` finds."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Protocol, Task, User
from campaign.models.questions import QuestionJSON, questions_stored
from campaign.services.campaigns import campaign_change
from campaign.services.judges import task_choose
from campaign.services.machines import MachineTerms, machine_add
from campaign.services.questions import judge_answers_write
from protocols.models import SuggestedSpans
from protocols.spans.suggestions import suggestions_import
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.metrics import metric_store
from tests.browser.told import SYSTEMS
from tests.factories import make_judge
from tests.media_samples import photograph, png, video
from tests.media_tasks import make_media_task, recordings
from tests.permissions.features import machine_answer, suggestions_file, task_add

#: Answers a block with so many candidates, as requests do.
Answer = Callable[[Mapping[str, Any]], dict[str, Any]]

_QUESTIONS: Final[list[QuestionJSON]] = [
    {
        "name": "town",
        "kind": "text",
        "stage": "start",
        "required": False,
        "texts": [{"language": "en", "question": "Which town?", "choices": []}],
    },
]
_MQM: Final = {
    "scored": False,
    "source_marked": True,
    "severities": ["neutral", "minor", "major", "critical"],
    "categories": ["Accuracy/Omission", "Fluency/Grammar", "Style"],
    "page": "document",
}
_CRITERIA: Final = [
    {
        "key": "faithfulness",
        "name": "Faithfulness",
        "question": "How faithful is it?",
        "lowest": 1,
        "highest": 7,
        "labels": {"1": "not at all", "7": "fully"},
        "weight": 1,
    },
]


@dataclass(frozen=True)
class Feature:
    """A task beside the ranking, the judge who works on it, and how they answer."""

    name: str
    task: Task
    judge: Judge
    answer: Answer


def features_hide(ranking: Task, judge: Judge, other: Judge) -> list[Feature]:
    """Add tasks for judges to look into, and metrics, machine judges and answers to questions, which they never see.

    The judge chooses the ranking. The other judge has judged it, and answers the questions, too.
    """
    task_choose(judge=judge, task=ranking)
    campaign = ranking.test_set.campaign
    campaign_change(campaign=campaign, questions=_QUESTIONS)
    judge_answers_write(
        judge=other,
        questions=questions_stored(_QUESTIONS),
        values={"town": "qx-town"},
        language="en",
    )
    _score_by_machines(ranking)
    mqm = task_add(ranking, Protocol.SPANS, rules=_MQM)
    suggestions_import(
        task=mqm,
        file=suggestions_file(mqm, judge="qx-metric"),
        withheld=30,
        planted=50,
    )
    assert {*SuggestedSpans.objects.values_list("start__is_shown", flat=True)} == {
        True,
        False,
    }
    tasks: list[tuple[str, Task, Answer]] = [
        ("mqm", mqm, _errors_kept),
        ("esa", _esa_of_pearmut(ranking), partial(_errors_kept, score=60)),
        (
            "criteria",
            task_add(
                ranking,
                Protocol.RATING,
                rules={"all_at_once": True, "criteria": _CRITERIA, "page": "document"},
            ),
            lambda block: {
                "answer": {"outputs": [{"faithfulness": 5}] * _count(block)},
            },
        ),
        (
            "best-worst",
            task_add(ranking, Protocol.TOP, rules={"best_worst": True}),
            lambda _block: {"answer": {"best": 1, "worst": 2}},
        ),
        (
            "recordings",
            make_media_task(
                campaign,
                recordings(systems=SYSTEMS[:3]),
                name="recordings",
            ),
            _ranked,
        ),
        ("pictures", make_media_task(campaign, _pictures(), name="pictures"), _ranked),
    ]
    features = []
    for name, task, answer in tasks:
        design_ensure(task=task)
        hits_plan(task_id=task.pk, count=4)
        reader = make_judge(campaign, f"reader of {name}")
        task_choose(judge=reader, task=task)
        features.append(Feature(name, task, reader, answer))
    return features


def _count(block: Mapping[str, Any]) -> int:
    return len(block["candidates"])


def _ranked(block: Mapping[str, Any]) -> dict[str, Any]:
    return {"labels": [1] * _count(block)}


def _errors_kept(block: Mapping[str, Any], score: int | None = None) -> dict[str, Any]:
    """Return an answer with all suggested errors."""
    outputs = [
        {"score": score, "spans": candidate.get("suggested", [])}
        for candidate in block["candidates"]
    ]
    return {"answer": {"outputs": outputs}}


def _score_by_machines(ranking: Task) -> None:
    """Let a metric and a machine judge score the outputs of a ranking, and complete it by the metric."""
    segments = ranking.test_set.segments.count()
    means = np.arange(len(SYSTEMS), dtype=np.float64)
    metric_store(
        name="qx-metric",
        file_name="qx-scores.tsv",
        test_set=ranking.test_set,
        systems=list(SYSTEMS),
        values=np.random.default_rng(1).normal(means, 1, (segments, len(SYSTEMS))),
    )
    choice = analysis_choice(
        "predicted_ranking",
        {"metric": "qx-metric", "resamples": 100},
    )
    found = analysis_compute(
        analysis=analysis_ask(task=ranking, choice=choice, is_queued=False),
    )
    assert found.data is not None
    machine, _token = machine_add(
        campaign=ranking.test_set.campaign,
        by=User.objects.create_user(name="qx-adder"),
        terms=MachineTerms(name="qx-machine", version="1", prompt="qx-prompt"),
    )
    machine_answer(machine, ranking, comment="qx-comment")


def _esa_of_pearmut(ranking: Task) -> Task:
    """Add a campaign of Pearmut with suggested errors and a check of attention."""
    items = [
        {
            "item_id": f"visit_#_{number}",
            "src": f"The museum opens at {number}.",
            "tgt": {
                system: f"Das Museum öffnet um {number}{'!' * place}"
                for place, system in enumerate(SYSTEMS)
            },
            "error_spans": {
                system: [
                    {"start_i": 0, "end_i": 2, "severity": "major", "category": None},
                ]
                for system in SYSTEMS[:3]
            },
        }
        for number in range(1, 7)
    ]
    check = {
        "item_id": "qx-check_#_1",
        "src": "qx-check",
        "tgt": dict.fromkeys(SYSTEMS, "qx-check"),
        "validation": {SYSTEMS[0]: {"warning": "qx-warning", "score": [70, 80]}},
    }
    info = {"protocol": "ESA", "assignment": "task-based"}
    content = json.dumps(
        {"campaign_id": "qx-pearmut", "info": info, "data": [[items], [[check]]]},
        indent=2,
    ).encode()
    task = make_media_task(
        ranking.test_set.campaign,
        {"campaign.json": content},
        protocol=Protocol.SPANS,
        name="visit",
    )
    suggestions_import(
        task=task,
        file=SimpleUploadedFile("qx-pearmut.json", content),
        withheld=30,
    )
    return task


def _pictures() -> dict[str, bytes]:
    """Return descriptions of a picture, a photograph and a video, whose names and metadata tell."""
    shown = {
        "qx-files/1.png": png(),
        "qx-files/2.jpg": photograph("jpg"),
        "qx-files/3.mp4": video("libx264", "mp4"),
    }
    rows = ["\t".join(["source", *SYSTEMS[:3]])]
    for name in shown:
        outputs = [f"{colour} {name[-5]}." for colour in ("Grey", "Teal", "White")]
        rows.append("\t".join([f"Describe it. {name}", *outputs]))
    return {"set.tsv": ("\n".join(rows) + "\n").encode(), **shown}

"""Errors from which judges start: from files and other tasks to the page, the answer and the report."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, Block, Judgment
from campaign.models import Output, Protocol, Task
from protocols.models import SpansAnswer, SuggestedSpans
from protocols.spans.files.answers import scores_read
from protocols.spans.suggestions import SuggestionsRefusedError, suggestions_import
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.SPANS)


def lines(task: Task, *spans: dict[str, Any], judge: str = "xCOMET", **more: Any) -> str:
    """Return a file that suggests these spans in every output."""
    outputs = Output.objects.filter(segment__test_set=task.test_set).select_related("segment__document", "system")
    return "".join(
        json.dumps(
            {
                "document": output.segment.document.name,
                "segment": str(output.segment.position),
                "source": output.segment.source_text,
                "judge": judge,
                "outputs": [{"systems": [output.system.name], "spans": spans}],
                **more,
            }
        )
        + "\n"
        for output in outputs
    )


def sent(text: str, name: str = "suggested.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


FIRST = {"start": 0, "end": 2, "severity": "minor"}


def suggest(task: Task, *spans: dict[str, Any], **shares: Any) -> None:
    suggestions_import(task=task, file=sent(lines(task, *(spans or (FIRST,)))), **{"withheld": 0, **shares})


def test_judges_start_from_suggestions_and_the_answer_says_so(judging: Client, task: Task) -> None:
    suggest(task)
    block = hit_asked(judging)["blocks"][0]
    shown = [candidate["suggested"] for candidate in block["candidates"]]
    assert shown == [[{**FIRST, "kind": "error"}]] * len(shown)
    answer = {"outputs": [{"score": 90, "spans": []}] * len(shown)}
    assert judgment_put(judging, block, answer=answer).status_code == 200
    starts = SpansAnswer.objects.get().starts
    assert starts == [{"spans": [FIRST], "is_shown": True}] * len(shown)
    [judgment] = scores_read(task=task).judgments
    assert [output.start.planted for output in judgment.outputs if output.start] == [None] * len(shown)

"""Texts in one language, and sources in none: summaries, answers, captions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.models import Judgment
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.models import Campaign, Task
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from tests.at_work import assignment_lend, judge_all_of
from tests.exporting import exported
from tests.factories import make_campaign, make_judge

pytestmark = pytest.mark.django_db

Write = Callable[[str, str | bytes], Path]
Say = Callable[..., str]
#: As studies of summaries and of captions write them.
SUMMARIES = """\
{"document": "story", "segment": 1, "source": "The old man repairs nets by the sea.", "references": ["A man repairs nets."], "outputs": {"lead": "The old man.", "model": "A man mends nets."}}
{"document": "story", "segment": 2, "source": "One day a storm takes the boat.", "references": ["A storm takes the boat."], "outputs": {"lead": "One day.", "model": "The boat is lost."}}
"""
CAPTIONS = SUMMARIES.replace(
    "The old man repairs nets by the sea.",
    "img/1.jpg",
).replace("One day a storm takes the boat.", "img/2.jpg")


@pytest.fixture(params=[("en", SUMMARIES), ("zxx", CAPTIONS)], ids=["same", "none"])
def task(
    request: pytest.FixtureRequest,
    campaign: Campaign,
    write: Write,
    done: Say,
) -> Task:
    """A judged task."""
    language, texts = request.param
    named = {"campaign": "museum", "name": "story", "target_language": "en"}
    file = write("story.jsonl", texts)
    done("import_test_set", str(file), source_language=language, **named)
    task = Task.objects.get()
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=2)
    assignment = assignment_lend(judge=make_judge(campaign, languages=["en"]))
    assert assignment is not None
    judge_all_of(assignment)
    return task


def test_exported_judgments_are_read_back(task: Task, write: Write, done: Say) -> None:
    other = make_campaign("other")
    texts = write(
        "texts.jsonl",
        b"".join(
            export_bytes(
                requested_export(task=task, kind="texts", file_format="jsonl"),
            ),
        ),
    )
    named = {"campaign": "other", "name": "story", "target_language": "en"}
    done(
        "import_test_set",
        str(texts),
        source_language=task.test_set.source_language,
        **named,
    )
    for file_format in ("five-way-csv", "appraise-xml", "pairwise-csv"):
        file = write(f"judgments.{file_format}", exported(task, file_format))
        done("import_answers", str(file), campaign="other", test_set="story")
    assert Judgment.objects.filter(task__test_set__campaign=other).count() >= 2


def test_a_folder_of_metrics_names_both_languages(task: Task) -> None:
    parts = export_bytes(
        requested_export(task=task, kind="evalset", file_format="evalset"),
    )
    source = task.test_set.source_language
    assert f"sources/{source}-en.txt".encode() in b"".join(parts)

"""Answers that go out as files and come into another campaign: edits, readings of quizzes, comparisons of sorts, choices."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from annotation.importing.answers import UNASKED
from annotation.models import HIT, Judgment
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_ensure
from annotation.services.tasks import task_rules_change
from campaign.models import Campaign, Protocol, Task
from campaign.services.campaigns import task_create
from protocols.models import ClosedComparison, EditingAnswer, Snippet, SystemSort
from protocols.quiz.snippets import SnippetsRefusedError, snippet_json, snippets_replace
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.exporting import exported
from tests.factories import make_campaign, make_task
from tests.integration.protocols.judging import (
    edited_task,
    judged_task,
    quizzed_task,
    sorted_task,
)
from tests.protocol_tasks import given_snippet

pytestmark = pytest.mark.django_db

WORLDS: dict[str, tuple[Callable[[Campaign], Task], str]] = {
    "editing": (edited_task, "edits-jsonl"),
    "quiz": (quizzed_task, "quiz-jsonl"),
    "sorting": (sorted_task, "comparisons-jsonl"),
    "two_outputs": (judged_task, "choices-jsonl"),
}
EVERY = pytest.mark.parametrize("protocol", WORLDS)


def texts_of(protocol: str, name: str = "other") -> Task:
    """Return a task with the same texts in another campaign, without answers."""
    documents: dict[str, Any] = {"documents": (6, 6)}
    if protocol == "sorting":
        documents = {
            "documents": (8, 8),
            "systems": ("amber", "cobalt", "dune", "ember"),
            "identical": (),
        }
    texts = make_task(make_campaign(name), **documents).test_set
    return task_create(test_set=texts, protocol=Protocol(protocol), by=None)


def other_of(task: Task) -> Task:
    """Return the same with the rules, seed and snippets of the task whose answers will be imported."""
    other = texts_of(task.protocol)
    if task.protocol in (Protocol.SORTING, Protocol.TWO_OUTPUTS):
        task_rules_change(task=other, rules=dict(task.rules))
    design_ensure(task=other, seed=7)
    if task.protocol == Protocol.QUIZ:
        snippets_replace(
            task=other,
            snippets=[snippet_json(each) for each in task.snippets.all()],
        )
    return other


def lines_of(task: Task) -> list[str]:
    return exported(task, WORLDS[task.protocol][1]).splitlines(keepends=True)


def figures(task: Task) -> Any:
    """Return the whole report as data, with its tables."""
    asked = analysis_ask(
        task=task,
        choice=analysis_choice(task.protocol, {}),
        is_queued=False,
    )
    report = analysis_compute(analysis=asked)
    data = json.loads(json.dumps(report.data, default=str))
    if task.protocol == Protocol.EDITING:
        # Answers about outputs that could not be corrected are not in a file, which is a named loss.
        data["input"] = {
            key: data["input"][key] for key in ("edits", "editors", "files")
        }
    return data


@pytest.fixture
def importing(tmp_path: Path) -> Callable[..., str]:
    def imports(task: Task, *lines: str) -> str:
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        said = StringIO()
        call_command(
            "import_answers",
            str(path),
            campaign=task.test_set.campaign.slug,
            test_set=task.test_set.name,
            protocol=task.protocol,
            stdout=said,
            stderr=StringIO(),
        )
        return said.getvalue()

    return imports


def edit(**more: Any) -> str:
    line = {
        "segment": 2,
        "systems": ["dune"],
        "judge": "ada",
        "outcome": "edited",
        "text": "He goes home.",
        "acceptances": [{"judge": "ben", "acceptable": True}],
    }
    return json.dumps({**line, **more}) + "\n"


def compared(**more: Any) -> str:
    line = {
        "segment": 2,
        "judge": "ada",
        "first": "dune",
        "second": "cobalt",
        "answer": "first",
    }
    return json.dumps({**line, **more}) + "\n"


def chosen(**more: Any) -> str:
    line = {
        "segment": 2,
        "judge": "ada",
        "first": ["dune"],
        "second": ["cobalt"],
        "answer": "first",
    }
    return json.dumps({**line, **more}) + "\n"


def read(**more: Any) -> str:
    line = {
        "snippet": "document 1, 1",
        "systems": ["dune"],
        "judge": "ada",
        "answers": [True, None, False],
        "expected": [True, False, True],
    }
    return json.dumps({**line, **more}) + "\n"


#: A protocol, a line that can be imported, one that cannot be imported after it, and why not.
BAD = [
    ("editing", edit(), edit(segment=99, judge="eve"), "has no segment 99"),
    (
        "editing",
        edit(),
        edit(systems=["nobody"], judge="eve"),
        "the system nobody is unknown",
    ),
    (
        "editing",
        edit(),
        edit(output="Other.", judge="eve"),
        "differs from the test set",
    ),
    (
        "editing",
        edit(),
        edit(text="He went home."),
        "the answer differs from that of the same judge in",
    ),
    ("editing", edit(), edit(judge="eve", text="x" * 20_001), "has 20,001 characters"),
    ("editing", edit(), edit(judge="eve", keystrokes=2**40), "keystrokes"),
    (
        "editing",
        edit(),
        edit(judge="eve", acceptances=[{"judge": "eve", "acceptable": True}]),
        "accepts or rejects their own edit",
    ),
    ("sorting", compared(), compared(answer="better"), 'write "first" or "second"'),
    (
        "sorting",
        compared(),
        compared(first="cobalt", second="dune"),
        "the answer differs from that of the same judge in",
    ),
    (
        "sorting",
        compared(),
        compared(judge="eve", second="dune"),
        "compared with itself",
    ),
    ("sorting", compared(), compared(judge="eve", segment=99), "has no segment 99"),
    ("two_outputs", chosen(), chosen(answer="both_fine"), "not an answer of this task"),
    ("two_outputs", chosen(), chosen(segment=99), "has no segment 99"),
    ("two_outputs", chosen(), chosen(first="nobody"), "the system nobody is unknown"),
    ("two_outputs", chosen(), chosen(second="dune"), "compared with itself"),
    (
        "quiz",
        read(),
        read(judge="eve", snippet="nowhere"),
        "the snippet nowhere is unknown",
    ),
    (
        "quiz",
        read(),
        read(judge="eve", expected=[True, True, True]),
        "expected answers",
    ),
    ("quiz", read(), read(judge="eve", answers=[True]), "1 answers to 3 questions"),
    (
        "quiz",
        read(),
        read(judge="eve", systems=["nobody"]),
        "the system nobody is unknown",
    ),
]


@EVERY
def test_bad_files_are_refused_with_their_line_and_change_nothing(
    protocol: str,
    importing: Callable[..., str],
) -> None:
    task = texts_of(protocol)
    if protocol == "quiz":
        snippets_replace(
            task=task,
            snippets=[
                given_snippet(
                    name="document 1, 1",
                    document="document 1",
                    first=1,
                    last=3,
                    statements=("It is open.", "It is closed.", "It is old."),
                    expected=(True, False, True),
                ),
            ],
        )
    hits = HIT.objects.count()
    cases = [each for of, *each in BAD if of == protocol]
    for good, bad, words in cases:
        with pytest.raises(CommandError, match="line 2") as error:
            importing(task, good, bad)
        assert words in str(error.value)
        assert not Judgment.objects.filter(task=task).exists()
        assert HIT.objects.count() == hits
    assert "0 already there" in importing(task, cases[0][0])


def test_outputs_of_the_same_text_were_never_compared(
    importing: Callable[..., str],
) -> None:
    """A file contains them as part of a judge's sample; a verdict on them cannot be about these texts."""
    task = texts_of("sorting")
    outputs = {
        each.system.name: each
        for each in task.test_set.segments.get(number=2).outputs.all()
    }
    type(outputs["dune"]).objects.filter(pk=outputs["dune"].pk).update(
        text=outputs["amber"].text,
    )
    with pytest.raises(CommandError, match="both systems wrote the same text"):
        importing(task, compared(second="amber"))
    said = importing(task, compared(), compared(second="amber", answer="identical"))
    assert "identical outputs, which are not shown to judges (1 times" in said
    assert Judgment.objects.get(task=task).labels == [1, 2]


def test_comparisons_that_come_in_close_a_sort(importing: Callable[..., str]) -> None:
    """Without judges or planning, the files decide the end of the sort."""
    task = texts_of("sorting")
    task_rules_change(task=task, rules={"judgments": 1, "extension": 0})
    systems = ["dune", "cobalt", "ember", "amber"]
    lines = [
        compared(first=one, second=two)
        for place, one in enumerate(systems)
        for two in systems[place + 1 :]
    ]
    reference = [compared(first="reference", second=each) for each in systems]
    importing(task, *lines, *(reference if "reference" in names_of(task) else []))
    found = figures(task)
    assert [name for name in found["order"] if name != "reference"] == systems
    assert ClosedComparison.objects.count() == found["done"]
    assert SystemSort.objects.filter(task=task).count() == 1


def names_of(task: Task) -> set[str]:
    return set(task.test_set.systems.values_list("name", flat=True))


def test_comparisons_that_another_seed_does_not_ask_for_are_a_loss(
    campaign: Campaign,
    importing: Callable[..., str],
) -> None:
    lines = lines_of(sorted_task(campaign))
    for name, seed, has_loss in (("same", 7, False), ("another", 8, True)):
        other = texts_of("sorting", name)
        task_rules_change(task=other, rules={"judgments": 6, "extension": 3})
        design_ensure(task=other, seed=seed)
        said = importing(other, *lines)
        counted = figures(other)["input"]["answers"]
        left = Judgment.objects.of(other.pk).count() - counted
        assert (UNASKED in said) == has_loss
        assert not has_loss or f"{UNASKED} ({left} times" in said


def test_a_further_acceptance_of_an_edit_that_was_imported(
    importing: Callable[..., str],
) -> None:
    task = texts_of("editing")
    importing(task, edit())
    votes = [
        {"judge": "ben", "acceptable": True},
        {"judge": "cleo", "acceptable": False},
    ]
    importing(task, edit(acceptances=votes))
    assert Judgment.objects.filter(task=task).count() == 3
    accepted = EditingAnswer.objects.filter(acceptable__isnull=False).values_list(
        "edit_id",
        "acceptable",
    )
    [given] = EditingAnswer.objects.filter(acceptable__isnull=True)
    assert sorted(accepted) == [(given.pk, False), (given.pk, True)]
    assert json.loads(lines_of(task)[0])["acceptances"] == votes


@pytest.mark.thorough
def test_snippets_stay_once_readings_came_in(importing: Callable[..., str]) -> None:
    task = quizzed_task(make_campaign())
    judgments_number(task_id=task.pk)
    other = other_of(task)
    importing(other, *lines_of(task))
    with pytest.raises(SnippetsRefusedError, match="no longer be changed"):
        snippets_replace(task=other, snippets=[])
    with (
        pytest.raises(IntegrityError, match="it has judgments or lent HITs"),
        transaction.atomic(),
    ):
        Snippet.objects.filter(task=other).first().delete()  # type: ignore[union-attr]

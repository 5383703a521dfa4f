"""Errors with severities, categories and weights, from the judge's answer to scores, pages and files."""

import json
from csv import DictReader
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, Judgment
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.tasks import task_rules_change
from campaign.models import Document, Output, Protocol, Segment, System, Task
from protocols.models import SpansAnswer
from protocols.spans.files.answers import output_scores, scores_read
from protocols.spans.files.formats import SpansFormat, read_spans
from protocols.spans.presets import SPANS_PRESETS
from protocols.spans.rules import categories_of
from protocols.spans.weights import weighted_score
from ranking.reports.analyses.kind import ChosenJudgments
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.exporting import exported
from tests.factories import empty_task, make_campaign, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put

pytestmark = pytest.mark.django_db

MQM: dict[str, Any] = {
    "scored": False,
    "source_marked": True,
    "marks": ["non-translation"],
    "severities": ["neutral", "minor", "major", "critical"],
    "categories": [
        "Accuracy/Omission",
        "Fluency/Punctuation",
        "Non-translation!",
        "Other",
    ],
}
#: Rows of mqm_ted_zhen.tsv (Google, 2021) with letters of our own: TED's texts are not ours to publish.
TED = Path(__file__).parents[2] / "data" / "mqm_google.tsv"


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    task = make_task_of(Protocol.SPANS, rules=MQM)
    HIT.objects.filter(task=task).delete()
    design_change(task=task, systems_per_block=2, kind="uniform")
    hits_plan(task_id=task.pk, count=6)
    return task


def span(
    start: int | None,
    end: int | None,
    severity: str,
    category: str,
    kind: str = "error",
) -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "severity": severity,
        "kind": kind,
        "category": category,
    }


MARKED = [
    span(0, 3, "minor", "Fluency/Punctuation"),
    span(0, 2, "critical", "Accuracy/Omission", "source"),
    span(None, None, "major", "Non-translation!", "non-translation"),
    span(None, None, "neutral", "Other", "missing"),
]


def marked(*outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {"outputs": [{"score": None, "spans": spans} for spans in outputs]}


def test_errors_alone_are_stored_as_given_and_outputs_tie(
    judging: Client,
    task: Task,
) -> None:
    block = hit_asked(judging)["blocks"][0]
    # An answer may name its form.
    given = {"kind": "spans", **marked(MARKED, [])}
    stored = judgment_put(judging, block, answer=given).json()
    assert (stored["answer"], stored["labels"]) == (given, [1, 1])
    assert hit_asked(judging)["blocks"][0]["judgment"]["answer"] == given
    answer = SpansAnswer.objects.get()
    assert answer.span_severities == [1, 3, 2, 0]
    [judgment] = scores_read(task=task).judgments
    # Google's weights: 0.1, 5 as for major errors, 25 for a non-translation, and nothing.
    assert [weighted_score(output) for output in judgment.outputs] == [
        pytest.approx(-30.1),
        0,
    ]


OTHER_ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"outputs": [{"score": 50, "spans": []}] * 2}, "asks for no scores"),
    (marked([span(0, 1, "minor", "Style")], []), "has no category “Style”"),
    (marked([{**MARKED[0], "severity": "fatal"}], []), "severity"),
    (
        marked([], [span(0, 10_000, "minor", "Other", "source")]),
        "Output B: span 1, from 0",
    ),
    (
        marked([span(None, None, "minor", "Other", "hidden")], []),
        "no marks of the kind “hidden”",
    ),
]


def test_answers_to_other_questions_are_refused(
    judging: Client,
    task: Task,
    subtests: pytest.Subtests,
) -> None:
    for answer, problem in OTHER_ANSWERS:
        with subtests.test(answer=answer, problem=problem):
            refused = judgment_put(
                judging,
                hit_asked(judging)["blocks"][0],
                answer=answer,
            )
            assert refused.status_code == 400
            assert problem in json.dumps(refused.json(), ensure_ascii=False)
            assert not Judgment.objects.exists()


def chosen_now(task: Task) -> ChosenJudgments:
    options = analysis_choice("spans", {}).options
    return judgments_chosen(task=task, options=options)


def mean_scores(task: Task) -> tuple[dict[str, float], bool]:
    """Return the mean score of each system, and whether this answer was computed just now."""
    choice = analysis_choice("spans", {"resamples": 100})
    asked = analysis_ask(task=task, choice=choice, is_queued=False)
    was_there = asked.finished_at is not None
    if not was_there:
        asked = analysis_compute(analysis=asked)
    means = (asked.data or {})["means"]
    return dict(zip(means["systems"], means["mean"], strict=True)), not was_there


def test_changed_weights_change_scores_and_no_answer(
    judging: Client,
    task: Task,
) -> None:
    block = hit_asked(judging)["blocks"][0]
    judgment_put(judging, block, answer=marked([span(0, 3, "minor", "Other")], []))
    scores_read(task=task)
    before, _is_new = mean_scores(task)
    assert sorted(before.values()) == [-1, 0]
    task_rules_change(task=task, rules={"weights": "mqm-core"})
    # The same weights for a minor error; but the answer says with which it was computed.
    assert mean_scores(task) == (before, True)
    task_rules_change(task=task, rules={"weights": ["any: 3"]})
    after, is_new = mean_scores(task)
    assert (sorted(after.values()), is_new) == ([-3, 0], True)
    assert SpansAnswer.objects.get().span_severities == [1]
    with pytest.raises(ValidationError):
        task_rules_change(task=task, rules={"categories": []})


WRONG_SCHEMES: list[tuple[dict[str, Any], str]] = [
    ({"categories": ["Accuracy: Fluency", "Fluency: Accuracy"]}, "below itself"),
    ({"categories": ["Other", "other"]}, "listed twice"),
    ({"categories": ["a/b: c"]}, "one or two levels"),
    ({"categories": "mqm-2031"}, "not a preset"),
    ({"categories": "", "missing": True}, "not a preset"),
    ({"severities": ["minor", "fatal"]}, "not fatal"),
    ({"severities": []}, "not none"),
    ({"weights": ["major: 5"]}, "no weight for neutral"),
    ({"weights": ["any: 1001"]}, "is more than 1000"),
    ({"weights": ["any: lots"]}, "a colon and a number"),
    ({"weights": [{"severity": "major"}]}, "list of lines"),
    ({"marks": ["source"]}, "names other than error, source"),
]


def test_wrong_schemes_are_refused(task: Task, subtests: pytest.Subtests) -> None:
    for rules, problem in WRONG_SCHEMES:
        with (
            subtests.test(rules=rules, problem=problem),
            pytest.raises(ValidationError, match=problem),
        ):
            task_rules_change(task=task, rules=rules)


def test_presets_can_be_chosen(task: Task) -> None:
    for preset in SPANS_PRESETS:
        task_rules_change(task=task, rules=preset.rules)
    assert categories_of(task.rules)[:2] == ["Accuracy/Addition", "Accuracy/Omission"]


def test_the_design_page_does_not_call_it_esa(client: Client, task: Task) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    address = reverse("design", args=[task.test_set.campaign.slug, task.pk])

    def own_presets() -> list[str]:
        cards = client.get(address).context["presets"]
        return [str(card.label) for card in cards if not card.is_other_task]

    assert own_presets() == ["MQM"] * 2
    task_rules_change(task=task, rules={"scored": True, "categories": []})
    assert own_presets() == [
        "Error spans and scores (ESA)",
        "Error spans and scores (ESA), side by side",
    ]


def test_the_organisers_page_saves_and_refuses(client: Client, task: Task) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    address = reverse("error-scheme", args=[task.test_set.campaign.slug, task.pk])
    form = client.get(f"{address}?preset=google-2021").context["form"]
    fields = {bound.name: bound.value() for bound in form}
    refused = client.post(
        address,
        {**fields, "categories": "Accuracy: Addition, Addition"},
    )
    assert refused.status_code == 400
    assert client.post(address, {**fields, "weights": "major five"}).status_code == 400
    assert client.post(f"{address}?preset=google-2021", fields).status_code == 302
    task.refresh_from_db()
    assert "Fluency/Punctuation" in categories_of(task.rules)
    assert task.rules["weights"][0] == "any Non-translation: 25"


def test_an_error_scheme_changed_meanwhile_is_refused_once(
    client: Client,
    task: Task,
) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    address = reverse("error-scheme", args=[task.test_set.campaign.slug, task.pk])
    form = client.get(address).context["form"]
    fields = {bound.name: bound.value() for bound in form} | {"version": form.version}
    task_rules_change(task=task, rules={"weights": ["any: 1"]})
    refused = client.post(address, fields)
    assert refused.status_code == 400
    version = refused.context["form"].version
    assert f'value="{version}"' in refused.content.decode()
    assert client.post(address, fields | {"version": version}).status_code == 302


def test_errors_are_counted_with_their_texts(
    judging: Client,
    client: Client,
    task: Task,
) -> None:
    block = hit_asked(judging)["blocks"][0]
    judgment_put(judging, block, answer=marked(MARKED, [span(0, 3, "minor", "Other")]))
    organiser = Client()
    organiser.force_login(make_organiser(task.test_set.campaign))
    address = reverse("errors", args=[task.test_set.campaign.slug, task.pk])
    shown = organiser.get(address, {"severity": "minor"})
    counts = {
        category: sum(count for _system, count in cells)
        for category, cells in shown.context["rows"]
    }
    assert counts == {"Fluency/Punctuation": 1, "Other": 1}
    [error] = organiser.get(address, {"category": "Fluency/Punctuation"}).context[
        "page"
    ]
    assert error.output_parts[1] == block["candidates"][0]["text"][:3]


#: Google's scores of these segments, by system (mqm_ted_zhen.avg_seg_scores.tsv), without the sign.
TED_SCORES: dict[str, list[float]] = {
    "MiSS": [0, 0, 0, 0.1, 4],
    "SMU": [2, 1, 5, 0, 0],
    "metricsystem4": [15, 6, 0, 0, 10],
}


def ted_task(rules: Any) -> Task:
    """Return a task with the texts of Google's file."""
    task = empty_task(make_campaign(), source_language="zh", target_language="en")
    judgments = read_spans([str(TED)]).judgments
    document = Document.objects.create(
        test_set=task.test_set,
        name="talk.2",
        position=1,
    )
    systems = {
        name: System.objects.create(test_set=task.test_set, name=name)
        for name in TED_SCORES
    }
    segments: dict[str, Segment] = {}
    for judgment in judgments:
        segment = segments.get(judgment.segment)
        if segment is None:
            number = len(segments) + 1
            segment = segments[judgment.segment] = Segment.objects.create(
                test_set=task.test_set,
                document=document,
                number=number,
                position=number,
                source_text=judgment.source,
            )
        [output] = judgment.outputs
        Output.objects.create(
            system=systems[output.systems[0]],
            segment=segment,
            text=output.text,
        )
    spans = Task.objects.create(test_set=task.test_set, protocol=Protocol.SPANS)
    task_rules_change(task=spans, rules=rules)
    return spans


def google_scores(path: Path) -> dict[str, list[float]]:
    """Return the scores of a file by Google's formula, by system, in the order of the segments."""
    scores: dict[tuple[str, str], float] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in DictReader(file, delimiter="\t"):
            key = row["system"], row["source"].replace("<v>", "").replace("</v>", "")
            weight = {"Major": 5.0, "Minor": 1.0}.get(row["severity"], 0.0)
            if (row["category"], row["severity"]) == ("Fluency/Punctuation", "Minor"):
                weight = 0.1
            scores[key] = scores.get(key, 0) + weight
    sources = list(dict.fromkeys(source for _system, source in scores))
    return {
        system: [scores[system, source] for source in sources]
        for system in sorted({system for system, _source in scores})
    }


def test_a_file_of_google_imported_and_exported_has_the_scores_of_google(
    tmp_path: Path,
) -> None:
    task = ted_task(
        next(each.rules for each in SPANS_PRESETS if each.name == "google-2021"),
    )
    assert google_scores(TED) == {
        system: pytest.approx(scores) for system, scores in TED_SCORES.items()
    }
    call_command(
        "import_answers",
        str(TED),
        campaign="museum",
        test_set=task.test_set.name,
        protocol="spans",
        stdout=StringIO(),
    )
    path = tmp_path / "exported.tsv"
    path.write_text(exported(task, "mqm-tsv"), encoding="utf-8")
    assert google_scores(path) == google_scores(TED)
    read, before = (read_spans([str(each)]).judgments for each in (path, TED))
    assert [each.outputs for each in read] == [each.outputs for each in before]
    scores = output_scores(task, len(read), chosen_now(task))
    assert scores is not None
    assert sorted(scores.score.tolist()) == sorted(
        -score for own in TED_SCORES.values() for score in own
    )


@pytest.mark.parametrize(
    "file_format",
    ["mqm-tsv", "spans-jsonl", "pearmut-log", "appraise-csv"],
)
def test_categories_and_severities_are_written_and_read(
    judging: Client,
    task: Task,
    tmp_path: Path,
    file_format: str,
) -> None:
    block = hit_asked(judging)["blocks"][0]
    spans = [
        MARKED[0],
        span(4, 6, "critical", "Accuracy/Omission"),
        span(7, 8, "neutral", "Other"),
    ]
    judgment_put(judging, block, answer=marked(spans, [span(0, 3, "minor", "Other")]))
    [before] = scores_read(task=task).judgments
    path = tmp_path / "errors"
    path.write_text(exported(task, file_format), encoding="utf-8")
    read = read_spans([str(path)], input_format=SpansFormat(file_format))
    marks = {
        output.systems: output.spans
        for each in read.judgments
        for output in each.outputs
    }
    assert marks == {output.systems: output.spans for output in before.outputs}
    assert {output.score for each in read.judgments for output in each.outputs} == {
        None,
    }

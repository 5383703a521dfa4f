"""Errors from which judges start: from files and other tasks to the page, the answer and the report."""

import json
from collections import defaultdict
from collections.abc import Iterator
from csv import DictReader
from io import BytesIO, StringIO
from operator import itemgetter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.api.judgments import judgments_recorded
from annotation.importing.answers import sent_answers_import
from annotation.models import Judgment
from annotation.protocols.answer_kinds import answer_of
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import hits_plan
from campaign.formats import FormatError, InputFile
from campaign.models import Judge, Output, Protocol, Task, User
from protocols.models import SpansAnswer, SuggestedSpans
from protocols.spans.files.answers import scores_read
from protocols.spans.files.formats import SpansFormat, read_spans_file, write_spans
from protocols.spans.suggestions import SuggestionsRefusedError, suggestions_import
from ranking.export.asked import requested_export
from ranking.export.writing import export_bytes
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.factories import (
    make_judge,
    make_organiser,
    make_server_organiser,
    make_task,
)
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put
from whole_campaigns.cloning import campaign_clone

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.SPANS)


def lines(
    task: Task,
    *spans: dict[str, Any],
    judge: str = "xCOMET",
    **more: Any,
) -> str:
    """Return a file that suggests these spans in every output."""
    outputs = Output.objects.filter(segment__test_set=task.test_set).select_related(
        "segment__document",
        "system",
    )
    return "".join(
        json.dumps(
            {
                "document": output.segment.document.name,
                "segment": str(output.segment.position),
                "source": output.segment.source_text,
                "judge": judge,
                "outputs": [{"systems": [output.system.name], "spans": spans}],
                **more,
            },
        )
        + "\n"
        for output in outputs
    )


def sent(text: str, name: str = "suggested.jsonl") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode())


FIRST = {"start": 0, "end": 2, "severity": "minor"}


def suggest(task: Task, *spans: dict[str, Any], **shares: Any) -> None:
    suggestions_import(
        task=task,
        file=sent(lines(task, *(spans or (FIRST,)))),
        **{"withheld": 0, **shares},
    )


def test_judges_start_from_suggestions_and_the_answer_says_so(
    judging: Client,
    task: Task,
) -> None:
    suggest(task)
    block = hit_asked(judging)["blocks"][0]
    shown = [candidate["suggested"] for candidate in block["candidates"]]
    assert shown == [[{**FIRST, "kind": "error"}]] * len(shown)
    answer = {"outputs": [{"score": 90, "spans": []}] * len(shown)}
    assert judgment_put(judging, block, answer=answer).status_code == 200
    starts = SpansAnswer.objects.get().starts
    assert starts == [{"spans": [FIRST], "is_shown": True}] * len(shown)
    [judgment] = scores_read(task=task).judgments
    assert [output.start.planted for output in judgment.outputs if output.start] == [
        None,
    ] * len(shown)


def first_block(judging: Client) -> Any:
    return hit_asked(judging)["blocks"][0]


def test_an_output_shown_without_suggestions_looks_like_one_without_errors(
    judging: Client,
    task: Task,
) -> None:
    suggestions_import(task=task, file=sent(lines(task, FIRST)), withheld=90)
    drawn = SuggestedSpans.objects.filter(task=task).values_list(
        "start__is_shown",
        flat=True,
    )
    assert {*drawn} == {True, False}
    texts = Output.objects.filter(suggestions__start__is_shown=False).values_list(
        "text",
        flat=True,
    )
    # All systems with a text get the same.
    assert not Output.objects.filter(
        suggestions__start__is_shown=True,
        text__in=[*texts],
    ).exists()
    for block in hit_asked(judging)["blocks"]:
        for candidate in block["candidates"]:
            assert ("suggested" in candidate) is (candidate["text"] not in texts)
            assert candidate.keys() <= {"id", "text", "lang", "dir", "suggested"}


def test_a_planted_span_is_on_a_word_without_a_suggestion_and_not_told(
    judging: Client,
    task: Task,
) -> None:
    suggest(task, planted=90)
    block = first_block(judging)
    judgment_put(
        judging,
        block,
        answer={"outputs": [{"score": 50, "spans": []}] * len(block["candidates"])},
    )
    assert "planted" not in json.dumps(block)
    planted = 0
    for row in SuggestedSpans.objects.filter(task=task).select_related("output"):
        place = row.start.get("planted")
        if place is not None:
            planted += 1
            span = row.start["spans"][place]
            assert span["start"] >= FIRST["end"]
            assert (row.output.text or "")[span["start"] : span["end"]].isalpha()
    assert planted > SuggestedSpans.objects.count() / 2


def drawn(candidate: Any, task: Task) -> str:
    """Return what was drawn for the output of a candidate, which its text tells."""
    starts = SuggestedSpans.objects.filter(task=task, output__text=candidate["text"])
    start = starts.values_list("start", flat=True).first()
    if start is None:
        return "none"
    if not start["is_shown"]:
        return "withheld"
    return "shown" if start.get("planted") is None else "planted"


def test_no_byte_but_the_errors_differs_between_outputs_that_were_drawn_apart(
    client: Client,
    task: Task,
) -> None:
    """Neither fields, order, headers nor cost tell planted from other errors, or withheld ones from none."""
    suggested = "".join(
        line
        for line in lines(task, FIRST).splitlines(keepends=True)
        if json.loads(line)["outputs"][0]["systems"] != ["dune"]
    )
    suggestions_import(
        task=task,
        file=sent(suggested),
        withheld=40,
        planted=60,
        seed=7,
    )
    hits_plan(task_id=task.pk, count=12)
    shapes: defaultdict[str, set[str]] = defaultdict(set)
    costs: defaultdict[str, set[int]] = defaultdict(set)
    answered: set[str] = set()
    for number in range(4):
        judge = make_judge(task.test_set.campaign, f"reader{number}")
        assert judge.user is not None
        client.force_login(judge.user)
        for block in blocks_of(client):
            answer = {"outputs": [{"score": 50, "spans": []}]}
            [candidate] = block["candidates"]
            kind = drawn(candidate, task)
            spans = candidate.get("suggested", [])
            assert spans == sorted(spans, key=itemgetter("start"))
            shapes[kind].add(
                json.dumps([[*candidate], sorted({tuple(span) for span in spans})]),
            )
            with CaptureQueriesContext(connection) as queries:
                put = judgment_put(client, block, answer=answer)
            costs[kind].add(len(queries))
            answered.add(json.dumps([[*put.json()], sorted(put.headers)]))
    assert shapes.keys() == {"planted", "shown", "withheld", "none"}
    assert shapes["planted"] == shapes["shown"]
    assert shapes["withheld"] == shapes["none"]
    assert len(answered) == 1
    # The first answers of a HIT and of a judge begin rows of their own.
    assert len({min(each) for each in costs.values()}) == 1


def blocks_of(judging: Client) -> Iterator[Any]:
    """Yield the blocks of one HIT after the other, which are answered meanwhile."""
    while not isinstance(hit := hit_asked(judging), int):
        yield from hit["blocks"]


def starts_of(task: Task) -> dict[tuple[int, str], Any]:
    rows = SuggestedSpans.objects.filter(task=task)
    return {
        (row.output.segment.number, row.output.system.name): row.start
        for row in rows.select_related("output__segment", "output__system")
    }


def test_each_import_draws_anew_which_outputs_are_withheld_and_planted(
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No seed is stored, so nothing that a judge knows or reads later tells."""
    suggest(task, withheld=50, planted=50)
    first = starts_of(task)
    monkeypatch.setattr("secrets.randbits", lambda bits: 2 ** (bits - 1) + 7)
    suggest(task, withheld=50, planted=50)
    again = starts_of(task)
    assert first.keys() == again.keys()
    for field in ("is_shown", "planted"):
        fields = [(first[key].get(field), again[key].get(field)) for key in first]
        assert {one == other for one, other in fields} == {True, False}


def test_a_clone_has_other_planted_errors_than_its_published_original(
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    suggest(task, withheld=50, planted=50)
    monkeypatch.setattr("secrets.randbits", lambda bits: 2 ** (bits - 1) + 7)
    source = task.test_set.campaign
    clone = campaign_clone(
        source=source,
        slug="again",
        name="Again",
        texts=True,
        people=False,
        by=None,
    ).campaign
    [copy] = Task.objects.filter(
        test_set__campaign=clone,
        protocol=Protocol.SPANS,
    )
    before = starts_of(task)
    after = starts_of(copy)
    assert after.keys() == before.keys()
    assert {
        before[key].get("planted") == after[key].get("planted") for key in before
    } == {
        True,
        False,
    }
    for key, start in after.items():
        spans = list(start["spans"])
        if start.get("planted") is not None:
            del spans[start["planted"]]
        assert spans == [FIRST], key


def test_suggestions_stay_once_a_hit_is_lent(judging: Client, task: Task) -> None:
    suggest(task)
    hit_asked(judging)
    with pytest.raises(SuggestionsRefusedError, match="Judging has started"):
        suggest(task)
    first = SuggestedSpans.objects.earliest("pk")
    with (
        pytest.raises(IntegrityError, match="suggested_spans_final_once_lent"),
        transaction.atomic(),
    ):
        first.delete()
    with (
        pytest.raises(IntegrityError, match="suggested_spans_final_once_lent"),
        transaction.atomic(),
    ):
        SuggestedSpans.objects.create(
            task=task,
            output=first.output,
            source="late",
            start={},
        )


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        (
            {"start": 0, "end": 9_999, "severity": "minor"},
            "line 1: .*ends after 9,999 characters",
        ),
        ({**FIRST, "category": "Style"}, "line 1: .*no category “Style”"),
        ({**FIRST, "severity": "fatal"}, "line 1.*severity"),
    ],
)
def test_spans_that_judges_could_not_keep_are_refused(
    task: Task,
    span: dict[str, Any],
    problem: str,
) -> None:
    suggest(task)
    task.rules = {"categories": ["Fluency"]}
    task.save()
    with pytest.raises(SuggestionsRefusedError, match=problem):
        suggest(task, span)
    assert SuggestedSpans.objects.filter(task=task, start__spans=[FIRST]).exists()


def test_unknown_systems_and_changed_texts_are_refused(task: Task) -> None:
    text = lines(task, FIRST)
    output = Output.objects.filter(segment__test_set=task.test_set).first()
    assert output is not None
    for wrong, problem in (
        (text.replace(output.system.name, "unknown"), "the system unknown is unknown"),
        (
            text.replace('"spans"', '"text": "other", "spans"'),
            "differs from the test set",
        ),
    ):
        with pytest.raises(SuggestionsRefusedError, match=problem):
            suggestions_import(task=task, file=sent(wrong))
    assert not SuggestedSpans.objects.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("blank.jsonl", "\n"),
        ("none.jsonl", "[]"),
        ("campaign.json", '{"campaign_id": "c", "info": {}, "data": []}'),
        ("log.jsonl", '{"user_id": "j", "item_i": 0, "annotation": "__RESET__"}'),
    ],
)
def test_a_file_without_judgments_changes_no_suggestion(
    task: Task,
    name: str,
    content: str,
) -> None:
    suggest(task)
    before = list(SuggestedSpans.objects.values_list("pk"))
    with pytest.raises(SuggestionsRefusedError) as refused:
        suggestions_import(task=task, file=sent(content, name))
    assert refused.value.field == "file"
    assert list(SuggestedSpans.objects.values_list("pk")) == before


def test_a_task_without_judgments_changes_no_suggestion(task: Task) -> None:
    suggest(task)
    other = make_task(task.test_set.campaign, documents=(6, 5), name="again")
    other.protocol = Protocol.SPANS
    other.save()
    with pytest.raises(SuggestionsRefusedError, match="No judgments yet") as refused:
        suggestions_import(task=task, other=other)
    assert refused.value.field == "other"
    assert SuggestedSpans.objects.filter(task=task).exists()


def test_overlapping_errors_are_left_out_and_counted(task: Task) -> None:
    other = {"start": 1, "end": 3, "severity": "major"}
    losses = suggestions_import(task=task, file=sent(lines(task, FIRST, other)))
    assert [loss.what for loss in losses] == ["errors that overlap an earlier one"]
    assert SuggestedSpans.objects.earliest("pk").start["spans"] == [FIRST]


def test_a_file_without_judges_has_suggestions_but_no_answers(task: Task) -> None:
    nameless = lines(task, FIRST).replace('"judge": "xCOMET", ', "")
    suggestions_import(task=task, file=sent(nameless))
    assert {*SuggestedSpans.objects.values_list("source", flat=True)} == {
        "suggested.jsonl",
    }
    with pytest.raises(FormatError, match="the judge is missing"):
        sent_answers_import(task=task, sent=sent(nameless))


def test_error_spans_of_a_pearmut_campaign_are_suggested(task: Task) -> None:
    output = Output.objects.filter(segment__test_set=task.test_set).earliest("pk")
    text = output.text or ""
    item = {
        "item_id": "esaai_demo_1",
        "instructions": "Review the errors.",
        "src": output.segment.source_text,
        "tgt": {output.system.name: text},
        # Both ends are inclusive; the place after the last one is missing content.
        "error_spans": {
            output.system.name: [
                {"start_i": 0, "end_i": 2, "severity": "Major", "category": None},
                {
                    "start_i": len(text),
                    "end_i": len(text),
                    "severity": "minor",
                    "category": None,
                },
            ],
        },
    }
    campaign = {"campaign_id": "esaai", "info": {"protocol": "ESA"}, "data": [[[item]]]}
    suggestions_import(
        task=task,
        file=sent(json.dumps(campaign, indent=2), "esaai.json"),
    )
    row = SuggestedSpans.objects.get(output=output)
    assert row.start["spans"] == [
        {"start": 0, "end": 3, "severity": "major"},
        {"severity": "minor"},
    ]


@pytest.mark.parametrize("others", [[], ["colleague"]])
def test_judges_read_errors_of_others_again_but_not_their_own(
    judging: Client,
    task: Task,
    others: list[str],
) -> None:
    judge = Judge.objects.get(campaign=task.test_set.campaign)
    by_others = {"start": 3, "end": 5, "severity": "major"}
    text = lines(task, FIRST, judge=judge.pseudonym)
    text += "".join(lines(task, by_others, judge=name) for name in others)
    suggestions_import(task=task, file=sent(text), withheld=0)
    for candidate in first_block(judging)["candidates"]:
        suggested = candidate.get("suggested", [])
        assert [each["severity"] for each in suggested] == ["major"] * len(others)


def test_errors_of_another_task_are_suggested(judging: Client, task: Task) -> None:
    block = first_block(judging)
    spans = [{**FIRST, "kind": "error"}]
    answer = {"outputs": [{"score": 80, "spans": spans}] * len(block["candidates"])}
    judgment_put(judging, block, answer=answer)
    again = make_task(task.test_set.campaign, documents=(6, 5), name="again")
    again.protocol = Protocol.SPANS
    again.save()
    suggestions_import(task=again, other=task)
    assert {*SuggestedSpans.objects.values_list("source", flat=True)} == {
        Judge.objects.get(campaign=task.test_set.campaign).pseudonym,
    }


def test_answers_with_their_starts_read_back_equal(judging: Client, task: Task) -> None:
    suggest(task, planted=90)
    for block in hit_asked(judging)["blocks"]:
        spans = [candidate["suggested"][:1] for candidate in block["candidates"]]
        answer = {"outputs": [{"score": 80, "spans": each} for each in spans]}
        assert judgment_put(judging, block, answer=answer).status_code == 200
    judgments = scores_read(task=task).judgments
    written, losses = write_spans(judgments, SpansFormat.JSONL)
    assert not losses
    file = InputFile("answers.jsonl", BytesIO("".join(written).encode()))
    assert [*read_spans_file(file)[1]] == [*judgments]
    assert any(
        output.start.planted is not None
        for each in judgments
        for output in each.outputs
        if output.start
    )
    _lines, losses = write_spans(judgments, SpansFormat.PEARMUT_LOG)
    assert "errors suggested to judges" in {loss.what for loss in losses}


def test_errors_of_an_evalset_folder_are_suggested(judging: Client, task: Task) -> None:
    spans = [
        {**FIRST, "kind": "error"},
        {**FIRST, "start": None, "end": None, "kind": "missing"},
    ]
    for block in hit_asked(judging)["blocks"]:
        outputs = [{"score": 80, "spans": spans}] * len(block["candidates"])
        assert (
            judgment_put(judging, block, answer={"outputs": outputs}).status_code == 200
        )
    folder = requested_export(task=task, kind="evalset", file_format="evalset")
    with ZipFile(BytesIO(b"".join(export_bytes(folder)))) as archive:
        [name] = [
            name for name in archive.namelist() if name.endswith(".merged.seg.rating")
        ]
        ratings = archive.read(name).decode()
    again = make_task(task.test_set.campaign, documents=(6, 5), name="again")
    again.protocol = Protocol.SPANS
    again.save()
    assert not suggestions_import(task=again, file=sent(ratings, "merged.seg.rating"))
    judged = Output.objects.filter(suggestions__task=again)
    assert judged.count() == ratings.count('"errors"') > 0
    starts = SuggestedSpans.objects.filter(task=again).values_list("start", flat=True)
    assert all(start["spans"] == [FIRST, {"severity": "minor"}] for start in starts)


def test_an_export_for_organisers_has_what_judges_started_from(
    judging: Client,
    task: Task,
) -> None:
    suggest(task, planted=90)
    block = first_block(judging)
    answer = {"outputs": [{"score": 80, "spans": []}] * len(block["candidates"])}
    judgment_put(judging, block, answer=answer)
    judgments_number(task_id=task.pk)
    exported = requested_export(task=task, kind="judgments", file_format="csv")
    [row] = DictReader(StringIO(b"".join(export_bytes(exported)).decode()))
    starts = SpansAnswer.objects.get().starts
    assert json.loads(row["starts"]) == starts
    [record] = judgments_recorded(
        list(task.judgment_numbers.all()),
        task=task,
        until=None,
    )
    assert [output["start"] for output in record["answer"]["outputs"]] == starts
    # Judges who go back learn nothing of it.
    given = answer_of(Judgment.objects.get())
    assert given is not None
    assert all("start" not in output for output in given["outputs"])


def test_answers_imported_with_starts_have_them(task: Task) -> None:
    start = {"spans": [FIRST], "is_shown": False}
    with_start = f'"score": 70, "start": {json.dumps(start)}, "spans": [{{'
    text = lines(task, FIRST, judge="ann").replace('"spans": [{', with_start)
    sent_answers_import(task=task, sent=sent(text))
    answers = SpansAnswer.objects.values_list("starts", flat=True)
    assert answers
    assert all(starts == [start] for starts in answers)


def test_organisers_upload_and_remove_suggestions(task: Task, page: Client) -> None:
    address = reverse("suggestions", args=[task.test_set.campaign.slug, task.pk])
    shares = {"withheld": 20, "planted": 0}
    answer = page.post(address, {"file": sent(lines(task, FIRST)), **shares})
    assert answer.status_code == 302
    assert "xCOMET" in page.get(address).text
    assert page.post(address, {"file": sent("{}"), **shares}).status_code == 400
    assert SuggestedSpans.objects.exists()
    assert page.post(address, shares).status_code == 400
    assert SuggestedSpans.objects.exists()
    assert page.post(address, {**shares, "remove": ""}).status_code == 302
    assert not SuggestedSpans.objects.exists()


def test_suggestions_are_replaced_over_rest(task: Task, organiser: User) -> None:
    api = APIClient()
    api.force_login(organiser)
    address = f"/api/v1/tasks/{task.pk}/suggestions/"
    answer = api.put(address, {"file": sent(lines(task, FIRST))}, format="multipart")
    assert (answer.status_code, answer.json()) == (200, [])
    outputs = SuggestedSpans.objects.count()
    assert api.get(address).json() == {
        "outputs": outputs,
        "suggestions": outputs,
        "withheld": SuggestedSpans.objects.filter(start__is_shown=False).count(),
        "planted": 0,
    }
    refused = api.put(address, {"file": sent("{}")}, format="multipart")
    assert (refused.status_code, [*refused.json()["errors"]]) == (400, ["file"])


def test_the_report_compares_outputs_with_and_without_suggestions(
    judging: Client,
    task: Task,
) -> None:
    suggestions_import(
        task=task,
        file=sent(lines(task, FIRST)),
        withheld=50,
        planted=50,
    )
    for block in hit_asked(judging)["blocks"]:
        outputs = [{"score": 80, "spans": []}] * len(block["candidates"])
        judgment_put(judging, block, answer={"outputs": outputs})
    choice = analysis_choice("spans", {"resamples": 100})
    found = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    tables = {
        table.name: table
        for table in report_in(found.reports or {}, "de", data=found.data or {}).tables
    }
    score, *_others = tables["suggestion_differences"].rows
    assert score[1] == 80
    removed = (found.data or {})["suggestions"]["outcomes"]["removed"]
    assert removed["successes"] == removed["trials"] > 0


BLANKS = (
    '{"document": "d", "segment": 1, "source": "S", "outputs": '
    '{"a": "  Taschen bleiben hier.  ", "b": "Etwas anderes hier. "}}\n'
)
PEARMUT = {
    "campaign_id": "p",
    "info": {"protocol": "ESA"},
    "data": [
        [
            {
                "item_id": "d_#_1",
                "src": "S",
                "tgt": {"a": "  Taschen bleiben hier.  ", "b": "Etwas anderes hier. "},
                "error_spans": {
                    "a": [{"start_i": 2, "end_i": 8, "severity": "minor"}],
                    "b": [{"start_i": 0, "end_i": 4, "severity": "major"}],
                },
            },
        ],
    ],
}


def task_of_file(name: str, content: str, folder: Path) -> Task:
    path = folder / name
    path.write_text(content)
    make_server_organiser()
    call_command(
        "import_test_set",
        str(path),
        *("--campaign=blanks", "--create-campaign=B", "--name=B", "--protocol=spans"),
        *("--source-language=en", "--target-language=de"),
    )
    return Task.objects.get(test_set__campaign__slug="blanks")


def suggested_words(task: Task) -> dict[str, str]:
    words = {}
    for row in SuggestedSpans.objects.filter(task=task):
        [span] = row.start["spans"]
        text = row.output.text or ""
        words[row.output.system.name] = text[span["start"] : span["end"]]
    return words


def test_a_campaign_of_pearmut_suggests_errors_in_outputs_with_blanks_around(
    tmp_path: Path,
) -> None:
    task = task_of_file("pear.json", json.dumps(PEARMUT), tmp_path)
    suggestions_import(task=task, file=sent(json.dumps(PEARMUT), "pear.json"))
    assert suggested_words(task) == {"a": "Taschen", "b": "Etwas"}
    other = json.dumps(PEARMUT).replace("Taschen", "Koffer!")
    with pytest.raises(SuggestionsRefusedError, match=r"pear\.json: the output of a"):
        suggestions_import(task=task, file=sent(other, "pear.json"))


@pytest.mark.parametrize("text", [None, "  Taschen bleiben hier.  "])
def test_positions_in_an_output_with_blanks_before_it_need_its_text(
    tmp_path: Path,
    text: str | None,
) -> None:
    task = task_of_file("blanks.jsonl", BLANKS, tmp_path)
    report = task.test_set.upload.report or {}
    assert any("2 outputs" in warning for warning in report["warnings"])
    assert report["moved"] == {"a": [1]}
    of_a: dict[str, Any] = {
        "systems": ["a"],
        "score": 50,
        "spans": [{"start": 2, "end": 9, "severity": "minor"}],
    }
    if text is not None:
        of_a["text"] = text
    of_b = {**of_a, "systems": ["b"], "spans": [{**FIRST, "end": 5}]}
    of_b.pop("text", None)
    file = "".join(
        json.dumps({"document": "d", "segment": "1", "judge": "r", "outputs": [output]})
        + "\n"
        for output in (of_b, of_a)
    )
    if text is None:
        with pytest.raises(SuggestionsRefusedError, match=r"line 2.*removed blanks"):
            suggestions_import(task=task, file=sent(file))
        with pytest.raises(FormatError, match=r"line 2.*removed blanks"):
            sent_answers_import(task=task, sent=sent(file))
    else:
        suggestions_import(task=task, file=sent(file))
        assert suggested_words(task) == {"a": "Taschen", "b": "Etwas"}
        sent_answers_import(task=task, sent=sent(file))
        spans = {
            output.systems[0]: [(span.start, span.end) for span in output.spans or ()]
            for judgment in scores_read(task=task).judgments
            for output in judgment.outputs
        }
        assert spans == {"a": [(0, 7)], "b": [(0, 5)]}

"""Campaigns of Pearmut: their settings become rules of the task, questions and instructions."""

import io
import json
from functools import partial
from typing import Any

import pytest
from django.test import Client

from annotation.importing.answers import FORMS_LOST, ImportOptions, answers_import
from annotation.models import Judgment
from annotation.selectors.designs import design_in_force
from annotation.selectors.task_rules import task_rules
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import hits_plan
from campaign.formats.errors import FormatError
from campaign.formats.repeats import REPLACED
from campaign.formats.streams import StoredFile
from campaign.models import (
    Campaign,
    Instructions,
    Judge,
    Output,
    Protocol,
    Task,
    Upload,
)
from campaign.models.questions import questions_stored
from campaign.selectors.questions import answers_summaries
from campaign.services.campaigns import campaign_change
from campaign.services.uploads import upload_change
from protocols.models import RatingAnswer
from protocols.spans.rules import categories_of
from tests.factories import make_judge
from tests.integration.uploads.conftest import FILES, Sent
from tests.integration.uploads.test_uploads import checked, imported
from tests.media_samples import png, wav

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers

NOTHING_ELSE: dict[str, bytes | None] = dict.fromkeys(FILES)
DATA = [
    [
        {
            "item_id": "visit_#_0",
            "src": "The museum opens at nine.",
            "tgt": {
                "amber": "Offen um neun.",
                "birch": "Auf neun.",
                "cedar": "Es öffnet um neun.",
            },
        },
    ],
]
FORM = [[{"text": "What is your native language?", "form": "string"}]]


def pearmut(sent: Sent, info: dict[str, Any], **more: Any) -> Upload:
    campaign = {"info": info, "campaign_id": "museum", "data": DATA, **more}
    files = {**NOTHING_ELSE, "campaign.json": json.dumps(campaign).encode()}
    upload = sent(files, name="visit", source_language="en", target_language="de")
    checked(upload)
    upload.refresh_from_db()
    return upload


def test_mqm_campaign_becomes_a_task_with_its_taxonomy(
    sent: Sent,
    campaign: Campaign,
) -> None:
    info = {
        "protocol": "MQM",
        "mqm_categories": {"Style": ["Awkward"], "Unknown": []},
        "mqm_severities": ["Neutral", "Minor", "Major", "Critical"],
        "special_tokens": ["[untranslated]"],
        "instructions": "Mark <b>every</b> error.",
    }
    upload = pearmut(sent, info, data_welcome=FORM)
    assert upload.protocol == Protocol.SPANS
    imported(upload)
    rules = task_rules(Task.objects.get())
    assert rules["categories"] == ["Style: Awkward", "Unknown"]
    assert rules["severities"] == ["neutral", "minor", "major", "critical"]
    assert (rules["marks"], rules["missing"]) == (["[untranslated]"], False)
    campaign.refresh_from_db()
    [question] = questions_stored(campaign.questions)
    assert (question.text, question.stage) == ("What is your native language?", "start")
    assert Instructions.objects.get().text == "Mark **every** error."


def test_categories_keep_commas_and_colons_of_their_names(sent: Sent) -> None:
    categories = {"Fluency": ["Grammar, spelling", "Register"], "Other: specify": []}
    imported(pearmut(sent, {"protocol": "MQM", "mqm_categories": categories}))
    assert categories_of(task_rules(Task.objects.get())) == [
        "Fluency/Grammar, spelling",
        "Fluency/Register",
        "Other: specify",
    ]


def test_outputs_of_contrastive_esa_are_side_by_side(sent: Sent) -> None:
    imported(pearmut(sent, {"protocol": "cESA"}))
    design = design_in_force(task_id=Task.objects.get().pk)
    assert design is not None
    assert design.systems_per_block == 3


def test_direct_assessment_asks_for_scores_alone(sent: Sent) -> None:
    imported(pearmut(sent, {"protocol": "DA"}))
    task = Task.objects.get()
    assert task.protocol == Protocol.SPANS
    assert not task_rules(task)["spans_asked"]


def test_sliders_become_criteria(sent: Sent) -> None:
    sliders = [
        {"name": "Fluency", "min": 0, "max": 5, "step": 1},
        {"name": "Adequacy", "min": 0, "max": 100, "step": 1},
    ]
    upload = pearmut(sent, {"protocol": "DA", "sliders": sliders})
    assert upload.protocol == Protocol.RATING
    imported(upload)
    criteria: Any = task_rules(Task.objects.get())["criteria"]
    assert [(each["lowest"], each["highest"]) for each in criteria] == [
        (0, 5),
        (0, 100),
    ]


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (["流畅度", "忠实度"], ["scale-0-100", "scale-0-100-2"]),
        (["Беглость", "Точность"], ["scale-0-100", "scale-0-100-2"]),
        (
            [
                f"How much of the meaning of the source {end}"
                for end in ("stays", "is easy")
            ],
            [
                "how-much-of-the-meaning-of-the-source-st",
                "how-much-of-the-meaning-of-the-source-is",
            ],
        ),
        (
            [
                f"How much of the meaning of the sources {end}"
                for end in ("stays", "is easy")
            ],
            [
                "how-much-of-the-meaning-of-the-sources-s",
                "how-much-of-the-meaning-of-the-sources-i",
            ],
        ),
        (
            [
                f"How much of the meaning of the texts as a whole {end}"
                for end in ("stays", "is easy")
            ],
            [
                "how-much-of-the-meaning-of-the-texts-as-",
                "how-much-of-the-meaning-of-the-texts-a-2",
            ],
        ),
    ],
)
def test_sliders_of_any_names_are_different_criteria(
    sent: Sent,
    names: list[str],
    keys: list[str],
) -> None:
    sliders = [{"name": name, "min": 0, "max": 100} for name in names]
    imported(pearmut(sent, {"protocol": "DA", "sliders": sliders}))
    criteria: Any = task_rules(Task.objects.get())["criteria"]
    assert [each["key"] for each in criteria] == keys


def test_steps_of_a_slider_are_refused_with_a_way_out(sent: Sent) -> None:
    slider = {"name": "Fluency", "min": 0, "max": 100, "step": 5}
    upload = pearmut(sent, {"protocol": "DA", "sliders": [slider]})
    assert upload.report is not None
    assert "max 20 for steps of 5" in upload.report["error"]["problem"]


def test_organiser_may_choose_another_protocol_and_learns_what_is_lost(
    sent: Sent,
) -> None:
    upload = pearmut(sent, {"protocol": "MQM"})
    upload_change(upload=upload, protocol=Protocol.RANKING)
    report = checked(upload)
    assert "info.protocol" in [each["name"] for each in report["left_out"]]
    assert upload.protocol == Protocol.RANKING
    imported(upload)
    upload.refresh_from_db()
    assert Task.objects.get().protocol == Protocol.RANKING
    assert "info.protocol" in [each["name"] for each in upload.left_out]


def test_settings_that_cannot_be_used_are_refused_and_store_nothing(
    sent: Sent,
    campaign: Campaign,
) -> None:
    upload = pearmut(
        sent,
        {"protocol": "MQM", "mqm_severities": ["Blocker"]},
        data_welcome=FORM,
    )
    assert upload.report is not None
    assert "severities" in upload.report["error"]["problem"]
    assert upload.report["error"]["file"] == "campaign.json"
    job = imported(upload)
    assert "severities" in job.error
    assert not Task.objects.exists()
    campaign.refresh_from_db()
    assert not campaign.questions


SLIDERS = [
    {"name": "Fluency", "min": 0, "max": 5, "step": 1},
    {"name": "2. 流畅", "min": 0, "max": 100, "step": 1},
]
ITEM = DATA[0][0]


def log_of(*entries: dict[str, Any]) -> list[StoredFile]:
    lines = [
        json.dumps({"user_id": "ann", "item_i": 0, "item": [ITEM], **entry})
        for entry in entries
    ]
    return [StoredFile("log.jsonl", partial(io.BytesIO, "\n".join(lines).encode()))]


def sliders(**values: tuple[int, int]) -> dict[str, Any]:
    answers: dict[str, Any] = {
        model: {
            "score": None,
            "error_spans": [],
            "sliders": {" Fluency": one, "2. 流畅": other},
        }
        for model, (one, other) in values.items()
    }
    return {"annotation": [answers]}


def test_log_with_sliders_becomes_ratings_by_criterion(sent: Sent) -> None:
    imported(pearmut(sent, {"protocol": "DA", "sliders": SLIDERS}))
    first = sliders(amber=(1, 20), birch=(3, 40))
    files = log_of(first, sliders(amber=(5, 99), birch=(3, 40)))
    result = answers_import(task=Task.objects.get(), files=files)
    assert result.judgments == 1
    assert [loss.what for loss in result.losses] == [REPLACED]
    answer = RatingAnswer.objects.get()
    assert (answer.criteria, answer.points) == (
        ["fluency", "scale-0-100"],
        [5, 99, 3, 40],
    )


def test_screens_of_a_download_of_logs_stay_apart(sent: Sent) -> None:
    imported(pearmut(sent, {"protocol": "DA", "sliders": SLIDERS}))
    entries = [
        {"user_id": "ann", "item_i": number, "item": [ITEM], **entry}
        for number, entry in enumerate((sliders(amber=(1, 20)), sliders(birch=(3, 40))))
    ]
    download = json.dumps({"museum": entries}).encode()
    answers_import(
        task=Task.objects.get(),
        files=[StoredFile("log.json", partial(io.BytesIO, download))],
        options=ImportOptions(file_format="pearmut-log"),
    )
    assert sorted(RatingAnswer.objects.values_list("points", flat=True)) == [
        [1, 20],
        [3, 40],
    ]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (sliders(amber=(6, 20)), "6 is not on the scale 0-5"),
        (sliders(dune=(5, 20)), "dune"),
        (
            {"annotation": [{"amber": {"sliders": {"Fluency": 3}}}]},
            "did not rate amber",
        ),
        ({"annotation": [{"amber": {"sliders": {"Style": 3}}}]}, "it rates Style"),
    ],
)
def test_log_with_other_sliders_is_refused(
    sent: Sent,
    entry: dict[str, Any],
    problem: str,
) -> None:
    imported(pearmut(sent, {"protocol": "DA", "sliders": SLIDERS}))
    with pytest.raises(FormatError, match=problem):
        answers_import(task=Task.objects.get(), files=log_of(entry))
    assert not Judgment.objects.exists()


QUESTIONS = [
    {"text": "Welcome!", "form": None},
    {"text": "What is your <b>native</b> language?", "form": "string"},
    {"text": "Your level?", "form": "choices", "choices": ["A1", "<i>C2</i>"]},
    {"text": "Your age?", "form": "number"},
]


@pytest.mark.parametrize(
    ("info", "answer"),
    [
        ({"protocol": "DA", "sliders": SLIDERS}, sliders(amber=(5, 99))),
        (
            {"protocol": "ESA"},
            {"annotation": [{"amber": {"score": 80, "error_spans": []}}]},
        ),
    ],
)
def test_answers_to_forms_are_those_to_questions(
    sent: Sent,
    campaign: Campaign,
    info: dict[str, Any],
    answer: dict[str, Any],
) -> None:
    imported(
        pearmut(sent, info, data_welcome=[QUESTIONS], data_goodbye=[QUESTIONS[3:]]),
    )
    form = {"item_i": "welcome_0", "item": QUESTIONS}
    files = log_of(
        {**form, "annotation": [None, "Czech ", "A1", 30]},
        {**form, "annotation": [None, "Czech", "<i>C2</i>", "thirty"]},
        {**form, "annotation": [None, "Slovak", "A1", True], "user_id": "bob"},
        answer,
    )
    result = answers_import(task=Task.objects.get(), files=files)
    assert {loss.what: loss.count for loss in result.losses}[FORMS_LOST] == 4
    campaign.refresh_from_db()
    judge = Judge.objects.get()
    assert [stored["value"] for stored in judge.answers.values()] == ["Czech", "C2", 30]
    summaries = {
        str(summary.question.stage): summary
        for summary in answers_summaries(campaign=campaign)
    }
    assert (summaries["start"].median, summaries["end"].answered) == (30, 0)


SHOWN: dict[str, Any] = {
    "item_id": "visit_#_0",
    "src": "<img src='assets/1.png'>",
    "tgt": {
        "amber": "<audio src='assets/a.wav'></audio>",
        "birch": "<audio src='assets/b.wav'></audio>",
    },
}


def test_log_of_a_campaign_with_media_is_read(sent: Sent) -> None:
    campaign = {
        "info": {
            "protocol": "DA",
            "sliders": SLIDERS,
            "assets": {"source": "media", "destination": "assets"},
        },
        "campaign_id": "museum",
        "data": [[SHOWN]],
    }
    files = {
        **NOTHING_ELSE,
        "campaign.json": json.dumps(campaign).encode(),
        "media/1.png": png(),
        "media/a.wav": wav(220),
        "media/b.wav": wav(880),
    }
    upload = sent(files, name="visit", source_language="en", target_language="de")
    checked(upload)
    imported(upload)
    entry = {"item": [SHOWN], **sliders(amber=(1, 20), birch=(3, 40))}
    result = answers_import(task=Task.objects.get(), files=log_of(entry))
    assert result.judgments == 1


def test_items_without_a_source_are_refused_with_the_remedy(sent: Sent) -> None:
    item = {"ref": "Offen.", "tgt": {"amber": "Auf.", "birch": "Offen!"}}
    upload = pearmut(sent, {"protocol": "DA"}, data=[[item]])
    assert upload.report is not None
    assert upload.report["error"]["problem"] == "the item has no source text"
    remedy = "turn off “Show the source” in the settings of the campaign"
    assert remedy in upload.report["error"]["remedy"]


@pytest.mark.parametrize("name", ["DA", "ESA", "MQM", "cESA"])
def test_campaign_of_one_system_is_imported(
    sent: Sent,
    campaign: Campaign,
    name: str,
) -> None:
    item = {"src": "Open.", "ref": "Offen.", "tgt": {"amber": "Auf."}}
    upload = pearmut(sent, {"protocol": name}, data=[[item]])
    assert upload.report is not None
    assert upload.report["error"] is None
    # A ranking of it is refused.
    upload_change(upload=upload, protocol=Protocol.RANKING)
    assert checked(upload)["error"]["problem"] == "there is only one system, amber"
    upload_change(upload=upload, protocol=Protocol.SPANS)
    imported(upload)
    task = Task.objects.get()
    assert task.protocol == Protocol.SPANS
    design_ensure(task=task, seed=7)
    assert hits_plan(task_id=task.pk, count=2)


def test_items_whose_source_judges_do_not_see_are_outputs_alone(
    sent: Sent,
    campaign: Campaign,
    client: Client,
) -> None:
    """The remedy for items without a source: a text that is not shown."""
    campaign_change(campaign=campaign, show_source=False)
    item = {"src": "item 1", "tgt": {"amber": "Auf.", "birch": "Offen!"}}
    imported(pearmut(sent, {"protocol": "DA"}, data=[[item]]))
    task = Task.objects.get()
    design_ensure(task=task, seed=7)
    hits_plan(task_id=task.pk, count=1)
    judge = make_judge(campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    lent = client.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    assert lent.status_code == 200
    text = lent.content.decode()
    assert "Auf." in text or "Offen!" in text
    assert "item 1" not in text


@pytest.mark.parametrize(
    ("protocol", "study"),
    [("DA", "scores"), ("ESA", "esa")],
)
def test_study_of_the_file_is_proposed(sent: Sent, protocol: str, study: str) -> None:
    upload = pearmut(sent, {"protocol": protocol})
    checked(upload)
    upload.refresh_from_db()
    assert (upload.protocol, upload.preset) == (Protocol.SPANS, study)


def test_sentence_twice_in_a_document_without_ids_is_matched_by_its_outputs(
    sent: Sent,
) -> None:
    items = [
        {"src": "Thank you.", "tgt": {"amber": "Danke.", "birch": "Merci."}},
        {"src": "It rains.", "tgt": {"amber": "Es regnet.", "birch": "Regen."}},
        {"src": "Thank you.", "tgt": {"amber": "Danke schön.", "birch": "Bitte."}},
    ]
    imported(pearmut(sent, {"protocol": "DA"}, data=[items]))
    scores = [
        {"amber": 90, "birch": 10},
        {"amber": 80, "birch": 40},
        {"amber": 70, "birch": 20},
    ]
    annotation = [
        {
            system: {"score": score, "error_spans": []}
            for system, score in of_item.items()
        }
        for of_item in scores
    ]
    entry = {"user_id": "ann", "item_i": 0, "item": items, "annotation": annotation}
    content = json.dumps(entry).encode()
    log = StoredFile("log.jsonl", partial(io.BytesIO, content))
    task = Task.objects.get()
    answers_import(task=task, files=[log])
    rows = Judgment.objects.filter(task=task).order_by("block__segment__number", "pk")
    segments: dict[int, set[int]] = {}
    for number, outputs in rows.values_list("block__segment__number", "block__outputs"):
        segments.setdefault(number, set()).update(outputs)
    assert sorted(segments) == [1, 2, 3]
    for number, shown in segments.items():
        of_outputs = Output.objects.filter(pk__in=shown)
        assert set(of_outputs.values_list("segment__number", flat=True)) == {number}

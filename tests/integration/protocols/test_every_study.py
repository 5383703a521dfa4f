"""Every study that organisers choose: one name in all places, and what its judges are promised."""

import html
import re
from collections.abc import Iterator, Mapping
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.importing import test_sets as importing
from annotation.services.tasks import study_apply, task_rules_change
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from campaign.models import Campaign, Protocol, Task
from campaign.selectors.instructions import starter_instructions
from campaign.selectors.tasks import work_of_judges
from campaign.texts.studies import (
    Preset,
    study,
    study_checked,
    study_name,
    study_presets,
)
from protocols.spans.records import Severity
from protocols.spans.rules import is_scored, severities_of, spans_are_asked
from tests.factories import make_campaign, make_organiser, make_task
from tests.media_samples import opened, png, video, wav
from tests.permissions.addresses import ADDRESSES
from tests.permissions.requests import opening

pytestmark = pytest.mark.django_db

STUDIES = study_presets()
every_study = pytest.mark.parametrize("preset", STUDIES, ids=lambda each: each.name)


def make_study(preset: Preset) -> Task:
    """Return a task of a study beside a ranking of the same texts, or that ranking."""
    task = make_task(make_campaign(), planned=0)
    if preset.protocol == Protocol.RANKING:
        return task
    task = Task.objects.create(test_set=task.test_set, protocol=preset.protocol)
    return study_apply(task=task, preset=preset)


def pages_of(task: Task) -> Iterator[str]:
    """Yield the addresses of all pages of a campaign, and of a task."""
    for route in ADDRESSES:
        parts = set(re.findall(r"<(?:\w+:)?(\w+)>", route))
        is_page = route.startswith("campaigns/") and opening(route) == "GET"
        if is_page and "slug" in parts and parts <= {"slug", "task_id"}:
            address = re.sub(r"<(?:\w+:)?slug>", task.test_set.campaign.slug, route)
            yield "/" + re.sub(r"<(?:\w+:)?task_id>", str(task.pk), address)


def text_of(body: bytes) -> str:
    return " ".join(html.unescape(strip_tags(body.decode())).split())


@every_study
def test_task_is_called_what_was_chosen(preset: Preset) -> None:
    task = make_study(preset)
    # Side by side is a design of error spans and scores.
    assert str(preset.label).startswith(task.get_protocol_display())
    assert task.called_in_full == f"museum en-de · {task.get_protocol_display()}"


def test_only_variants_share_a_name() -> None:
    names = [str(preset.label) for preset in STUDIES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("chosen", ["mqm-core", "mos", "best-worst"])
def test_every_page_calls_a_task_by_its_study(client: Client, chosen: str) -> None:
    [preset] = [each for each in STUDIES if each.name == chosen]
    task = make_study(preset)
    client.force_login(make_organiser(task.test_set.campaign))
    others = {str(each.label) for each in STUDIES} | set(map(str, Protocol.labels))
    others -= {str(preset.label), "Five-way ranking"}
    named = 0
    for address in pages_of(task):
        answer = client.get(address)
        if answer.status_code != 200 or "html" not in answer["Content-Type"]:
            continue
        text = text_of(answer.content)
        named += str(preset.label) in text
        for other in others:
            assert f"museum en-de · {other}" not in text, address
    # Lists and headings, on most of them.
    assert named > 10


@every_study
def test_every_door_offers_the_study(client: Client, preset: Preset) -> None:
    task = make_task(make_campaign(), planned=0)
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    page = client.get(reverse("task-add", args=[campaign.slug]))
    if preset.protocol != Protocol.RANKING:
        assert preset.name in dict(page.context["form"].fields["protocol"].choices)
        assert str(preset.label) in text_of(page.content)
    upload = client.post(reverse("upload-new", args=[campaign.slug]))
    form = client.get(upload["Location"]).context["form"]
    assert preset.name in dict(form.fields["protocol"].choices)


@every_study
def test_task_of_a_study_is_made_over_rest(client: Client, preset: Preset) -> None:
    if preset.protocol == Protocol.RANKING:
        pytest.skip("every test set has one")
    task = make_task(make_campaign(), planned=0)
    client.force_login(make_organiser(task.test_set.campaign))
    answer = client.post(
        f"/api/v1/campaigns/{task.test_set.campaign.slug}/tasks/",
        {"test_set": task.test_set_id, "preset": preset.name},
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content
    assert str(preset.label).startswith(answer.json()["study"])
    assert answer.json()["protocol"] == preset.protocol


def test_unknown_study_is_refused_with_the_known_ones(client: Client) -> None:
    task = make_task(make_campaign(), planned=0)
    client.force_login(make_organiser(task.test_set.campaign))
    answer = client.post(
        f"/api/v1/campaigns/{task.test_set.campaign.slug}/tasks/",
        {"test_set": task.test_set_id, "preset": "mqn"},
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert "mqm-core" in answer.content.decode()
    assert Task.objects.count() == 1


# What judges are promised.

MEDIA = {
    "": {},
    "audio": {"1.wav": wav(440)},
    "image": {"1.png": png()},
    "video": {"1.webm": video("libvpx", "webm")},
}
HEARD_OR_SEEN = {"audio": "listen", "image": "pictures", "video": "videos"}


def promised(campaign: Campaign) -> list[str]:
    """Return what link pages, mails and pages of panels say, and the starter instructions."""
    work = " ".join(work_of_judges(campaign=campaign))
    return [work, starter_instructions(campaign=campaign, language="en")]


def imported(campaign: Campaign, preset: Preset, media: Mapping[str, bytes]) -> Task:
    """Import texts as a study, as *Add texts* does: two systems, with words or these media as outputs."""
    files = {"source.txt": b"Say it.\n"}
    for system in (b"amber", b"birch"):
        files[f"{system.decode()}.txt"] = b"By " + system + b".\n"
        for name, content in media.items():
            files.pop(f"{system.decode()}.txt", None)
            files[f"{system.decode()}/{name}"] = content
    stored = [
        StoredFile(name, partial(opened, content)) for name, content in files.items()
    ]
    test_set = importing.test_set_from_files(
        campaign=campaign,
        files=importing.TestSetFiles(
            recognised=recognise("study", stored),
            name="study",
            source_language="en",
            target_language="de",
        ),
        protocol=preset.protocol,
        preset=preset.name,
    )
    return test_set.tasks.get()


@pytest.mark.parametrize("kind", MEDIA)
@pytest.mark.parametrize(
    "name",
    ["ranking", "mos", "two_outputs", "best-worst", "sorting", "mqm-core"],
)
def test_judges_are_promised_what_they_see_and_hear(name: str, kind: str) -> None:
    preset = study_checked(name)
    files = MEDIA[kind]
    if files and Protocol(preset.protocol).needs_words:
        pytest.skip("judges of this protocol work with words")
    campaign = make_campaign()
    task = imported(campaign, preset, files)
    assert task.get_protocol_display() == str(preset.label)
    for text in promised(campaign):
        for other, word in HEARD_OR_SEEN.items():
            assert (word in text) == (other == kind)
    instructions = promised(campaign)[1]
    if files:
        assert "keeps more of the meaning" not in instructions


@every_study
def test_score_is_promised_only_if_it_is_asked(preset: Preset) -> None:
    task = make_study(preset)
    words = [str(task.study.work), str(task.study.criterion(outputs_are_media=False))]
    asks = "0 to 100" in str(preset.sentence) or preset.name.endswith("esa")
    assert ("0 to 100" in words[0]) == asks
    if not asks:
        assert "score" not in " ".join(words).lower()


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"scored": False, "categories": "mqm-core", "severities": [*Severity]},
        {"severities": ["major"], "scored": False},
        {"spans_asked": False},
    ],
)
def test_severities_explained_are_those_of_the_rules(rules: dict[str, object]) -> None:
    task = make_task(make_campaign(), planned=0)
    task = Task.objects.create(test_set=task.test_set, protocol=Protocol.SPANS)
    task = task_rules_change(task=task, rules=rules)
    words = str(task.study.criterion(outputs_are_media=False)).lower()
    expected = severities_of(task.rules) if spans_are_asked(task.rules) else []
    assert [each for each in Severity if f"{each}:" in words] == expected
    assert ("score" in words) == is_scored(task.rules)


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ({}, "Error spans and scores (ESA)"),
        ({"categories": ["Style"]}, "Error spans and scores"),
        ({"scored": False, "categories": ["Style"]}, "MQM"),
        ({"scored": False}, "Error spans"),
        ({"spans_asked": False}, "Scores from 0 to 100 (DA)"),
    ],
)
def test_rules_of_error_spans_name_the_study(
    rules: dict[str, object],
    name: str,
) -> None:
    assert study_name(Protocol.SPANS, rules) == name


def test_changed_criteria_are_no_longer_the_preset() -> None:
    task = make_study(next(each for each in STUDIES if each.name == "mos"))
    [criterion] = task.rules["criteria"]
    reworded = {**criterion, "question": {"en": "How natural is the voice?"}}
    assert (
        study_name(Protocol.RATING, {"criteria": [reworded]})
        == "Mean opinion score (MOS)"
    )
    longer = {
        **criterion,
        "highest": 7,
        "labels": {"1": {"en": "Bad"}, "7": {"en": "Good"}},
    }
    assert study_name(Protocol.RATING, {"criteria": [longer]}) == "Ratings by criteria"
    assert "from 1 to 7" in str(study(Protocol.RATING, {"criteria": [longer]}).work)

"""Each thing that organisers set is in the file of a campaign, or stands here with the reason why not."""

from typing import Any

import pytest
from django.db.models import Model
from jsonschema import Draft202012Validator

from annotation import models as annotation
from campaign import models as campaign
from campaign.database.recording import recorded_models
from protocols import models as protocols
from ranking import models as ranking
from whole_campaigns.campaign_file.applying import differences
from whole_campaigns.campaign_file.schema import campaign_schema
from whole_campaigns.campaign_file.sections import SECTIONS, TEST_SET_SECTIONS, Section

SETTLED = "says which campaign it is: on top of the file, not changed by one"
BY_PERSON = "decided by a person, one by one, on its page"
SECRET = "a secret, or leads to one"
OF_PEOPLE = "who may do what is decided on the pages of people"
WORK = "follows from what judges or the server did"

#: Recorded models that have no part in the file.
NOT_IN_FILE: dict[type[Model], str] = {
    campaign.ApiToken: "lets a program of somebody in",
    campaign.WebhookEndpoint: "an address with its secret: files are handed on",
    campaign.MachineJudge: "judges the other campaign, with its token",
    campaign.Membership: OF_PEOPLE,
    annotation.QualityAction: BY_PERSON,
    campaign.ErasureRequest: BY_PERSON,
    campaign.OutputCorrection: "texts are written as they are now",
    ranking.PublishedResult: BY_PERSON,
    protocols.Snippet: "in a file of their own",
    ranking.Metric: "in files of their own, or computed",
}
#: Recorded columns of the others that have none.
FIELDS_NOT_IN_FILE: dict[type[Model], dict[str, str]] = {
    campaign.Campaign: {"slug": SETTLED, "name": SETTLED},
    campaign.Instructions: {"version": "counted"},
    campaign.Judge: {
        "origin": "judges of files and simulations are made with their judgments",
        "address": OF_PEOPLE,
        "blocks_asked": WORK,
        "withdrawn_at": OF_PEOPLE,
        "declined_at": "of the judge",
        "answers": "of the judge",
    },
    campaign.JudgeGroup: {"removed_at": BY_PERSON},
    campaign.Invitation: {
        "user": OF_PEOPLE,
        "role": "links for anybody make judges",
        "accepted_at": OF_PEOPLE,
    },
    campaign.Panel: {
        "closed_at": BY_PERSON,
        "completion_code": SECRET,
        "screened_out_code": SECRET,
        "completion_address": SECRET,
        "screened_out_address": SECRET,
        "webhook_secret": SECRET,
    },
}


def in_file() -> dict[type[Model], set[str]]:
    found: dict[type[Model], set[str]] = {}
    sections: list[Section[Any]] = [*SECTIONS, *TEST_SET_SECTIONS]
    for section in sections:
        for model, names in section.fields.items():
            found.setdefault(model, set()).update(names)
    return found


def test_each_recorded_model_is_in_the_file_or_says_why_not() -> None:
    """What is recorded is what people set: tests/integration/activity/test_registry.py."""
    assert set(in_file()) | set(NOT_IN_FILE) == set(recorded_models())
    assert not set(in_file()) & set(NOT_IN_FILE)


@pytest.mark.parametrize("model", in_file(), ids=lambda model: model.__name__)
def test_each_recorded_column_is_in_the_file_or_says_why_not(model: type[Model]) -> None:
    names = {field.attname: field.name for field in model._meta.concrete_fields}
    recording = model.recording  # type: ignore[attr-defined]
    recorded = {names[column] for column in (*recording.fields, *recording.hidden)}
    named, why_not = in_file()[model], FIELDS_NOT_IN_FILE.get(model, {})
    assert recorded <= named | set(why_not)
    assert not named & set(why_not)
    fields = {field.name for field in model._meta.concrete_fields}
    assert named | set(why_not) <= fields


def leaves(schema: dict[str, Any], path: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    for name, each in schema.get("properties", {}).items():
        found += [(f"{path}.{name}", each), *leaves(each, f"{path}.{name}")]
    if "items" in schema:
        found += leaves(schema["items"], path)
    return found


def test_the_schema_is_one_and_describes_each_key() -> None:
    Draft202012Validator.check_schema(campaign_schema())
    undescribed = [path for path, each in leaves(campaign_schema()) if not each.get("description")]
    assert undescribed == []


def test_keys_of_sections_are_different() -> None:
    for sections in (SECTIONS, TEST_SET_SECTIONS):
        keys = [key for section in sections for key in section.properties()]
        assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": None}, ["~ a: 1 → –"]),
        ({"a": []}, {"a": ["x", "y"]}, ["~ a: – → x, y"]),
        ({"a": False}, {"a": True}, ["~ a: false → true"]),
        ({"withdrawn": False}, {"withdrawn": True}, ["− withdrawn: false → true"]),
        ({"l": [{"name": "x", "n": 1}]}, {"l": [{"name": "x", "n": 2}]}, ["~ l › x › n: 1 → 2"]),
        (
            {"l": [{"note": "", "cap": 1}, {"note": "", "cap": 2}, {"note": "a", "cap": 1}]},
            {"l": [{"note": "", "cap": 2}, {"note": "", "cap": 3}]},
            ["~ l › – › cap: 1 → 3", "− l › a: cap: 1 → –"],
        ),
        (
            {"l": [{"segment": 3, "k": {"x": 1}}]},
            {"l": [{"segment": 3, "k": {"x": 2}}, {"segment": 4, "position": 4, "k": {"y": 1}}]},
            ["~ l › 3 › k › x: 1 → 2", "+ l › 4: position: 4", "+ l › 4 › k: y: 1"],
        ),
        ({"l": [{"name": "x"}]}, {"l": [{"name": "x"}, {"name": "y", "k": {"m": 1}, "n": 3}]}, ["+ l › y: n: 3", "+ l › y › k: m: 1"]),
        ({"t": "same " * 30 + "one"}, {"t": "same " * 30 + "two"}, ["~ t: …same same same one → …same same same two"]),
    ],
)  # fmt: skip
def test_differences_are_said_line_by_line(before: Any, after: Any, said: list[str]) -> None:
    assert [each.words for each in differences(before, after)] == said

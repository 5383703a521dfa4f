"""Each thing that organisers set is in the file of a campaign, or stands here with the reason why not."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.models import Model
from rest_framework import serializers
from rest_framework.serializers import ListSerializer, Serializer

from annotation import models as annotation
from annotation.api.designs import DesignParametersSerializer
from annotation.api.judge_groups import JudgeGroupSerializer
from annotation.api.judges import CampaignJudgeChangeSerializer
from annotation.api.panels import PanelCreateSerializer
from annotation.api.training import TrainingChangeSerializer
from campaign import models as campaign
from campaign.api.instructions import InstructionsWriteSerializer
from campaign.api.invitations import JudgesLinkMakeSerializer
from campaign.api.serializers import (
    CampaignMakeSerializer,
    CampaignRulesSerializer,
    SystemSerializer,
)
from campaign.database.recording import recorded_models
from campaign.formats.yaml_tree import Path, read_yaml, scalar_of
from protocols import models as protocols
from ranking import models as ranking
from ranking.api.quality_rules import RuleTermsSerializer
from ranking.api.ranking_settings import RankingSettingsSerializer
from ranking.api.stopping_rules import StoppingRuleSerializer
from whole_campaigns.api import TaskChangesAndClosingSerializer
from whole_campaigns.campaign_file import bodies
from whole_campaigns.campaign_file.applying import campaign_file_check
from whole_campaigns.campaign_file.differences import differences
from whole_campaigns.campaign_file.parts import value_as_written

#: Unquoted words that are also numbers or true, and what they were read as.
NUMBERS = [
    "1.10",
    "1e3",
    "+1",
    ".5",
    "-0",
    "007",
    "0x1F",
    "0o17",
    "1_000",
    "true",
    "no",
]

BY_PERSON = "decided by a person, one by one, on its page"
SECRET = "a secret, or leads to one"
OF_PEOPLE = "who may do what is decided on the pages of people"
PREVIEWED = "each file is previewed before it is applied"
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


#: The part of the file that holds each model, as a serializer.
IN_FILE: dict[type[Model], type[Serializer[Any]]] = {
    campaign.Campaign: bodies.CampaignFileSerializer,
    campaign.Instructions: InstructionsWriteSerializer,
    campaign.JudgeGroup: JudgeGroupSerializer,
    campaign.GroupMember: bodies.JudgeInFileSerializer,
    campaign.Judge: bodies.JudgeInFileSerializer,
    campaign.ConflictOfInterest: bodies.JudgeInFileSerializer,
    campaign.Panel: bodies.PanelInFileSerializer,
    campaign.Invitation: bodies.LinkInFileSerializer,
    campaign.TestSet: bodies.TestSetInFileSerializer,
    campaign.Task: bodies.TaskInFileSerializer,
    campaign.System: bodies.SystemInFileSerializer,
    campaign.BadReference: bodies.DamagedReferenceInFileSerializer,
    annotation.TrainingBlock: bodies.TrainingInFileSerializer,
    annotation.TrainingCandidate: bodies.TrainingInFileSerializer,
    annotation.Design: bodies.DesignInFileSerializer,
    annotation.QualityRule: bodies.RuleInFileSerializer,
    ranking.RankingSettings: RankingSettingsSerializer,
    ranking.StoppingRule: StoppingRuleSerializer,
}
#: Columns whose key has another name.
KEYS: dict[type[Model], dict[str, str]] = {
    campaign.GroupMember: {"judge": "groups", "group": "groups"},
    campaign.ConflictOfInterest: {"judge": "conflicts", "system": "conflicts"},
    campaign.Invitation: {"revoked_at": "withdrawn"},
    campaign.Task: {"closed_at": "closed"},
    campaign.System: {"withdrawn_at": "withdrawn"},
    annotation.TrainingCandidate: {"output": "expected"},
    annotation.QualityRule: {"task": "test_set", "switched_off_at": "switched_off"},
}


def test_recorded_models_are_in_the_file_or_excluded_with_a_reason() -> None:
    """What is recorded is what people set: tests/integration/activity/test_registry.py."""
    assert set(IN_FILE) | set(NOT_IN_FILE) == set(recorded_models())
    assert not set(IN_FILE) & set(NOT_IN_FILE)


@pytest.mark.parametrize("model", IN_FILE, ids=lambda model: model.__name__)
def test_recorded_columns_are_in_the_file_or_excluded_with_a_reason(
    model: type[Model],
) -> None:
    names = {field.attname: field.name for field in model._meta.concrete_fields}
    recording = model.recording  # type: ignore[attr-defined]
    recorded = {names[column] for column in (*recording.fields, *recording.hidden)}
    keys, why_not = KEYS.get(model, {}), FIELDS_NOT_IN_FILE.get(model, {})
    in_file = {
        name for name in recorded if keys.get(name, name) in IN_FILE[model]().fields
    }
    assert recorded == in_file | set(why_not)
    assert not in_file & set(why_not)


#: Fields that REST takes and the file does not, by resource and part of the file.
REST_ONLY: list[tuple[type[Serializer[Any]], type[Serializer[Any]], dict[str, str]]] = [
    (
        CampaignRulesSerializer,
        bodies.CampaignFileSerializer,
        {"rank_shown_reference": "a key of the design of each test set"},
    ),
    (CampaignMakeSerializer, bodies.CampaignFileSerializer, {}),
    (
        TaskChangesAndClosingSerializer,
        bodies.TestSetInFileSerializer,
        {"confirm": PREVIEWED},
    ),
    (
        TaskChangesAndClosingSerializer,
        bodies.TaskInFileSerializer,
        {
            **dict.fromkeys(("name", "source_language"), "keys of the test set"),
            **dict.fromkeys(("target_language", "expertise"), "keys of the test set"),
            "confirm": PREVIEWED,
        },
    ),
    (SystemSerializer, bodies.SystemInFileSerializer, {}),
    (DesignParametersSerializer, bodies.DesignInFileSerializer, {}),
    (
        TrainingChangeSerializer,
        bodies.TrainingInFileSerializer,
        {"candidates": "expected"},
    ),
    (
        RuleTermsSerializer,
        bodies.RuleInFileSerializer,
        {"task": "test_set and protocol"},
    ),
    (
        PanelCreateSerializer,
        bodies.PanelInFileSerializer,
        {
            **dict.fromkeys(("completion_code", "screened_out_code"), SECRET),
            **dict.fromkeys(("completion_address", "screened_out_address"), SECRET),
            "webhook_secret": SECRET,
        },
    ),
    (JudgesLinkMakeSerializer, bodies.LinkInFileSerializer, {"last_day": "expires_at"}),
    (
        CampaignJudgeChangeSerializer,
        bodies.JudgeInFileSerializer,
        {"address": OF_PEOPLE, "confirm": PREVIEWED},
    ),
]


@pytest.mark.parametrize(("resource", "part", "why_not"), REST_ONLY)
def test_rest_fields_are_in_the_file_or_excluded_with_a_reason(
    resource: type[Serializer[Any]],
    part: type[Serializer[Any]],
    why_not: dict[str, str],
) -> None:
    writable = {
        name for name, field in resource().fields.items() if not field.read_only
    }
    assert writable - set(part().fields) == set(why_not)


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
def test_differences_have_a_line_each(before: Any, after: Any, said: list[str]) -> None:
    assert [each.words for each in differences(before, after)] == said


def fields_below(field: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Return the fields of a file that have no fields of their own, by path; each list has one item."""
    if isinstance(field, ListSerializer | serializers.ListField):
        yield from fields_below(field.child, (*path, 0))
    elif isinstance(field, Serializer):
        for name, below in field.fields.items():
            if not below.read_only:
                yield from fields_below(below, (*path, name))
    else:
        yield path, field


@pytest.mark.parametrize("written", NUMBERS)
def test_text_fields_get_unquoted_numbers_as_written(written: str) -> None:
    texts = 0
    serializer = bodies.CampaignFileSerializer()
    for path, field in fields_below(serializer):
        content = written
        for step in reversed(path):
            content = f"[{content}]" if step == 0 else f"{{{step}: {content}}}"
        tree = read_yaml("c", content.encode())
        value = value_as_written(tree, serializer)
        for step in path:
            value = value[step]
        if isinstance(field, serializers.CharField):
            texts += 1
            assert value == written, path
        else:
            assert value == scalar_of(written), path
    assert texts > 20


def test_names_that_look_like_numbers_differ_as_written() -> None:
    content = "slug: c\nname: 1.10\njudges: [{pseudonym: 1.10}, {pseudonym: 1.1}]"
    assert campaign_file_check(read_yaml("c", content.encode())).value == {
        "slug": "c",
        "name": "1.10",
        "judges": [{"pseudonym": "1.10"}, {"pseudonym": "1.1"}],
    }

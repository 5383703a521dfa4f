"""Settings in campaigns of Pearmut: what is imported, and what is named as lost."""

from typing import Any

import pytest

from annotation.importing.tool_settings import ToolSettings, settings_read
from campaign.importing.errors import ImportRefusedError
from campaign.models import Protocol
from campaign.texts.html import plain_text

FORM: list[Any] = [
    [
        {"text": "Welcome! Tell us about <b>yourself</b>.", "form": None},
        {"text": "What is your native language?", "form": "string"},
        {"text": "Your level?", "form": "choices", "choices": ["A1", "C2"]},
        {"text": "Your age?", "form": "number"},
    ],
]


def read(info: Any, **more: Any) -> tuple[ToolSettings, dict[str, str]]:
    settings = settings_read({"info": info, "campaign_id": "m", **more})
    return settings, dict(settings.lost)


def test_taxonomy_severities_and_marks_are_read() -> None:
    settings, lost = read(
        {
            "protocol": "MQM",
            "mqm_categories": {
                "": [],
                "Style": ["", "Awkward", "Register"],
                "Unknown": [],
            },
            "mqm_severities": ["Neutral", "Minor", "Critical"],
            "special_tokens": ["[missing]", "[untranslated]"],
        },
    )
    assert settings.rules == {
        "spans_asked": True,
        "scored": True,
        "missing": True,
        "marks": ["[untranslated]"],
        "severities": ["neutral", "minor", "critical"],
        "categories": ["Style: Awkward, Register", "Unknown"],
        "free_categories": False,
    }
    assert not lost


def test_categories_are_those_of_mqm_by_default_or_entered_by_judges() -> None:
    assert read({"protocol": "MQM"})[0].rules["categories"] == "mqm-core"
    rules = read({"protocol": "MQM", "mqm_categories": "input"})[0].rules
    assert (rules["categories"], rules["free_categories"]) == ([], True)


def test_empty_list_of_sliders_turns_the_score_off() -> None:
    settings, lost = read({"protocol": "ESA", "sliders": []})
    assert not settings.rules["scored"]
    assert not lost
    assert list(read({"protocol": "DA", "sliders": []})[1]) == ["info.sliders"]


def test_missing_content_is_marked_by_default_only() -> None:
    assert read({"protocol": "ESA"})[0].rules["missing"]
    assert not read({"protocol": "ESA", "special_tokens": []})[0].rules["missing"]


@pytest.mark.parametrize("protocol", ["DA", "XSTSRP"])
def test_sliders_are_criteria(protocol: str) -> None:
    sliders = [
        {"name": "2. Fluency", "min": 0, "max": 5, "step": 1},
        {"name": "流畅", "min": 0, "max": 100},
    ]
    settings, lost = read({"protocol": protocol, "sliders": sliders})
    assert settings.protocol == Protocol.RATING
    criteria: Any = settings.rules["criteria"]
    assert [
        (criterion["key"], criterion["lowest"], criterion["highest"])
        for criterion in criteria
    ] == [("fluency", 0, 5), ("scale-0-100", 0, 100)]
    assert not lost


def test_sliders_beside_error_spans_are_named_as_lost() -> None:
    sliders = [{"name": "F", "min": 0, "max": 5, "step": 1}]
    settings, lost = read({"protocol": "ESA", "sliders": sliders})
    assert settings.protocol == Protocol.SPANS
    assert list(lost) == ["info.sliders"]


def test_forms_are_questions() -> None:
    settings, lost = read({}, data_welcome=FORM, data_goodbye=[FORM[0][1:2]])
    assert [
        (
            entry["kind"],
            entry["stage"],
            entry["texts"][0]["question"],
            entry["texts"][0]["choices"],
        )
        for entry in settings.questions
    ] == [
        (
            "text",
            "start",
            "Welcome! Tell us about **yourself**.\n\nWhat is your native language?",
            [],
        ),
        ("one", "start", "Your level?", ["A1", "C2"]),
        ("number", "start", "Your age?", []),
        ("text", "end", "What is your native language?", []),
    ]
    assert not lost


def test_every_other_key_is_named_as_lost() -> None:
    _settings, lost = read(
        {
            "assignment": "dynamic",
            "users": 3,
            "show_model_names": True,
            "colour": "red",
        },
        data_random=[[{"src": "a"}]],
        data_welcome=[
            [{"src": "a", "tgt": {}}],
            [
                {"text": "t", "form": "script", "script": "1"},
                {"text": "Bye", "form": None},
            ],
        ],
        token="abc",
    )
    named = ", ".join(lost)
    for key in (
        "info.assignment",
        "info.users",
        "info.show_model_names",
        "info.colour",
        "token",
    ):
        assert key in named
    assert "damaged references" in lost["data_random"]
    assert "list" in lost["info.users"]
    assert "3 items of data_welcome" in lost


@pytest.mark.parametrize(
    ("info", "field"),
    [
        ([], "info"),
        ({"mqm_categories": ["Style"]}, "info.mqm_categories"),
        ({"mqm_categories": {"Style": "Awkward"}}, "info.mqm_categories.Style"),
        ({"special_tokens": "[missing]"}, "info.special_tokens"),
        ({"sliders": "five"}, "info.sliders"),
        ({"sliders": ["F"]}, "info.sliders.0"),
        ({"sliders": [{"name": "F", "min": 0}]}, "info.sliders.0.max"),
        ({"sliders": [{"name": " ", "min": 0, "max": 5}]}, "info.sliders.0.name"),
        (
            {"sliders": [{"name": "F", "min": 0, "max": 5, "step": 0.5}]},
            "info.sliders.0.step",
        ),
        ({"instructions": ["Mark."]}, "info.instructions"),
    ],
)
def test_settings_of_another_shape_are_refused_with_their_place(
    info: Any,
    field: str,
) -> None:
    with pytest.raises(ImportRefusedError) as refused:
        read(info)
    assert f"{field}: " in str(refused.value)


def test_html_of_instructions_becomes_text() -> None:
    html = "<style>p {}</style><b>Errors</b><ul><li>Mark &lt;all&gt;</li><li>Then score.</li></ul>Thanks<br>"
    assert plain_text("<style>" * 100_000) == ""
    assert plain_text(html) == "**Errors**\n- Mark <all>\n- Then score.\n\nThanks"

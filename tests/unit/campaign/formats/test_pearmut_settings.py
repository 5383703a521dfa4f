"""Settings in campaigns of Pearmut: what is imported, and what is named as lost."""

from typing import Any

import pytest

from campaign.formats import FormatError
from campaign.formats.pearmut_settings import (
    CampaignSettings,
    FormQuestion,
    SettingsReader,
    Slider,
    plain_text,
)

FORM: list[Any] = [
    [
        {"text": "Welcome! Tell us about <b>yourself</b>.", "form": None},
        {"text": "What is your native language?", "form": "string"},
        {"text": "Your level?", "form": "choices", "choices": ["A1", "C2"]},
        {"text": "Your age?", "form": "number"},
    ]
]


def read(info: dict[str, Any], **more: Any) -> tuple[CampaignSettings, dict[str, str]]:
    reader = SettingsReader("c.json")
    settings = reader.settings({"info": info, "campaign_id": "m", "data": [], **more})
    return settings, {place.removeprefix("c.json: "): why for place, why in reader.left_out}


def test_taxonomy_severities_and_marks_are_read() -> None:
    settings, left_out = read(
        {
            "protocol": "MQM",
            "mqm_categories": {"": [], "Style": ["", "Awkward", "Register"], "Unknown": []},
            "mqm_severities": ["Neutral", "Minor", "Critical"],
            "special_tokens": ["[missing]", "[untranslated]"],
        }
    )
    assert settings.categories == ("Style: Awkward, Register", "Unknown")
    assert settings.severities == ("neutral", "minor", "critical")
    assert (settings.marks, settings.is_missing_marked) == (("[untranslated]",), True)
    assert not left_out


def test_missing_content_is_marked_by_default_only() -> None:
    assert read({"protocol": "ESA"})[0].is_missing_marked
    assert not read({"protocol": "ESA", "special_tokens": []})[0].is_missing_marked


def test_sliders_are_scales() -> None:
    sliders = [
        {"name": "Fluency", "min": 0, "max": 5, "step": 1},
        {"name": "Adequacy", "min": 0, "max": 100, "step": 1},
    ]
    settings, _left_out = read({"protocol": "DA", "sliders": sliders})
    assert settings.sliders == (Slider("Fluency", 0, 5), Slider("Adequacy", 0, 100))


@pytest.mark.parametrize(
    "slider",
    [
        {"name": "F", "min": 0, "max": 5, "step": 0.5},
        {"name": "F", "min": -3, "max": 3, "step": 1},
        {"name": "F", "min": 0, "max": 40, "step": 1},
        {"name": " ", "min": 0, "max": 5, "step": 1},
        {"name": "F", "min": 0},
        "F",
    ],
)
def test_scale_that_cannot_be_asked_is_refused_with_its_place(slider: Any) -> None:
    with pytest.raises(FormatError) as refused:
        read({"protocol": "DA", "sliders": [slider]})
    assert refused.value.field == "info.sliders[0]"


def test_sliders_beside_error_spans_are_named_as_lost() -> None:
    sliders = [{"name": "F", "min": 0, "max": 5, "step": 1}]
    settings, left_out = read({"protocol": "ESA", "sliders": sliders})
    assert not settings.sliders
    assert list(left_out) == ["info.sliders"]


def test_forms_are_questions() -> None:
    settings, left_out = read({}, data_welcome=FORM, data_goodbye=[FORM[0][1:2]])
    assert settings.questions == (
        FormQuestion(
            "text",
            "start",
            "Welcome! Tell us about **yourself**.\n\nWhat is your native language?",
            (),
        ),
        FormQuestion("one", "start", "Your level?", ("A1", "C2")),
        FormQuestion("number", "start", "Your age?", ()),
        FormQuestion("text", "end", "What is your native language?", ()),
    )
    assert not left_out


def test_every_other_key_is_named_as_lost() -> None:
    _settings, left_out = read(
        {"assignment": "dynamic", "users": 3, "show_model_names": True, "colour": "red"},
        data_random=[[{"src": "a"}]],
        data_welcome=[[{"src": "a", "tgt": {}}, {"text": "t", "form": "script", "script": "1"}]],
    )
    named = ", ".join(left_out)
    for key in ("info.assignment", "info.users", "info.show_model_names", "info.colour"):
        assert key in named
    assert "data_random" in named
    assert {"1 of data_welcome", "1 scripts of data_welcome"} <= left_out.keys()


@pytest.mark.parametrize(
    ("info", "field"),
    [
        ([], "info"),
        ({"mqm_categories": ["Style"]}, "info.mqm_categories"),
        ({"mqm_categories": {"Style": "Awkward"}}, "info.mqm_categories.Style"),
        ({"mqm_severities": [1]}, "info.mqm_severities"),
        ({"special_tokens": "[missing]"}, "info.special_tokens"),
        ({"protocol": "DA", "sliders": "five"}, "info.sliders"),
    ],
)
def test_settings_of_another_shape_are_refused(info: Any, field: str) -> None:
    with pytest.raises(FormatError) as refused:
        read(info)
    assert refused.value.field == field


def test_html_of_instructions_becomes_text() -> None:
    html = "<style>p {}</style><b>Errors</b><ul><li>Mark &lt;all&gt;</li><li>Then score.</li></ul>Thanks<br>"
    assert plain_text(html) == "**Errors**\n- Mark <all>\n- Then score.\n\nThanks"

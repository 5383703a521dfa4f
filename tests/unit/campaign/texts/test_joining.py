"""Texts joined by the punctuation of the reader's language."""

import pytest
from django.template import Context, Template
from django.utils.html import format_html
from django.utils.translation import override

from campaign.texts.joining import (
    and_list,
    comma_list,
    labelled,
    labelled_html,
    semicolon_list,
    sentence_list,
    with_full_stop,
)

NAMES = ["heron", "cobalt", "wren"]


@pytest.mark.parametrize(
    ("language", "commas", "conjunction", "semicolons", "label"),
    [
        (
            "en",
            "heron, cobalt, wren",
            "heron, cobalt and wren",
            "heron; cobalt; wren",
            "A: B",
        ),
        (
            "de",
            "heron, cobalt, wren",
            "heron, cobalt und wren",
            "heron; cobalt; wren",
            "A: B",
        ),
        (
            "zh-hans",
            "heron、cobalt、wren",
            "heron、cobalt 和 wren",
            "heron；cobalt；wren",
            "A：B",
        ),
        (
            "ar",
            "heron، cobalt، wren",
            "heron، cobalt وwren",
            "heron؛ cobalt؛ wren",
            "A: B",
        ),
    ],
)
def test_punctuation_depends_on_the_language(
    language: str,
    commas: str,
    conjunction: str,
    semicolons: str,
    label: str,
) -> None:
    with override(language):
        assert comma_list(NAMES) == commas
        assert and_list(NAMES) == conjunction
        assert semicolon_list(NAMES) == semicolons
        assert labelled("A", "B") == label


def test_chinese_has_spaces_beside_its_and_where_a_name_is_in_another_script() -> None:
    with override("zh-hans"):
        assert and_list(["参考译文", "受损参考译文"]) == "参考译文和受损参考译文"
        assert and_list(["heron", "参考译文"]) == "heron 和参考译文"


def test_sentences_have_no_space_after_wide_punctuation() -> None:
    assert sentence_list(["One.", "", "Two."]) == "One. Two."
    assert sentence_list(["一。", "二。"]) == "一。二。"


def test_the_full_stop_is_that_of_the_language_and_not_doubled() -> None:
    with override("zh-hans"):
        assert with_full_stop("尚未评分") == "尚未评分。"
        assert with_full_stop("尚未评分。") == "尚未评分。"


def test_html_is_escaped_where_it_is_not_html() -> None:
    assert labelled_html("<", format_html("<b>{}</b>", ">")) == "&lt;: <b>&gt;</b>"


@pytest.mark.parametrize(("first", "space"), [("One.", " "), ("一。", "")])
def test_sentences_of_a_page_are_joined_alike(first: str, space: str) -> None:
    shown = Template(
        "{% sentences %}<b>{{ first }}</b> {{ more }}{% if more %} {{ more }}{% endif %} {{ last }}{% endsentences %}",
    ).render(Context({"first": first, "more": first, "last": "<"}))
    assert shown == f"<b>{first}</b>{space}{first}{space}{first}{space}&lt;"
